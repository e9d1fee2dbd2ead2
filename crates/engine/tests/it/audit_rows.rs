//! Gate 11: one row for every call that reached gate 4.

use serde_json::json;
use toolcrib_auth::Credential;
use toolcrib_model::Role;
use toolcrib_store::audit::{AuditEntry, AuditFilter};
use toolcrib_testkit::{App, TestDb, both_databases, user_identity};

use crate::{people::audit_rows, things::app};

async fn rows(app: &App) -> Vec<AuditEntry> {
    audit_rows(app, &AuditFilter::default()).await
}

#[both_databases]
async fn every_answer_has_its_row(db: TestDb) {
    let app = app(db).await;
    let cases = [
        (app.owner().call("create_thing", json!({"name": "x"})).await, "auto_allowed", "succeeded"),
        (app.owner().call("get_thing", json!({"name": "x"})).await, "auto_allowed", "succeeded"),
        (app.owner().call("get_thing", json!({"name": "y"})).await, "auto_allowed", "failed"),
        (app.owner().call("half_thing", json!({"name": "z"})).await, "auto_allowed", "failed"),
        (app.owner().call("slow_thing", json!({"name": "z"})).await, "auto_allowed", "failed"),
        (app.owner().call("create_thing", json!({})).await, "invalid", "not_run"),
        (app.owner().call("no_such", json!({})).await, "invalid", "not_run"),
        (app.as_role(Role::Viewer).call("create_thing", json!({})).await, "denied", "not_run"),
        (app.owner().call("delete_thing", json!({"name": "x"})).await, "confirmation_required", "not_run"),
    ];
    let rows = rows(&app).await;
    assert_eq!(rows.len(), cases.len());
    for (answer, decision, outcome) in cases {
        let id = answer.outcome.call_id().unwrap();
        let row = rows.iter().find(|row| row.id == id).unwrap_or_else(|| panic!("no row for {answer:?}"));
        assert_eq!((row.decision.as_str(), row.outcome.as_str()), (decision, outcome), "{answer:?}");
    }
}

#[both_databases]
async fn unreadable_calls_have_no_row_and_non_members_one_a_minute(db: TestDb) {
    let app = app(db).await;
    let stranger = app.as_identity(user_identity(app.a.workspace, app.b.owner));
    app.owner().call_raw("get_thing", toolcrib_engine::Arguments::Text("{".into())).await;
    assert!(rows(&app).await.is_empty());
    // A valid user who is not a member gets one row a minute, without any text of theirs.
    for (minute, action) in [(0, "get_thing"), (0, "create_thing"), (1, "what '; ever")] {
        app.clock.set(toolcrib_testkit::NOW.plus_seconds(60 * minute));
        stranger.refused(action, json!({"name": "planted"})).await;
    }
    let found = rows(&app).await;
    let told: Vec<_> =
        found.iter().map(|row| (row.action.as_str(), row.decision.as_str(), row.reason.as_deref())).collect();
    assert_eq!(
        told,
        [("unknown", "denied", Some("no_member")), ("platform_get_thing", "denied", Some("no_member"))]
    );
    assert_eq!((found[0].user_id, found[0].role.as_deref()), (Some(app.b.owner), None));
    assert!(!format!("{found:?}").contains("planted"));
    // A call in a workspace that does not exist has no row anywhere, although it is the first in this minute.
    app.clock.set(toolcrib_testkit::NOW.plus_seconds(120));
    let nowhere = app.as_identity(user_identity(toolcrib_model::Id::from_u128(9), app.b.viewer));
    nowhere.refused("get_thing", json!({"name": "x"})).await;
    assert_eq!(rows(&app).await.len(), 2);
}

#[both_databases]
async fn each_non_member_has_one_row_a_minute(db: TestDb) {
    let app = app(db).await;
    let (owner, viewer) = (app.b.owner, app.b.viewer);
    for (user, subject, action) in [
        (owner, "b-owner", "things.tell"),
        (viewer, "b-viewer", "get_thing"),
        (owner, "b-owner", "get_thing"),
    ] {
        let mut authenticated = user_identity(app.a.workspace, user);
        if let Credential::User(token) = &mut authenticated.credential {
            token.subject = subject.into();
        }
        assert_eq!(
            app.as_identity(authenticated).refused(action, json!({"name": "x"})).await,
            "permission_denied"
        );
    }
    let found = rows(&app).await;
    let told: Vec<_> =
        found.iter().map(|row| (row.kind.as_str(), row.action.as_str(), row.user_id.unwrap())).collect();
    assert_eq!(told, [("call", "platform_get_thing", viewer), ("admin", "things.tell", owner)]);
}

#[both_databases]
async fn sensitive_values_are_masked(db: TestDb) {
    let app = app(db).await;
    app.owner().done("create_thing", json!({"name": "x", "password": "hunter2"})).await;
    app.owner().refused("create_thing", json!({"name": "x", "pasword": "hunter2"})).await;
    app.owner().refused("no_such", json!({"anything": "hunter2"})).await;
    let text = format!("{:?}", rows(&app).await);
    assert!(text.contains("•••") && !text.contains("hunter2"), "{text}");
    // The secrets are stored nowhere else either, even after replays and refusals. A replay does not show the
    // secret that is shown once.
    let keyed = app.owner().with_key("once");
    let made = keyed.done("create_thing", json!({"name": "y", "password": "hunter2"})).await;
    assert_eq!(made["secret"], "s3cret-shown-once");
    let again =
        format!("{:?}", keyed.call("create_thing", json!({"name": "y", "password": "hunter2"})).await);
    assert!(!again.contains("s3cret-shown-once") && !again.contains("hunter2"), "{again}");
    let stored = app.db.everything().await;
    for word in ["hunter2", "s3cret-shown-once"] {
        assert!(!stored.windows(word.len()).any(|part| part == word.as_bytes()), "`{word}` is stored");
    }
    assert!(stored.windows(5).any(|part| part == b"owner"), "the rest is");
}
