//! The same series of calls of all actions has the same responses on SQLite and PostgreSQL.

use serde_json::{Value, json};
use toolcrib_engine::{CallResponse, Outcome};
use toolcrib_model::Role;
use toolcrib_testkit::{Person, TestDb, postgres, sqlite};

use crate::{
    walkthrough::{Saved, Step, steps},
    world::world,
};

/// What must be equal: the response, except how long the call took.
pub fn told(answer: &CallResponse) -> Value {
    let mut told = answer.outcome.to_value();
    if let Some(told) = told.as_object_mut() {
        told.remove("duration_ms");
        told.insert("http_status".into(), json!(answer.status()));
    }
    if let (Outcome::Completed(_), Some(data)) = (&answer.outcome, told.get_mut("data")) {
        forget_the_process(data);
    }
    told
}

/// Clears figures that the process measures about itself, because they do not depend on the database.
fn forget_the_process(data: &mut Value) {
    match data {
        Value::Object(fields) => {
            for name in
                ["duration_ms", "latency_ms", "memory_bytes", "memory_peak_bytes", "threads", "median_ms"]
            {
                if let Some(value) = fields.get_mut(name) {
                    *value = Value::Null;
                }
            }
            fields.values_mut().for_each(forget_the_process);
        }
        Value::Array(items) => items.iter_mut().for_each(forget_the_process),
        _ => {}
    }
}

/// Calls each step as a viewer, as an editor of another workspace, with mistakes, and as the owner.
async fn trace(db: TestDb) -> Vec<(String, Value)> {
    let app = world(db).await;
    let mut lines = Vec::new();
    let mut saved = Saved::new();
    let others = [("viewer", app.as_role(Role::Viewer)), ("stranger", app.as_role_b(Role::Editor))];
    for step in steps() {
        for (who, person) in &others {
            let answer = person.call(&step.action, step.filled(&saved)).await;
            lines.push((format!("{} by {who}", step.action), told(&answer)));
        }
        lines.push((format!("{} wrongly", step.action), wrongly(&app.owner(), &step).await));
        let answer = told(&step.run(&app.owner(), &mut saved).await);
        let changed = answer["data"]["changed"] == true;
        lines.push((format!("{} by the owner", step.action), answer));
        if changed {
            // That it is so already is an ordinary answer, which takes as many ids on both databases.
            let again = app.owner().call(&step.action, step.filled(&saved)).await;
            lines.push((format!("{} again", step.action), told(&again)));
        }
    }
    for by in ["action", "decision", "outcome", "principal"] {
        let answer = app.owner().call("audit.stats", json!({ "by": by })).await;
        lines.push((format!("audit.stats by {by}"), told(&answer)));
    }
    lines
}

async fn wrongly(owner: &Person<'_>, step: &Step) -> Value {
    told(&owner.call(&step.action, json!({ "no_such_parameter": step.action })).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn all_actions_respond_alike_on_both_databases() {
    let (left, right) = tokio::join!(trace(sqlite().await), trace(postgres().await));
    println!("compared {} calls", left.len());
    assert!(left.len() >= 300, "{}", left.len());
    for ((what, left), (_, right)) in left.iter().zip(&right) {
        assert_eq!(left, right, "{what}: SQLite on the left, PostgreSQL on the right");
    }
}
