//! Client tokens: who makes them, what they decide, and when they end.

mod ends;
mod made;
mod places;
mod streams;

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use crate::{
    decisions::{confirm_writes, user},
    harness::{App, Client},
};

const TOKENS: &str = "/v1/client-tokens";
const TALK: &str = "talk-1";

/// A chat backend whose relaying key makes client tokens for the editor of workspace A.
struct Backend<'a> {
    app: &'a App,
    /// The key: its ID and its secret.
    key: Value,
    /// The user of the tokens.
    user: String,
}

impl<'a> Backend<'a> {
    /// In a workspace in which each write waits for a simple confirmation.
    async fn new(app: &'a App) -> Self {
        confirm_writes(app).await;
        Self::with_key(app, json!({"scopes": ["approvals:relay"]})).await
    }

    /// With these properties of its key.
    async fn with_key(app: &'a App, more: Value) -> Self {
        Self { app, key: app.new_key(more).await, user: user(app, Role::Editor).await }
    }

    /// The backend itself.
    fn client(&self) -> Client<'a> {
        bearer(self.app, self.key["secret"].as_str().unwrap())
    }

    /// The text of a token for the editor.
    async fn token(&self) -> String {
        self.token_of(&self.user).await
    }

    async fn token_of(&self, user: &str) -> String {
        let made = self.client().post(TOKENS, json!({"user": user, "session": TALK})).await.ok(201);
        made["token"].as_str().unwrap().to_owned()
    }

    /// The editor's browser.
    async fn browser(&self) -> Client<'a> {
        bearer(self.app, &self.token().await)
    }
}

fn bearer<'a>(app: &'a App, token: &str) -> Client<'a> {
    app.anonymous().bearer(token)
}

/// Lets a caller ask for a task in the conversation. Returns the path of the confirmation.
async fn asked(caller: &Client<'_>, title: &str) -> String {
    asked_in(&caller.with("X-Session-Id", TALK), title).await
}

async fn asked_in(caller: &Client<'_>, title: &str) -> String {
    let reply = caller.run("create_task", json!({"title": title, "description": "as last time"})).await;
    let place = reply.header("location").to_owned();
    reply.ok(202);
    place
}

async fn approve(browser: &Client<'_>, place: &str) -> toolcrib_testkit::HttpReply {
    browser.post(&format!("{place}/approve"), json!({})).await
}

#[both_databases]
async fn a_simple_confirmation_is_decided_by_the_user(db: TestDb) {
    let app = App::new(db).await;
    let backend = Backend::new(&app).await;
    let editor = app.as_role(Role::Editor);
    let (approved, denied) = (asked(&editor, "One").await, asked(&editor, "Two").await);
    let browser = backend.browser().await;
    let list = browser.get("/v1/confirmations?status=open&limit=1").await.ok(200);
    let rest = format!("/v1/confirmations?status=open&cursor={}", list["next_cursor"].as_str().unwrap());
    assert_eq!(browser.get(&rest).await.ok(200)["items"].as_array().unwrap().len(), 1);
    let can = json!({"allowed": true, "reason": null, "needs_sign_in": false, "unchanged_only": true});
    assert_eq!(list["items"][0]["can_decide"], can);
    let ran = approve(&browser, &approved).await.ok(200);
    assert_eq!((&ran["ok"], &ran["granted_by"]), (&json!(true), &json!("user")));
    let no = json!({"reason": "not now"});
    let ended = browser.post(&format!("{denied}/deny"), no).await.ok(200);
    assert_eq!((&ended["status"], &browser.get(&denied).await.ok(200)), (&json!("denied"), &ended));
    for (place, decision) in [(&approved, "approved"), (&denied, "denied")] {
        let shown = browser.get(place).await.ok(200);
        assert_has(&shown, json!({"decided_by": backend.user, "/history/1/by": backend.user}));
        assert_eq!(shown["history"][1]["relayed_by"], backend.key["id"]);
        let id = place.rsplit('/').next().unwrap();
        let rows =
            app.owner().get(&format!("/v1/audit?confirmation_id={id}&kind=confirmation")).await.ok(200);
        let row = &rows["items"][0];
        assert_eq!((&row["decision"], &row["relayed_by"]), (&json!(decision), &backend.key["id"]));
        assert_eq!((&row["principal"]["kind"], &row["session"]), (&json!("user"), &json!(TALK)), "{row}");
    }
}

