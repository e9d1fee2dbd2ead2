//! Whose a session is, and how long it lasts.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use toolcrib_model::{ErrorCode, Id, Role};
use toolcrib_testkit::{Person, TestDb, both_databases, change_workspace, eventually, outside::McpServer};

use super::{Forge, LATER, SECRET, accepted, arguments, code, told, without};

#[both_databases]
async fn many_calls_share_a_session_for_five_minutes(db: TestDb) {
    let forge = Forge::with_sessions(db).await;
    forge.server.slow_lists(Duration::from_millis(100));
    let calls = (0..8).flat_map(|_| ["get_issue", "create_issue"]).map(|name| forge.call(name));
    let answers = join_all(calls).await;
    assert!(answers.iter().all(|answer| answer.status() == 200), "{answers:?}");
    assert_eq!((forge.opened(), forge.calls()), (1, 16));
    forge.app.clock.advance(LATER - 2);
    forge.call("get_issue").await;
    assert_eq!(forge.opened(), 1);
    forge.app.clock.advance(2);
    forge.call("create_issue").await;
    assert_eq!(forge.opened(), 2);
    let sessions: std::collections::BTreeSet<_> = forge
        .server
        .of_method("tools/call")
        .iter()
        .map(|call| call.headers["mcp-session-id"].to_str().unwrap().to_owned())
        .collect();
    assert_eq!(sessions.len(), 2);
    eventually("the old session is ended", async || {
        forge.server.received().iter().any(|request| request.line.starts_with("DELETE"))
    })
    .await;
}

/// A server may forget a session. The call is not repeated, because nobody asked for that; the next one
/// begins another session.
#[both_databases]
async fn no_call_is_repeated_because_its_session_ended(db: TestDb) {
    let forge = Forge::with_sessions(db).await;
    forge.call("get_issue").await;
    for name in ["get_issue", "create_issue"] {
        let (opened, calls) = (forge.opened(), forge.calls());
        forge.server.forget_sessions().await;
        let answer = forge.call(name).await;
        assert_eq!(code(&answer), ErrorCode::UpstreamError, "{answer:?}");
        assert!(told(&answer).contains("make the call again"), "{answer:?}");
        assert_eq!((forge.opened(), forge.calls()), (opened, calls + 1));
        assert_eq!(forge.call(name).await.status(), 200);
        assert_eq!((forge.opened(), forge.calls()), (opened + 1, calls + 2));
    }
}

#[both_databases]
async fn workspaces_share_no_session(db: TestDb) {
    let forge = Forge::with_sessions(db).await;
    let owner = forge.app.as_role_b(Role::Owner);
    forge.add_to(&owner, forge.app.b.workspace, "workspace").await;
    for _ in 0..2 {
        assert_eq!(forge.call("create_issue").await.status(), 200);
        assert_eq!(owner.call("forge__create_issue", arguments()).await.status(), 200);
    }
    assert_eq!((forge.opened(), forge.calls()), (2, 4));
    let session = |at: usize| forge.server.of_method("tools/call")[at].headers["mcp-session-id"].clone();
    assert!(session(0) == session(2) && session(1) == session(3) && session(0) != session(1));
}

/// Workspace A with the secrets of its member and its admin.
async fn with_own_secrets(db: TestDb) -> Forge {
    let forge = Forge::new(db).await;
    let owner = forge.app.owner();
    owner.done("toolsets.delete", json!({"slug": "forge"})).await;
    owner.done("upstreams.delete", json!({"name": "forge"})).await;
    forge.add_to(&owner, forge.app.a.workspace, "user").await;
    for role in [Role::Member, Role::Admin] {
        let person = forge.app.as_role(role);
        let secret = json!({"name": "forge", "secret": own_secret(role)});
        person.done("upstreams.set_own_secret", secret).await;
    }
    forge
}

fn own_secret(role: Role) -> String {
    format!("secret-of-{role:?}-0123456789")
}

async fn create(person: &Person<'_>) -> toolcrib_engine::CallResponse {
    person.call("forge__create_issue", arguments()).await
}

