//! Events of calls and confirmations in the outbox.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_store::audit::AuditFilter;
use toolcrib_testkit::{App, Person, TestDb, assert_has, both_databases};

use crate::{
    people::{audit_rows, outbox, set_role},
    things::app,
};

/// Name and data of the outbox's events of kind `permission`.
async fn told(app: &App) -> Vec<(String, Value)> {
    let rows = outbox(app).await.into_iter().filter(|row| row.kind == "permission");
    rows.map(|row| (row.name, serde_json::from_str(&row.data).unwrap())).collect()
}

fn names(told: &[(String, Value)]) -> Vec<&str> {
    told.iter().map(|(name, _)| name.as_str()).collect()
}

fn in_session<'a>(person: &Person<'a>, session: &str) -> Person<'a> {
    let mut person = person.clone();
    person.authenticated.requested.session = Some(session.into());
    person
}

#[both_databases]
async fn a_conversation_is_told_of_its_calls(db: TestDb) {
    let app = app(db).await;
    let owner = in_session(&app.owner(), "talk");
    let made =
        owner.as_model("call_1").call("create_thing", json!({"name": "x", "password": "hunter2"})).await;
    owner.done("get_thing", json!({"name": "x"})).await;
    owner.refused("half_thing", json!({"name": "y"})).await;
    owner.refused("slow_thing", json!({"name": "y"})).await;
    owner.done("platform_poke", json!({"name": "z".repeat(150)})).await;
    let seen = told(&app).await;
    assert_eq!(names(&seen), ["tool_request", "tool_use"].repeat(5));
    let outcomes: Vec<_> = seen.iter().filter_map(|(_, data)| data["outcome"].as_str()).collect();
    assert_eq!(outcomes, ["succeeded", "succeeded", "failed", "failed", "succeeded"]);
    let (first, second) = (&seen[0].1, &seen[1].1);
    assert_eq!(
        first,
        &json!({
            "id": "call_1", "type": "tool_request", "name": "platform_create_thing",
            "action": "platform_create_thing",
            "input": {"name": "x", "password": "•••"}, "call_id": made.outcome.call_id(), "session": "talk",
            "permission_level": "write",
        })
    );
    assert_has(second, json!({"id": "call_1", "input": first["input"], "type": "tool_use"}));
    // Without the model provider's id, the event's id is the call's own.
    assert_eq!((&seen[2].1["id"], &seen[2].1["permission_level"]), (&seen[2].1["call_id"], &json!("read")));
    for row in outbox(&app).await {
        assert_eq!(
            (row.session.as_deref(), row.user_id, row.permission),
            (Some("talk"), Some(app.a.owner), None)
        );
        assert!(!row.data.contains("hunter2"));
    }
}

#[both_databases]
async fn a_conflict_at_the_commit_has_its_event(db: TestDb) {
    let app = app(db).await;
    let owner = in_session(&app.owner(), "talk");
    owner.done("insert_thing", json!({"name": "x"})).await;
    owner.refused("insert_thing", json!({"name": "x"})).await;
    let seen = told(&app).await;
    assert_eq!(names(&seen), ["tool_request", "tool_use"].repeat(2));
    let outcomes: Vec<_> = seen.iter().filter_map(|(_, data)| data["outcome"].as_str()).collect();
    assert_eq!(outcomes, ["succeeded", "failed"]);
}

#[both_databases]
async fn only_denied_calls_have_a_refusal_event(db: TestDb) {
    let app = app(db).await;
    let viewer = in_session(&app.as_role(Role::Viewer), "talk");
    viewer.refused("create_thing", json!({"name": "x", "password": "hunter2"})).await;
    let seen = told(&app).await;
    assert_eq!(names(&seen), ["tool_request", "permission_denied"]);
    assert_eq!(seen[1].1["input"], json!({"name": "x", "password": "•••"}));
    assert!(seen[1].1["reason"].as_str().unwrap().contains("agents:manage"), "{seen:?}");
    assert_eq!(seen[0].1["id"], seen[1].1["id"]);
    viewer.refused("get_thing", json!({"nam": "x"})).await;
    viewer.refused("no_such_thing", json!({})).await;
    assert_eq!(told(&app).await.len(), 2, "what was no call tells nothing");
}