#[both_databases]
async fn a_typed_confirmation_needs_the_person(db: TestDb) {
    let app = App::new(db).await;
    let backend = Backend::new(&app).await;
    let admin = app.as_role(Role::Admin).with("X-Session-Id", TALK);
    app.owner().run("create_agent", json!({"name": "Scout"})).await.ok(202);
    let open = app.owner().get("/v1/confirmations?status=open").await.ok(200);
    let made = format!("/v1/confirmations/{}", open["items"][0]["id"].as_str().unwrap());
    approve(&app.owner(), &made).await.ok(200);
    let reply = admin.run("delete_agent", json!({"agent": "Scout"})).await;
    let place = reply.header("location").to_owned();
    reply.ok(202);
    let browser = bearer(&app, &backend.token_of(&user(&app, Role::Admin).await).await);
    let can = &browser.get(&place).await.ok(200)["can_decide"];
    assert_eq!((&can["allowed"], &can["needs_sign_in"]), (&json!(false), &json!(true)));
    for body in [json!({}), json!({"phrase": "Scout"})] {
        let refused = browser.post(&format!("{place}/approve"), body).await.problem(403, "permission_denied");
        assert_eq!(refused["detail"], can["reason"]);
        assert!(refused["detail"].as_str().unwrap().contains("typed"), "{refused}");
    }
    browser.post(&format!("{place}/deny"), json!({})).await.problem(403, "permission_denied");
    // The person's own token beside it is another credential.
    let with_token = json!({"user_token": app.token("admin")});
    browser.post(&format!("{place}/approve"), with_token).await.problem(403, "permission_denied");
    approve(&admin, &place).await.ok(202);
    approve(&browser, &place).await.problem(403, "permission_denied");
    admin.post(&format!("{place}/approve"), json!({"phrase": "Scout"})).await.ok(200);
    assert_eq!(browser.get(&place).await.ok(200)["status"], "executed");
}

#[both_databases]
async fn with_four_eyes_it_decides_nothing(db: TestDb) {
    let app = App::new(db).await;
    let backend = Backend::new(&app).await;
    app.owner().send("PATCH", "/v1/settings", json!({"four_eyes": true})).await.ok(200);
    let browser = backend.browser().await;
    let place = asked(&app.as_role(Role::Editor), "One").await;
    let can = &browser.get(&place).await.ok(200)["can_decide"];
    assert_eq!(can["allowed"], false);
    let refused = approve(&browser, &place).await.problem(403, "permission_denied");
    assert_eq!(refused["detail"], can["reason"]);
    assert!(refused["detail"].as_str().unwrap().contains("four eyes"), "{refused}");
    browser.post(&format!("{place}/deny"), json!({})).await.problem(403, "permission_denied");
    approve(&app.owner(), &place).await.ok(200);
    assert_eq!(browser.get(&place).await.ok(200)["status"], "executed");
}

#[both_databases]
async fn the_calls_of_its_key_are_decided_by_others(db: TestDb) {
    let app = App::new(db).await;
    confirm_writes(&app).await;
    let scopes = json!({"scopes": ["tasks:use", "act_as", "approvals:relay"]});
    let backend = Backend::with_key(&app, scopes).await;
    let calling = backend.client().with("X-On-Behalf-Of", &backend.user);
    let place = asked(&calling, "One").await;
    let browser = backend.browser().await;
    let can = &browser.get(&place).await.ok(200)["can_decide"];
    assert_eq!((&can["allowed"], &can["needs_sign_in"]), (&json!(false), &json!(true)));
    let refused = approve(&browser, &place).await.problem(403, "permission_denied");
    assert!(refused["detail"].as_str().unwrap().contains("made the call"), "{refused}");
    browser.post(&format!("{place}/deny"), json!({})).await.problem(403, "permission_denied");
    let other = Backend::with_key(&app, json!({"scopes": ["approvals:relay"]})).await;
    approve(&other.browser().await, &place).await.ok(200);
}

