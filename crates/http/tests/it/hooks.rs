//! Deliveries of an Alertmanager, and requests of others to the same route.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, HOOK_TOKEN};

const HOOK: &str = "/v1/hooks/alertmanager";
const JSON: Option<&str> = Some("application/json");

fn message(workspace: &Value) -> Value {
    json!({"version": "4", "receiver": "toolcrib", "status": "firing", "alerts": [{
        "status": "firing", "fingerprint": "f1", "startsAt": "2026-01-15T09:59:00Z",
        "endsAt": "0001-01-01T00:00:00Z",
        "labels": {"alertname": "Slow", "severity": "warning", "workspace": workspace},
        "annotations": {"summary": "too slow"}, "generatorURL": "",
    }]})
}

#[both_databases]
async fn an_alertmanager_delivers(db: TestDb) {
    let app = App::hooked(db).await;
    bodies_that_are_no_delivery_are_refused(&app).await;
    the_secret_alone_opens_it(&app).await;
}

async fn the_secret_alone_opens_it(app: &App) {
    let body = message(&json!(app.a));
    let bare = app.anonymous().send("POST", HOOK, body.clone()).await.problem(401, "unauthenticated");
    assert!(bare["hint"].as_str().unwrap().contains("that the operator configured"), "{bare}");
    for role in [Role::Viewer, Role::Owner] {
        app.as_role(role).send("POST", HOOK, body.clone()).await.problem(401, "unauthenticated");
    }
    let near = format!("{}x", &HOOK_TOKEN[..HOOK_TOKEN.len() - 1]);
    for wrong in [near.as_str(), "x", &HOOK_TOKEN.to_uppercase(), &format!("{HOOK_TOKEN}{HOOK_TOKEN}")] {
        let machine = app.anonymous().bearer(wrong);
        machine.send("POST", HOOK, body.clone()).await.problem(401, "unauthenticated");
    }
    let basic = app.anonymous().with("Authorization", &format!("Basic {HOOK_TOKEN}"));
    basic.send("POST", HOOK, body.clone()).await.problem(401, "unauthenticated");
    assert_eq!(
        app.owner().post("/v1/actions/platform_get_alerts", json!({})).await.ok(200)["data"]["items"],
        json!([])
    );

    let machine = app.anonymous().bearer(HOOK_TOKEN);
    assert_eq!(machine.send("POST", HOOK, body).await.ok(200), json!({"stored": 1}));
    let own = app.owner().post("/v1/actions/platform_get_alerts", json!({})).await.ok(200)["data"].clone();
    assert_eq!((&own["items"][0]["name"], &own["source"]), (&json!("Slow"), &json!("alertmanager")));
    let theirs = app.as_role_b(Role::Owner).post("/v1/actions/platform_get_alerts", json!({})).await.ok(200);
    assert_eq!(theirs["data"]["items"], json!([]));
    // The secret is valid for this route alone and is not a credential.
    machine.get("/v1/me").await.problem(401, "unauthenticated");
}

#[both_databases]
async fn a_workspace_that_can_store_none_keeps_no_other_out(db: TestDb) {
    let app = App::hooked(db).await;
    let machine = app.anonymous().bearer(HOOK_TOKEN);
    let mut body = message(&json!("00000000-0000-7000-8000-000000000000"));
    let own = message(&json!(app.a))["alerts"][0].clone();
    body["alerts"].as_array_mut().unwrap().push(own);
    machine.send("POST", HOOK, body).await;
    let stored = app.owner().post("/v1/actions/platform_get_alerts", json!({})).await.ok(200);
    assert_eq!(stored["data"]["items"][0]["name"], "Slow", "{stored}");
    let nul = r#"{"version":"4","alerts":[],"receiver":"a\u0000"}"#;
    machine.raw("POST", HOOK, JSON, nul).await.problem(400, "malformed_request");
}

async fn bodies_that_are_no_delivery_are_refused(app: &App) {
    let machine = app.anonymous().bearer(HOOK_TOKEN);
    for body in ["", "{}", "[]", "{\"version\":\"4\"}", "{\"version\":\"4\",\"alerts\":[{}]}", "{"] {
        machine.raw("POST", HOOK, JSON, body).await.problem(400, "malformed_request");
    }
    machine.raw("POST", HOOK, Some("text/plain"), "{}").await.problem(415, "unsupported_media_type");
    machine.raw("POST", HOOK, JSON, " ".repeat(1024 * 1024 + 1)).await.problem(413, "payload_too_large");
    machine.raw("GET", HOOK, None, "").await.problem(405, "method_not_allowed");
}

#[both_databases]
async fn guesses_are_limited_and_without_a_secret_the_route_is_closed(db: TestDb) {
    let app = App::new(db).await;
    let machine = app.anonymous().bearer(HOOK_TOKEN);
    let body = message(&json!(app.a));
    for _ in 0..60 {
        machine.send("POST", HOOK, body.clone()).await.problem(401, "unauthenticated");
    }
    machine.send("POST", HOOK, body.clone()).await.problem(429, "rate_limited");
    machine.from([192, 0, 2, 8]).send("POST", HOOK, body).await.problem(401, "unauthenticated");
}
