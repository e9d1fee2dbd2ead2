//! The audit log, and the reports on access.

use serde_json::{Value, json};
use toolcrib_auth::Credential;
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{Person, TestDb, assert_has, both_databases};

use crate::harness::{App, pointers, seal, service_key};

async fn rows(caller: &Person<'_>, filter: Value) -> Vec<Value> {
    caller.done("audit.list", filter).await["items"].as_array().unwrap().clone()
}

/// All rows in the order of the chain, read in pages of this size.
async fn ascending(caller: &Person<'_>, filter: Value, limit: i64) -> Vec<Value> {
    let mut rows = Vec::new();
    loop {
        let after = rows.last().map_or(json!(0), |row: &Value| row["seq"].clone());
        let mut asked = filter.clone();
        asked["order"] = json!("asc");
        asked["after_seq"] = after;
        asked["limit"] = json!(limit);
        let page = caller.done("audit.list", asked).await["items"].as_array().unwrap().clone();
        if page.is_empty() {
            return rows;
        }
        rows.extend(page);
    }
}

#[both_databases]
async fn a_collector_reads_in_the_order_of_the_chain(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    for n in 0..5 {
        app.clock.advance(1);
        owner.done("create_agent", json!({"name": format!("Agent {n}")})).await;
        owner.done("list_agents", json!({})).await;
    }
    let found = ascending(&owner, json!({"kind": ["call"]}), 3).await;
    assert_eq!(found, Vec::<Value>::new(), "nothing is sealed yet");
    assert!(rows(&owner, json!({"kind": ["call"]})).await.iter().all(|row| row["seq"].is_null()));
    seal(&app).await;
    let all = ascending(&owner, json!({"kind": ["call"]}), 3).await;
    let mut newest_first = rows(&owner, json!({"kind": ["call"]})).await;
    newest_first.reverse();
    assert_eq!((all.len(), &all), (10, &newest_first));
    assert!(all.windows(2).all(|pair| pair[0]["seq"].as_i64() < pair[1]["seq"].as_i64()));
    let writes =
        ascending(&owner, json!({"action": ["platform_create_agent"], "outcome": ["succeeded"]}), 2).await;
    assert_eq!(
        writes,
        all.iter().filter(|row| row["permission_level"] == "write").cloned().collect::<Vec<_>>()
    );
    // `next_cursor` continues too, but only in the order that it was made for.
    let first = owner.done("audit.list", json!({"order": "asc", "kind": ["call"], "limit": 4})).await;
    let wish = json!({"order": "asc", "kind": ["call"], "limit": 4, "cursor": first["next_cursor"]});
    let next = owner.done("audit.list", wish).await;
    assert_eq!(next["items"], json!(all[4..8]));
    let down = owner.done("audit.list", json!({"limit": 4})).await;
    let answer = owner.call("audit.list", json!({"order": "asc", "cursor": down["next_cursor"]})).await;
    assert_eq!(pointers(&answer), ["/cursor"]);
    assert_eq!(pointers(&owner.call("audit.list", json!({"after_seq": 3})).await), ["/after_seq"]);
    let answer = owner.call("audit.list", json!({"order": "asc", "after_seq": -1})).await;
    assert_eq!(pointers(&answer), ["/after_seq"]);
    assert_eq!(ascending(&app.as_role_b(Role::Owner), json!({}), 100).await, Vec::<Value>::new());
}

#[both_databases]
async fn the_chain_is_verified_by_those_who_may_read_the_log(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "One"})).await;
    owner.done("create_agent", json!({"name": "Two"})).await;
    app.as_role_b(Role::Owner).done("list_agents", json!({})).await;
    seal(&app).await;
    let found = owner.done("audit.verify", json!({})).await;
    for (name, value) in [
        ("ok", json!(true)),
        ("rows", json!(2)),
        ("sealed", json!(2)),
        ("first_bad_seq", Value::Null),
        ("checkpoints", json!(1)),
        ("signed_seq", json!(2)),
        ("unsealed", json!(0)),
    ] {
        assert_eq!(found[name], value, "{name}");
    }
    let triggers = if app.db.kind() == "sqlite" {
        "DROP TRIGGER action_log_no_update"
    } else {
        "ALTER TABLE action_log DISABLE TRIGGER ALL"
    };
    app.db.raw_sql(triggers).await;
    app.db.raw_sql("UPDATE action_log SET target = 'agent `Three`' WHERE target = 'agent `Two`'").await;
    let found = owner.done("audit.verify", json!({})).await;
    assert_has(&found, json!({"ok": false, "first_bad_seq": 2, "defects": 1}));
    assert_eq!(found["problems"][0]["problem"], "the row was changed");
    assert_eq!(owner.done("audit.verify", json!({"after_seq": 2})).await["ok"], json!(true));
    assert_eq!(pointers(&owner.call("audit.verify", json!({"after_seq": -1})).await), ["/after_seq"]);
    let shown = app.as_role_b(Role::Owner).done("audit.verify", json!({})).await;
    assert_eq!(shown["ok"], json!(true), "theirs is another");
    assert_eq!(app.as_role(Role::Admin).done("audit.verify", json!({})).await["sealed"], json!(2));
}

