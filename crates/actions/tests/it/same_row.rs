//! Many calls that change one row at the same time: each waits for the row, and none is refused.

use futures_util::future::join_all;
use serde_json::{Value, json};
use toolcrib_testkit::{TestDb, both_databases, change_workspace};

use crate::harness::App;

const CALLERS: usize = 64;

/// Makes the calls at the same time; each must succeed.
async fn all(app: &App, action: &str, params: impl Fn(usize) -> Value) -> Vec<Value> {
    let owner = app.owner();
    join_all((0..CALLERS).map(|n| owner.done(action, params(n)))).await
}

async fn app(db: TestDb) -> App {
    let app = App::new(db).await;
    change_workspace(&app.db, app.a.workspace, |row| row.settings.write_per_minute = 1_000_000).await;
    app.owner().done("create_agent", json!({"name": "Busy"})).await;
    app
}

#[both_databases]
async fn changes_of_an_agent_a_blueprint_and_a_task_wait_for_the_row(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    let text = |n: usize| format!("text {n}");
    all(&app, "update_agent", |n| json!({"agent": "Busy", "description": text(n)})).await;

    owner.done("create_blueprint", json!({"name": "Careful", "rules": {"min_tools": 1}})).await;
    all(&app, "update_blueprint", |n| json!({"blueprint": "Careful", "description": text(n)})).await;

    for n in 0..2 {
        owner.done("create_agent", json!({"name": format!("Worker {n}")})).await;
    }
    let task = owner
        .done("create_task", json!({"title": "Compare prices", "description": "Of cartons"}))
        .await["id"]
        .clone();
    let worker = |n: usize| json!({"task_id": task, "agent": format!("Worker {}", n % 2)});
    let assigned = all(&app, "assign_task", worker).await;
    assert!(assigned.iter().all(|answer| answer["status"] == "assigned"), "{assigned:?}");
}

#[both_databases]
async fn steps_of_a_playbook_are_all_kept(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    let step = json!({"prompt": "First", "agent": "Busy"});
    owner.done("create_playbook", json!({"name": "Daily", "description": "Daily", "steps": [step]})).await;
    all(&app, "update_playbook", |n| json!({"playbook": "Daily", "description": format!("text {n}")})).await;
    let add = |n: usize| {
        owner.done("add_playbook_step", json!({"playbook": "Daily", "prompt": format!("Step {n}")}))
    };
    join_all((0..8).map(add)).await;
    let playbook = owner.done("get_playbook", json!({"playbook": "Daily"})).await;
    assert_eq!(playbook["steps"].as_array().unwrap().len(), 9, "{playbook}");
}

#[both_databases]
async fn one_of_many_calls_creates_an_entry_of_the_field_and_the_others_reinforce_it(db: TestDb) {
    let app = app(db).await;
    let mission = app.owner().done("create_mission", json!({"goal": "Find a supplier"})).await["id"].clone();
    let inject = |n: usize| json!({"mission": mission, "key": "price", "value": format!("{n} euros")});
    let written = all(&app, "field_inject", inject).await;
    assert_eq!(written.iter().filter(|answer| answer["created"] == true).count(), 1);
}
