//! The workspace itself.

use serde_json::json;
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::App;

#[both_databases]
async fn a_workspace_tells_its_limits_and_counts(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "One"})).await;
    owner.done("create_agent", json!({"name": "Two"})).await;
    owner.done("update_agent", json!({"agent": "Two", "status": "inactive"})).await;
    app.as_role_b(Role::Owner).done("create_agent", json!({"name": "Canary"})).await;
    let info = app.as_role(Role::Viewer).done("get_workspace_info", json!({})).await;
    assert_eq!(info["id"], json!(app.a.workspace));
    assert_eq!((&info["name"], &info["plan"]), (&json!("workspace"), &json!("standard")));
    // There is a member for each of the five roles, and one of two agents is inactive.
    assert_eq!(info["counts"]["members"], json!(5));
    assert_eq!((&info["counts"]["agents"], &info["counts"]["active_agents"]), (&json!(2), &json!(1)));
    assert_eq!(info["limits"]["write_per_minute"], json!(1_000_000));
    assert_eq!(
        owner.refused("get_workspace_info", json!({"workspace": app.b.workspace})).await,
        "invalid_arguments"
    );
}

#[both_databases]
async fn installed_things_are_listed_newest_first(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    for (kind, first, second) in
        [("skill", "calm-reply", "code-review"), ("plugin", "web-reader", "slack-alerts")]
    {
        let list = format!("list_workspace_{kind}s");
        assert_eq!(owner.done(&list, json!({})).await["items"], json!([]));
        owner.done(&format!("install_{kind}"), json!({kind: first})).await;
        app.clock.advance(1);
        owner.done(&format!("install_{kind}"), json!({kind: second})).await;
        let page = app.as_role(Role::Viewer).done(&list, json!({"limit": 1})).await;
        assert_eq!((&page["items"][0]["slug"], &page["items"][0]["agents"]), (&json!(second), &json!(0)));
        let page = owner.done(&list, json!({"cursor": page["next_cursor"]})).await;
        assert_eq!((&page["items"][0]["slug"], &page["next_cursor"]), (&json!(first), &json!(null)));
        assert_eq!(app.as_role_b(Role::Owner).done(&list, json!({})).await["items"], json!([]));
        assert_eq!(owner.refused(&list, json!({"limit": 0})).await, "invalid_arguments");
    }
}

#[both_databases]
async fn models_are_listed_with_the_default(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "One"})).await;
    app.clock.advance(1);
    owner.done("install_model", json!({"model": "gpt-4o"})).await;
    let models = app.as_role(Role::Viewer).done("list_workspace_models", json!({})).await;
    assert_eq!(models["default_model"], json!("gpt-4o-mini"));
    let seen: Vec<_> = models["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| {
            (m["model"].as_str().unwrap(), m["default"].as_bool().unwrap(), m["agents"].as_i64().unwrap())
        })
        .collect();
    assert_eq!(seen, [("gpt-4o", false, 0), ("gpt-4o-mini", true, 1)]);
    let theirs = app.as_role_b(Role::Owner).done("list_workspace_models", json!({})).await;
    assert_eq!(theirs["items"].as_array().unwrap().len(), 1);
}
