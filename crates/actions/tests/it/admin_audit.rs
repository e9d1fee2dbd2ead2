//! The audit log, and the reports about access.

use serde_json::{Value, json};
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{Person, both_databases};

use crate::{
    admin_support::{pointers, system},
    harness::App,
};

async fn rows(caller: &Person<'_>, filter: Value) -> Vec<Value> {
    caller.done("audit.list", filter).await["items"].as_array().unwrap().clone()
}

both_databases! {
    async fn the_log_is_listed_filtered_and_counted(db: TestDb) {
        let app = App::new(db).await;
        let owner = app.owner();
        owner.done("create_agent", json!({"name": "One"})).await;
        app.as_role(Role::Viewer).refused("create_agent", json!({"name": "Two"})).await;
        app.as_role(Role::Member).done("list_agents", json!({})).await;
        app.as_role_b(Role::Owner).done("list_agents", json!({})).await;
        // Three calls of workspace A; reading the log adds a row each time, of the kind `admin`.
        let calls = rows(&owner, json!({"kind": "call"})).await;
        assert_eq!(calls.len(), 3);
        let denied = rows(&owner, json!({"decision": "denied", "outcome": "not_run"})).await;
        assert_eq!((denied.len(), &denied[0]["user_id"], &denied[0]["role"]), (1, &json!(app.a.viewer), &json!("viewer")));
        assert_eq!(denied[0]["arguments"], json!({"name": "Two"}));
        assert_eq!(rows(&owner, json!({"user": app.a.member, "level": "read", "surface": "rest", "via": "direct"})).await.len(), 1);
        assert_eq!(rows(&owner, json!({"kind": "call", "to": "2026-01-15T10:00:00Z"})).await.len(), 0);
        assert_eq!(rows(&owner, json!({"kind": "call", "from": "2026-01-15T10:00:00Z"})).await.len(), 3);
        let one = owner.done("audit.get", json!({"call_id": denied[0]["id"]})).await;
        assert_eq!(one, denied[0]);
        let page = owner.done("audit.list", json!({"kind": "call", "limit": 2})).await;
        let rest = owner.done("audit.list", json!({"kind": "call", "limit": 2, "cursor": page["next_cursor"]})).await;
        assert_eq!((page["items"].as_array().unwrap().len(), rest["items"].as_array().unwrap().len()), (2, 1));
        let by = owner.done("audit.stats", json!({"by": "action", "kind": "call"})).await;
        assert_eq!(by["items"], json!([{"value": "platform_create_agent", "count": 2}, {"value": "platform_list_agents", "count": 1}]));
        assert_eq!(by["total"], json!(3));
        let hours = owner.done("audit.stats", json!({"by": "hour", "kind": "call"})).await;
        assert_eq!(hours["items"], json!([{"value": "2026-01-15T10:00:00.000000Z", "count": 3}]));
        assert_eq!(pointers(&owner.call("audit.list", json!({"decision": "maybe"})).await), ["/decision"]);
        assert_eq!(pointers(&owner.call("audit.list", json!({"who": "me"})).await), ["/who"]);
    }

    async fn the_log_is_its_own_workspaces_and_its_admins(db: TestDb) {
        let app = App::new(db).await;
        app.as_role_b(Role::Owner).done("list_agents", json!({})).await;
        let theirs = app.as_role_b(Role::Owner).done("audit.list", json!({})).await;
        for id in [theirs["items"][0]["id"].clone(), json!(Id::from_u128(7))] {
            assert_eq!(app.owner().refused("audit.get", json!({"call_id": id})).await, "not_found");
        }
        for role in [Role::Viewer, Role::Member, Role::Editor] {
            for (action, arguments) in [
                ("audit.list", json!({})), ("audit.get", json!({"call_id": Id::from_u128(7)})), ("audit.stats", json!({"by": "action"})),
                ("access.report", json!({})), ("access.matrix", json!({})), ("access.explain", json!({"action": "platform_list_agents"})),
            ] {
                assert_eq!(app.as_role(role).refused(action, arguments).await, "permission_denied");
            }
        }
        let system = system(&app, None, Some(app.a.workspace));
        assert_eq!(system.refused("audit.list", json!({})).await, "permission_denied");
    }

    async fn reports_add_up_and_agree_with_what_happens(db: TestDb) {
        let app = App::new(db).await;
        let owner = app.owner();
        let matrix = owner.done("access.matrix", json!({})).await;
        for role in Role::ALL {
            // Administration has a limit of its own: a new minute for each role.
            app.clock.advance(60);
            let report = owner.done("access.report", json!({"role": role, "format": "json"})).await;
            let number = |of: &Value, key: &str| of[key].as_u64().unwrap();
            assert_eq!(number(&report, "accessible") + number(&report, "denied"), number(&report, "total"));
            let sum: u64 = report["by_category"].as_array().unwrap().iter().map(|row| number(row, "accessible")).sum();
            assert_eq!(sum, number(&report, "accessible"));
            assert!(report.get("markdown").is_none());
            for (item, row) in report["items"].as_array().unwrap().iter().zip(matrix["items"].as_array().unwrap()) {
                assert_eq!((&item["action"], &item["allowed"]), (&row["action"], &row["roles"][role.as_str()]));
                assert_eq!(item["allowed"] == json!(true), item["reason"].is_null());
                let action = item["action"].as_str().unwrap();
                let listed = owner.done("access.explain", json!({"action": action, "user": app.a.user(role)})).await;
                assert_eq!(listed["allowed"], item["allowed"], "{role} {action}");
            }
        }
        // A viewer reads two of the nine actions on agents: list and get.
        let viewer = owner.done("access.report", json!({"role": "viewer", "format": "markdown"})).await;
        let agents = viewer["by_category"].as_array().unwrap().iter().find(|row| row["category"] == "agents").unwrap();
        assert_eq!((&agents["accessible"], &agents["total"]), (&json!(2), &json!(9)));
        let text = viewer["markdown"].as_str().unwrap();
        assert!(text.contains("| agents | 2 | 7 | 9 |") && text.contains("- `platform_create_agent` (write): denied, it needs `agents:manage`"));
        assert_eq!(pointers(&owner.call("access.report", json!({"caller_type": "nobody"})).await), ["/caller_type"]);
    }

    async fn a_decision_is_explained_with_every_rule(db: TestDb) {
        let app = App::new(db).await;
        let owner = app.owner();
        let no = owner.done("access.explain", json!({"action": "platform_delete_agent", "user": "viewer"})).await;
        assert_eq!((&no["allowed"], &no["reason"], &no["role"]), (&json!(false), &json!("role"), &json!("viewer")));
        assert!(no["explanation"].as_str().unwrap().contains("agents:delete"));
        // Membership and the six rules of the decision.
        assert_eq!(no["factors"].as_array().unwrap().len(), 7);
        let own = owner.done("access.explain", json!({"action": "members.add"})).await;
        assert_eq!((&own["allowed"], &own["user_id"]), (&json!(true), &json!(app.a.owner)));
        owner.done("settings.update", json!({"approval_mode": "read_only"})).await;
        let mode = owner.done("access.explain", json!({"action": "platform_create_agent"})).await;
        assert_eq!(mode["reason"], json!("approval_mode"));
        owner.done("members.update", json!({"user_id": app.a.viewer, "active": false})).await;
        let gone = owner.done("access.explain", json!({"action": "platform_list_agents", "user": app.a.viewer})).await;
        assert_eq!((&gone["allowed"], &gone["reason"]), (&json!(false), &json!("membership")));
        assert_eq!(owner.refused("access.explain", json!({"action": "platform_fly"})).await, "unknown_action");
        assert_eq!(owner.refused("access.explain", json!({"action": "members.add", "user": app.b.viewer})).await, "not_found");
    }
}
