//! Keys: nothing that their creator does not hold.

use serde_json::{Value, json};
use toolcrib_access::{Scope, role_holds};
use toolcrib_engine::{Body, auth::secret};
use toolcrib_model::Role;
use toolcrib_registry::Permission;
use toolcrib_testkit::both_databases;

use crate::{
    admin_support::{add, allowed, pointers},
    harness::App,
};

fn service(scopes: &Value) -> Value {
    json!({"kind": "service", "name": "s", "scopes": scopes})
}

both_databases! {
    async fn a_key_is_made_shown_once_and_revoked(db: TestDb) {
        let app = App::new(db).await;
        let admin = app.as_role(Role::Admin);
        let arguments = json!({"kind": "service", "name": "App", "role": "member", "scopes": ["*:read", "tasks:use", "*:read"],
            "caller_types": ["chat", "api", "chat"]});
        let made = admin.done("keys.create", arguments).await;
        assert_eq!(made["scopes"], json!(["*:read", "tasks:use"]));
        assert_eq!(made["caller_types"], json!(["chat", "api"]));
        let (id, bytes) = secret::parse_key(made["secret"].as_str().unwrap()).unwrap();
        assert_eq!(json!(id), made["id"]);
        let mut tx = app.db.read(app.a.workspace).await.unwrap();
        let row = toolcrib_store::keys::get(&mut tx, id).await.unwrap().unwrap();
        tx.end().await.unwrap();
        assert!(secret::matches(&bytes, &row.secret_hash));
        let listed = admin.done("keys.list", json!({})).await;
        assert_eq!(listed["items"][0]["id"], made["id"]);
        assert!(!listed.to_string().contains("secret"));
        assert_eq!(admin.done("keys.revoke", json!({"id": id})).await["changed"], json!(true));
        assert_eq!(admin.done("keys.revoke", json!({"id": id})).await["changed"], json!(false));
        assert_eq!(app.as_role_b(Role::Owner).refused("keys.revoke", json!({"id": id})).await, "not_found");
        assert_eq!(app.as_role(Role::Editor).refused("keys.create", json!({})).await, "permission_denied");
    }

    async fn a_replay_does_not_show_the_secret_again(db: TestDb) {
        let app = App::new(db).await;
        let owner = app.owner();
        let first = owner.with_key("k").call("keys.create", service(&json!(["*:read"]))).await;
        assert!(matches!(first.body, Body::Completed(_)));
        let again = owner.with_key("k").call("keys.create", service(&json!(["*:read"]))).await;
        let Body::Replayed(again) = again.body else { panic!("{again:?}") };
        assert_eq!((&again.body["data"]["secret"], &again.body["secret_shown"]), (&Value::Null, &json!(true)));
        assert_eq!(app.owner().done("keys.list", json!({})).await["items"].as_array().unwrap().len(), 1);
    }

    /// Every role that may make keys × every pattern there is.
    async fn scopes_are_the_creators_own(db: TestDb) {
        let app = App::new(db).await;
        let mut patterns: Vec<String> = Permission::ALL.iter().map(Permission::to_string).collect();
        patterns.extend(Permission::ALL.iter().map(|p| format!("{}:*", p.resource)));
        patterns.extend(["read", "use", "manage", "delete", "change_role", "billing", "*"].map(|verb| format!("*:{verb}")));
        patterns.sort();
        patterns.dedup();
        for role in [Role::Admin, Role::Owner] {
            for pattern in &patterns {
                // Two calls of administration a second.
                app.clock.advance(1);
                let scope: Scope = pattern.parse().unwrap();
                let held = Permission::ALL.iter().filter(|p| scope.covers(**p)).all(|p| role_holds(role, *p));
                let answer = app.as_role(role).call("keys.create", service(&json!([pattern]))).await;
                assert_eq!(allowed(&answer), held, "{role} gives {pattern}");
            }
            for special in ["act_as", "approvals:relay", "records:write", "events:read"] {
                assert!(allowed(&app.as_role(role).call("keys.create", service(&json!([special]))).await));
            }
        }
    }

    async fn unknown_words_are_told_with_their_pointers(db: TestDb) {
        let app = App::new(db).await;
        let owner = app.owner();
        let answer = owner.call("keys.create", service(&json!(["*:read", "agents:fly", "workspaces:create", "events:all"]))).await;
        assert_eq!(pointers(&answer), ["/scopes/1", "/scopes/2", "/scopes/3"]);
        let mut arguments = service(&json!(["*:read"]));
        arguments["caller_types"] = json!(["chat", "nobody"]);
        assert_eq!(pointers(&owner.call("keys.create", arguments).await), ["/caller_types/1"]);
        for (field, value, pointer) in [
            ("role", json!("admin"), "/role"),
            ("agent", json!("x"), "/agent"),
            ("runs_as", json!(app.a.owner), "/runs_as"),
            ("expires_at", json!("2001-01-01T00:00:00Z"), "/expires_at"),
            ("scopes", json!([]), "/scopes"),
        ] {
            let mut arguments = service(&json!(["*:read"]));
            arguments[field] = value;
            assert_eq!(pointers(&owner.call("keys.create", arguments).await), [pointer]);
        }
        let arguments = json!({"kind": "agent", "name": "a", "role": "viewer", "scopes": ["*:read"]});
        assert_eq!(pointers(&owner.call("keys.create", arguments).await), ["/role", "/agent"]);
    }

    async fn an_agent_runs_as_nobody_above_its_keys_creator(db: TestDb) {
        let app = App::new(db).await;
        app.owner().done("create_agent", json!({"name": "Bot"})).await;
        let other = app.as_role_b(Role::Owner).done("create_agent", json!({"name": "Canary"})).await;
        let key = |runs_as: Value, agent: &Value| {
            json!({"kind": "agent", "name": "k", "agent": agent, "runs_as": runs_as, "scopes": ["*:read"]})
        };
        let bot = json!("bot");
        let admin = app.as_role(Role::Admin);
        let own = admin.done("keys.create", json!({"kind": "agent", "name": "k", "agent": "bot", "scopes": ["*:read"]})).await;
        assert_eq!(own["runs_as"], json!(app.a.admin));
        for role in Role::ALL {
            let answer = admin.call("keys.create", key(json!(app.a.user(role)), &bot)).await;
            assert_eq!(allowed(&answer), role <= Role::Admin, "runs as {role}");
        }
        for (runs_as, agent) in [(json!(app.b.viewer), &bot), (json!(app.a.viewer), &other["id"]), (json!(app.a.viewer), &json!("Canary"))] {
            assert_eq!(admin.refused("keys.create", key(runs_as, agent)).await, "not_found");
        }
        let gone = add(&app, "gone", Role::Viewer).await;
        app.owner().done("members.update", json!({"user_id": gone, "active": false})).await;
        assert_eq!(pointers(&admin.call("keys.create", key(json!(gone), &bot)).await), ["/runs_as"]);
    }
}