#[both_databases]
async fn a_users_rows_are_also_those_of_the_keys_they_made(db: TestDb) {
    let app = App::new(db).await;
    let wish = json!({"kind": "service", "name": "worker", "scopes": ["*:read"], "role": "viewer"});
    let made = app.as_role(Role::Admin).done("keys.create", wish).await;
    let id: Id = made["id"].as_str().unwrap().parse().unwrap();
    let mut key = service_key(&app, "*:read");
    if let Credential::Service(key) = &mut key.credential {
        key.key_id = id;
    }
    app.as_identity(key).done("list_agents", json!({})).await;
    let owner = app.owner();
    let actions = |rows: Vec<Value>| {
        rows.iter().map(|row| row["action"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(
        actions(rows(&owner, json!({"user": app.a.admin})).await),
        ["platform_list_agents", "keys.create"]
    );
    assert_eq!(actions(rows(&owner, json!({"user": app.a.member})).await), Vec::<String>::new());
    let by = owner.done("audit.stats", json!({"by": "action", "user": app.a.admin})).await;
    assert_eq!(by["total"], json!(2));
    for by in ["session", "confirmation_id", "request_id"] {
        owner.done("audit.stats", json!({"by": by})).await;
    }
}

#[both_databases]
async fn the_log_is_listed_filtered_and_counted(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "One"})).await;
    app.as_role(Role::Viewer).refused("create_agent", json!({"name": "Two"})).await;
    app.as_role(Role::Member).done("list_agents", json!({})).await;
    app.as_role_b(Role::Owner).done("list_agents", json!({})).await;
    // Workspace A has three rows of the kind `call`. Each read of the log adds a row of the kind `admin`.
    let calls = rows(&owner, json!({"kind": ["call"]})).await;
    assert_eq!(calls.len(), 3);
    let denied = rows(&owner, json!({"decision": ["denied"], "outcome": ["not_run"]})).await;
    let found = (denied.len(), &denied[0]["user_id"], &denied[0]["role"]);
    assert_eq!(found, (1, &json!(app.a.viewer), &json!("viewer")));
    assert_eq!(denied[0]["arguments"], json!({"name": "Two"}));
    assert_eq!(
        rows(
            &owner,
            json!({"user": app.a.member, "level": ["read"], "surface": ["rest"], "via": ["direct"]})
        )
        .await
        .len(),
        1
    );
    assert_eq!(rows(&owner, json!({"kind": ["call"], "to": "2026-01-15T10:00:00Z"})).await.len(), 0);
    assert_eq!(rows(&owner, json!({"kind": ["call"], "from": "2026-01-15T10:00:00Z"})).await.len(), 3);
    let one = owner.done("audit.get", json!({"call_id": denied[0]["id"]})).await;
    assert_eq!(one, denied[0]);
    let by = owner.done("audit.stats", json!({"by": "action", "kind": ["call"]})).await;
    assert_eq!(
        by["items"],
        json!([{"value": "platform_create_agent", "count": 2}, {"value": "platform_list_agents", "count": 1}])
    );
    assert_eq!(by["total"], json!(3));
    let two = json!({"kind": ["call"], "decision": ["denied", "approved"], "role": ["viewer", "member"]});
    assert_eq!(rows(&owner, two).await, denied);
    let both = json!({"kind": ["call"], "action": ["platform_create_agent", "platform_list_agents"]});
    assert_eq!(rows(&owner, both).await.len(), 3);
    assert_eq!(pointers(&owner.call("audit.list", json!({"action": []})).await), ["/action"]);
    let hours = owner.done("audit.stats", json!({"by": "hour", "kind": ["call"]})).await;
    assert_eq!(hours["items"], json!([{"value": "2026-01-15T10:00:00.000000Z", "count": 3}]));
    assert_eq!(pointers(&owner.call("audit.list", json!({"decision": ["maybe"]})).await), ["/decision/0"]);
}

