//! Apps that admins connect, and the agents that use them.

use serde_json::json;
use toolcrib_model::{Id, Role};
use toolcrib_store::{StoreError, assignments, connections, connections::ConnectionRow};
use toolcrib_testkit::{NOW, TestDb, assert_has, both_databases, write};

use crate::harness::{App, pointers, texts};

#[both_databases]
async fn an_app_is_connected_used_and_disconnected(db: TestDb) {
    let app = App::new(db).await;
    let (owner, admin) = (app.owner(), app.as_role(Role::Admin));
    let made = admin.done("connections.create", json!({"app": "slack", "name": "Team chat"})).await;
    assert_has(&made, json!({"app": "slack", "name": "Team chat", "created_by": app.a.admin}));
    let plain = admin.done("connections.create", json!({"app": "google-drive"})).await;
    assert_eq!(plain["name"], json!("google-drive"));
    for taken in [json!({"app": "slack", "name": "Other"}), json!({"app": "teams", "name": "TEAM CHAT"})] {
        assert_eq!(admin.refused("connections.create", taken).await, "conflict");
    }
    let bot = owner.done("create_agent", json!({"name": "Bot"})).await["id"].clone();
    owner.done("assign_tool_to_agent", json!({"agent": "Bot", "app": "slack"})).await;
    let listed = admin.done("connections.list", json!({})).await;
    assert_eq!(texts(&listed, "app"), ["google-drive", "slack"]);
    let shown = app.as_role(Role::Viewer).done("list_connected_apps", json!({})).await;
    assert_eq!(texts(&shown, "app"), ["google-drive", "slack"]);
    assert_eq!(shown["items"][0]["agents"], json!([]));
    assert_has(&shown["items"][1], json!({"name": "Team chat", "agents": [{"id": bot, "name": "Bot"}]}));
    let gone = admin.done("connections.delete", json!({"id": made["id"]})).await;
    assert_has(&gone, json!({"app": "slack", "deleted": true, "agents": 1}));
    assert_eq!(owner.done("get_agent", json!({"agent": "Bot"})).await["tools"], json!([]));
    assert_eq!(admin.refused("connections.delete", json!({"id": made["id"]})).await, "not_found");
    let page = admin.done("connections.list", json!({"limit": 1})).await;
    assert_eq!(texts(&page, "app"), ["google-drive"]);
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
    assert_eq!(texts(&app.owner().done("connections.list", json!({})).await, "app"), ["slack"]);
}

#[both_databases]
async fn an_app_is_named_as_in_an_address(db: TestDb) {
    let app = App::new(db).await;
    for bad in ["", "Slack", "my app", "-x", "a/b", &"a".repeat(61)] {
        let found = pointers(&app.owner().call("connections.create", json!({"app": bad})).await);
        assert!(!found.is_empty() && found.iter().all(|pointer| pointer == "/app"), "{bad}: {found:?}");
    }
}

/// The list of an agent's apps has 500 rows; an assignment beyond them is one all the same.
#[both_databases]
async fn an_app_is_assigned_to_an_agent_that_has_many(db: TestDb) {
    let app = App::new(db).await;
    let agent = app.owner().done("create_agent", json!({"name": "Caller"})).await["id"].clone();
    let agent: Id = agent.as_str().unwrap().parse().unwrap();
    write::<_, StoreError>(&app.db, app.a.workspace, async |tx| {
        for n in 0..501 {
            let (id, app) = (Id::from_u128(n + 1), format!("app-{n:03}"));
            let row = ConnectionRow { id, name: app.to_uppercase(), app, created_by: None, created_at: NOW };
            connections::insert(tx, &row).await?;
            if n < 500 {
                assignments::add_tool(tx, agent, id, NOW).await?;
            }
        }
        Ok(())
    })
    .await
    .unwrap();
    for changed in [true, false] {
        let wish = json!({"agent": "Caller", "app": "App-500"});
        let done = app.owner().done("assign_tool_to_agent", wish).await;
        assert_has(&done, json!({"changed": changed, "/tool/name": "APP-500"}));
    }
}