#[both_databases]
async fn a_call_is_approved_as_it_stands(db: TestDb) {
    let app = App::new(db).await;
    let backend = Backend::new(&app).await;
    let place = asked(&app.as_role(Role::Editor), "One").await;
    let browser = backend.browser().await;
    assert_eq!(app.as_role(Role::Editor).get(&place).await.ok(200)["allow_session_grant"], true);
    assert_eq!(browser.get(&place).await.ok(200)["allow_session_grant"], false);
    for body in [
        json!({"remember": "session"}),
        json!({"arguments": {"title": "Two", "description": "other"}}),
        json!({"user_token": app.token("editor")}),
        json!({"user_token": app.token("owner")}),
    ] {
        browser.post(&format!("{place}/approve"), body).await.problem(403, "permission_denied");
    }
    browser
        .post(&format!("{place}/deny"), json!({"user_token": app.token("editor")}))
        .await
        .problem(403, "permission_denied");
    assert_eq!(browser.get(&place).await.ok(200)["status"], "pending");
    assert_eq!(app.owner().get("/v1/grants").await.ok(200)["items"], json!([]));
    let id = place.rsplit('/').next().unwrap();
    let rows = app.owner().get(&format!("/v1/audit?confirmation_id={id}&kind=confirmation")).await.ok(200);
    assert_eq!(rows["items"].as_array().unwrap().len(), 5, "each attempt leaves a row");
    assert_eq!(rows["items"][0]["relayed_by"], backend.key["id"]);
    approve(&browser, &place).await.ok(200);
}

#[both_databases]
async fn other_people_and_conversations_are_unknown(db: TestDb) {
    let app = App::new(db).await;
    let backend = Backend::new(&app).await;
    let (editor, owner) = (app.as_role(Role::Editor), app.owner());
    let hidden = [
        asked(&owner, "of another user").await,
        asked_in(&editor.with("X-Session-Id", "talk-2"), "of another conversation").await,
        asked_in(&editor, "of no conversation").await,
    ];
    let unknown = "/v1/confirmations/0190a000-0000-7000-8000-000000000001".to_owned();
    let browser = backend.browser().await;
    // An owner's role shows no more in a client token than another one.
    let owners = bearer(&app, &backend.token_of(&user(&app, Role::Owner).await).await);
    assert_eq!(browser.get("/v1/confirmations").await.ok(200)["items"], json!([]));
    assert_eq!(owners.get("/v1/confirmations").await.ok(200)["items"].as_array().unwrap().len(), 1);
    for place in hidden.iter().chain([&unknown]) {
        let id = place.rsplit('/').next().unwrap();
        let what = format!("there is no confirmation `{id}` in this workspace");
        for reply in [
            browser.get(place).await,
            approve(&browser, place).await,
            browser.post(&format!("{place}/deny"), json!({})).await,
        ] {
            assert_eq!(reply.problem(404, "not_found")["detail"], what);
        }
    }
    approve(&owners, &hidden[1]).await.problem(404, "not_found");
    approve(&owners, &hidden[0]).await.ok(200);
}

#[both_databases]
async fn a_request_names_nobody_and_nothing_else(db: TestDb) {
    let app = App::new(db).await;
    let backend = Backend::new(&app).await;
    let place = asked(&app.as_role(Role::Editor), "One").await;
    let browser = backend.browser().await;
    let (owner, editor) = (user(&app, Role::Owner).await, &backend.user);
    let other_workspace = app.b.to_string();
    for (header, value, code) in [
        ("X-On-Behalf-Of", owner.as_str(), "insufficient_scope"),
        ("X-On-Behalf-Of", editor, "insufficient_scope"),
        ("X-Session-Id", "talk-2", "permission_denied"),
        ("X-Workspace-Id", &other_workspace, "workspace_mismatch"),
        ("X-Caller-Type", "heartbeat", "permission_denied"),
    ] {
        let other = browser.with(header, value);
        for path in ["/v1/confirmations", &place, "/v1/events"] {
            other.get(path).await.problem(403, code);
        }
        approve(&other, &place).await.problem(403, code);
        other.post(&format!("{place}/deny"), json!({})).await.problem(403, code);
    }
    for path in ["/v1/confirmations?session=talk-2", "/v1/events?session=talk-2"] {
        browser.get(path).await.problem(403, "permission_denied");
    }
    let same = browser.with("X-Session-Id", TALK).with("X-Workspace-Id", &app.a.to_string());
    let listed = same.get(&format!("/v1/confirmations?session={TALK}&mine=true")).await.ok(200);
    assert_eq!(listed["items"].as_array().unwrap().len(), 1);
    assert_eq!(browser.get(&place).await.ok(200)["status"], "pending");
}
