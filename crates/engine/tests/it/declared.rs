//! Confirmations and session grants of declared tools, which only the catalogue of their workspace has.

use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib_engine::{ApproveRequest, ConfirmationFilter, EventsFilter, grants::Grants as _};
use toolcrib_model::{ErrorCode, Id, Surface};
use toolcrib_store::{events, toolsets, toolsets::ToolsetRow};
use toolcrib_testkit::{App, NOW, TestDb, both_databases, decision_meta, eventually, write};

use crate::{grants::grant, people::rows, things};

const TOOL: &str = "desk__drop_queue";

fn desk() -> Value {
    json!({
        "schema": "toolcrib.toolset/1", "slug": "desk", "title": "Support desk",
        "tools": [{
            "name": "drop_queue", "description": "Drop a queue.", "permission_level": "destructive",
            "accessible_by": "everyone", "client": {},
            "parameters": {
                "required": ["queue"],
                "properties": {
                    "queue": {"type": "string"}, "password": {"type": "string", "x-sensitive": true}
                }
            }
        }]
    })
}

fn row() -> ToolsetRow {
    ToolsetRow {
        slug: "desk".into(),
        version: 1,
        document: Some(desk().to_string()),
        digest: Some("digest".into()),
        enabled: true,
        disabled_tools: Vec::new(),
        updated_at: NOW,
        updated_by: None,
    }
}

/// An app whose workspace has the toolset.
async fn app(db: TestDb) -> App {
    let app = things::app(db).await;
    let row = row();
    let added = write(&app.db, app.a.workspace, async |tx| toolsets::insert(tx, &row).await).await.unwrap();
    assert!(added);
    app
}

/// A confirmation of the declared tool, made from one of a compiled action.
async fn pending(app: &App) -> Id {
    let id = app.owner().pending("create_thing", json!({"name": "x", "dangerous": true})).await;
    let arguments = json!({"queue": "q", "password": "hunter2"});
    app.db.raw_sql(&format!("UPDATE confirmations SET action = '{TOOL}', arguments = '{arguments}'")).await;
    id
}

/// Level, reason and arguments of the last audit row of this kind.
async fn audited(app: &App, kind: &str) -> (String, String, Value) {
    let row = rows(app, kind, None).await.pop().unwrap();
    assert_eq!(row.action, TOOL);
    (row.permission_level, row.reason.unwrap(), serde_json::from_str(&row.arguments).unwrap())
}

#[both_databases]
async fn a_denial_knows_the_tool(db: TestDb) {
    let app = app(db).await;
    let id = pending(&app).await;
    let masked = json!({"queue": "q", "password": "•••"});
    let owner = app.owner();
    assert_eq!(owner.confirmation(id).await.unwrap().arguments, masked);
    let all = app.engine.confirmations(&owner.authenticated, &ConfirmationFilter::default()).await.unwrap();
    assert_eq!(all.items[0].arguments, masked);

    events::assign_offsets(&app.db).await.unwrap();
    let mut reader = app.engine.events(&owner.authenticated, EventsFilter::default(), None).await.unwrap();
    assert_eq!(owner.deny(id, "no").await.unwrap().arguments, masked);
    assert_eq!(audited(&app, "confirmation").await, ("destructive".into(), "deny".into(), masked.clone()));
    events::assign_offsets(&app.db).await.unwrap();
    let told = reader.read(&owner.authenticated).await.unwrap();
    let denied = told.items.iter().find(|event| event.name == "permission_denied").unwrap();
    assert_eq!((&denied.data["permission_level"], &denied.data["input"]), (&json!("destructive"), &masked));
}

#[both_databases]
async fn expiry_knows_the_tool(db: TestDb) {
    let app = app(db).await;
    pending(&app).await;
    app.clock.advance(901);
    assert_eq!(app.engine.expire_overdue().await.unwrap(), 1);
    let masked = json!({"queue": "q", "password": "•••"});
    assert_eq!(audited(&app, "confirmation").await, ("destructive".into(), "expired".into(), masked));
}

#[both_databases]
async fn a_revoked_grant_has_the_level_of_its_tool(db: TestDb) {
    let app = app(db).await;
    let mut one = grant(&app, "platform_create_thing", "s1");
    one.key.action = TOOL.into();
    app.grants.put(one).await.unwrap();
    let owner = app.owner().authenticated;
    let revoked = app.engine.revoke_grants(&owner, "s1", None, &decision_meta()).await.unwrap();
    assert_eq!(revoked.revoked, 1);
    assert_eq!(audited(&app, "grant").await.0, "destructive");
}

#[both_databases]
async fn the_arguments_of_a_removed_tool_are_all_masked(db: TestDb) {
    let app = app(db).await;
    let id = pending(&app).await;
    let removed =
        write(&app.db, app.a.workspace, async |tx| toolsets::delete(tx, "desk", None).await).await.unwrap();
    assert!(removed);
    let view = app.owner().confirmation(id).await.unwrap();
    assert_eq!(view.arguments, json!({"queue": "•••", "password": "•••"}));
    assert_eq!(app.owner().approve(id).await.unwrap_err().code.as_str(), "permission_denied");
}

#[both_databases]
async fn a_tool_that_was_switched_off_meanwhile_is_not_approved(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    let id = owner.pending(TOOL, json!({"queue": "q"})).await;
    let off = ToolsetRow { enabled: false, ..row() };
    let changed =
        write(&app.db, app.a.workspace, async |tx| toolsets::update(tx, &off, 1).await).await.unwrap();
    assert!(changed);
    let reason = owner.confirmation(id).await.unwrap().can_decide.reason.unwrap();
    assert!(reason.contains("its toolset is not enabled"), "{reason}");
    let error = owner.approve_once(id, ApproveRequest::default()).await.unwrap_err();
    assert!(error.code == ErrorCode::Void && error.detail.ends_with(&reason), "{error:?}");
    assert_eq!(owner.confirmation(id).await.unwrap().status.as_str(), "void");
}

#[both_databases]
async fn a_change_frees_the_catalogue_before_it(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner().authenticated;
    let catalog =
        async || app.engine.admit_with_catalog(&owner, Surface::Rest).await.map(|admitted| admitted.catalog);
    let loaded = catalog().await.unwrap();
    assert!(Arc::ptr_eq(&loaded, &catalog().await.unwrap()), "a catalogue is loaded once");
    let before = Arc::downgrade(&loaded);
    drop(loaded);
    let changed = ToolsetRow { enabled: false, ..row() };
    let changed =
        write(&app.db, app.a.workspace, async |tx| toolsets::update(tx, &changed, 1).await).await.unwrap();
    assert!(changed);
    let after = catalog().await.unwrap();
    assert_ne!(after.registry().declared().version(), "");
    eventually("nothing holds the catalogue before the change", async || {
        catalog().await.unwrap();
        before.upgrade().is_none()
    })
    .await;
    assert!(Arc::ptr_eq(&after, &catalog().await.unwrap()));
}
