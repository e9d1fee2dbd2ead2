//! Workspaces, and `me`.

use serde_json::{Value, json};
use toolcrib_engine::Outcome;
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use crate::harness::{App, audit_rows, operator, pointers, seal, system, user};

fn new(name: &str) -> Value {
    json!({
        "name": name, "external_id": format!("org_{name}"),
        "owner": {"subject": "boss", "issuer": "test"}
    })
}

fn id(value: &Value) -> Id {
    value.as_str().unwrap().parse().unwrap()
}

#[both_databases]
async fn a_system_admin_creates_workspaces_from_anywhere(db: TestDb) {
    let app = App::new(db).await;
    for (n, place) in [None, Some(app.a.workspace), Some(app.b.workspace)].into_iter().enumerate() {
        let system = system(&app, None, place);
        let made = system.done("workspaces.create", new(&format!("w{n}"))).await;
        let boss = user(&app, Some(id(&made["owner_id"])), Some(id(&made["id"])));
        let me = boss.done("me.get", json!({})).await;
        assert_eq!((&me["role"], &me["workspace"]["id"]), (&json!("owner"), &made["id"]));
        assert_eq!(me["workspaces"].as_array().unwrap().len(), n + 1);
        // The audit row of a workspace's creation is in the new workspace's own log.
        let rows = audit_rows(&app, id(&made["id"]), Some("workspaces.create")).await;
        assert_eq!((rows.len(), rows[0].system_admin), (1, true));
    }
}

#[both_databases]
async fn a_workspace_is_made_once_a_key(db: TestDb) {
    let app = App::new(db).await;
    let system = system(&app, Some(app.a.viewer), None);
    let arguments = json!({"name": "once", "owner": {"subject": "boss"}});
    let first = system.with_key("k").call("workspaces.create", arguments.clone()).await;
    let Outcome::Completed(first) = first.outcome else { panic!("{first:?}") };
    let again = system.with_key("k").call("workspaces.create", arguments).await;
    assert!(again.replayed);
    let Outcome::Completed(again) = again.outcome else { panic!("{again:?}") };
    assert_eq!(again.value()["id"], first.value()["id"]);
    let boss = user(&app, Some(id(&first.value()["owner_id"])), None);
    assert_eq!(boss.done("workspaces.list", json!({})).await["items"].as_array().unwrap().len(), 1);
}

#[both_databases]
async fn an_operators_key_creates_workspaces_by_its_scope(db: TestDb) {
    let app = App::new(db).await;
    let creator = operator(&app, &["workspaces:create"], None);
    creator.done("workspaces.create", new("x")).await;
    assert_eq!(creator.refused("workspaces.create", new("x")).await, "conflict");
    let found = operator(&app, &["events:all"], None).refused("workspaces.create", new("y")).await;
    assert_eq!(found, "permission_denied");
    let system = system(&app, None, None);
    let answer = system.call("workspaces.create", json!({"name": "y", "owner": {"subject": "boss"}})).await;
    assert_eq!(pointers(&answer), ["/owner/issuer"]);
    let mut uuid = new("y");
    uuid["external_id"] = json!(app.a.workspace);
    assert_eq!(pointers(&system.call("workspaces.create", uuid).await), ["/external_id"]);
    let mut limits = new("y");
    limits["limits"] = json!({"write_per_minute": 0});
    assert_eq!(pointers(&system.call("workspaces.create", limits).await), ["/limits/write_per_minute"]);
    // The audit row of a failed creation is in the workspace that the caller named.
    let here = operator(&app, &["workspaces:create"], Some(app.a.workspace));
    assert_eq!(here.refused("workspaces.create", new("x")).await, "conflict");
}

