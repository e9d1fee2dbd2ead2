//! Requests that are refused before their message is read: credentials, origins, hosts, headers, framing.

use axum::http::StatusCode;
use serde_json::{Value, json};
use toolcrib_auth::{TokenSettings, issuer::LocalIssuer};
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, Client, NEW, Reply};

/// A call of `platform_list_agents` with one header changed or left out.
async fn with(client: &Client<'_>, name: &str, value: Option<&str>) -> Reply {
    let params = json!({"name": "platform_list_agents", "arguments": {}});
    let (head, message) = client.message("tools/call", params);
    let mut head: Vec<(&str, &str)> = head
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .filter(|(known, _)| *known != name)
        .collect();
    head.extend(value.map(|value| (name, value)));
    client.post(&head, &message).await
}

#[both_databases]
async fn without_a_credential_the_response_points_to_the_metadata(db: TestDb) {
    let app = App::new(db).await;
    let place = "https://tools.example/.well-known/oauth-protected-resource/mcp";
    for stranger in
        [app.owner().without("Authorization"), app.owner().with("Authorization", "Bearer nonsense")]
    {
        for method in ["POST", "GET", "DELETE"] {
            let reply = stranger.raw(method, "/mcp", &[], String::new()).await;
            assert_eq!(
                (reply.status, &reply.body["code"]),
                (StatusCode::UNAUTHORIZED, &json!("unauthenticated"))
            );
            assert_eq!(
                reply.header("www-authenticate"),
                format!("Bearer realm=\"toolcrib\", resource_metadata=\"{place}\"")
            );
        }
        let reply = stranger.ask("tools/list", json!({})).await;
        assert_eq!(reply.status, 401);
        // The API itself does not point to the metadata.
        let api = stranger.raw("GET", "/v1/tools", &[], String::new()).await;
        assert_eq!(api.header("www-authenticate"), "Bearer realm=\"toolcrib\"");
    }
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        let document = app.owner().without("Authorization").api("GET", path, Value::Null, 200).await;
        assert_eq!(document["resource"], "https://tools.example/mcp");
        assert_eq!(document["authorization_servers"], json!(["https://issuer.example"]));
        assert_eq!(document["bearer_methods_supported"], json!(["header"]));
    }
}

#[both_databases]
async fn a_token_for_mcp_opens_nothing_else(db: TestDb) {
    let settings = LocalIssuer::settings();
    let (audience, mcp_audience) = (Some("api".into()), settings.audience.clone());
    let settings = TokenSettings { audience, mcp_audience, ..settings };
    let app = App::judged(db, settings).await;
    let owner = app.owner();
    assert_eq!(owner.ask("tools/list", json!({})).await.status, 200);
    let agents = ("POST", "/v1/actions/platform_list_agents");
    for (method, path) in [("GET", "/v1/tools"), agents, ("GET", "/v1/events")] {
        let reply = owner.raw(method, path, &[], String::new()).await;
        assert_eq!(reply.status, 401, "{path}");
        assert!(reply.text.contains("valid for `/mcp` only"), "{}", reply.text);
    }
}

#[both_databases]
async fn a_client_token_calls_no_tool(db: TestDb) {
    let app = App::new(db).await;
    let body = json!({"kind": "service", "name": "relay", "role": "editor", "scopes": ["approvals:relay"]});
    let key = app.owner().api("POST", "/v1/keys", body, 201).await;
    let me = app.owner().api("GET", "/v1/me", Value::Null, 200).await;
    let user = me["user"]["user_id"].as_str().unwrap().parse().unwrap();
    let token = app.client_token(key["secret"].as_str().unwrap(), user, "talk");
    let client = app.owner().without("Authorization").with("Authorization", &format!("Bearer {token}"));
    client.api("GET", "/v1/confirmations", Value::Null, 200).await;
    for method in ["initialize", "tools/list", "tools/call"] {
        let reply = client.ask(method, json!({"name": "platform_list_agents", "arguments": {}})).await;
        assert_eq!(reply.status, 401, "{method}");
        assert!(reply.text.contains("valid for confirmations and events only"), "{}", reply.text);
    }
}