#[both_databases]
async fn users_call_with_their_own_secret_in_their_own_session(db: TestDb) {
    let forge = with_own_secrets(db).await;
    for _ in 0..2 {
        for role in [Role::Member, Role::Admin] {
            assert_eq!(create(&forge.app.as_role(role)).await.status(), 200);
        }
    }
    let bearer = |role| format!("Bearer {}", own_secret(role));
    let [member, admin] = [bearer(Role::Member), bearer(Role::Admin)];
    assert_eq!(forge.credentials(), [member.clone(), admin.clone(), member, admin]);
    assert_eq!(forge.opened(), 2);
    let without_secret = create(&forge.app.owner()).await;
    assert_eq!(code(&without_secret), ErrorCode::ConnectorNotConfigured, "{without_secret:?}");
    assert_eq!(forge.opened(), 2);
}

/// A server shows one user fewer tools. They are refused for that user, and are on for the others.
#[both_databases]
async fn what_a_users_server_lacks_is_off_for_that_user(db: TestDb) {
    let forge = with_own_secrets(db).await;
    forge.server.set_tools_for(&own_secret(Role::Member), &without("create_issue"));
    for _ in 0..2 {
        let refused = create(&forge.member()).await;
        assert_eq!(code(&refused), ErrorCode::PermissionDenied, "{refused:?}");
        assert!(told(&refused).contains("pin"), "{refused:?}");
        assert_eq!(create(&forge.app.as_role(Role::Admin)).await.status(), 200);
    }
    assert_eq!((forge.opened(), forge.calls()), (2, 2));
    let row = forge.row(&create(&forge.member()).await).await;
    assert_eq!((&row["decision"], &row["reason"]), (&json!("denied"), &json!("enabled")), "{row}");
}

#[both_databases]
async fn a_new_secret_begins_a_new_session(db: TestDb) {
    let forge = Forge::new(db).await;
    forge.call("create_issue").await;
    let secret = json!({"name": "forge", "secret": "another-key-0123456789"});
    forge.app.owner().done("upstreams.set_secret", secret).await;
    forge.call("create_issue").await;
    forge.call("get_issue").await;
    let [old, new] = [SECRET, "another-key-0123456789"].map(|secret| format!("Bearer {secret}"));
    assert_eq!(forge.credentials(), [old, new.clone(), new]);
    assert_eq!(forge.opened(), 2);
}

/// The secret changes while the session for a write is opened: the write is sent with the new one, in its own
/// session.
#[both_databases]
async fn a_write_is_sent_with_the_secret_that_its_commit_reads(db: TestDb) {
    let forge = Forge::new(db).await;
    // It is attempted twice, and counts once.
    change_workspace(&forge.app.db, forge.app.a.workspace, |row| row.settings.write_per_minute = 1).await;
    forge.server.slow_lists(Duration::from_millis(400));
    let change = async {
        eventually("the list is asked for", async || forge.opened() == 1).await;
        let secret = json!({"name": "forge", "secret": "another-key-0123456789"});
        forge.app.owner().done("upstreams.set_secret", secret).await;
    };
    let (answer, ()) = tokio::join!(forge.call("create_issue"), change);
    assert_eq!(answer.status(), 200, "{answer:?}");
    assert_eq!(forge.credentials(), ["Bearer another-key-0123456789"]);
    let lists: Vec<Value> = forge
        .server
        .of_method("tools/list")
        .iter()
        .map(|list| list.headers["authorization"].to_str().unwrap().into())
        .collect();
    assert_eq!(lists, [json!(format!("Bearer {SECRET}")), json!("Bearer another-key-0123456789")]);
}

#[both_databases]
async fn a_server_that_fails_for_many_waiters_is_asked_once(db: TestDb) {
    let server = McpServer::of_revision("2025-11-25", true, &accepted()).await;
    let forge = Forge::with(db, server).await;
    forge.server.slow_lists(Duration::from_millis(200));
    // A list of more than 500 tools.
    let many: Vec<Value> = (0..501).map(|n| super::tool(&format!("t{n}"), "One of many.", "title")).collect();
    forge.server.set_tools(&many);
    let answers = join_all((0..10).map(|_| forge.call("get_issue"))).await;
    assert!(answers.iter().all(|answer| told(answer).contains("500 tools")), "{answers:?}");
    assert!(forge.opened() <= 2, "{}", forge.opened());
    assert_eq!(forge.calls(), 0);
    let _: Id = answers[0].outcome.call_id().unwrap();
}