#[both_databases]
async fn without_a_session_there_are_no_events(db: TestDb) {
    let app = app(db).await;
    app.owner().done("create_thing", json!({"name": "x"})).await;
    app.owner().done("get_thing", json!({"name": "x"})).await;
    app.owner().refused("half_thing", json!({"name": "y"})).await;
    app.as_role(Role::Viewer).refused("create_thing", json!({"name": "x"})).await;
    assert!(outbox(&app).await.is_empty());
}

#[both_databases]
async fn the_dispatcher_is_named_as_the_tool(db: TestDb) {
    let app = app(db).await;
    let owner = in_session(&app.owner(), "talk");
    owner
        .refused("platform_execute", json!({"action": "platform_half_thing", "params": {"name": "y"}}))
        .await;
    let seen = told(&app).await;
    assert_eq!(
        (&seen[0].1["name"], &seen[0].1["action"]),
        (&json!("platform_execute"), &json!("platform_half_thing"))
    );
    assert_eq!(seen[0].1["input"], json!({"name": "y"}));
    // The same holds if a person approves the call. A direct call is named after its action.
    let inside = json!({"action": "platform_risky_thing", "params": {"name": "z"}});
    for (action, arguments, name) in [
        ("execute", inside, "platform_execute"),
        ("risky_thing", json!({"name": "q"}), "platform_risky_thing"),
    ] {
        app.owner().approve(owner.pending(action, arguments).await).await.unwrap();
        let (event, data) = told(&app).await.pop().unwrap();
        assert_eq!(
            (&*event, &data["name"], &data["action"]),
            ("tool_use", &json!(name), &json!("platform_risky_thing"))
        );
    }
}

#[both_databases]
async fn an_approved_call_has_events_up_to_its_end(db: TestDb) {
    let app = app(db).await;
    let member = in_session(&app.as_role(Role::Editor), "talk").as_model("call_7");
    let asked =
        member.call("create_thing", json!({"name": "x", "dangerous": true, "password": "hunter2"})).await;
    let id =
        app.as_role(Role::Editor).pending("create_thing", json!({"name": "other", "dangerous": true})).await;
    let seen = told(&app).await;
    assert_eq!(
        names(&seen),
        ["tool_request", "awaiting_permission", "awaiting_permission"],
        "no session, no request"
    );
    let waiting = &seen[1].1;
    let confirmation = asked.outcome.to_value()["confirmation"].clone();
    assert_eq!((&waiting["id"], &waiting["confirmation_id"]), (&json!("call_7"), &confirmation["id"]));
    assert_has(waiting, json!({"call_id": asked.outcome.call_id(), "summary": confirmation["summary"]}));
    assert_has(waiting, json!({"expires_at": confirmation["expires_at"], "confirmation_level": "simple"}));
    assert_eq!((&waiting["session"], &waiting["permission_level"]), (&json!("talk"), &json!("write")));
    assert_eq!(seen[2].1["id"], json!(id), "without a provider's id the confirmation's");

    let ran = app.owner().approve(confirmation["id"].as_str().unwrap().parse().unwrap()).await.unwrap();
    let ended = told(&app).await.split_off(3);
    assert_eq!(names(&ended), ["permission_granted", "tool_use"]);
    for (_, data) in &ended {
        assert_has(data, json!({"id": "call_7", "session": "talk", "call_id": ran.outcome.call_id()}));
        assert_eq!(data["input"], json!({"name": "x", "dangerous": true, "password": "•••"}));
        assert_eq!(data["confirmation_id"], confirmation["id"]);
    }
    let own = outbox(&app).await.into_iter().filter(|row| row.name == "permission_granted");
    assert!(
        own.map(|row| (row.user_id, row.session))
            .all(|whose| whose == (Some(app.a.editor), Some("talk".into())))
    );
}

