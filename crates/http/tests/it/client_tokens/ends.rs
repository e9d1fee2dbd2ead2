//! When a client token ends, and what its rights are at each use.

use axum::{body::Body, response::Response};
use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{HttpReply, TestDb, both_databases};

use super::{Backend, TALK, TOKENS, approve, asked, bearer};
use crate::{
    decisions::{confirm_writes, user},
    harness::{App, Client},
};

/// Makes another member owner, who takes the role from the one who made the keys.
pub async fn demote_minter(app: &App) {
    let path = |id: &str| format!("/v1/members/{id}");
    let (admin, owner) = (user(app, Role::Admin).await, user(app, Role::Owner).await);
    app.owner().send("PATCH", &path(&admin), json!({"role": "owner"})).await.ok(200);
    app.as_role(Role::Admin).send("PATCH", &path(&owner), json!({"role": "admin"})).await.ok(200);
}

async fn change_user(backend: &Backend<'_>, change: Value) {
    let path = format!("/v1/members/{}", backend.user);
    backend.app.owner().send("PATCH", &path, change).await.ok(200);
}

/// What the token gets where it was good before.
async fn uses(browser: &Client<'_>, place: &str) -> Vec<HttpReply> {
    vec![
        browser.get("/v1/confirmations").await,
        browser.get(place).await,
        approve(browser, place).await,
        browser.post(&format!("{place}/deny"), json!({})).await,
        browser.get("/v1/events").await,
    ]
}

async fn all_refused(browser: &Client<'_>, place: &str, (status, code): (u16, &str)) {
    for reply in uses(browser, place).await {
        reply.problem(status, code);
    }
}

#[both_databases]
async fn it_ends_at_its_time(db: TestDb) {
    let app = App::new(db).await;
    let backend = Backend::new(&app).await;
    let place = asked(&app.as_role(Role::Editor), "One").await;
    let browser = backend.browser().await;
    app.clock.advance(15 * 60 - 1);
    browser.get(&place).await.ok(200);
    app.clock.advance(1);
    all_refused(&browser, &place, (401, "unauthenticated")).await;
}

#[both_databases]
async fn it_ends_with_its_key(db: TestDb) {
    let app = App::new(db).await;
    let backend = Backend::new(&app).await;
    let place = asked(&app.as_role(Role::Editor), "One").await;
    let browser = backend.browser().await;
    browser.get(&place).await.ok(200);
    let path = format!("/v1/keys/{}", backend.key["id"].as_str().unwrap());
    app.owner().send("DELETE", &path, json!({})).await.ok(200);
    all_refused(&browser, &place, (401, "unauthenticated")).await;
}

#[both_databases]
async fn it_ends_no_later_than_its_key(db: TestDb) {
    let app = App::new(db).await;
    confirm_writes(&app).await;
    let ends = json!({"scopes": ["approvals:relay"], "expires_at": "2026-01-15T10:05:00Z"});
    let backend = Backend::with_key(&app, ends).await;
    let body = json!({"user": backend.user, "session": TALK});
    let made = backend.client().post(TOKENS, body).await.ok(201);
    assert_eq!(made["expires_at"], "2026-01-15T10:05:00.000000Z");
    app.clock.advance(5 * 60);
    bearer(&app, made["token"].as_str().unwrap())
        .get("/v1/confirmations")
        .await
        .problem(401, "unauthenticated");
}

