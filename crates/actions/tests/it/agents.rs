//! Agents.

use serde_json::json;
use toolcrib_model::Role;
use toolcrib_testkit::both_databases;

use crate::harness::App;

both_databases! {
    async fn an_agent_lives_and_goes(db: TestDb) {
        let app = App::new(db).await;
        let owner = app.owner();
        let made = owner.done("create_agent", json!({"name": "Researcher", "role": "researcher", "tags": ["a", "b"]})).await;
        assert_eq!((made["role"].as_str(), made["status"].as_str()), (Some("researcher"), Some("active")));
        let by_name = owner.done("get_agent", json!({"agent": "RESEARCHER"})).await;
        assert_eq!(by_name["id"], made["id"]);
        let changed = owner.done("update_agent", json!({"agent": "researcher", "temperature": 0.5})).await;
        assert_eq!(changed["changed_fields"], json!(["temperature"]));
        let again = owner.done("update_agent", json!({"agent": "researcher", "temperature": 0.5})).await;
        assert_eq!(again["changed"], json!(false));
        let listed = owner.done("list_agents", json!({"search": "search"})).await;
        assert_eq!(listed["items"].as_array().unwrap().len(), 1);
        let gone = owner.confirmed("delete_agent", json!({"agent": "Researcher"})).await;
        assert_eq!(gone["deleted"], json!(true));
        assert_eq!(owner.refused("get_agent", json!({"agent": made["id"]})).await, "not_found");
    }

    async fn another_tenants_agent_is_not_there(db: TestDb) {
        let app = App::new(db).await;
        let theirs = app.as_role_b(Role::Owner).done("create_agent", json!({"name": "Canary"})).await;
        for action in ["get_agent", "update_agent", "delete_agent"] {
            assert_eq!(app.owner().refused(action, json!({"agent": theirs["id"]})).await, "not_found");
            assert_eq!(app.owner().refused(action, json!({"agent": "Canary"})).await, "not_found");
        }
        assert_eq!(app.owner().done("list_agents", json!({})).await["items"], json!([]));
    }

    async fn a_viewer_reads_and_changes_nothing(db: TestDb) {
        let app = App::new(db).await;
        app.owner().done("create_agent", json!({"name": "One"})).await;
        let viewer = app.as_role(Role::Viewer);
        assert_eq!(viewer.done("list_agents", json!({})).await["items"].as_array().unwrap().len(), 1);
        for action in ["create_agent", "update_agent", "delete_agent"] {
            assert_eq!(viewer.refused(action, json!({"agent": "One"})).await, "permission_denied");
        }
    }

    async fn bad_input_is_told_with_its_pointer(db: TestDb) {
        let app = App::new(db).await;
        assert_eq!(app.owner().refused("create_agent", json!({"temperature": 9})).await, "invalid_arguments");
        app.owner().done("create_agent", json!({"name": "One"})).await;
        assert_eq!(app.owner().refused("create_agent", json!({"name": "one"})).await, "conflict");
        assert_eq!(app.owner().refused("list_agents", json!({"cursor": "rubbish"})).await, "invalid_arguments");
    }
}
