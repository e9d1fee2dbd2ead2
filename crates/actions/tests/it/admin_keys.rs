//! Keys: nobody creates a key with a right that they do not hold.

use serde_json::{Value, json};
use toolcrib_access::{Scope, role_holds};
use toolcrib_auth::secret;
use toolcrib_engine::Outcome;
use toolcrib_model::{Id, Role};
use toolcrib_registry::Permission;
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use crate::{
    admin_adoption::opened,
    harness::{App, add, allowed, mission, pointers},
};

fn service(scopes: &Value) -> Value {
    json!({"kind": "service", "name": "s", "scopes": scopes})
}

#[both_databases]
async fn a_key_is_made_shown_once_and_revoked(db: TestDb) {
    let app = App::new(db).await;
    let admin = app.as_role(Role::Admin);
    let arguments = json!({
        "kind": "service", "name": "App", "role": "member",
        "scopes": ["*:read", "tasks:use", "*:read"], "caller_types": ["chat", "api", "chat"]
    });
    let made = admin.done("keys.create", arguments).await;
    assert_has(&made, json!({"scopes": ["*:read", "tasks:use"], "caller_types": ["chat", "api"]}));
    let (id, bytes) = secret::parse_key(made["secret"].as_str().unwrap()).unwrap();
    assert_eq!(json!(id), made["id"]);
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let row = toolcrib_store::keys::get(&mut tx, id).await.unwrap().unwrap();
    tx.end().await.unwrap();
    assert!(secret::matches(&bytes, &row.secret_hash));
    let listed = admin.done("keys.list", json!({})).await;
    assert_eq!(listed["items"][0]["id"], made["id"]);
    // The audit log has the key's id, which later calls with this key carry too.
    let rows = app.owner().done("audit.list", json!({"action": ["keys.create"]})).await;
    assert_eq!(rows["items"][0]["target"], json!(format!("key `App` ({id})")));
    assert!(!listed.to_string().contains("secret"));
    assert_eq!(admin.done("keys.revoke", json!({"id": id})).await["changed"], json!(true));
    assert_eq!(admin.done("keys.revoke", json!({"id": id})).await["changed"], json!(false));
    assert_eq!(app.as_role_b(Role::Owner).refused("keys.revoke", json!({"id": id})).await, "not_found");
}

#[both_databases]
async fn a_replay_does_not_show_the_secret_again(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let first = owner.with_key("k").call("keys.create", service(&json!(["*:read"]))).await;
    assert!(matches!(first.outcome, Outcome::Completed(_)));
    let again = owner.with_key("k").call("keys.create", service(&json!(["*:read"]))).await;
    assert!(again.replayed);
    let again = again.outcome.to_value();
    assert_eq!((&again["data"]["secret"], &again["secret_shown"]), (&Value::Null, &json!(true)));
    assert_eq!(app.owner().done("keys.list", json!({})).await["items"].as_array().unwrap().len(), 1);
}

/// Every role that may create keys × every scope pattern.
#[both_databases]
async fn scopes_are_the_creators_own(db: TestDb) {
    let app = App::new(db).await;
    let mut patterns: Vec<String> = Permission::ALL.iter().map(Permission::to_string).collect();
    patterns.extend(Permission::ALL.iter().map(|p| format!("{}:*", p.resource)));
    patterns.extend(
        ["read", "use", "manage", "delete", "change_role", "billing", "*"].map(|verb| format!("*:{verb}")),
    );
    patterns.sort();
    patterns.dedup();
    for role in [Role::Admin, Role::Owner] {
        for pattern in &patterns {
            // Administration has a limit of two calls a second.
            app.clock.advance(1);
            let scope: Scope = pattern.parse().unwrap();
            let held = Permission::ALL.iter().filter(|p| scope.covers(p)).all(|p| role_holds(role, p));
            let answer = app.as_role(role).call("keys.create", service(&json!([pattern]))).await;
            assert_eq!(allowed(&answer), held, "{role} gives {pattern}");
        }
        for (special, least) in [
            ("act_as", Role::Owner),
            ("approvals:relay", Role::Owner),
            ("records:write", Role::Admin),
            ("events:read", Role::Admin),
        ] {
            let answer = app.as_role(role).call("keys.create", service(&json!([special]))).await;
            assert_eq!(allowed(&answer), role >= least, "{role} gives {special}");
        }
    }
}

