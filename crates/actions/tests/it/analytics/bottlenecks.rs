//! The bottlenecks that `get_bottlenecks` checks for.

use serde_json::{Value, json};
use toolcrib_model::Id;
use toolcrib_store::{StoreError, executions, executions::ExecutionRow};
use toolcrib_testkit::{NOW, TestDb, both_databases, write};

use super::{Log, fields, noisy, rows, run};
use crate::harness::App;

/// Inserts waiting executions, without the limit for callers.
async fn queue(app: &App, from: u128, count: u128) {
    write::<_, StoreError>(&app.db, app.a.workspace, async |tx| {
        for n in from..from + count {
            let row = ExecutionRow {
                caller: None,
                id: Id::from_u128(0xbeef_0000 + n),
                playbook_id: None,
                playbook_name: None,
                agent_id: None,
                status: "queued".into(),
                input: None,
                output: None,
                error: None,
                requested_by_kind: None,
                requested_by: None,
                created_at: NOW,
                started_at: None,
                finished_at: None,
            };
            assert!(executions::insert(tx, &row).await?);
        }
        Ok(())
    })
    .await
    .unwrap();
}

async fn checks(app: &App) -> (Value, Value) {
    let data = app.owner().done("get_bottlenecks", json!({})).await;
    (rows(&data["checks"], &["kind", "severity", "value", "samples"]), data)
}

#[both_databases]
async fn failures_are_a_bottleneck_above_their_bounds(db: TestDb) {
    let app = noisy(db).await;
    let (log, owner) = (Log::a(&app), app.owner());
    let mut books = Vec::new();
    for name in ["Good", "Bad"] {
        books.push(
            owner.done("create_playbook", json!({"name": name, "description": "d"})).await["id"].clone(),
        );
    }
    let ended = |status| run("01-15T08:00:00", "01-15T08:01:00", status);
    // 3 of 20 is 15 %, which is not above the bound. The last execution ended before the 7 days, which begin
    // at 2026-01-08T10:00Z.
    log.runs((0..16).map(|_| ended("completed").of(&books[0]))).await;
    log.runs((0..2).map(|_| ended("failed").of(&books[1]))).await;
    log.runs([ended("completed").of(&books[1]), ended("failed"), ended("cancelled")]).await;
    log.runs([run("01-08T09:00:00", "01-08T09:59:59.999999", "failed")]).await;
    let (all, data) = checks(&app).await;
    assert_eq!(
        all,
        json!([["failure_rate", null, 15.0, 20], ["queue", null, 0.0, 0], ["slow_runs", null, 60.0, 17]])
    );
    assert_eq!((&data["found"], &data["from"]), (&json!(0), &json!("2026-01-08T10:00:00.000000Z")));
    // The execution without a playbook failed, `Bad` failed twice of three times, and `Good` never.
    let names = ["playbook_id", "name", "samples", "value"];
    let expected = json!([[null, null, 1, 100.0], [books[1], "Bad", 3, 66.7]]);
    assert_eq!(rows(&data["checks"][0]["worst"], &names), expected);
    // 4 of 21 is 19 %. 9 of 26 is 34.6 %.
    log.runs([ended("failed")]).await;
    assert_eq!(checks(&app).await.0[0], json!(["failure_rate", "medium", 19.0, 21]));
    log.runs((0..5).map(|_| ended("failed"))).await;
    let (all, data) = checks(&app).await;
    assert_eq!((&all[0], &data["found"]), (&json!(["failure_rate", "high", 34.6, 26]), &json!(1)));
}

#[both_databases]
async fn a_queue_is_a_bottleneck_above_ten(db: TestDb) {
    let app = noisy(db).await;
    queue(&app, 0, 10).await;
    assert_eq!(checks(&app).await.0[1], json!(["queue", null, 10.0, 10]));
    queue(&app, 10, 1).await;
    let (all, data) = checks(&app).await;
    assert_eq!(all[1], json!(["queue", "medium", 11.0, 11]));
    assert_eq!(fields(&data["checks"][1], &["bound", "high_bound", "worst"]), json!([10, 50, []]));
    queue(&app, 11, 39).await;
    assert_eq!(checks(&app).await.0[1], json!(["queue", "medium", 50.0, 50]));
    queue(&app, 50, 1).await;
    assert_eq!(checks(&app).await.0[1], json!(["queue", "high", 51.0, 51]));
}

#[both_databases]
async fn runs_are_slow_above_five_minutes(db: TestDb) {
    let app = noisy(db).await;
    let (log, owner) = (Log::a(&app), app.owner());
    let slow = owner.done("create_playbook", json!({"name": "Slow", "description": "d"})).await["id"].clone();
    // A median of 300 s is not above the bound. That of 100, 300, 302 and 500 s is 301 s.
    log.runs([
        run("01-15T08:00:00", "01-15T08:01:40", "completed"),
        run("01-15T08:00:00", "01-15T08:05:00", "completed"),
        run("01-15T08:00:00", "01-15T08:08:20", "completed").of(&slow),
    ])
    .await;
    assert_eq!(checks(&app).await.0[2], json!(["slow_runs", null, 300.0, 3]));
    log.runs([run("01-15T08:00:00", "01-15T08:05:02", "completed")]).await;
    let (all, data) = checks(&app).await;
    assert_eq!(all[2], json!(["slow_runs", "medium", 301.0, 4]));
    // The other three took 100, 300 and 302 s.
    let expected = json!([["Slow", 1, 500.0], [null, 3, 300.0]]);
    assert_eq!(rows(&data["checks"][2]["worst"], &["name", "samples", "value"]), expected);
}
