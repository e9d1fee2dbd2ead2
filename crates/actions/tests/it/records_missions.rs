//! Missions: their start, and the progress that runtimes report.

use serde_json::{Value, json};
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{Person, TestDb, assert_has, both_databases};

use crate::{
    harness::{App, events_after, record_id, service_key},
    records::reported,
};

/// A mission whose second task depends on the first.
async fn mission(person: &Person<'_>, auto_start: bool) -> Value {
    let tasks = json!([{ "title": "Ask" }, { "title": "Write", "depends_on": [0] }]);
    person.done("create_mission", json!({ "goal": "Launch", "tasks": tasks, "auto_start": auto_start })).await
}

/// A record about a mission, three minutes after its start.
fn report(n: u128, mission: &Value, event: &str, more: Value) -> Value {
    let (id, at) = (record_id(n), "2026-01-15T10:03:00Z");
    let mut record = json!({ "id": id, "at": at, "mission_id": mission["id"], "event": event });
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    record
}

/// A record about the task at a position.
fn of_task(n: u128, mission: &Value, position: usize, more: Value) -> Value {
    let mut record = report(n, mission, "task", more);
    record["task_id"] = mission["tasks"][position]["id"].clone();
    record
}

async fn add(person: &Person<'_>, records: &[Value]) -> Value {
    reported(person, "missions", json!(records)).await
}

/// The number of events with this name in workspace A.
async fn emitted(app: &App, name: &str) -> usize {
    events_after(app, 0).await.iter().filter(|event| event.name == name).count()
}

async fn shown(person: &Person<'_>, mission: &Value) -> Value {
    person.done("get_mission", json!({ "mission_id": mission["id"] })).await
}

#[both_databases]
async fn a_mission_starts_once_and_not_after_its_end(db: TestDb) {
    let app = App::new(db).await;
    let (owner, editor) = (app.owner(), app.as_role(Role::Editor));
    let made = mission(&app.as_role(Role::Member), false).await;
    let start = json!({ "id": made["id"] });
    assert_eq!(app.as_role_b(Role::Owner).refused("missions.start", start.clone()).await, "not_found");
    let started = editor.done("missions.start", start.clone()).await;
    assert_has(&started, json!({"state": "running", "changed": true, "started_at": started["updated_at"]}));
    assert_eq!(editor.done("missions.start", start.clone()).await["changed"], false);
    assert_eq!(emitted(&app, "mission.started").await, 1);
    add(
        &app.as_identity(service_key(&app, "records:write")),
        &[report(1, &made, "finished", json!({ "error": "x" }))],
    )
    .await;
    let problem = owner.problem("missions.start", start).await;
    assert_eq!(problem.code.as_str(), "conflict");
    assert!(problem.detail.contains("is failed and can't be started"), "{problem:?}");
}

#[both_databases]
async fn reports_move_tasks_in_order_until_the_mission_ends(db: TestDb) {
    let app = App::new(db).await;
    let (owner, runtime) = (app.owner(), app.as_identity(service_key(&app, "records:write")));
    let agent = owner.done("create_agent", json!({ "name": "Writer" })).await["id"].clone();
    let made = mission(&owner, true).await;
    let records = [
        of_task(1, &made, 0, json!({ "status": "in_progress", "agent_id": agent })),
        of_task(2, &made, 1, json!({ "status": "in_progress" })),
        of_task(3, &made, 0, json!({ "error": "nobody answered" })),
        of_task(4, &made, 0, json!({ "status": "done" })),
        of_task(5, &made, 0, json!({ "status": "in_progress" })),
        of_task(6, &made, 0, json!({ "output": "three answers" })),
        report(7, &made, "finished", json!({})),
        of_task(8, &made, 1, json!({ "output": "a page" })),
        report(9, &made, "finished", json!({})),
        of_task(10, &made, 1, json!({ "status": "in_progress" })),
    ];
    let rejected = json!([
        [1, "/status", "dependency"],
        [3, "/status", "transition"],
        [6, "/status", "open_tasks"],
        [9, "/mission_id", "transition"],
    ]);
    assert_eq!(add(&runtime, &records).await, json!([6, 0, rejected]));
    let done = shown(&owner, &made).await;
    assert_eq!((&done["state"], &done["progress"]["percent"]), (&json!("completed"), &json!(100)));
    assert_eq!(done["finished_at"], "2026-01-15T10:03:00.000000Z");
    let first = &done["tasks"][0];
    assert_has(first, json!({"status": "done", "agent_id": agent, "output": "three answers", "error": null}));
    assert_eq!(emitted(&app, "mission.completed").await, 1);
    assert_eq!(emitted(&app, "mission.task_updated").await, 5);
    let seen = owner.done("get_agent", json!({ "agent": agent })).await;
    assert_eq!(seen["last_active_at"], "2026-01-15T10:03:00.000000Z");
    // Sent again, nothing changes.
    let again = [records[0].clone(), records[8].clone()];
    assert_eq!(add(&runtime, &again).await, json!([0, 2, []]));
}