#[both_databases]
async fn no_message_holds_a_nul(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    for arguments in [json!({"name": "a\0b"}), json!({"a\0b": 1}), json!({"tags": [{"a": "\0"}]})] {
        let (head, message) =
            owner.message("tools/call", json!({"name": "platform_list_agents", "arguments": arguments}));
        let head: Vec<(&str, &str)> = head.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let reply = owner.post(&head, &message).await;
        assert_eq!((reply.status, &reply.body["id"]), (StatusCode::OK, &message["id"]));
        reply.error(-32_602);
        let reply =
            owner.ask_old("tools/call", json!({"name": "platform_x\0", "arguments": arguments})).await;
        assert_eq!(reply.body["id"], message["id"]);
        reply.error(-32_602);
    }
    assert_eq!(owner.raw("POST", "/mcp?a=%00", &[], "{}".into()).await.status, 400);
}

#[both_databases]
async fn origins_and_hosts_are_on_a_list(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    for origin in [
        "https://evil.example",
        "http://app.example",
        "https://app.example.evil.example",
        "null",
        "https://app.example:8443",
    ] {
        let reply = owner.with("Origin", origin).ask("tools/list", json!({})).await;
        assert_eq!(reply.status, 403, "{origin}: {}", reply.text);
    }
    assert_eq!(owner.with("Origin", "https://app.example").ask("tools/list", json!({})).await.status, 200);
    for host in ["evil.example", "tools.example.evil.example"] {
        assert_eq!(owner.with("Host", host).ask("tools/list", json!({})).await.status, 403, "{host}");
    }
    for host in ["tools.example", "crib.internal", "127.0.0.1:8787"] {
        assert_eq!(owner.with("Host", host).ask("tools/list", json!({})).await.status, 200, "{host}");
    }
}

#[both_databases]
async fn headers_agree_with_the_body(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    assert_eq!(with(&owner, "Mcp-Method", Some("tools/call")).await.status, 200);
    for (name, value) in [
        ("Mcp-Method", Some("tools/list")),
        ("Mcp-Method", None),
        ("Mcp-Name", Some("platform_create_agent")),
        ("Mcp-Name", None),
        ("MCP-Protocol-Version", Some("2025-11-25")),
        ("MCP-Protocol-Version", None),
    ] {
        let reply = with(&owner, name, value).await;
        assert_eq!(reply.status, 400, "{name} {value:?}: {}", reply.text);
        reply.error(-32_020);
    }
    let odd = with(&owner, "MCP-Protocol-Version", Some("2099-01-01")).await;
    assert_eq!(odd.status, 400, "{}", odd.text);
    assert_eq!(
        owner.api("GET", "/v1/audit?surface=mcp", Value::Null, 200).await["items"].as_array().unwrap().len(),
        1
    );
}

