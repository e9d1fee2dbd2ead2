//! The activity feed.

use serde_json::json;
use toolcrib_engine::Outcome;
use toolcrib_model::{Id, Role};
use toolcrib_store::{EventRow, StoreError};
use toolcrib_testkit::{NOW, TestDb, assert_has, both_databases, write};

use crate::harness::{App, record_id, scoped_agent_key, service_key, texts};

/// Reports a message of a chat, as a chat backend does. `at` is a time on the day of the test.
async fn said(app: &App, n: u128, chat: &str, user: Id, at: &str) {
    let record = json!({
        "id": record_id(n), "at": format!("2026-01-15T{at}Z"),
        "chat_id": chat, "user_id": user, "role": "user", "text": format!("Word {n}")
    });
    let runtime = app.as_identity(service_key(app, "records:write"));
    assert_eq!(runtime.done("records.add_messages", json!({"records": [record]})).await["accepted"], 1);
}

/// Returns an event of the outbox.
fn event_row(workspace: Id, n: u128, name: &str, permission: &str, user: Option<Id>) -> EventRow {
    EventRow {
        workspace_id: workspace,
        id: Id::from_u128(n),
        name: name.to_owned(),
        kind: if name == "task.asked" { "permission" } else { "domain" },
        session: None,
        user_id: user,
        permission: Some(permission.to_owned()),
        data: json!({"id": Id::from_u128(n), "name": format!("Thing {n}")}),
        occurred_at: NOW.plus_seconds(i64::try_from(n).unwrap() - 100),
    }
}

/// Inserts events into the outbox of a workspace.
async fn insert(app: &App, workspace: Id, events: Vec<EventRow>) {
    write::<_, StoreError>(&app.db, workspace, async |tx| {
        for event in events {
            tx.event(event);
        }
        Ok(())
    })
    .await
    .unwrap();
}

/// Inserts an event into the outbox.
async fn event(app: &App, workspace: Id, n: u128, name: &str, permission: &str, user: Option<Id>) {
    insert(app, workspace, vec![event_row(workspace, n, name, permission, user)]).await;
}

#[both_databases]
async fn every_type_of_activity_is_in_the_feed_newest_first(db: TestDb) {
    let app = App::new(db).await;
    let a = app.a.workspace;
    event(&app, a, 1, "task.created", "tasks:read", Some(app.a.member)).await;
    event(&app, a, 2, "playbook.execution_requested", "playbooks:read", None).await;
    event(&app, a, 3, "mission.created", "missions:read", None).await;
    event(&app, a, 4, "heartbeat.due", "agents:read", None).await;
    // Of a chat, the feed shows the last message.
    said(&app, 1, "talk", app.a.owner, "09:58:24").await;
    said(&app, 2, "talk", app.a.owner, "09:58:25").await;
    event(&app, a, 6, "schedule.due", "schedules:read", None).await;
    event(&app, a, 7, "task.asked", "tasks:read", None).await;
    event(&app, app.b.workspace, 8, "task.created", "tasks:read", None).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "Scout"})).await;
    owner.done("list_agents", json!({})).await;
    let feed = owner.done("get_activity_feed", json!({})).await;
    assert_eq!(
        texts(&feed, "title"),
        [
            "Create agent: agent `Scout`",
            "Chat: `Word 2`",
            "Heartbeat due: `Thing 4`",
            "Mission created: `Thing 3`",
            "Playbook execution requested: `Thing 2`",
            "Task created: `Thing 1`",
        ]
    );
    let expected = json!({"call": 1, "chat": 1, "heartbeat": 1, "mission": 1, "playbook": 1, "task": 1});
    assert_eq!(feed["counts"], expected);
    let task = &feed["items"][5];
    assert_eq!((task["type"].as_str(), &task["actor"]["id"]), (Some("task"), &json!(app.a.member)));
    assert_eq!(task["ref"], json!({"kind": "task", "id": Id::from_u128(1)}));
    let call = &feed["items"][0];
    assert_eq!((call["actor"]["kind"].as_str(), call["ref"]["kind"].as_str()), (Some("user"), Some("call")));
    let some = owner.done("get_activity_feed", json!({"types": ["task", "mission"], "limit": 1})).await;
    assert_eq!(texts(&some, "title"), ["Mission created: `Thing 3`"]);
    assert_eq!(some["counts"], json!({"mission": 1, "task": 1}));
}

