//! Two worlds that differ only in the content of workspace B: the responses to A are identical, byte for
//! byte.

use serde_json::{Value, json};
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{Person, TestDb, postgres, sqlite};

use crate::{
    same_on_both::told,
    tenancy::walk_marked,
    walkthrough::{Saved, steps},
    world::world,
};

/// The responses to A, and the last id that was assigned before A began.
struct Twin {
    began: Id,
    lines: Vec<(String, Value)>,
}

/// Runs the walkthrough as A, after B's own if `full`. Ids are numbered, so those that B used in the other
/// world are used up here too, up to `until`.
async fn twin(db: TestDb, full: bool, until: Option<Id>) -> Twin {
    let app = world(db).await;
    if full {
        walk_marked(&app.as_role_b(Role::Owner)).await;
    }
    let mut began = app.engine.new_id();
    while until.is_some_and(|until| began < until) {
        began = app.engine.new_id();
    }
    Twin { began, lines: lines(&app.owner()).await }
}

async fn lines(owner: &Person<'_>) -> Vec<(String, Value)> {
    let mut lines = Vec::new();
    let mut saved = Saved::new();
    for step in steps() {
        let answer = step.run(owner, &mut saved).await;
        lines.push((step.action.clone(), public(told(&answer))));
    }
    for (operation, input) in [
        ("audit.list", json!({ "limit": 100 })),
        ("audit.stats", json!({ "by": "action" })),
        ("access.report", json!({ "role": "viewer" })),
        ("members.list", json!({})),
        ("settings.get", json!({})),
        ("workspaces.list", json!({})),
    ] {
        lines.push((operation.to_owned(), told(&owner.call(operation, input).await)));
    }
    lines
}

/// Removes the install counts of the marketplace, which every workspace may see by design.
fn public(mut told: Value) -> Value {
    match &mut told {
        Value::Object(fields) => {
            fields.shift_remove("install_count");
            for value in fields.values_mut() {
                *value = public(value.take());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| *item = public(item.take())),
        _ => {}
    }
    told
}

async fn compare(full: TestDb, empty: TestDb) {
    let full = twin(full, true, None).await;
    let empty = twin(empty, false, Some(full.began)).await;
    assert_eq!(full.began, empty.began);
    println!("compared {} answers", full.lines.len());
    assert!(full.lines.len() > 91, "{}", full.lines.len());
    for ((what, left), (_, right)) in full.lines.iter().zip(&empty.lines) {
        assert_eq!(left, right, "{what}: with a full B on the left, an empty one on the right");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_content_of_b_changes_nothing_for_a_on_sqlite() {
    compare(sqlite().await, sqlite().await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_content_of_b_changes_nothing_for_a_on_postgres() {
    compare(postgres().await, postgres().await).await;
}
