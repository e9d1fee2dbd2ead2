//! Calls of tools that the caller runs: claimed once, reported once, and seen by their own callers alone.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, Client};

const MASK: &str = "•••";

/// A read, and a write with a sensitive argument.
fn mail() -> Value {
    let tool = |name: &str, level: &str| {
        json!({
            "name": name, "description": format!("Runs {name} in the mailbox."), "permission_level": level,
            "accessible_by": "everyone", "client": {}
        })
    };
    let mut read = tool("get_mails", "read");
    read["parameters"] = json!({"properties": {"folder": {"type": "string", "maxLength": 40}}});
    let mut write = tool("send_mail", "write");
    write["result_text"] = json!("Sent the mail to {to}");
    write["parameters"] = json!({"required": ["to"], "properties": {
        "to": {"type": "string", "maxLength": 80},
        "pin": {"type": "string", "maxLength": 20, "x-sensitive": true}
    }});
    json!({
        "schema": "toolcrib.toolset/1", "slug": "mail", "title": "Mail", "tools": [read, write]
    })
}

/// Makes a service with the toolset.
pub async fn with_mail(db: TestDb) -> App {
    let app = App::new(db).await;
    app.owner().send("PUT", "/v1/toolsets/mail", mail()).await.ok(200);
    app
}

/// Sends the write. Returns the id of the call.
async fn sent(client: &Client<'_>) -> String {
    let body = json!({"to": "ann@example.org", "pin": "4711-geheim"});
    let call = client.post("/v1/actions/mail__send_mail", body).await.ok(202);
    call["call_id"].as_str().unwrap().to_owned()
}

async fn step(client: &Client<'_>, id: &str, step: &str, body: Value) -> toolcrib_testkit::HttpReply {
    client.post(&format!("/v1/calls/{id}/{step}"), body).await
}

async fn running(client: &Client<'_>) -> String {
    let id = sent(client).await;
    step(client, &id, "claim", json!({})).await.ok(200);
    id
}

async fn state(client: &Client<'_>, id: &str) -> String {
    let call = client.get(&format!("/v1/calls/{id}")).await.ok(200);
    call["state"].as_str().unwrap().to_owned()
}

#[both_databases]
async fn calls_are_claimed_and_reported(db: TestDb) {
    let app = with_mail(db).await;
    an_outcome_is_taken_once(&app).await;
    an_output_has_at_most_256_kib(&app).await;
    waiting_ends_with_the_call(&app).await;
    a_write_is_claimed_once_and_only_the_claim_has_its_secrets(&app).await;
    a_claim_has_no_body_and_an_id_is_an_id(&app).await;
}

async fn a_write_is_claimed_once_and_only_the_claim_has_its_secrets(app: &App) {
    let member = app.as_role(Role::Member);
    let body = json!({"to": "ann@example.org", "pin": "4711-geheim"});
    let reply = member.post("/v1/actions/mail__send_mail", body).await;
    let location = reply.header("location").to_owned();
    let call = reply.ok(202);
    let id = call["call_id"].as_str().unwrap();
    assert_eq!(location, format!("/v1/calls/{id}"));
    assert_eq!((&call["status"], &call["claim"]), (&json!("client_execution_required"), &json!(true)));
    assert_eq!(call["arguments"], json!({"to": "ann@example.org", "pin": MASK}), "{call}");
    let shown = member.get(&location).await;
    assert!(!shown.text.contains("geheim"), "{}", shown.text);
    assert_eq!(shown.ok(200)["state"], "ready");
    // The bytes of the claim's arguments are those that were stored: sorted, without spaces.
    let claimed = step(&member, id, "claim", json!({})).await;
    let raw = r#""arguments":{"pin":"4711-geheim","to":"ann@example.org"}"#;
    assert!(claimed.text.contains(raw), "{}", claimed.text);
    assert!(claimed.ok(200)["end_by"].as_str().is_some());
    step(&member, id, "claim", json!({})).await.problem(409, "conflict");
    step(&member, id, "revoke", json!({})).await.problem(409, "conflict");
    assert_eq!(state(&member, id).await, "running");
    let audit = app.owner().get(&format!("/v1/audit/{id}")).await;
    assert!(!audit.text.contains("geheim"), "{}", audit.text);
}

