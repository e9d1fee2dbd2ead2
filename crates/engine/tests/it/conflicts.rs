//! An action that finds its row already there fails. The response and the audit row say so.

use serde_json::json;
use toolcrib_engine::{CallResponse, Outcome};
use toolcrib_model::Role;
use toolcrib_testkit::{App, TestDb, both_databases, change_workspace};

use crate::{people::rows, things::app};

const TOLD: &str = "`x` came first";

/// Checks that the response and the audit row have the action's own error.
async fn failed(app: &App, answer: &CallResponse, decision: &str) {
    let Outcome::Refused(problem) = &answer.outcome else { panic!("{answer:?}") };
    assert_eq!((problem.code.as_str(), problem.detail.as_str()), ("conflict", TOLD));
    assert_eq!(problem.description.as_deref(), Some("`platform_insert_thing` failed"));
    let id = answer.outcome.call_id().unwrap();
    let all = rows(app, "call", None).await;
    let row = all.iter().find(|row| row.id == id).unwrap();
    assert_eq!((row.decision.as_str(), row.outcome.as_str()), (decision, "failed"));
    assert!(row.granted_by.is_some() && answer.limit.is_some(), "{row:?} {:?}", answer.limit);
    assert_eq!(row.error_code.as_deref(), Some("conflict"));
}

#[both_databases]
async fn a_row_that_is_there_already_fails_the_action(db: TestDb) {
    let app = app(db).await;
    let (owner, editor) = (app.owner(), app.as_role(Role::Editor));
    owner.done("insert_thing", json!({"name": "x"})).await;
    assert_eq!(owner.done("get_thing", json!({"name": "X"})).await["name"], "x");
    failed(&app, &owner.call("insert_thing", json!({"name": "x"})).await, "auto_allowed").await;
    failed(&app, &editor.call("insert_thing", json!({"name": "x"})).await, "auto_allowed").await;
    let keyed = owner.with_key("k");
    failed(&app, &keyed.call("insert_thing", json!({"name": "x"})).await, "auto_allowed").await;
    let again = keyed.call("insert_thing", json!({"name": "x"})).await;
    assert!(again.replayed, "{again:?}");
    assert_eq!(again.status(), 409);
    let answers = rows(&app, "call", None).await.len();
    owner.with_key("l").done("insert_thing", json!({"name": "y"})).await;
    owner.done("get_thing", json!({"name": "y"})).await;
    assert_eq!(rows(&app, "call", None).await.len(), answers + 2);
}

#[both_databases]
async fn a_call_that_finds_its_row_counts_once(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    let remaining = |answer: &CallResponse| answer.limit.unwrap().remaining;
    let first = remaining(&owner.call("insert_thing", json!({"name": "x"})).await);
    for calls in 1..=3 {
        let answer = owner.call("insert_thing", json!({"name": "x"})).await;
        assert_eq!((answer.status(), remaining(&answer)), (409, first - calls));
    }
}

#[both_databases]
async fn an_approved_call_fails_as_any_other(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    let first = owner.pending("insert_thing", json!({"name": "x", "dangerous": true})).await;
    owner.approve(first).await.unwrap();
    let second = owner.with_key("k").pending("insert_thing", json!({"name": "x", "dangerous": true})).await;
    failed(&app, &owner.approve(second).await.unwrap(), "approved").await;
    assert_eq!(owner.confirmation(second).await.unwrap().status.as_str(), "failed");
}

#[both_databases]
async fn of_many_concurrent_inserts_one_succeeds(db: TestDb) {
    let app = app(db).await;
    change_workspace(&app.db, app.a.workspace, |row| row.settings.write_per_minute = 1_000).await;
    let owner = app.owner();
    let calls = (0..200).map(|_| owner.call("insert_thing", json!({"name": "x"})));
    let answers = futures_util::future::join_all(calls).await;
    let (done, others): (Vec<_>, Vec<_>) =
        answers.iter().partition(|answer| matches!(answer.outcome, Outcome::Completed(_)));
    assert_eq!((done.len(), others.len()), (1, 199));
    for answer in others {
        failed(&app, answer, "auto_allowed").await;
    }
}
