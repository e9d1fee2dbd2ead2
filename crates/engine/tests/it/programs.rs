//! Operations for programs, and the notifications and events that an action may add.

use serde_json::{Value, json};
use toolcrib_auth::Credential;
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{App, Person, TestDb, both_databases, change_workspace};

use crate::{
    people::{in_session, notified, outbox},
    things::app,
};

/// The owner's token, without a workspace.
fn nowhere(app: &App, system_admin: bool) -> Person<'_> {
    let mut owner = app.owner();
    if let Credential::User(token) = &mut owner.authenticated.credential {
        (token.workspace, token.system_admin) = (None, system_admin);
    }
    owner
}

#[both_databases]
async fn some_operations_need_no_workspace(db: TestDb) {
    let app = app(db).await;
    let x = || json!({"name": "x"});
    let nil = json!(Id::nil());
    assert_eq!(nowhere(&app, false).done("things.anybodys", x()).await["id"], nil);
    assert_eq!(nowhere(&app, true).done("things.operators", x()).await["id"], nil);
    assert_eq!(nowhere(&app, false).refused("things.operators", x()).await, "permission_denied");
    for other in ["things.workspaces", "get_thing", "no_such"] {
        assert_eq!(nowhere(&app, true).refused(other, x()).await, "workspace_required", "{other}");
    }
    let dispatched = json!({"action": "things.anybodys", "params": {"name": "x"}});
    assert_eq!(nowhere(&app, false).refused("execute", dispatched).await, "workspace_required");
    assert_eq!(app.owner().done("things.workspaces", x()).await["id"], json!(app.a.workspace));
}

#[both_databases]
async fn no_model_reaches_an_operation(db: TestDb) {
    let app = app(db).await;
    for name in ["things.anybodys", "things.workspaces", "things.tell"] {
        let model = app.owner().as_model("m");
        assert_eq!(model.refused(name, json!({"name": "x"})).await, "unknown_action", "{name}");
        let inside = json!({"action": name, "params": {"name": "x"}});
        for person in [model, app.owner()] {
            assert_eq!(person.refused("execute", inside.clone()).await, "unknown_action", "{name}");
        }
        app.owner().done(name, json!({"name": "x"})).await;
    }
}

#[both_databases]
async fn an_action_may_add_events_and_notifications(db: TestDb) {
    let app = app(db).await;
    change_workspace(&app.db, app.a.workspace, |row| row.settings.write_per_minute = 7).await;
    let editor = app.as_identity(in_session(&app.as_role(Role::Editor).authenticated, "talk"));
    let titles = async || {
        let items = notified(&app, app.a.admin).await;
        items.into_iter().map(|item| item.title).collect::<Vec<_>>()
    };
    editor.done("create_thing", json!({"name": "spent"})).await;
    editor.done("things.tell", json!({"name": "a"})).await;
    assert!(titles().await.is_empty());
    editor.done("things.tell", json!({"name": "b", "dangerous": true})).await;
    app.as_role(Role::Admin).done("things.tell", json!({"name": "c", "dangerous": true})).await;
    assert_eq!(titles().await, ["Made `b`"]);

    let told = outbox(&app).await.into_iter().find(|row| row.kind == "domain").unwrap();
    assert_eq!((told.name.as_str(), told.permission.as_deref()), ("thing.told", Some("agents:read")));
    assert_eq!((told.user_id, told.session.as_deref()), (Some(app.a.editor), Some("talk")));
    let data: Value = serde_json::from_str(&told.data).unwrap();
    assert_eq!(data, json!({"name": "a", "writes_left": 6}));
}
