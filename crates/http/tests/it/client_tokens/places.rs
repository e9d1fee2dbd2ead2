//! Where client tokens count: on the routes of confirmations and events, and on no other.

use axum::http::HeaderValue;
use serde_json::{Value, json};
use toolcrib_http::EdgeOptions;
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases};

use super::{Backend, approve, asked};
use crate::{harness::App, sweep::routes};

/// Method, path, and what a client token gets for an unknown ID.
const ACCEPTING: [(&str, &str, u16); 5] = [
    ("GET", "/v1/confirmations", 200),
    ("GET", "/v1/confirmations/{id}", 404),
    ("POST", "/v1/confirmations/{id}/approve", 404),
    ("POST", "/v1/confirmations/{id}/deny", 404),
    ("GET", "/v1/events", 200),
];

#[both_databases]
async fn a_client_token_counts_on_five_routes(db: TestDb) {
    let app = App::hooked(db).await;
    let backend = Backend::new(&app).await;
    let document = app.anonymous().get("/openapi.json").await.ok(200);
    let unknown = "0197a000-0000-7000-8000-000000000000";
    let rows = "SELECT count(*) FROM action_log";
    let browser = backend.browser().await;
    let (mut accepted, before) = (0, app.db.number(rows).await);
    let mut swept = 0;
    for (method, path, operation) in routes(&document) {
        if operation.get("security") == Some(&json!([])) {
            continue;
        }
        let body = if method == "GET" { Value::Null } else { json!({}) };
        let expected = ACCEPTING
            .iter()
            .find(|(verb, place, _)| *verb == method && place.replace("{id}", unknown) == path);
        // Failures are counted by address.
        let peer = [192, 0, 2, u8::try_from(swept / 50).unwrap()];
        let reply = browser.from(peer).send(&method, &path, body).await;
        swept += 1;
        if let Some((.., status)) = expected {
            assert_eq!(reply.status.as_u16(), *status, "{method} {path}: {}", reply.text);
            accepted += 1;
            continue;
        }
        let refused = reply.problem(401, "unauthenticated");
        if operation.get("security").is_none() {
            assert_eq!(refused["detail"], "a client token is valid for confirmations and events only");
        }
    }
    assert_eq!(accepted, ACCEPTING.len());
    assert!(swept > 80, "{swept} routes");
    assert_eq!(app.db.number(rows).await, before, "nothing was called");
}

#[both_databases]
async fn a_client_token_is_nobodys_user_token(db: TestDb) {
    let app = App::new(db).await;
    let backend = Backend::new(&app).await;
    app.owner().run("create_agent", json!({"name": "Scout"})).await;
    let place = asked(&app.as_role(Role::Editor), "One").await;
    let relay = backend.client().with("X-On-Behalf-Of", &backend.user);
    let body = json!({"user_token": backend.token().await});
    let refused = relay.post(&format!("{place}/approve"), body).await.problem(403, "permission_denied");
    assert_eq!(refused["detail"], "`user_token` is not a valid user token");
}

#[both_databases]
async fn a_page_of_a_configured_origin_decides_with_one(db: TestDb) {
    const SITE: &str = "https://shop.example";
    let embed_origins = vec![HeaderValue::from_static(SITE)];
    let app = App::edged(db, EdgeOptions { embed_origins, ..EdgeOptions::default() }).await;
    let backend = Backend::new(&app).await;
    let place = asked(&app.as_role(Role::Editor), "One").await;
    let page = backend.browser().await.with("Origin", SITE);
    for path in ["/v1/confirmations", &place, "/v1/events"] {
        let reply = page.get(path).await;
        assert_eq!((reply.status.as_u16(), reply.header("access-control-allow-origin")), (200, SITE));
    }
    let reply = approve(&page, &place).await;
    assert_eq!((reply.status.as_u16(), reply.header("access-control-allow-origin")), (200, SITE));
    let elsewhere = page.get("/v1/me").await;
    assert_eq!((elsewhere.status.as_u16(), elsewhere.header("access-control-allow-origin")), (401, ""));
}