async fn a_claim_has_no_body_and_an_id_is_an_id(app: &App) {
    let member = app.as_role(Role::Member);
    let id = sent(&member).await;
    step(&member, &id, "claim", json!({"x": 1})).await.problem(400, "malformed_request");
    member.raw("POST", &format!("/v1/calls/{id}/claim"), None, "").await.ok(200);
    let report = json!({"status": "succeeded"});
    let read = member.post("/v1/actions/mail__get_mails", json!({"folder": "in"})).await;
    assert_eq!(read.header("location"), "", "a read is no open call");
    let read = read.ok(202)["call_id"].as_str().unwrap().to_owned();
    for unknown in ["no-id", "0197a000-0000-7000-8000-000000000000", &read] {
        member.get(&format!("/v1/calls/{unknown}")).await.problem(404, "not_found");
        step(&member, unknown, "claim", json!({})).await.problem(404, "not_found");
        step(&member, unknown, "outcome", report.clone()).await.problem(404, "not_found");
        step(&member, unknown, "revoke", json!({})).await.problem(404, "not_found");
    }
    let gone = member.get(&format!("/v1/calls/{read}")).await.problem(404, "not_found");
    assert!(gone["hint"].as_str().unwrap().contains("the outcome of a read"), "{gone}");
    let bad = step(&member, &id, "outcome", json!({"status": "done", "more": 1})).await;
    let errors = bad.problem(422, "invalid_arguments")["errors"].clone();
    assert_eq!(errors.as_array().unwrap().len(), 2, "{errors}");
    let id = sent(&member).await;
    assert_eq!(step(&member, &id, "revoke", json!({})).await.ok(200)["state"], "not_run");
    step(&member, &id, "claim", json!({})).await.problem(409, "conflict");
}

async fn an_outcome_is_taken_once(app: &App) {
    let member = app.as_role(Role::Member);
    let id = sent(&member).await;
    let report = json!({"status": "succeeded", "output": {"id": 7}});
    step(&member, &id, "outcome", report.clone()).await.problem(409, "conflict");
    step(&member, &id, "claim", json!({})).await.ok(200);
    for (status, field) in [("succeeded", "error"), ("failed", "output"), ("not_run", "output")] {
        let wrong = step(&member, &id, "outcome", json!({"status": status, field: "boom"})).await;
        let problem = wrong.problem(422, "invalid_arguments");
        assert_eq!(problem["errors"][0]["pointer"], format!("/{field}"), "{problem}");
    }
    let first = step(&member, &id, "outcome", report.clone()).await.ok(200);
    assert_eq!((&first["state"], &first["result"]["output"]), (&json!("succeeded"), &json!({"id": 7})));
    assert_eq!(first["result"]["description"], "Sent the mail to ann@example.org");
    assert_eq!(first.get("messages"), None, "no model made the call");
    assert_eq!(step(&member, &id, "outcome", report).await.ok(200), first);
    let another = json!({"status": "failed", "error": "it bounced"});
    step(&member, &id, "outcome", another).await.problem(409, "conflict");
    assert_eq!(state(&member, &id).await, "succeeded");
    assert_eq!(member.get("/v1/calls?open=true").await.ok(200)["items"], json!([]));
    assert_eq!(member.get("/v1/calls").await.ok(200)["items"][0]["call_id"], json!(id));
}

async fn an_output_has_at_most_256_kib(app: &App) {
    let member = app.as_role(Role::Member);
    let id = running(&member).await;
    // Two quotes belong to the JSON.
    let report = |size: usize| json!({"status": "succeeded", "output": "x".repeat(size - 2)});
    let refused =
        step(&member, &id, "outcome", report(256 * 1024 + 1)).await.problem(422, "invalid_arguments");
    assert_eq!(refused["errors"][0]["pointer"], "/output");
    assert_eq!(state(&member, &id).await, "running");
    step(&member, &id, "outcome", report(256 * 1024)).await.ok(200);
    assert_eq!(state(&member, &id).await, "succeeded");
}

async fn waiting_ends_with_the_call(app: &App) {
    let member = app.as_role(Role::Member);
    let id = running(&member).await;
    let path = format!("/v1/calls/{id}?wait=30");
    let (held, _) = tokio::join!(member.get(&path), async {
        step(&member, &id, "outcome", json!({"status": "failed", "error": "no network"})).await.ok(200)
    });
    let call = held.ok(200);
    assert_eq!((&call["state"], &call["result"]["error"]), (&json!("failed"), &json!("no network")));
    member.get(&format!("/v1/calls/{id}?wait=61")).await.problem(422, "invalid_arguments");
}