#[both_databases]
async fn unknown_scopes_and_caller_types_are_errors_with_pointers(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let answer = owner
        .call("keys.create", service(&json!(["*:read", "agents:fly", "workspaces:create", "events:all"])))
        .await;
    assert_eq!(pointers(&answer), ["/scopes/1", "/scopes/2", "/scopes/3"]);
    let mut arguments = service(&json!(["*:read"]));
    arguments["caller_types"] = json!(["chat", "nobody"]);
    assert_eq!(pointers(&owner.call("keys.create", arguments).await), ["/caller_types/1"]);
    for (field, value, pointer) in [
        ("role", json!("admin"), "/role"),
        ("agent", json!("x"), "/agent"),
        ("runs_as", json!(app.a.owner), "/runs_as"),
        ("expires_at", json!("2001-01-01T00:00:00Z"), "/expires_at"),
        ("expires_at", json!("9999-12-31T00:00:00Z"), "/expires_at"),
        ("scopes", json!([]), "/scopes"),
    ] {
        let mut arguments = service(&json!(["*:read"]));
        arguments[field] = value;
        assert_eq!(pointers(&owner.call("keys.create", arguments).await), [pointer]);
    }
    let arguments = json!({"kind": "agent", "name": "a", "role": "viewer", "scopes": ["*:read"]});
    assert_eq!(pointers(&owner.call("keys.create", arguments).await), ["/role", "/agent"]);
}

#[both_databases]
async fn an_agents_key_has_no_scope_of_services(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "Bot"})).await;
    let with = |scopes: &[&str]| json!({"kind": "agent", "name": "k", "agent": "bot", "scopes": scopes});
    let scopes = ["act_as", "events:read", "approvals:relay", "records:write"];
    let problem = owner.problem("keys.create", with(&scopes)).await;
    let pointers: Vec<_> = problem.errors.iter().map(|error| error.pointer.as_str()).collect();
    assert_eq!((problem.status, pointers), (422, vec!["/scopes/0", "/scopes/2", "/scopes/3"]));
    assert!(problem.errors[0].message.starts_with("`act_as` is for service keys"), "{problem:?}");
    owner.done("keys.create", with(&["*:read", "events:read"])).await;
}

#[both_databases]
async fn an_agent_runs_as_nobody_above_its_keys_creator(db: TestDb) {
    let app = App::new(db).await;
    app.owner().done("create_agent", json!({"name": "Bot"})).await;
    let other = app.as_role_b(Role::Owner).done("create_agent", json!({"name": "Canary"})).await;
    let key = |runs_as: Value, agent: &Value| {
        json!({
            "kind": "agent", "name": "k", "agent": agent, "runs_as": runs_as, "scopes": ["*:read"]
        })
    };
    let bot = json!("bot");
    let admin = app.as_role(Role::Admin);
    let wish = json!({"kind": "agent", "name": "k", "agent": "bot", "scopes": ["*:read"]});
    let own = admin.done("keys.create", wish).await;
    assert_eq!(own["runs_as"], json!(app.a.admin));
    for role in Role::ALL {
        let answer = admin.call("keys.create", key(json!(app.a.user(role)), &bot)).await;
        assert_eq!(allowed(&answer), role <= Role::Admin, "runs as {role}");
    }
    for (runs_as, agent) in [
        (json!(app.b.viewer), &bot),
        (json!(app.a.viewer), &other["id"]),
        (json!(app.a.viewer), &json!("Canary")),
    ] {
        assert_eq!(admin.refused("keys.create", key(runs_as, agent)).await, "not_found");
    }
    let gone = add(&app, "gone", Role::Viewer).await;
    app.owner().done("members.update", json!({"user_id": gone, "active": false})).await;
    assert_eq!(pointers(&admin.call("keys.create", key(json!(gone), &bot)).await), ["/runs_as"]);
}

