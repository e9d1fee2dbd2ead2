//! Agents.

use futures_util::future::join_all;
use serde_json::{Value, json};
use toolcrib_model::{Id, Role};
use toolcrib_store::{connections, keys, keys::KeyRow};
use toolcrib_testkit::{NOW, TestDb, assert_has, both_databases, key_row, write};

use crate::harness::App;

/// Connects an app and returns its id.
async fn connect_slack(app: &App) -> Value {
    app.owner().done("connections.create", json!({"app": "slack", "name": "Team chat"})).await["id"].clone()
}

/// Gives an agent a key that was used at [`NOW`].
async fn add_key(app: &App, agent: &Value, id: Id) {
    let workspace = app.a.workspace;
    let agent = Some(agent.as_str().unwrap().parse().unwrap());
    let row = KeyRow { agent_id: agent, runs_as: Some(app.a.owner), ..key_row(workspace, id, "agent") };
    write(&app.db, workspace, async |tx| {
        keys::insert(tx, &row).await?;
        keys::touch(tx, id, agent, NOW).await
    })
    .await
    .unwrap();
}

#[both_databases]
async fn an_agent_is_created_read_changed_and_deleted(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let wish = json!({"name": "Researcher", "role": "researcher", "tags": ["a", "b"]});
    let made = owner.done("create_agent", wish).await;
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
}

#[both_databases]
async fn a_model_must_be_installed(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "One"})).await;
    for (action, arguments) in [
        ("create_agent", json!({"name": "Two", "model": "gpt-4o"})),
        ("update_agent", json!({"agent": "One", "model": "gpt-4o"})),
    ] {
        let problem = owner.problem(action, arguments.clone()).await;
        assert_eq!(problem.code.as_str(), "invalid_arguments");
        assert_eq!(problem.errors[0].pointer, "/model");
        assert!(problem.errors[0].message.contains("platform_install_model"), "{problem:?}");
    }
    owner.done("install_model", json!({"model": "gpt-4o"})).await;
    let found = owner.done("create_agent", json!({"name": "Two", "model": "gpt-4o"})).await;
    assert_eq!(found["model"], json!("gpt-4o"));
    let found = owner.done("update_agent", json!({"agent": "One", "model": "gpt-4o"})).await;
    assert_eq!(found["changed"], json!(true));
    // A model that another workspace installed can't be used here.
    let theirs =
        app.as_role_b(Role::Owner).refused("create_agent", json!({"name": "X", "model": "gpt-4o"})).await;
    assert_eq!(theirs, "invalid_arguments");
}

#[both_databases]
async fn tools_skills_and_plugins_are_assigned_once(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let agent = owner.done("create_agent", json!({"name": "One"})).await;
    let slack = connect_slack(&app).await;
    owner.done("install_skill", json!({"skill": "calm-reply"})).await;
    owner.done("install_plugin", json!({"plugin": "web-reader"})).await;
    for (action, given, references) in [
        ("assign_tool_to_agent", "app", ["SLACK", "team chat"]),
        ("assign_skill_to_agent", "skill", ["calm-reply", "Calm reply"]),
        ("assign_plugin_to_agent", "plugin", ["web-reader", "WEB READER"]),
    ] {
        let first =
            app.as_role(Role::Editor).done(action, json!({"agent": "one", given: references[0]})).await;
        assert_eq!((&first["changed"], &first["agent"]["id"]), (&json!(true), &agent["id"]));
        let second = owner.done(action, json!({"agent": agent["id"], given: references[1]})).await;
        assert_eq!(second["changed"], json!(false));
    }
    let whole = owner.done("get_agent", json!({"agent": "One"})).await;
    assert_has(&whole, json!({"/tools/0/app": "slack", "/tools/0/id": slack}));
    assert_has(&whole, json!({"/skills/0/slug": "calm-reply", "/plugins/0/slug": "web-reader"}));
    owner.done("create_agent", json!({"name": "Two"})).await;
    let listed = owner.done("list_agents", json!({"search": "one"})).await;
    let counts = ["tool_count", "skill_count", "plugin_count"]
        .map(|count| listed["items"][0][count].as_i64().unwrap());
    assert_eq!(counts, [1, 1, 1]);
    assert_eq!(listed["items"][0].get("system_prompt"), None);
    assert_eq!(owner.done("list_workspace_skills", json!({})).await["items"][0]["agents"], json!(1));
}

#[both_databases]
async fn only_what_the_workspace_has_can_be_assigned(db: TestDb) {
    let app = App::new(db).await;
    let (owner, theirs) = (app.owner(), app.as_role_b(Role::Owner));
    let slack = connect_slack(&app).await;
    owner.done("create_agent", json!({"name": "One"})).await;
    theirs.done("create_agent", json!({"name": "Canary"})).await;
    owner.done("install_skill", json!({"skill": "calm-reply"})).await;
    // The app is connected and the skill installed in A, not in B.
    let error = theirs.refused("assign_tool_to_agent", json!({"agent": "Canary", "app": slack})).await;
    assert_eq!(error, "not_found");
    assert_eq!(
        theirs.refused("assign_skill_to_agent", json!({"agent": "Canary", "skill": "calm-reply"})).await,
        "conflict"
    );
    let problem =
        owner.problem("assign_plugin_to_agent", json!({"agent": "One", "plugin": "web-reader"})).await;
    assert_eq!(problem.code.as_str(), "conflict");
    assert!(format!("{problem:?}").contains("platform_install_plugin"), "{problem:?}");
    let error = owner.refused("assign_plugin_to_agent", json!({"agent": "One", "plugin": "no such"})).await;
    assert_eq!(error, "not_found");
}