#[both_databases]
async fn rows_have_the_names_of_their_ids(db: TestDb) {
    let app = App::new(db).await;
    for (user, name) in
        [(app.a.owner, "The Owner"), (app.a.editor, "The Editor"), (app.a.admin, "0170 1234567")]
    {
        app.db.set_display_name(user, name).await;
    }
    app.as_role(Role::Editor).done("create_agent", json!({"name": "Scout"})).await;
    app.as_role(Role::Admin).done("list_agents", json!({})).await;
    let owner = app.owner();
    let calls = rows(&owner, json!({"kind": ["call"]})).await;
    let name = |row: usize, field: &str| calls[row][field].clone();
    assert_eq!((name(1, "principal_name"), name(1, "user_name")), (json!("The Editor"), json!("The Editor")));
    assert_eq!((name(0, "principal_name"), name(0, "user_name")), (json!(null), json!(null)));
    assert_eq!((name(1, "relayed_by_name"), name(1, "edited_by_name")), (json!(null), json!(null)));
    let one = owner.done("audit.get", json!({"call_id": calls[1]["id"]})).await;
    assert_eq!(one["principal_name"], json!("The Editor"));
}

/// SQL that copies a row with this outcome as a row of a call that the caller runs. `id` and `call_ref` are
/// columns of the copied row.
fn copy(from: &str, id: &str, kind: &str, outcome: &str, call_ref: &str) -> String {
    const SAME: &str = "workspace_id, occurred_at, action, permission_level, via, surface, principal_kind, \
        principal_id, system_admin, caller_type, decision, always_allow, arguments, duration_ms, request_id";
    format!(
        "INSERT INTO action_log ({SAME}, id, kind, outcome, executor, definition, call_ref, reported_by) \
         SELECT {SAME}, {id}, '{kind}', '{outcome}', 'client', 'sha256:9f2c', {call_ref}, principal_id \
         FROM action_log WHERE action = 'platform_list_agents' AND outcome = '{from}'"
    )
}

#[both_databases]
async fn a_started_call_is_shown_with_its_outcome(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("list_agents", json!({})).await;
    app.db.raw_sql(&copy("succeeded", "workspace_id", "call", "started", "NULL")).await;
    app.db.raw_sql(&copy("started", "principal_id", "outcome", "failed", "id")).await;

    let [outcome] = &rows(&owner, json!({"kind": ["outcome"]})).await[..] else { panic!("one row") };
    assert_eq!((&outcome["outcome"], &outcome["call_ref"]), (&json!("failed"), &json!(app.a.workspace)));
    let fields = ["executor", "definition", "reported_by"].map(|name| outcome[name].clone());
    assert_eq!(fields, [json!("client"), json!("sha256:9f2c"), json!(app.a.owner)]);

    let get = async |id: &Value| owner.done("audit.get", json!({"call_id": id})).await;
    let start = get(&outcome["call_ref"]).await;
    assert_eq!((&start["outcome"], &start["outcomes"]), (&json!("started"), &json!([outcome])));
    // Other rows have no list.
    assert_eq!(get(&outcome["id"]).await, *outcome);
}

#[both_databases]
async fn another_workspaces_rows_are_not_there(db: TestDb) {
    let app = App::new(db).await;
    app.as_role_b(Role::Owner).done("list_agents", json!({})).await;
    let theirs = app.as_role_b(Role::Owner).done("audit.list", json!({})).await;
    for id in [theirs["items"][0]["id"].clone(), json!(Id::from_u128(7))] {
        assert_eq!(app.owner().refused("audit.get", json!({"call_id": id})).await, "not_found");
    }
}

#[both_databases]
async fn reports_add_up_and_agree_with_what_happens(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let matrix = owner.done("access.matrix", json!({})).await;
    for role in Role::ALL {
        // Administration has a limit of its own, so each role starts in a new minute.
        app.clock.advance(60);
        let report = owner.done("access.report", json!({"role": role, "format": "json"})).await;
        let number = |of: &Value, key: &str| of[key].as_u64().unwrap();
        assert_eq!(number(&report, "accessible") + number(&report, "denied"), number(&report, "total"));
        let sum: u64 =
            report["by_category"].as_array().unwrap().iter().map(|row| number(row, "accessible")).sum();
        assert_eq!(sum, number(&report, "accessible"));
        assert!(report.get("markdown").is_none());
        for (item, row) in report["items"].as_array().unwrap().iter().zip(matrix["items"].as_array().unwrap())
        {
            assert_eq!((&item["action"], &item["allowed"]), (&row["action"], &row["roles"][role.as_str()]));
            assert_eq!(item["allowed"] == json!(true), item["reason"].is_null());
            let action = item["action"].as_str().unwrap();
            let listed =
                owner.done("access.explain", json!({"action": action, "user": app.a.user(role)})).await;
            assert_eq!(listed["allowed"], item["allowed"], "{role} {action}");
        }
    }
    // A viewer may read two of the nine actions on agents: list and get.
    let viewer = owner.done("access.report", json!({"role": "viewer", "format": "markdown"})).await;
    let agents =
        viewer["by_category"].as_array().unwrap().iter().find(|row| row["category"] == "agents").unwrap();
    assert_eq!((&agents["accessible"], &agents["total"]), (&json!(2), &json!(9)));
    let text = viewer["markdown"].as_str().unwrap();
    assert!(
        text.contains("| agents | 2 | 7 | 9 |")
            && text.contains(
                "- `platform_create_agent` (write): denied, it needs the permission `agents:manage`"
            )
    );
    let answer = owner.call("access.report", json!({"caller_type": "nobody"})).await;
    assert_eq!(pointers(&answer), ["/caller_type"]);
}