#[both_databases]
async fn the_feed_shows_only_what_the_caller_may_read(db: TestDb) {
    let app = App::new(db).await;
    let a = app.a.workspace;
    said(&app, 1, "of the owner", app.a.owner, "09:50:00").await;
    said(&app, 2, "of the member", app.a.member, "09:51:00").await;
    event(&app, a, 3, "task.audited", "audit:read", None).await;
    let viewer = app.as_role(Role::Viewer);
    assert_eq!(viewer.refused("create_agent", json!({"name": "No"})).await, "permission_denied");
    let own = app.as_role(Role::Member).done("get_activity_feed", json!({})).await;
    assert_eq!(texts(&own, "title"), ["Chat: `Word 2`"]);
    assert_eq!((&own["counts"]["call"], &own["counts"]["chat"]), (&json!(0), &json!(1)));
    assert_eq!(own["items"][0]["ref"], json!({"kind": "chat", "id": "of the member"}));
    let refused = "Create agent was refused (`permission_denied`)";
    assert_eq!(texts(&viewer.done("get_activity_feed", json!({})).await, "title"), [refused]);
    let all = app.as_role(Role::Admin).done("get_activity_feed", json!({})).await;
    let expected = [refused, "Task audited: `Thing 3`", "Chat: `Word 2`", "Chat: `Word 1`"];
    assert_eq!(texts(&all, "title"), expected);
    let b = app.as_role_b(Role::Owner).done("get_activity_feed", json!({"period": "90d"})).await;
    assert_eq!(b["items"], json!([]));
}

#[both_databases]
async fn a_keys_feed_is_limited_by_its_scopes(db: TestDb) {
    let app = App::new(db).await;
    let agent = app.owner().done("create_agent", json!({"name": "Reader"})).await;
    event(&app, app.a.workspace, 1, "task.created", "tasks:read", None).await;
    event(&app, app.a.workspace, 2, "mission.created", "missions:read", None).await;
    said(&app, 3, "talk", app.a.owner, "09:50:00").await;
    let id = agent["id"].as_str().unwrap().parse().unwrap();
    let key = scoped_agent_key(&app, id, Role::Owner, &["analytics:read", "tasks:read"]);
    let feed = app.as_identity(key).done("get_activity_feed", json!({})).await;
    assert_eq!(texts(&feed, "title"), ["Task created: `Thing 1`"]);
    for none in ["mission", "call", "chat"] {
        assert_eq!(feed["counts"][none], 0, "{none}");
    }
}

#[both_databases]
async fn counts_are_of_the_newest_500(db: TestDb) {
    let app = App::new(db).await;
    let workspace = app.a.workspace;
    let created = |n: u128, name: &str| EventRow {
        occurred_at: NOW.plus_seconds(i64::try_from(n).unwrap() - 2_000),
        ..event_row(workspace, n, name, "tasks:read", None)
    };
    insert(&app, workspace, (1..=3).map(|n| created(n, "mission.created")).collect()).await;
    insert(&app, workspace, (4..500).map(|n| created(n, "task.created")).collect()).await;
    let all = app.owner().done("get_activity_feed", json!({})).await;
    assert_has(&all, json!({"/counts/mission": 3, "/counts/task": 496, "counts_complete": true}));
    insert(&app, workspace, (500..=502).map(|n| created(n, "task.created")).collect()).await;
    let answer = app.owner().call("get_activity_feed", json!({"limit": 2})).await;
    let Outcome::Completed(done) = &answer.outcome else { panic!("{answer:?}") };
    assert_eq!(done.description, "Listed 2 of at least 500 items");
    let newest = done.value();
    assert_eq!((&newest["counts"]["mission"], &newest["counts"]["task"]), (&json!(1), &json!(499)));
    let found = (&newest["counts_complete"], newest["items"].as_array().map(Vec::len));
    assert_eq!(found, (&json!(false), Some(2)));
    // A period in which less happened is counted to its end.
    app.clock.advance(7 * 86_400 - 1_900);
    let since = app.owner().done("get_activity_feed", json!({"types": ["task"]})).await;
    assert_eq!((&since["counts"]["task"], &since["counts_complete"]), (&json!(403), &json!(true)));
}

#[both_databases]
async fn the_period_ends_the_feed(db: TestDb) {
    let app = App::new(db).await;
    event(&app, app.a.workspace, 1, "task.created", "tasks:read", None).await;
    app.clock.advance(2 * 86_400);
    let owner = app.owner();
    let day = owner.done("get_activity_feed", json!({"period": "1d"})).await;
    assert_eq!((&day["items"], &day["counts"]["task"]), (&json!([]), &json!(0)));
    assert_eq!(texts(&owner.done("get_activity_feed", json!({})).await, "title").len(), 1);
}
