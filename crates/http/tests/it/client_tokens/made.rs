//! Who makes client tokens, for whom, and for how long.

use std::sync::Arc;

use secrecy::SecretString;
use serde_json::{Value, json};
use toolcrib_auth::secret_cipher::SecretCipher;
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases};

use super::{Backend, TALK, TOKENS, bearer};
use crate::{
    decisions::{key, user},
    harness::App,
};

#[both_databases]
async fn a_relaying_key_alone_makes_client_tokens(db: TestDb) {
    let app = App::new(db).await;
    a_relaying_key_makes_one(&app).await;
    what_is_wrong_with_a_request_is_named(&app).await;
    a_token_works_in_all_processes_with_the_same_secret(&app).await;
    a_changed_token_is_no_token(&app).await;
    nobody_else_makes_one(&app).await;
}

async fn a_relaying_key_makes_one(app: &App) {
    let backend = Backend::with_key(app, json!({"scopes": ["approvals:relay"]})).await;
    let body = json!({"user": backend.user, "session": TALK});
    let made = backend.client().post(TOKENS, body.clone()).await.ok(201);
    assert_eq!(made["expires_at"], "2026-01-15T10:15:00.000000Z");
    let token = made["token"].as_str().unwrap();
    assert!(token.starts_with("tct_") && !token.contains(TALK) && !token.contains(&backend.user), "{token}");
    let other = backend.client().post(TOKENS, body.clone()).await.ok(201);
    assert_ne!(other["token"], made["token"]);
    for (minutes, end) in [(1, "10:01"), (60, "11:00")] {
        let asked = json!({"user": backend.user, "session": TALK, "minutes": minutes});
        let made = backend.client().post(TOKENS, asked).await.ok(201);
        assert_eq!(made["expires_at"], format!("2026-01-15T{end}:00.000000Z"));
    }
    // The longest conversation, in characters that are written as two or six.
    for character in ["\"", "\u{1}", "𝄞"] {
        let long = json!({"user": backend.user, "session": character.repeat(200)});
        let made = backend.client().post(TOKENS, long).await.ok(201);
        bearer(app, made["token"].as_str().unwrap()).get("/v1/confirmations").await.ok(200);
    }
    let rows = app.owner().get("/v1/audit?action=client_tokens.create").await.ok(200);
    assert_eq!(rows["items"].as_array().unwrap().len(), 7);
    let row = &rows["items"][6];
    assert_eq!((&row["arguments"]["user"], &row["outcome"]), (&json!(backend.user), &json!("succeeded")));
    assert!(!rows.to_string().contains("tct_"), "the token is stored nowhere");
    let again = backend.client().with("Idempotency-Key", "once");
    again.post(TOKENS, body.clone()).await.ok(201);
    assert_eq!(again.post(TOKENS, body).await.ok(201)["token"], Value::Null, "it is shown once");
}

async fn nobody_else_makes_one(app: &App) {
    let editor = user(app, Role::Editor).await;
    let body = json!({"user": editor, "session": TALK});
    app.owner().post(TOKENS, body.clone()).await.problem(403, "permission_denied");
    let bare = key(app, json!(["*:*", "act_as", "events:read", "records:write"])).await;
    bearer(app, &bare).post(TOKENS, body.clone()).await.problem(403, "insufficient_scope");
    app.owner().run("create_agent", json!({"name": "Scout"})).await.ok(200);
    let agent = app.with_key(json!({"agent": "Scout", "scopes": ["*:*"]})).await;
    agent.post(TOKENS, body.clone()).await.problem(403, "permission_denied");
    let backend = Backend::with_key(app, json!({"scopes": ["approvals:relay"]})).await;
    bearer(app, &backend.token().await).post(TOKENS, body.clone()).await.problem(401, "unauthenticated");
    app.anonymous().post(TOKENS, body.clone()).await.problem(401, "unauthenticated");
    // The scope counts only while an owner stands behind the key.
    backend.client().post(TOKENS, body.clone()).await.ok(201);
    super::ends::demote_minter(app).await;
    backend.client().post(TOKENS, body).await.problem(403, "insufficient_scope");
}

async fn what_is_wrong_with_a_request_is_named(app: &App) {
    let backend = Backend::with_key(app, json!({"scopes": ["approvals:relay"]})).await;
    let viewer = user(app, Role::Viewer).await;
    let path = format!("/v1/members/{viewer}");
    app.owner().send("PATCH", &path, json!({"active": false})).await.ok(200);
    let long = "x".repeat(201);
    for (body, pointer) in [
        (json!({"user": backend.user, "session": ""}), "/session"),
        (json!({"user": backend.user, "session": " "}), "/session"),
        (json!({"user": backend.user, "session": long}), "/session"),
        (json!({"user": backend.user}), "/session"),
        (json!({"session": TALK}), "/user"),
        (json!({"user": "editor", "session": TALK}), "/user"),
        (json!({"user": viewer, "session": TALK}), "/user"),
        (json!({"user": backend.user, "session": TALK, "minutes": 0}), "/minutes"),
        (json!({"user": backend.user, "session": TALK, "minutes": 61}), "/minutes"),
        (json!({"user": backend.user, "session": TALK, "minutes": 1.5}), "/minutes"),
        (json!({"user": backend.user, "session": TALK, "scopes": ["*:*"]}), "/scopes"),
    ] {
        let refused = backend.client().post(TOKENS, body).await.problem(422, "invalid_arguments");
        assert_eq!(refused["errors"][0]["pointer"], pointer, "{refused}");
    }
    let stranger = app.as_role_b(Role::Owner).get("/v1/me").await.ok(200)["user"]["user_id"].clone();
    for unknown in [stranger, json!("0190a000-0000-7000-8000-000000000001")] {
        let body = json!({"user": unknown, "session": TALK});
        backend.client().post(TOKENS, body).await.problem(404, "not_found");
    }
}

async fn a_token_works_in_all_processes_with_the_same_secret(app: &App) {
    let backend = Backend::with_key(app, json!({"scopes": ["approvals:relay"]})).await;
    let browser = backend.browser().await;
    let second = app.replica(app.secret_cipher());
    browser.of(&second).get("/v1/confirmations").await.ok(200);
    let foreign = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=";
    for cipher in [SecretCipher::from_setting(&SecretString::from(foreign)).unwrap(), SecretCipher::default()]
    {
        let other = app.replica(Arc::new(cipher));
        browser.of(&other).get("/v1/confirmations").await.problem(401, "unauthenticated");
    }
}

async fn a_changed_token_is_no_token(app: &App) {
    let backend = Backend::with_key(app, json!({"scopes": ["approvals:relay"]})).await;
    let token = backend.token().await;
    let middle = token.len() / 2;
    let flipped = if &token[middle..=middle] == "A" { "B" } else { "A" };
    let sealed = token.strip_prefix("tct_").unwrap();
    for bad in [
        format!("{}{flipped}{}", &token[..middle], &token[middle + 1..]),
        token[..token.len() - 4].to_owned(),
        token[..20].to_owned(),
        format!("{token}AAAA"),
        "tct_".to_owned(),
        "tct_v1.".to_owned(),
        sealed.to_owned(),
        format!("tc_{sealed}"),
        format!("TCT_{sealed}"),
        format!("tct_{}", "A".repeat(9_000)),
    ] {
        bearer(app, &bad).get("/v1/confirmations").await.problem(401, "unauthenticated");
    }
    bearer(app, &token).get("/v1/confirmations").await.ok(200);
}