#[both_databases]
async fn a_failed_mission_cancels_its_open_tasks_and_says_why(db: TestDb) {
    let app = App::new(db).await;
    let (owner, runtime) = (app.owner(), app.as_identity(service_key(&app, "records:write")));
    let made = mission(&owner, true).await;
    let records = [
        of_task(1, &made, 0, json!({ "status": "failed", "error": "no budget" })),
        report(2, &made, "finished", json!({ "error": "the first task failed" })),
    ];
    assert_eq!(add(&runtime, &records).await, json!([2, 0, []]));
    let failed = shown(&owner, &made).await;
    assert_eq!((&failed["state"], &failed["reason"]), (&json!("failed"), &json!("the first task failed")));
    let statuses: Vec<&Value> =
        failed["tasks"].as_array().unwrap().iter().map(|task| &task["status"]).collect();
    assert_eq!(statuses, ["failed", "cancelled"]);
    assert_eq!(failed["tasks"][0]["error"], "no budget");
}

#[both_databases]
async fn reports_that_do_not_fit_say_where(db: TestDb) {
    let app = App::new(db).await;
    let (owner, runtime) = (app.owner(), app.as_identity(service_key(&app, "records:write")));
    let (waiting, running) = (mission(&owner, false).await, mission(&owner, true).await);
    let theirs = mission(&app.as_role_b(Role::Owner), true).await;
    let mut early = of_task(1, &running, 0, json!({}));
    early["at"] = json!("2026-01-15T09:00:00Z");
    let nobody = Id::from_u128(9);
    let cases = [
        (early, json!(["/at", "before_start"])),
        (of_task(2, &waiting, 0, json!({})), json!(["/mission_id", "transition"])),
        (of_task(3, &theirs, 0, json!({})), json!(["/mission_id", "not_found"])),
        (report(4, &running, "task", json!({})), json!(["/task_id", "required"])),
        (report(5, &running, "task", json!({ "task_id": nobody })), json!(["/task_id", "not_found"])),
        (of_task(6, &running, 0, json!({ "agent_id": nobody })), json!(["/agent_id", "not_found"])),
        (of_task(7, &running, 0, json!({ "status": "completed" })), json!(["/status", "enum"])),
        (report(8, &running, "finished", json!({ "status": "done" })), json!(["/status", "enum"])),
        (
            report(9, &running, "finished", json!({ "error": "x", "output": "y" })),
            json!(["/output", "unexpected"]),
        ),
        (report(10, &running, "started", json!({})), json!(["/event", "enum"])),
        (
            of_task(11, &running, 0, json!({ "status": "done", "error": "x" })),
            json!(["/error", "unexpected"]),
        ),
        (
            report(12, &running, "finished", json!({ "status": "completed", "error": "x" })),
            json!(["/error", "unexpected"]),
        ),
    ];
    let records: Vec<Value> = cases.iter().map(|(record, _)| record.clone()).collect();
    let rejected: Vec<Value> =
        cases.iter().enumerate().map(|(n, (_, wrong))| json!([n, wrong[0], wrong[1]])).collect();
    assert_eq!(add(&runtime, &records).await, json!([0, 0, rejected]));
    let key = app.as_identity(service_key(&app, "*:*"));
    let code = key.refused("records.add_missions", json!({ "records": records })).await;
    assert_eq!(code, "insufficient_scope");
    assert_eq!(shown(&owner, &running).await["progress"]["open"], 2);
}

#[both_databases]
async fn calls_about_the_same_missions_in_another_order_end_all(db: TestDb) {
    let app = App::new(db).await;
    let (owner, runtime) = (app.owner(), app.as_identity(service_key(&app, "records:write")));
    let (one, other) = (mission(&owner, true).await, mission(&owner, true).await);
    for round in 0..10 {
        let status = json!({ "status": if round % 2 == 0 { "in_progress" } else { "failed" } });
        let about = |n: u128, mission: &Value| of_task(n, mission, 0, status.clone());
        let n = round * 4;
        let forth = [about(n, &one), about(n + 1, &other)];
        let back = [about(n + 2, &other), about(n + 3, &one)];
        let (forth, back) = tokio::join!(add(&runtime, &forth), add(&runtime, &back));
        // Whichever comes first changes the tasks, and the other one finds them changed.
        let taken = |answer: &Value| answer[0].as_u64().unwrap();
        assert_eq!(taken(&forth) + taken(&back), 2, "{forth} {back}");
    }
}