/// Everything that a provisioning job does, with two keys that may do nothing else.
#[both_databases]
async fn operators_provision_a_workspace(db: TestDb) {
    let app = App::new(db).await;
    let creator = operator(&app, &["workspaces:create"], None);
    let mut wish = new("acme");
    wish["limits"] = json!({"write_per_minute": 30, "external_per_minute": 5, "client_per_minute": 6});
    let made = creator.done("workspaces.create", wish).await;
    assert_eq!((&made["external_id"], &made["role"]), (&json!("org_acme"), &Value::Null));
    let place = id(&made["id"]);
    let boss = user(&app, Some(id(&made["owner_id"])), Some(place));
    let settings = boss.done("settings.get", json!({})).await;
    assert_eq!(
        settings["limits"],
        json!({
            "write_per_minute": 30, "read_per_minute": 600, "external_per_minute": 5,
            "client_per_minute": 6, "write_share_percent": 60
        })
    );
    // A workspace may also be named by its id at the identity provider.
    let mut limits = operator(&app, &["workspaces:limits"], None);
    limits.authenticated.requested.workspace = Some("org_acme".to_owned());
    let changed = limits.done("settings.update", json!({"limits": {"write_per_minute": 60}})).await;
    assert_eq!(changed["limits"]["write_per_minute"], json!(60));
    assert_eq!(boss.done("settings.get", json!({})).await["limits"]["write_per_minute"], json!(60));
    // Neither key reads a tenant's rows or does the other key's work.
    for (key, action, arguments) in [
        (&limits, "workspaces.create", new("other")),
        (&limits, "platform_list_agents", json!({})),
        (&limits, "members.list", json!({})),
        (&limits, "audit.list", json!({})),
        (&limits, "settings.update", json!({"four_eyes": true})),
        (
            &operator(&app, &["workspaces:create"], Some(place)),
            "settings.update",
            json!({"limits": {"write_per_minute": 1}}),
        ),
        (
            &operator(&app, &["workspaces:create"], Some(place)),
            "workspaces.delete",
            json!({"id": place, "name": "acme"}),
        ),
        (&operator(&app, &["events:all"], Some(place)), "settings.get", json!({})),
    ] {
        assert_eq!(key.refused(action, arguments).await, "permission_denied", "{action}");
    }
    // The new workspace's own log has both calls, as calls of an operator.
    let log = boss.done("audit.list", json!({})).await;
    let by_operator = |action: &str| {
        log["items"]
            .as_array()
            .unwrap()
            .iter()
            .any(|row| row["action"] == action && row["principal"]["kind"] == "operator")
    };
    assert!(by_operator("workspaces.create") && by_operator("settings.update"), "{log}");
}

#[both_databases]
async fn a_workspace_is_renamed_and_deleted_by_its_own(db: TestDb) {
    let app = App::new(db).await;
    let (a, b) = (app.a.workspace, app.b.workspace);
    let (owner, admin) = (app.owner(), app.as_role(Role::Admin));
    let found = app.as_role(Role::Viewer).done("workspaces.get", json!({"id": a})).await;
    assert_eq!(found["role"], json!("viewer"));
    for (action, arguments) in [
        ("workspaces.get", json!({"id": b})),
        ("workspaces.update", json!({"id": b, "name": "x"})),
        ("workspaces.delete", json!({"id": b, "name": "b-workspace"})),
        ("workspaces.get", json!({"id": Id::from_u128(7)})),
    ] {
        assert_eq!(owner.refused(action, arguments).await, "not_found");
    }
    let found = admin.done("workspaces.update", json!({"id": a, "name": "New"})).await;
    assert_eq!(found["changed"], json!(true));
    let found = admin.done("workspaces.update", json!({"id": a, "name": "New"})).await;
    assert_eq!(found["changed"], json!(false));
    assert_eq!(pointers(&owner.call("workspaces.delete", json!({"id": a, "name": "new"})).await), ["/name"]);
    owner.done("workspaces.delete", json!({"id": a, "name": "New"})).await;
    assert_eq!(owner.refused("workspaces.get", json!({"id": a})).await, "permission_denied");
    let found = app.as_role_b(Role::Viewer).done("workspaces.get", json!({"id": b})).await;
    assert_eq!(found["name"], json!("b-workspace"));
}

