//! Which of a workspace's events each caller sees, and until when.

use toolcrib_auth::Credential;
use toolcrib_model::{ErrorCode, Id, Role};
use toolcrib_store::EventRow;
use toolcrib_testkit::{TestDb, both_databases, user_identity};

use super::{domain, open, own, refusal, seen, tell};
use crate::{
    people::{agent, service, set_role},
    things::app,
};

/// A domain event for callers who may read keys.
fn of_keys() -> EventRow {
    EventRow { permission: Some("keys:read".to_owned()), ..domain("key") }
}

#[both_databases]
async fn callers_see_events_they_may_read_and_their_own(db: TestDb) {
    let app = app(db).await;
    let all = vec!["agent", "key", "editor's", "member's", "note"];
    let key = service(&app, &["events:read"], None).await;
    let for_editor = service(&app, &["events:read", "act_as"], Some(app.a.editor)).await;
    let mut readers = Vec::new();
    for (authenticated, expected) in [
        (app.owner().authenticated, all.clone()),
        (app.as_role(Role::Admin).authenticated, all),
        (app.as_role(Role::Editor).authenticated, vec!["agent", "editor's"]),
        (app.as_role(Role::Viewer).authenticated, vec!["agent"]),
        (key, vec!["agent"]),
        (for_editor, vec!["agent", "editor's"]),
        (app.as_role_b(Role::Owner).authenticated, vec![]),
    ] {
        readers.push((open(&app, &authenticated, None).await.unwrap(), authenticated, expected));
    }
    let note = EventRow { kind: "notification", permission: None, ..domain("note") };
    let calls = [own("editor's", app.a.editor), own("member's", app.a.member)];
    tell(
        &app,
        app.a.workspace,
        [domain("agent"), of_keys()].into_iter().chain(calls).chain([note]).collect(),
    )
    .await;
    for (mut reader, authenticated, expected) in readers {
        assert_eq!(seen(&mut reader, &authenticated).await, expected, "{authenticated:?}");
    }
}

#[both_databases]
async fn events_are_for_members_and_for_keys_with_the_scope(db: TestDb) {
    let app = app(db).await;
    let mut nobody = user_identity(app.a.workspace, app.b.owner);
    let nowhere = user_identity(Id::nil(), app.a.owner);
    for authenticated in [&nobody, &nowhere] {
        assert_eq!(
            refusal(&app, authenticated, None).await.code,
            ErrorCode::PermissionDenied,
            "{authenticated:?}"
        );
    }
    if let Credential::User(token) = &mut nobody.credential {
        token.system_admin = true;
    }
    let refused = refusal(&app, &nobody, None).await;
    assert_eq!(
        (refused.code, refused.detail.as_str()),
        (ErrorCode::PermissionDenied, "events are for members of this workspace")
    );
    for key in
        [service(&app, &["*:*", "act_as"], Some(app.a.owner)).await, agent(&app, "worker", app.a.owner).await]
    {
        let refused = refusal(&app, &key, None).await;
        assert_eq!(
            (refused.code, refused.detail.as_str()),
            (ErrorCode::InsufficientScope, "this needs the scope `events:read`")
        );
    }
}

#[both_databases]
async fn rights_are_checked_at_every_read(db: TestDb) {
    let app = app(db).await;
    let admin = app.as_role(Role::Admin).authenticated;
    let mut reader = open(&app, &admin, None).await.unwrap();
    tell(&app, app.a.workspace, vec![of_keys()]).await;
    assert_eq!(seen(&mut reader, &admin).await, ["key"]);
    set_role(&app, app.a.admin, "viewer").await;
    tell(&app, app.a.workspace, vec![EventRow { id: Id::from_u128(1), ..of_keys() }, domain("agent")]).await;
    assert_eq!(seen(&mut reader, &admin).await, ["agent"], "who may read less sees less");
    let elsewhere = reader.read(&app.as_role_b(Role::Owner).authenticated).await.unwrap_err();
    assert_eq!(elsewhere.code, ErrorCode::WorkspaceMismatch, "a stream stays in its workspace");
    app.db.raw_sql("UPDATE members SET active = FALSE WHERE role = 'viewer'").await;
    assert_eq!(reader.read(&admin).await.unwrap_err().code, ErrorCode::PermissionDenied);
}
