//! Headers of every response, and routes that need no credential.

use serde_json::{Value, json};
use toolcrib_http::EdgeOptions;
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, Client};

#[both_databases]
async fn headers_and_public_routes(db: TestDb) {
    let app = App::new(db).await;
    a_request_keeps_its_id(&app).await;
    every_response_has_security_headers(&app).await;
    a_connection_ends_with_a_body_that_nobody_read(&app).await;
    public_routes_need_no_credential(&app).await;
    metrics_are_for_this_machine(&app).await;
}

async fn a_request_keeps_its_id(app: &App) {
    let kept = app.owner().with("X-Request-Id", "req-1.2:3_4").get("/v1/tools").await;
    assert_eq!(kept.header("x-request-id"), "req-1.2:3_4");
    for odd in ["a b", "<script>", &"x".repeat(129), ""] {
        let made = app.owner().with("X-Request-Id", odd).get("/v1/no").await;
        assert_eq!(made.header("x-request-id").len(), 36, "{odd}");
        made.problem(404, "not_found");
    }
}

async fn every_response_has_security_headers(app: &App) {
    for path in ["/healthz", "/v1/tools", "/v1/no", "/docs"] {
        let reply = app.owner().get(path).await;
        assert_eq!(reply.header("x-content-type-options"), "nosniff");
        assert_eq!(reply.header("x-frame-options"), "DENY");
        assert!(reply.header("content-security-policy").starts_with("default-src 'none'"));
        assert!(!reply.header("x-request-id").is_empty());
    }
    assert_eq!(app.owner().run("list_agents", json!({})).await.header("cache-control"), "no-store");
    let page = app.anonymous().get("/docs").await;
    assert_eq!(page.header("strict-transport-security"), "", "without HTTPS");
}

#[both_databases]
async fn pages_are_out_of_reach_for_other_sites(db: TestDb) {
    let app = App::edged(db, EdgeOptions { https: true, ..EdgeOptions::default() }).await;
    for path in ["/docs", "/docs/errors", "/docs/errors/timeout"] {
        let page = app.anonymous().get(path).await;
        assert_eq!(page.header("cross-origin-opener-policy"), "same-origin", "{path}");
        assert_eq!(page.header("cross-origin-resource-policy"), "same-origin", "{path}");
        assert!(page.header("permissions-policy").contains("camera=()"), "{path}");
    }
    for path in ["/docs", "/healthz", "/v1/me"] {
        let answer = app.anonymous().get(path).await;
        assert_eq!(answer.header("strict-transport-security"), "max-age=31536000", "{path}");
    }
    assert_eq!(app.anonymous().get("/healthz").await.header("permissions-policy"), "");
}

async fn a_connection_ends_with_a_body_that_nobody_read(app: &App) {
    let path = "/v1/actions/platform_list_agents";
    for (client, body, told) in [
        (app.anonymous(), json!({}), "close"),
        (app.anonymous().with("Idempotency-Key", ""), json!({}), "close"),
        (app.owner(), json!({}), ""),
        (app.owner(), json!({ "limit": 0 }), ""),
    ] {
        let reply = client.send("POST", path, body).await;
        assert_eq!(reply.header("connection"), told, "{} {}", reply.status, reply.text);
    }
    assert_eq!(app.anonymous().get("/v1/me").await.header("connection"), "");
}

async fn public_routes_need_no_credential(app: &App) {
    assert_eq!(app.anonymous().get("/healthz").await.ok(200), json!({"status": "ok"}));
    assert_eq!(app.anonymous().get("/readyz").await.ok(200), json!({"status": "ready"}));
    let error = app.anonymous().get("/docs/errors/permission_denied").await;
    assert!(error.text.contains("Permission denied") && error.text.contains("403"));
    let unknown = app.anonymous().get("/docs/errors/outcome_unknown").await.text;
    assert!(unknown.contains("may be done twice") && !unknown.contains("fails again"), "{unknown}");
    app.anonymous().get("/docs/errors/nope").await.problem(404, "not_found");
    assert!(app.anonymous().get("/docs/errors").await.text.contains("/docs/errors/timeout"));
}

async fn metrics_are_for_this_machine(app: &App) {
    app.anonymous().get("/metrics").await.problem(404, "not_found");
    let near = app.anonymous().from([127, 0, 0, 1]);
    near.get("/metrics").await.problem(404, "not_found");
    // A web page whose host name resolves to this machine (DNS rebinding) sends that name as `Host`.
    let names = ["tools.example", "tools.example:8080", "localhost.tools.example", "127.0.0.1.nip.io"];
    for host in names.into_iter().chain(["10.0.0.1", "", "a@b"]) {
        near.with("Host", host).get("/metrics").await.problem(404, "not_found");
    }
    for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:8080", "127.8.0.1", "[::1]:8080", "[::1]"] {
        near.with("Host", host).get("/metrics").await.ok(200);
    }
    let local = near.with("Host", "localhost");
    local.with("Host", "tools.example").get("/metrics").await.problem(404, "not_found");
    local.get("http://tools.example/metrics").await.problem(404, "not_found");
    assert_eq!(local.get("/metrics").await.text, "toolcrib_up 1\n");
    local.with("X-Forwarded-For", "127.0.0.1").get("/metrics").await.problem(404, "not_found");
}

#[both_databases]
async fn the_header_of_a_pack_binds_its_calls_where_the_pack_is_on(db: TestDb) {
    let app = App::with_pack(db).await;
    let call = async |client: &Client<'_>, action: &str, arguments: Value| {
        client.post(&format!("/v1/actions/{action}"), arguments).await
    };
    let owner = app.owner();
    let switch =
        async |on: bool| owner.send("PATCH", "/v1/packs/game", json!({ "enabled": on })).await.ok(200);
    for name in ["One", "Two"] {
        call(&owner, "game_create_project", json!({ "name": name })).await.ok(200);
    }
    let bound = owner.with("X-Project-Id", "One");
    let found = call(&bound, "game_get_project", json!({})).await.ok(200);
    assert_eq!(found["data"]["name"], "One");
    let listed = call(&bound, "game_list_projects", json!({})).await.ok(200);
    assert!(listed.to_string().contains("One") && !listed.to_string().contains("Two"), "{listed}");
    let other = json!({ "project": "Two" });
    call(&bound, "game_get_project", other.clone()).await.problem(403, "permission_denied");
    let through = json!({ "action": "game_get_project", "params": other });
    call(&bound, "platform_execute", through).await.problem(403, "permission_denied");
    let nowhere = owner.with("X-Project-Id", "Nowhere");
    call(&nowhere, "game_list_projects", json!({})).await.problem(403, "permission_denied");
    for odd in [owner.with("X-Project-Id", ""), bound.with("X-Project-Id", "Two")] {
        call(&odd, "game_get_project", json!({})).await.problem(400, "malformed_request");
    }
    // Other actions don't read it, and nothing does where the pack is off.
    nowhere.run("list_agents", json!({})).await.ok(200);
    switch(false).await;
    let off = call(&bound, "game_get_project", json!({})).await.problem(403, "permission_denied");
    assert!(off["detail"].as_str().unwrap().contains("is not switched on"), "{off}");
    let keyed = owner.with("Idempotency-Key", "once");
    let made = keyed.with("X-Project-Id", "One").run("create_agent", json!({ "name": "A" })).await.ok(200);
    let again = keyed.with("X-Project-Id", "Two").run("create_agent", json!({ "name": "A" })).await.ok(200);
    assert_eq!(made["data"]["id"], again["data"]["id"]);
}