#[both_databases]
async fn a_deleted_workspaces_log_stays_readable_to_system_admins_alone(db: TestDb) {
    let app = App::new(db).await;
    let (a, owner) = (app.a.workspace, app.owner());
    let admin = system(&app, None, Some(a));
    let reads =
        [("audit.list", json!({})), ("audit.stats", json!({"by": "action"})), ("audit.verify", json!({}))];
    owner.done("create_agent", json!({"name": "Kept"})).await;
    for (action, arguments) in &reads {
        let code = admin.refused(action, arguments.clone()).await;
        assert_eq!(code, "permission_denied", "while it lives it is its admins'");
    }
    let name = owner.done("workspaces.get", json!({"id": a})).await["name"].clone();
    owner.done("workspaces.delete", json!({"id": a, "name": name})).await;
    seal(&app).await;
    for (action, arguments) in &reads {
        admin.done(action, arguments.clone()).await;
    }
    let log = admin.done("audit.list", json!({"limit": 100})).await;
    let rows = log["items"].as_array().unwrap();
    let of = |action: &str| rows.iter().filter(|row| row["action"] == action).collect::<Vec<_>>();
    assert_eq!((of("platform_create_agent").len(), of("workspaces.delete").len()), (1, 1));
    let one = admin.done("audit.get", json!({"call_id": of("platform_create_agent")[0]["id"]})).await;
    assert_eq!(one["action"], "platform_create_agent");
    // Each read of the log has a row in this log.
    for (action, _) in &reads {
        let read = of(action);
        assert!(
            read.iter().any(|row| row["system_admin"] == true && row["outcome"] == "succeeded"),
            "{action}: {log}"
        );
    }
    // A system admin may not read anything else of the workspace. Nobody else may read its log, and no other
    // workspace's log may be read.
    for (action, arguments) in [
        ("list_agents", json!({})),
        ("members.list", json!({})),
        ("workspaces.get", json!({"id": a})),
        ("settings.get", json!({})),
        ("access.matrix", json!({})),
        ("create_agent", json!({"name": "Late"})),
        ("keys.list", json!({})),
        ("get_activity_feed", json!({})),
    ] {
        assert_eq!(admin.refused(action, arguments).await, "permission_denied", "{action}");
    }
    for somebody in
        [owner, app.as_role(Role::Admin), user(&app, None, Some(a)), operator(&app, &["events:all"], Some(a))]
    {
        assert_eq!(somebody.refused("audit.list", json!({})).await, "permission_denied");
    }
    for other in [app.b.workspace, Id::from_u128(7)] {
        let found = system(&app, None, Some(other)).refused("audit.list", json!({})).await;
        assert_eq!(found, "permission_denied");
    }
}

#[both_databases]
async fn me_describes_every_kind_of_caller(db: TestDb) {
    let app = App::new(db).await;
    let viewer = app.as_role(Role::Viewer).done("me.get", json!({})).await;
    assert_has(&viewer, json!({"role": "viewer", "scopes": null, "caller_type": "api"}));
    assert_eq!(viewer["limits"]["write"]["limit"], json!(1_000_000));
    let held = |of: &Value, what: &str| of["permissions"].as_array().unwrap().contains(&json!(what));
    assert!(held(&viewer, "agents:read") && !held(&viewer, "audit:read") && !held(&viewer, "tasks:use"));
    app.owner().done("create_agent", json!({"name": "Spent"})).await;
    let left = app.owner().done("me.get", json!({})).await["limits"]["write"].clone();
    // The viewer was just active, so that the owner has their share of the writes.
    assert_eq!((&left["limit"], &left["remaining"]), (&json!(1_000_000), &json!(599_999)));
    assert!(left["reset_seconds"].is_u64(), "{left}");
    let nowhere = user(&app, Some(app.a.owner), None).done("me.get", json!({})).await;
    assert_has(&nowhere, json!({"workspace": null, "role": null, "permissions": []}));
    assert_eq!(nowhere["workspaces"][0]["role"], json!("owner"));
    let stranger = user(&app, None, None);
    let me = stranger.done("me.get", json!({})).await;
    // A user without a row still has an id of their own.
    let known_as = toolcrib_store::users::id_of("test", "somebody");
    assert_has(&me, json!({"user": null, "/principal/id": known_as, "workspaces": []}));
    assert_eq!(stranger.done("workspaces.list", json!({})).await["items"], json!([]));
    let elsewhere = user(&app, Some(app.b.owner), Some(app.a.workspace));
    assert_eq!(elsewhere.refused("me.get", json!({})).await, "permission_denied");
}

#[both_databases]
async fn a_system_admin_lists_all_workspaces(db: TestDb) {
    let app = App::new(db).await;
    let ids = |page: &Value| {
        let mut ids: Vec<String> =
            page["items"].as_array().unwrap().iter().map(|one| one["id"].to_string()).collect();
        ids.sort();
        ids
    };
    let mut all = [app.a.workspace, app.b.workspace].map(|id| json!(id).to_string());
    all.sort();
    let admin = system(&app, None, None);
    let page = admin.done("workspaces.list", json!({})).await;
    assert_eq!((ids(&page), &page["items"][0]["role"]), (all.to_vec(), &Value::Null));
    let first = admin.done("workspaces.list", json!({"limit": 1})).await;
    let rest = admin.done("workspaces.list", json!({"limit": 1, "cursor": first["next_cursor"]})).await;
    assert_eq!([ids(&first), ids(&rest)].concat().len(), 2);
    let own = app.owner().done("workspaces.list", json!({})).await;
    assert_eq!(ids(&own), [json!(app.a.workspace).to_string()], "a member gets their own");
}
