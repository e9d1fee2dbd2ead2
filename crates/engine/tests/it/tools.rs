//! The actions that a caller may call, those that it finds by name, and those that are promoted to tools.

use serde_json::json;
use toolcrib_auth::{Authenticated, Credential};
use toolcrib_engine::CallerTools;
use toolcrib_model::{ErrorCode, Role};
use toolcrib_store::workspaces;
use toolcrib_testkit::{App, NOW, TestDb, both_databases, write};

use crate::{people::agent, things::app};

/// The actions that are promoted for this caller.
async fn promoted(app: &App, authenticated: &Authenticated) -> Vec<String> {
    let (caller, policy) = app.engine.admit(authenticated).await.unwrap();
    let tools = CallerTools::new(app.engine.catalog(), &caller, &policy);
    let all = app.engine.catalog().registry().tools();
    all.filter(|meta| tools.promoted(meta)).map(|meta| meta.spec.name.to_string()).collect()
}

#[both_databases]
async fn callers_find_actions_that_they_may_call(db: TestDb) {
    let app = app(db).await;
    let (caller, policy) = app.engine.admit(&app.as_role(Role::Viewer).authenticated).await.unwrap();
    let tools = CallerTools::new(app.engine.catalog(), &caller, &policy);
    for (name, found) in [
        ("platform_get_thing", Ok("platform_get_thing")),
        ("platform_create_thing", Err(ErrorCode::PermissionDenied)),
        ("things.workspaces", Err(ErrorCode::UnknownAction)),
        ("platform_no_such", Err(ErrorCode::UnknownAction)),
    ] {
        assert_eq!(tools.find(name).map(|meta| &*meta.spec.name).map_err(|error| error.code), found);
    }
    // An operation can be called by its name, although no list of tools shows it.
    for (name, may) in [
        ("platform_get_thing", true),
        ("platform_create_thing", false),
        ("things.workspaces", true),
        ("things.tell", false),
        ("platform_no_such", false),
    ] {
        assert_eq!(tools.is_allowed(name), may, "{name}");
    }
}

#[both_databases]
async fn a_workspace_sets_promotions_by_caller(db: TestDb) {
    let app = app(db).await;
    let worker = agent(&app, "worker", app.a.owner).await;
    let Credential::Agent(key) = &worker.credential else { panic!("{worker:?}") };
    let other = agent(&app, "other", app.a.owner).await;
    let mut chat = app.owner().authenticated;
    chat.requested.caller_type = Some("chat".into());
    let usual = ["platform_get_thing", "platform_create_thing"];
    for authenticated in [&worker, &other, &chat] {
        assert_eq!(promoted(&app, authenticated).await, usual);
    }
    let text = json!({
        "caller_types": {"api": ["platform_wipe_thing"]},
        "agents": {key.agent_id.to_string(): ["platform_slow_read", "platform_half_thing"]},
    });
    write(&app.db, app.a.workspace, async |tx| {
        workspaces::set_promotions(tx, Some(&text.to_string()), NOW).await
    })
    .await
    .unwrap();
    assert_eq!(promoted(&app, &worker).await, ["platform_slow_read", "platform_half_thing"]);
    assert_eq!(promoted(&app, &other).await, ["platform_wipe_thing"], "of the same caller type");
    assert_eq!(promoted(&app, &app.owner().authenticated).await, ["platform_wipe_thing"]);
    assert_eq!(promoted(&app, &chat).await, usual, "nobody said anything about it");
}

#[both_databases]
async fn a_listed_action_is_never_denied_and_others_always_are(db: TestDb) {
    let app = app(db).await;
    for role in Role::ALL {
        let person = app.as_role(role);
        let (caller, policy) = app.engine.admit(&person.authenticated).await.unwrap();
        let tools = CallerTools::new(app.engine.catalog(), &caller, &policy);
        let shown: Vec<&str> = tools.allowed().iter().map(|meta| &*meta.spec.name).collect();
        for meta in app.engine.catalog().registry().tools() {
            let name = &*meta.spec.name;
            for (tool, arguments) in [
                (name, json!({"acceptance_probe": true})),
                ("platform_execute", json!({"action": name, "params": {"acceptance_probe": true}})),
            ] {
                let code = person.refused(tool, arguments).await;
                let expected = if shown.contains(&name) { "invalid_arguments" } else { "permission_denied" };
                assert_eq!(code, expected, "{role} {tool} {name}");
            }
        }
    }
}