#[both_databases]
async fn a_heartbeat_shows_its_next_time(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "One"})).await;
    assert_eq!(owner.done("get_agent", json!({"agent": "One"})).await["heartbeat"], json!(null));
    // It is 10:00, and the heartbeat runs every hour.
    let first = owner.done("configure_agent_heartbeat", json!({"agent": "One"})).await;
    assert_eq!(first["next_due_at"], json!("2026-01-15T11:00:00.000000Z"));
    assert_eq!((&first["mode"], &first["changed"]), (&json!("notify"), &json!(true)));
    app.clock.advance(60);
    let again = owner.done("configure_agent_heartbeat", json!({"agent": "One"})).await;
    assert_eq!((&again["changed"], &again["next_due_at"]), (&json!(false), &first["next_due_at"]));
    // 480 minutes after 10:01 is 18:01, which is 19:01 in Berlin and after the active hours. The next
    // heartbeat is at 8:00 there.
    let hours = json!({"start": "08:00", "end": "18:00", "timezone": "Europe/Berlin"});
    let arguments = json!({
        "agent": "One", "interval_minutes": 480, "active_hours": hours, "mode": "act",
        "prompt": "look"
    });
    let later = owner.done("configure_agent_heartbeat", arguments).await;
    assert_eq!(later["next_due_at"], json!("2026-01-16T07:00:00.000000Z"));
    assert_eq!(owner.done("list_agents", json!({})).await["items"][0]["heartbeat"], json!(true));
    let off = owner.done("configure_agent_heartbeat", json!({"agent": "One", "enabled": false})).await;
    assert_has(&off, json!({"next_due_at": null, "interval_minutes": 480, "prompt": "look"}));
    let whole = owner.done("get_agent", json!({"agent": "One"})).await;
    assert_has(&whole["heartbeat"], json!({"enabled": false, "active_hours": hours}));
    assert_eq!(owner.done("list_agents", json!({})).await["items"][0]["heartbeat"], json!(false));
}

#[both_databases]
async fn a_heartbeat_refuses_what_is_no_interval_or_hour(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "One"})).await;
    let hours = |start: &str, timezone: &str| json!({"start": start, "end": "18:00", "timezone": timezone});
    for (mut arguments, pointer) in [
        (json!({"interval_minutes": 17}), "/interval_minutes"),
        (json!({"active_hours": hours("25:00", "UTC")}), "/active_hours/start"),
        (json!({"active_hours": hours("08:00", "Mars/Base")}), "/active_hours/timezone"),
    ] {
        arguments["agent"] = json!("One");
        let problem = owner.problem("configure_agent_heartbeat", arguments).await;
        let found = (problem.code.as_str(), problem.errors[0].pointer.as_str());
        assert_eq!(found, ("invalid_arguments", pointer));
    }
}

#[both_databases]
async fn a_deleted_agent_leaves_nothing_behind(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let agent = owner.done("create_agent", json!({"name": "One"})).await;
    connect_slack(&app).await;
    owner.done("install_skill", json!({"skill": "calm-reply"})).await;
    owner.done("install_skill", json!({"skill": "code-review"})).await;
    owner.done("assign_tool_to_agent", json!({"agent": "One", "app": "slack"})).await;
    owner.done("assign_skill_to_agent", json!({"agent": "One", "skill": "calm-reply"})).await;
    owner.done("assign_skill_to_agent", json!({"agent": "One", "skill": "code-review"})).await;
    owner.done("configure_agent_heartbeat", json!({"agent": "One"})).await;
    let key = Id::from_u128(0xce);
    add_key(&app, &agent["id"], key).await;
    let active = owner.done("get_agent", json!({"agent": "One"})).await["last_active_at"].clone();
    assert_eq!(active, json!(NOW));
    assert_eq!(owner.done("list_agents", json!({})).await["items"][0]["last_active_at"], active);

    let asked = owner.pending("delete_agent", json!({"agent": "One"})).await;
    let view = owner.confirmation(asked).await.unwrap();
    assert!(view.description.contains("1 tool, 2 skills, 1 heartbeat, 1 key"), "{}", view.description);
    owner.approve(asked).await.unwrap();
    let id: Id = agent["id"].as_str().unwrap().parse().unwrap();
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let left = toolcrib_store::assignments::counts(&mut tx, id).await.unwrap();
    assert_eq!(left, toolcrib_store::assignments::AssignmentCounts::default());
    assert!(keys::get(&mut tx, key).await.unwrap().unwrap().revoked_at.is_some());
    assert!(connections::uses(&mut tx).await.unwrap().is_empty());
    tx.end().await.unwrap();
}

/// Concurrent changes of different fields are all kept.
#[both_databases]
async fn concurrent_changes_of_an_agent_are_all_kept(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "Busy"})).await;
    for round in 1..=20 {
        let text = format!("round {round}");
        let changes = [
            json!({"agent": "Busy", "description": text}),
            json!({"agent": "Busy", "system_prompt": text}),
            json!({"agent": "Busy", "tags": [text]}),
            json!({"agent": "Busy", "temperature": f64::from(round) / 100.0}),
        ];
        join_all(changes.into_iter().map(|change| owner.done("update_agent", change))).await;
        let now = owner.done("get_agent", json!({"agent": "Busy"})).await;
        let kept = [&now["description"], &now["system_prompt"], &now["tags"][0]].map(Value::as_str);
        assert_eq!(kept, [Some(text.as_str()); 3], "{now}");
        assert_eq!(now["temperature"], json!(f64::from(round) / 100.0));
        app.clock.advance(5);
    }
}