#[both_databases]
async fn messages_are_read_strictly(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let head = [("Accept", "application/json, text/event-stream"), ("MCP-Protocol-Version", "2025-11-25")];
    let call = |arguments: &str| {
        format!(
            r#"{{"jsonrpc":"2.0","id":"seven","method":"tools/call",
            "params":{{"name":"platform_create_agent","arguments":{arguments}}}}}"#
        )
    };
    let deep = format!("{}1{}", "[".repeat(200), "]".repeat(200));
    // What is JSON has an id, with which its client tells which request failed.
    let large_number = r#"{"limit":1e400}"#;
    let twice = [r#"{"name":"A","name":"B"}"#, r#"{"name":"A","n\u0061me":"B"}"#];
    for arguments in twice.into_iter().chain([r#"{"name":"\ud800"}"#, &deep, large_number]) {
        let reply = owner.raw("POST", "/mcp", &head, call(arguments)).await;
        assert_eq!(reply.status, 200, "{arguments}: {}", reply.text);
        assert_eq!(reply.body["id"], "seven", "{arguments}");
        reply.error(-32_602);
    }
    let ids = call("{}").replace(r#""id":"seven""#, r#""id":"seven","id":"eight""#);
    for unreadable in [call("{"), ids] {
        let reply = owner.raw("POST", "/mcp", &head, unreadable).await;
        assert_eq!((reply.status, &reply.body["id"]), (StatusCode::BAD_REQUEST, &Value::Null));
        reply.error(-32_700);
    }
    let large = call(&format!(r#"{{"name":"{}"}}"#, "x".repeat(1024 * 1024)));
    assert_eq!(owner.raw("POST", "/mcp", &head, large).await.status, 413);
    let listed = owner.call("list_agents", json!({})).await;
    assert!(!listed.to_string().contains("\"B\""), "{listed}");
    for method in ["GET", "DELETE"] {
        assert_eq!(
            owner.raw(method, "/mcp", &[("Accept", "text/event-stream")], String::new()).await.status,
            405
        );
    }
    for odd in [json!([]), json!({}), json!({"id": 1, "method": "ping"})] {
        let reply = owner.post(&[("MCP-Protocol-Version", NEW)], &odd).await;
        assert_eq!(reply.status, 400, "{odd}: {}", reply.text);
        reply.error(-32_600);
    }
}

#[both_databases]
async fn one_accepted_media_type_is_enough(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let params = json!({"name": "platform_list_agents", "arguments": {}});
    let (head, message) = owner.message("tools/call", params);
    let head: Vec<(&str, &str)> = head.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let some = ["application/json", "text/event-stream", "application/*", "*/*", "text/html, */*;q=0.1"];
    for (accepted, status) in some.map(|enough| (enough, 200)).into_iter().chain([("text/html", 406)]) {
        let all = [head.as_slice(), &[("Accept", accepted)]].concat();
        let reply = owner.raw("POST", "/mcp", &all, message.to_string()).await;
        assert_eq!(reply.status, status, "{accepted}: {}", reply.text);
    }
    assert_eq!(owner.raw("POST", "/mcp", &head, message.to_string()).await.status, 200, "none");
}

#[both_databases]
async fn the_endpoint_may_end_with_a_slash(db: TestDb) {
    let app = App::new(db).await;
    let (head, message) = app.owner().message("tools/list", json!({}));
    let head: Vec<(&str, &str)> = head.iter().map(|(name, value)| (*name, value.as_str())).collect();
    assert_eq!(app.owner().raw("POST", "/mcp/", &head, message.to_string()).await.status, 200);
    assert_eq!(app.owner().raw("POST", "/mcp//", &head, message.to_string()).await.status, 404);
}

#[both_databases]
async fn pages_of_listed_origins_read_every_response(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner().with("Origin", "https://app.example");
    let asked = [
        ("Access-Control-Request-Method", "POST"),
        ("Access-Control-Request-Headers", "authorization,content-type,mcp-method,mcp-protocol-version"),
    ];
    let preflight = owner.without("Authorization").raw("OPTIONS", "/mcp", &asked, String::new()).await;
    assert_eq!(preflight.status, 200, "{}", preflight.text);
    assert_eq!(preflight.header("access-control-allow-origin"), "https://app.example");
    assert!(preflight.header("access-control-allow-headers").contains("mcp-protocol-version"));
    assert!(preflight.header("access-control-allow-methods").contains("POST"));

    let refused = owner.without("Authorization").ask("tools/list", json!({})).await;
    let listed = owner.ask("tools/list", json!({})).await;
    let metadata = "/.well-known/oauth-protected-resource/mcp";
    let metadata = owner.without("Authorization").raw("GET", metadata, &[], String::new()).await;
    for (reply, status) in [(&refused, 401), (&listed, 200), (&metadata, 200)] {
        assert_eq!(reply.status, status);
        assert_eq!(reply.header("access-control-allow-origin"), "https://app.example");
        assert!(reply.header("access-control-expose-headers").contains("www-authenticate"));
    }
    let other = app.owner().with("Origin", "https://evil.example").ask("tools/list", json!({})).await;
    assert_eq!(other.header("access-control-allow-origin"), "");
}