/// A key's mission must be one of the workspace, and from then on it is the only mission that the key
/// reaches.
#[both_databases]
async fn a_key_knows_its_mission_and_reaches_no_other(db: TestDb) {
    let app = App::new(db).await;
    let (own, other, theirs) = (Id::from_u128(0x11), Id::from_u128(0x22), Id::from_u128(0x33));
    mission(&app, app.a.workspace, own).await;
    mission(&app, app.a.workspace, other).await;
    mission(&app, app.b.workspace, theirs).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "Bot"})).await;
    let key = |mission: Id| {
        json!({
            "kind": "agent", "name": "k", "agent": "bot", "mission": mission,
            "scopes": ["*:read", "field:*"]
        })
    };
    for unknown in [theirs, Id::from_u128(0x44)] {
        assert_eq!(owner.refused("keys.create", key(unknown)).await, "not_found");
    }
    let mut service = service(&json!(["*:read"]));
    service["mission"] = json!(own);
    assert_eq!(pointers(&owner.call("keys.create", service).await), ["/mission"]);
    let made = owner.done("keys.create", key(own)).await;
    assert_eq!(made["mission"], json!(own));

    let opened = opened(&app, made["secret"].as_str().unwrap()).await.unwrap();
    let wishing = |mission: Option<Id>| {
        let mut authenticated = opened.clone();
        authenticated.requested.mission = mission.map(|id| id.to_string());
        app.as_identity(authenticated)
    };
    for bot in [wishing(None), wishing(Some(own))] {
        bot.done("field_inject", json!({"key": "k", "value": "found it"})).await;
        let found = bot.done("field_query", json!({"query": "found"})).await;
        assert_eq!((&found["mission_id"], found["items"].as_array().unwrap().len()), (&json!(own), 1));
        let elsewhere = json!({"query": "found", "mission": other});
        assert_eq!(bot.refused("field_query", elsewhere).await, "permission_denied");
    }
    for unfit in [other, theirs] {
        let told = wishing(Some(unfit)).refused("field_query", json!({"query": "found"})).await;
        assert_eq!(told, "permission_denied");
    }
}

/// `X-Mission-Id` must name a mission of the workspace, whoever sends it.
#[both_databases]
async fn a_mission_in_the_header_is_one_of_the_workspace(db: TestDb) {
    let app = App::new(db).await;
    let (own, theirs) = (Id::from_u128(0x11), Id::from_u128(0x33));
    mission(&app, app.a.workspace, own).await;
    mission(&app, app.b.workspace, theirs).await;
    let naming = |text: &str| {
        let mut person = app.as_role(Role::Member);
        person.authenticated.requested.mission = Some(text.to_owned());
        person
    };
    let named = naming(&own.to_string());
    assert_eq!(named.done("field_query", json!({"query": "x"})).await["mission_id"], json!(own));
    named.done("list_agents", json!({})).await;
    for unknown in [theirs, Id::from_u128(0x44)] {
        for (action, arguments) in [
            ("field_query", json!({"query": "x"})),
            ("list_agents", json!({})),
            ("store_memory", json!({"content": "x"})),
        ] {
            let found = naming(&unknown.to_string()).refused(action, arguments).await;
            assert_eq!(found, "not_found", "{action}");
        }
    }
    assert_eq!(naming("nonsense").refused("list_agents", json!({})).await, "malformed_request");
    let mut stranger = app.as_identity(toolcrib_testkit::user_identity(app.a.workspace, app.b.owner));
    stranger.authenticated.requested.mission = Some(own.to_string());
    let code = stranger.refused("list_agents", json!({})).await;
    assert_eq!(code, "permission_denied", "no member learns which missions there are");
}

#[both_databases]
async fn keys_are_listed_with_names_and_policy_is_no_loss(db: TestDb) {
    let app = App::new(db).await;
    app.db.set_display_name(app.a.owner, "Olga").await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "Scout"})).await;
    let key = json!({"kind": "agent", "name": "Scout's key", "agent": "Scout", "scopes": ["*:read"],
        "caller_types": ["mission"]});
    let made = owner.done("keys.create", key).await;
    let items = owner.done("keys.list", json!({})).await["items"].take();
    let one = items.as_array().unwrap().iter().find(|one| one["id"] == made["id"]).unwrap();
    for (field, name) in [("agent_name", "Scout"), ("runs_as_name", "Olga"), ("created_by_name", "Olga")] {
        assert_eq!(one[field], name, "{field}: {one}");
    }
    assert_eq!(one["minter_names"], json!(["Olga"]));
    // Agents of admins are editors by the policy of the workspace: this takes nothing from this key.
    assert_eq!((&one["role_now"], &one["limited_by"]), (&json!("editor"), &json!([])));
}
