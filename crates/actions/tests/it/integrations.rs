//! Integrations.

use serde_json::json;
use toolcrib_model::{Id, Role};
use toolcrib_store::{StoreError, assignments, connections, connections::ConnectionRow};
use toolcrib_testkit::{NOW, TestDb, assert_has, both_databases, write};

use crate::harness::App;

fn connection(n: u128, app: &str) -> ConnectionRow {
    ConnectionRow {
        id: Id::from_u128(n),
        app: app.into(),
        name: app.to_uppercase(),
        created_by: None,
        created_at: NOW,
    }
}

async fn connect(app: &App, workspace: Id, row: ConnectionRow, agent: Option<Id>) {
    write::<_, StoreError>(&app.db, workspace, async |tx| {
        connections::insert(tx, &row).await?;
        if let Some(agent) = agent {
            assignments::add_tool(tx, agent, row.id, NOW).await?;
        }
        Ok(())
    })
    .await
    .unwrap();
}

#[both_databases]
async fn connected_apps_are_listed_with_the_agents_that_use_them(db: TestDb) {
    let app = App::new(db).await;
    let agent = app.owner().done("create_agent", json!({"name": "Caller"})).await["id"].clone();
    let id: Id = agent.as_str().unwrap().parse().unwrap();
    connect(&app, app.a.workspace, connection(1, "slack"), Some(id)).await;
    connect(&app, app.a.workspace, connection(2, "email"), None).await;
    connect(&app, app.b.workspace, connection(3, "canary"), None).await;
    let listed = app.as_role(Role::Viewer).done("list_connected_apps", json!({})).await;
    assert_eq!(listed["items"].as_array().unwrap().len(), 2);
    assert_eq!((&listed["items"][0]["app"], &listed["items"][0]["agents"]), (&json!("email"), &json!([])));
    assert_has(&listed["items"][1], json!({"name": "SLACK", "agents": [{"id": id, "name": "Caller"}]}));
    let first = app.owner().done("list_connected_apps", json!({"limit": 1})).await;
    let second =
        app.owner().done("list_connected_apps", json!({"limit": 1, "cursor": first["next_cursor"]})).await;
    assert_eq!((&second["items"][0]["app"], &second["next_cursor"]), (&json!("slack"), &json!(null)));
    assert_eq!(app.owner().refused("list_connected_apps", json!({"limit": 0})).await, "invalid_arguments");
}

/// The list of an agent's apps has 500 rows; an assignment beyond them is one all the same.
#[both_databases]
async fn an_app_is_assigned_to_an_agent_that_has_many(db: TestDb) {
    let app = App::new(db).await;
    let agent = app.owner().done("create_agent", json!({"name": "Caller"})).await["id"].clone();
    let id: Id = agent.as_str().unwrap().parse().unwrap();
    write::<_, StoreError>(&app.db, app.a.workspace, async |tx| {
        for n in 0..500 {
            let row = connection(n + 1, &format!("app-{n:03}"));
            connections::insert(tx, &row).await?;
            assignments::add_tool(tx, id, row.id, NOW).await?;
        }
        Ok(())
    })
    .await
    .unwrap();
    connect(&app, app.a.workspace, connection(501, "zulip"), None).await;
    for changed in [true, false] {
        let wish = json!({"agent": "Caller", "app": "Zulip"});
        let done = app.owner().done("assign_tool_to_agent", wish).await;
        assert_eq!((&done["changed"], &done["tool"]["name"]), (&json!(changed), &json!("ZULIP")));
    }
}
