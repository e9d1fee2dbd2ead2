//! Calls that a person approves and the application runs.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, Client, openai};

/// A write that asks a person.
async fn with_mail(db: TestDb) -> App {
    let app = App::new(db).await;
    let document = json!({
        "schema": "toolcrib.toolset/1", "slug": "mail", "title": "Mail",
        "tools": [{
            "name": "send", "description": "Send a mail.", "permission_level": "write",
            "accessible_by": "everyone", "confirmation": "simple", "warning": "The mail is sent.",
            "confirm_text": "Send a mail to {to}", "client": {},
            "parameters": {"required": ["to"], "properties": {
                "to": {"type": "string", "maxLength": 80},
                "pin": {"type": "string", "maxLength": 20, "x-sensitive": true}
            }}
        }]
    });
    app.owner().send("PUT", "/v1/toolsets/mail", document).await.ok(200);
    app
}

async fn batch(client: &Client<'_>, wait: u64) -> Value {
    let call = openai("call_1", "mail__send", &json!({"to": "ann@example.org", "pin": "4711"}));
    let body = json!({"format": "openai", "wait": wait, "tool_calls": [call]});
    client.post("/v1/tools/calls", body).await.ok(200)
}

/// The only open confirmation, once there is one.
async fn asked(client: &Client<'_>) -> Value {
    loop {
        let open = client.get("/v1/confirmations?status=pending").await.ok(200);
        if let Some(item) = open["items"].get(0) {
            return item.clone();
        }
        tokio::task::yield_now().await;
    }
}

#[both_databases]
async fn a_batch_that_waits_returns_the_approved_call_to_run(db: TestDb) {
    let app = with_mail(db).await;
    let member = app.as_role(Role::Member);
    let approve = async {
        let item = asked(&member).await;
        assert_eq!(item["description"], "Send a mail to ann@example.org (the application runs it)");
        let id = item["id"].as_str().unwrap();
        let started = member.post(&format!("/v1/confirmations/{id}/approve"), json!({})).await;
        assert_eq!(started.ok(202)["status"], "client_execution_required");
        id.to_owned()
    };
    let (answer, confirmation) = tokio::join!(batch(&member, 30), approve);
    let call = &answer["to_run"][0];
    assert_eq!(
        (&call["status"], &call["tool_call_id"], &call["claim"]),
        (&json!("client_execution_required"), &json!("call_1"), &json!(true)),
        "{answer}"
    );
    assert_eq!(call["arguments"], json!({"to": "ann@example.org", "pin": "•••"}));
    let text = answer["messages"][0]["content"].as_str().unwrap();
    assert!(text.contains("client_execution_required") && !text.contains("approve_url"), "{text}");

    let id = call["call_id"].as_str().unwrap();
    let claimed = member.post(&format!("/v1/calls/{id}/claim"), json!({})).await.ok(200);
    assert_eq!(claimed["arguments"]["pin"], "4711");
    let shown = member.get(&format!("/v1/confirmations/{confirmation}")).await.ok(200);
    assert_eq!((&shown["status"], shown.get("messages")), (&json!("running"), None), "{shown}");
    let report = json!({"status": "succeeded", "output": {"id": "m-1"}});
    let ended = member.post(&format!("/v1/calls/{id}/outcome"), report).await.ok(200);
    assert!(ended["messages"][0]["content"].as_str().unwrap().contains("m-1"), "{ended}");
    let shown = member.get(&format!("/v1/confirmations/{confirmation}")).await.ok(200);
    assert_eq!(shown["status"], "executed");
    assert!(shown["messages"][0]["content"].as_str().unwrap().contains("m-1"), "{shown}");
}

#[both_databases]
async fn a_call_that_failed_ends_its_confirmation_so(db: TestDb) {
    let app = with_mail(db).await;
    let member = app.as_role(Role::Member);
    assert_eq!(batch(&member, 0).await["to_run"], Value::Null, "nothing is approved yet");
    let confirmation = asked(&member).await["id"].as_str().unwrap().to_owned();
    let approve = format!("/v1/confirmations/{confirmation}/approve");
    let id = member.post(&approve, json!({})).await.ok(202)["call_id"].as_str().unwrap().to_owned();
    member.post(&approve, json!({})).await.problem(409, "already_decided");
    member.post(&format!("/v1/calls/{id}/claim"), json!({})).await.ok(200);
    let report = json!({"status": "failed", "error": "The mail server is away."});
    member.post(&format!("/v1/calls/{id}/outcome"), report).await.ok(200);
    let shown = member.get(&format!("/v1/confirmations/{confirmation}")).await.ok(200);
    assert_eq!(shown["status"], "failed");
    assert!(shown["messages"][0]["content"].as_str().unwrap().contains("mail server"), "{shown}");
}