#[both_databases]
async fn denied_and_void_confirmations_have_events(db: TestDb) {
    let app = app(db).await;
    app.owner().done("create_thing", json!({"name": "x"})).await;
    let asked = app.owner().call("delete_thing", json!({"name": "x"})).await;
    let id = asked.outcome.to_value()["confirmation"]["id"].as_str().unwrap().parse().unwrap();
    app.owner().deny(id, "not today").await.unwrap();
    let seen = told(&app).await;
    assert_eq!(names(&seen), ["awaiting_permission", "permission_denied"]);
    let denied = &seen[1].1;
    assert_eq!((&denied["reason"], &denied["confirmation_id"]), (&json!("not today"), &json!(id)));
    assert_eq!(
        (&denied["call_id"], &denied["id"]),
        (&json!(asked.outcome.call_id()), &json!(id)),
        "the call that asked"
    );

    let admin = app.as_role(Role::Admin);
    let id = admin.pending("delete_thing", json!({"name": "x"})).await;
    set_role(&app, app.a.admin, "viewer").await;
    app.owner().approve(id).await.unwrap_err();
    let seen = told(&app).await;
    assert_eq!(names(&seen[2..]), ["awaiting_permission", "permission_denied"]);
    assert!(!seen[3].1["reason"].as_str().unwrap().is_empty());

    let id = app.owner().pending("delete_thing", json!({"name": "x"})).await;
    app.owner().approve_once(id, toolcrib_engine::ApproveRequest::default()).await.unwrap();
    for _ in 0..5 {
        let wrong = toolcrib_engine::ApproveRequest { phrase: Some("no".into()), ..Default::default() };
        app.owner().approve_once(id, wrong).await.unwrap_err();
    }
    assert_eq!(names(&told(&app).await[4..]), ["awaiting_permission", "permission_denied"]);
}

#[both_databases]
async fn an_expired_confirmation_has_one_event(db: TestDb) {
    let app = app(db).await;
    let editor = in_session(&app.as_role(Role::Editor), "talk").as_model("call_9");
    let asked =
        editor.call("create_thing", json!({"name": "x", "dangerous": true, "password": "hunter2"})).await;
    assert_eq!(app.engine.expire_overdue().await.unwrap(), 0);
    app.clock.advance(901);
    assert_eq!(app.engine.expire_overdue().await.unwrap(), 1);
    assert_eq!(app.engine.expire_overdue().await.unwrap(), 0);
    let seen = told(&app).await;
    assert_eq!(names(&seen), ["tool_request", "awaiting_permission", "permission_expired"]);
    let over = &seen[2].1;
    assert_has(over, json!({"id": "call_9", "call_id": asked.outcome.call_id(), "session": "talk"}));
    assert_eq!(over["input"], json!({"name": "x", "dangerous": true, "password": "•••"}));
}

#[both_databases]
async fn what_did_not_happen_is_not_told(db: TestDb) {
    let app = app(db).await;
    let owner = in_session(&app.owner(), "talk");
    owner.done("create_thing", json!({"name": "before"})).await;
    app.db.raw_sql("ALTER TABLE action_log RENAME TO action_log_gone").await;
    owner.refused("create_thing", json!({"name": "x"})).await;
    owner.refused("get_thing", json!({"name": "before"})).await;
    app.db.raw_sql("ALTER TABLE action_log_gone RENAME TO action_log").await;
    assert_eq!(told(&app).await.len(), 2, "no event without its audit row");
    app.db.raw_sql("ALTER TABLE events RENAME TO events_gone").await;
    // On PostgreSQL a connection that is made meanwhile can't be prepared: another word for the same answer.
    assert_eq!(owner.problem("create_thing", json!({"name": "x"})).await.status, 503);
    assert_eq!(owner.problem("get_thing", json!({"name": "before"})).await.status, 503);
    app.db.raw_sql("ALTER TABLE events_gone RENAME TO events").await;
    let rows = audit_rows(&app, &AuditFilter::default()).await;
    assert_eq!(rows.len(), 1, "and no audit row without its event");
}
