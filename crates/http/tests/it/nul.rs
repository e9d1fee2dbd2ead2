//! A NUL is refused wherever a client puts it, so that none is stored.

use serde_json::json;
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, openai};

const JSON: Option<&str> = Some("application/json");

#[both_databases]
async fn a_nul_is_refused_everywhere(db: TestDb) {
    let app = App::new(db).await;
    no_address_holds_a_nul(&app).await;
    no_body_holds_a_nul(&app).await;
    a_client_that_sends_nul_fails_nobody_else(&app).await;
}

async fn no_address_holds_a_nul(app: &App) {
    let document = app.anonymous().get("/openapi.json").await.ok(200);
    let mut tried = 0;
    for (path, operations) in document["paths"].as_object().unwrap() {
        let parts: Vec<&str> = path.split('/').collect();
        let mut bad: Vec<String> =
            ["?a%00=b", "?a=%00", "?limit=1&cursor=x%00y"].map(|query| filled(&parts, None) + query).into();
        let names = parts.iter().enumerate().filter(|(_, part)| part.starts_with('{'));
        bad.extend(names.map(|(at, _)| filled(&parts, Some(at))));
        for address in bad {
            for method in operations.as_object().unwrap().keys().map(|method| method.to_uppercase()) {
                let problem =
                    app.owner().raw(&method, &address, JSON, "{}").await.problem(400, "malformed_request");
                assert!(problem["detail"].as_str().unwrap().contains("NUL"), "{method} {address}: {problem}");
                tried += 1;
            }
        }
    }
    assert!(tried > 200, "{tried}");
    // Encoded twice, it is the text `%00`, which is allowed.
    app.owner().get("/v1/actions/x%2500").await.problem(404, "unknown_action");
}

async fn no_body_holds_a_nul(app: &App) {
    let bodies = [
        r#"{"a\u0000":1}"#,
        r#"{"name":"a\u0000b"}"#,
        r#"{"a":[{"b":{"\u0000":""}}]}"#,
        "{\"name\":\"a\0b\"}",
    ];
    let document = app.anonymous().get("/openapi.json").await.ok(200);
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            // The route checks a machine's own secret first.
            if operation.get("requestBody").is_none() || operation.get("security").is_some() {
                continue;
            }
            let address = filled(&path.split('/').collect::<Vec<_>>(), None);
            for body in bodies {
                let reply = app.owner().raw(&method.to_uppercase(), &address, JSON, body).await;
                reply.problem(400, "malformed_request");
            }
        }
    }
    // A model's arguments are JSON in a JSON string.
    for arguments in [r#"{"name":"a\u0000b"}"#, r#"{"a\u0000":1}"#, r#""{\"name\":\"a\\u0000b\"}""#] {
        let mut call = openai("call_0", "platform_list_agents", &json!({}));
        call["function"]["arguments"] = arguments.into();
        let asked = json!({"format": "openai", "tool_calls": [call]});
        let answer = app.owner().post("/v1/tools/calls", asked).await.ok(200);
        assert_eq!(answer["results"][0]["error"]["code"], "malformed_request", "{answer}");
    }
}

async fn a_client_that_sends_nul_fails_nobody_else(app: &App) {
    let (bad, other) = (app.owner(), app.as_role_b(toolcrib_model::Role::Owner));
    let junk = async {
        for _ in 0..100 {
            bad.raw("POST", "/v1/actions/x%00", JSON, "{}").await.problem(400, "malformed_request");
        }
    };
    let reads = async {
        for _ in 0..50 {
            other.run("list_agents", json!({})).await.ok(200);
        }
    };
    tokio::join!(junk, reads);
}

/// The path with its parameters filled in, with a NUL in the part at index `at`.
fn filled(parts: &[&str], at: Option<usize>) -> String {
    let fill = |(n, part): (usize, &&str)| match part.starts_with('{') {
        true if at == Some(n) => "x%00y".to_owned(),
        true => "0197a000-0000-7000-8000-000000000000".to_owned(),
        false => (*part).to_owned(),
    };
    parts.iter().enumerate().map(fill).collect::<Vec<_>>().join("/")
}
