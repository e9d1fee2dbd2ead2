//! Connected apps.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use crate::{admin_support::pointers, harness::App};

fn apps(page: &Value) -> Vec<&str> {
    page["items"].as_array().unwrap().iter().map(|item| item["app"].as_str().unwrap()).collect()
}

#[both_databases]
async fn an_app_is_connected_used_and_disconnected(db: TestDb) {
    let app = App::new(db).await;
    let admin = app.as_role(Role::Admin);
    let made = admin.done("connections.create", json!({"app": "slack", "name": "Team chat"})).await;
    assert_has(&made, json!({"app": "slack", "name": "Team chat", "created_by": app.a.admin}));
    let plain = admin.done("connections.create", json!({"app": "google-drive"})).await;
    assert_eq!(plain["name"], json!("google-drive"));
    assert_eq!(
        admin.refused("connections.create", json!({"app": "slack", "name": "Other"})).await,
        "conflict"
    );
    assert_eq!(
        admin.refused("connections.create", json!({"app": "teams", "name": "TEAM CHAT"})).await,
        "conflict"
    );
    app.owner().done("create_agent", json!({"name": "Bot"})).await;
    app.owner().done("assign_tool_to_agent", json!({"agent": "Bot", "app": "slack"})).await;
    assert_eq!(apps(&admin.done("connections.list", json!({})).await), ["google-drive", "slack"]);
    assert_eq!(
        apps(&app.as_role(Role::Viewer).done("list_connected_apps", json!({})).await),
        ["google-drive", "slack"]
    );
    let gone = admin.done("connections.delete", json!({"id": made["id"]})).await;
    assert_eq!((&gone["app"], &gone["deleted"], &gone["agents"]), (&json!("slack"), &json!(true), &json!(1)));
    let bot = app.owner().done("get_agent", json!({"agent": "Bot"})).await;
    assert_eq!(bot["tools"], json!([]));
    assert_eq!(admin.refused("connections.delete", json!({"id": made["id"]})).await, "not_found");
    assert_eq!(apps(&admin.done("connections.list", json!({"limit": 1})).await), ["google-drive"]);
}

#[both_databases]
async fn another_tenants_connection_is_not_there(db: TestDb) {
    let app = App::new(db).await;
    let made = app.owner().done("connections.create", json!({"app": "slack"})).await;
    let stranger = app.as_role_b(Role::Owner);
    for id in [made["id"].clone(), json!("01890a5d-ac96-774b-bcce-b302099a8057")] {
        assert_eq!(stranger.refused("connections.delete", json!({"id": id})).await, "not_found");
    }
    assert_eq!(stranger.done("connections.list", json!({})).await["items"], json!([]));
    stranger.done("connections.create", json!({"app": "slack"})).await;
    assert_eq!(apps(&app.owner().done("connections.list", json!({})).await), ["slack"]);
}

#[both_databases]
async fn an_app_is_named_as_in_an_address(db: TestDb) {
    let app = App::new(db).await;
    for bad in ["", "Slack", "my app", "-x", "a/b", &"a".repeat(61)] {
        let found = pointers(&app.owner().call("connections.create", json!({"app": bad})).await);
        assert!(!found.is_empty() && found.iter().all(|pointer| pointer == "/app"), "{bad}: {found:?}");
    }
}