#[both_databases]
async fn a_decision_is_explained_with_every_rule(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let no = owner.done("access.explain", json!({"action": "platform_delete_agent", "user": "viewer"})).await;
    assert_has(&no, json!({"allowed": false, "reason": "role", "role": "viewer"}));
    assert!(no["explanation"].as_str().unwrap().contains("agents:delete"));
    // Membership and the rules of the decision.
    assert_eq!(no["factors"].as_array().unwrap().len(), 9);
    let own = owner.done("access.explain", json!({"action": "members.add"})).await;
    assert_eq!((&own["allowed"], &own["user_id"]), (&json!(true), &json!(app.a.owner)));
    owner.done("settings.update", json!({"approval_mode": "read_only"})).await;
    let mode = owner.done("access.explain", json!({"action": "platform_create_agent"})).await;
    assert_eq!(mode["reason"], json!("approval_mode"));
    owner.done("members.update", json!({"user_id": app.a.viewer, "active": false})).await;
    let gone =
        owner.done("access.explain", json!({"action": "platform_list_agents", "user": app.a.viewer})).await;
    assert_eq!((&gone["allowed"], &gone["reason"]), (&json!(false), &json!("membership")));
    assert_eq!(owner.refused("access.explain", json!({"action": "platform_fly"})).await, "unknown_action");
    let code = owner.refused("access.explain", json!({"action": "members.add", "user": app.b.viewer})).await;
    assert_eq!(code, "not_found");
}

#[both_databases]
async fn a_decision_is_explained_for_a_role_and_a_caller_type(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    // As the report of the same role and caller type says.
    for (role, caller_type) in [("viewer", "api"), ("editor", "mission"), ("owner", "chat")] {
        let who = json!({"role": role, "caller_type": caller_type});
        let report = owner.done("access.report", who.clone()).await;
        for item in report["items"].as_array().unwrap().iter().step_by(7) {
            let mut asked = who.clone();
            asked["action"] = item["action"].clone();
            let explained = owner.done("access.explain", asked).await;
            let found = (&explained["allowed"], &explained["reason"]);
            assert_eq!(found, (&item["allowed"], &item["reason"]), "{item}");
            assert_eq!((&explained["role"], &explained["user_id"]), (&json!(role), &json!(null)));
        }
    }
    let asked = json!({"action": "members.add", "user": "viewer", "caller_type": "chat"});
    assert_eq!(owner.done("access.explain", asked).await["role"], json!("viewer"));
    for (wrong, pointer) in [
        (json!({"action": "members.add", "user": "viewer", "role": "owner"}), "/role"),
        (json!({"action": "members.add", "caller_type": "nobody"}), "/caller_type"),
    ] {
        assert_eq!(pointers(&owner.call("access.explain", wrong).await), [pointer]);
    }
}

#[both_databases]
async fn scopes_that_are_shown_may_be_given(db: TestDb) {
    let app = App::new(db).await;
    for role in [Role::Admin, Role::Owner] {
        let person = app.as_role(role);
        let listed = person.done("access.scopes", json!({})).await;
        let items = listed["items"].as_array().unwrap();
        assert!(items.len() > 40, "{}", items.len());
        for (n, item) in items.iter().enumerate() {
            // Operations have a limit per minute.
            app.clock.advance(1);
            let key = json!({"kind": "service", "name": format!("{role} {n}"), "scopes": [item["scope"]]});
            let answer = person.call("keys.create", key).await;
            assert_eq!(answer.status() < 300, item["allowed"] == true, "{role}: {item}, {}", answer.status());
            assert_eq!(item["reason"].is_null(), item["allowed"] == true, "{item}");
            assert!(!item["description"].as_str().unwrap().is_empty());
        }
        let relay = items.iter().find(|item| item["scope"] == "approvals:relay").unwrap();
        assert_eq!(relay["allowed"], json!(role == Role::Owner));
    }
}