#[both_databases]
async fn it_ends_with_the_secret_that_made_it(db: TestDb) {
    let app = App::new(db).await;
    let backend = Backend::with_key(&app, json!({"scopes": ["approvals:relay"]})).await;
    let before = backend.browser().await;
    let path = format!("/v1/keys/{}/adopt", backend.key["id"].as_str().unwrap());
    let adopt = json!({"new_secret": true, "old_until": "2026-01-15T10:02:00Z"});
    let adopted = app.owner().post(&path, adopt).await.ok(200);
    let renewed = Backend { app: &app, key: adopted, user: backend.user.clone() };
    before.get("/v1/confirmations").await.ok(200);
    for backend in [&backend, &renewed] {
        let made =
            backend.client().post(TOKENS, json!({"user": backend.user, "session": TALK})).await.ok(201);
        assert_eq!(made["expires_at"], "2026-01-15T10:02:00.000000Z", "either secret may have made it");
    }
    app.clock.advance(2 * 60);
    before.get("/v1/confirmations").await.problem(401, "unauthenticated");
    let after = renewed.browser().await;
    after.get("/v1/confirmations").await.ok(200);
    app.clock.advance(14 * 60);
    after.get("/v1/confirmations").await.ok(200);
}

#[both_databases]
async fn it_counts_while_an_owner_stands_behind_its_key(db: TestDb) {
    let app = App::new(db).await;
    let backend = Backend::new(&app).await;
    let place = asked(&app.as_role(Role::Editor), "One").await;
    let browser = backend.browser().await;
    demote_minter(&app).await;
    all_refused(&browser, &place, (403, "insufficient_scope")).await;
    let owner = format!("/v1/members/{}", user(&app, Role::Owner).await);
    app.as_role(Role::Admin).send("PATCH", &owner, json!({"active": false})).await.ok(200);
    all_refused(&browser, &place, (403, "permission_denied")).await;
    app.as_role(Role::Admin).send("PATCH", &owner, json!({"active": true, "role": "owner"})).await.ok(200);
    approve(&browser, &place).await.ok(200);
}

#[both_databases]
async fn the_rights_of_the_user_are_judged_at_each_use(db: TestDb) {
    let app = App::new(db).await;
    let backend = Backend::new(&app).await;
    let place = asked(&app.as_role(Role::Editor), "One").await;
    let browser = backend.browser().await;
    change_user(&backend, json!({"active": false})).await;
    all_refused(&browser, &place, (403, "permission_denied")).await;
    change_user(&backend, json!({"active": true, "role": "viewer"})).await;
    let can = &browser.get(&place).await.ok(200)["can_decide"];
    assert_eq!((&can["allowed"], &can["needs_sign_in"]), (&json!(false), &json!(false)));
    assert!(can["reason"].as_str().unwrap().contains("your own role"), "{can}");
    approve(&browser, &place).await.problem(403, "permission_denied");
    change_user(&backend, json!({"role": "editor"})).await;
    approve(&browser, &place).await.ok(200);
}

/// An open stream of events.
async fn stream(browser: &Client<'_>) -> Option<Response> {
    let response = browser.open("GET", "/v1/events", None, Body::empty()).await;
    (response.status() == 200).then_some(response)
}

#[both_databases]
async fn streams_are_counted_for_the_user_and_for_the_key(db: TestDb) {
    let streams = toolcrib_http::StreamLimits { per_principal: 2, per_workspace: 1_000 };
    let edge = toolcrib_http::EdgeOptions { streams, ..toolcrib_http::EdgeOptions::default() };
    let app = App::edged(db, edge).await;
    let backend = Backend::with_key(&app, json!({"scopes": ["approvals:relay", "events:read"]})).await;
    let members = app.owner().get("/v1/members").await.ok(200);
    let mut held = Vec::new();
    for member in members["items"].as_array().unwrap() {
        let browser = bearer(&app, &backend.token_of(member["user_id"].as_str().unwrap()).await);
        let before = held.len();
        while let Some(open) = stream(&browser).await {
            held.push(open);
        }
        assert_eq!(held.len(), before + 2);
        let refused = browser.get("/v1/events").await.problem(429, "rate_limited");
        assert_eq!(refused["detail"], "you have 2 event streams open, which is the limit");
    }
    assert_eq!(held.len(), 20);
    let refused = backend.client().get("/v1/events").await.problem(429, "rate_limited");
    assert_eq!(refused["detail"], "this key has 20 event streams open, which is the limit");
}
