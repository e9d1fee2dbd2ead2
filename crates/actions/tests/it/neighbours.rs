//! Many calls at the same time: of one workspace beside the calls of another, and of one row, for which each
//! waits and none is refused.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Instant,
};

use futures_util::future::join_all;
use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases, change_workspace, soak};

use crate::harness::{App, record_id, service_key};

fn calls() -> usize {
    soak(25, 2_000)
}

/// Passages of one megabyte in all.
fn records(from: usize) -> Value {
    let content = "kiln glaze amphora cobalt ".repeat(550);
    let record = |n: usize| {
        let id = record_id((from + n) as u128);
        json!({"id": id, "at": "2026-01-15T09:00:00Z", "position": n, "content": content})
    };
    (0..70).map(record).collect()
}

#[both_databases]
async fn soak_neighbours_calls_are_answered_beside_one_that_sends_all_it_can(db: TestDb) {
    let app = Arc::new(App::new(db).await);
    let document =
        app.owner().done("add_document", json!({"title": "T", "content": "x"})).await["id"].clone();
    let over = Arc::new(AtomicBool::new(false));
    let posts = Arc::new(AtomicUsize::new(0));
    let loads: Vec<_> = (0..8)
        .map(|n| {
            let (app, over, posts, document) = (app.clone(), over.clone(), posts.clone(), document.clone());
            tokio::spawn(async move {
                while !over.load(Ordering::Relaxed) {
                    let post = posts.fetch_add(1, Ordering::Relaxed);
                    if n < 2 {
                        let runtime = app.as_identity(service_key(&app, "records:write"));
                        let call = json!({"document_id": document, "records": records(post * 1_000)});
                        runtime.call("records.add_chunks", call).await;
                    } else if n < 5 {
                        app.owner().call("get_activity_feed", json!({})).await;
                    } else {
                        app.owner().call("create_agent", json!({"name": format!("agent {post}")})).await;
                    }
                }
            })
        })
        .collect();
    let other = app.as_role_b(Role::Owner);
    let mut took = Vec::new();
    for n in 0..calls() {
        let begun = Instant::now();
        if n % 2 == 0 {
            other.done("list_agents", json!({})).await;
        } else {
            other.done("create_task", json!({"title": format!("task {n}"), "description": "beside"})).await;
        }
        took.push(begun.elapsed());
    }
    over.store(true, Ordering::Relaxed);
    for load in loads {
        load.await.unwrap();
    }
    took.sort();
    println!(
        "neighbours, {}: {} calls answered beside {} of another workspace; \
         median {:?}, 99th {:?}, longest {:?}",
        app.db.kind(),
        took.len(),
        posts.load(Ordering::Relaxed),
        took[took.len() / 2],
        took[took.len() * 99 / 100],
        took[took.len() - 1]
    );
}

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
    let wish = json!({"title": "Compare prices", "description": "Of cartons"});
    let task = owner.done("create_task", wish).await["id"].clone();
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
