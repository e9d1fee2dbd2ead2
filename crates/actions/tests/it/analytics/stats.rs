//! Statistics of the workspace, and the efficiency score.

use serde_json::json;
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use super::{Log, agent, call, fields, noise, rows, run, running};
use crate::harness::App;

#[both_databases]
async fn the_totals_of_today_and_of_a_week(db: TestDb) {
    let app = App::new(db).await;
    noise(&app).await;
    let (log, owner) = (Log::a(&app), app.owner());
    let (ada, bob) = (agent(&owner, "Ada", "coder").await, agent(&owner, "Bob", "worker").await);
    agent(&owner, "Idle", "worker").await;
    owner.done("add_document", json!({"title": "Manual", "content": "text"})).await;
    owner.done("create_playbook", json!({"name": "P", "description": "d", "steps": [{"prompt": "p"}]})).await;
    owner.done("execute_playbook", json!({"playbook": "P"})).await;
    // Today begins at midnight, so the second call is the last of yesterday. There are six models, and `m6`
    // has two calls.
    log.calls([
        call("01-15T00:00:00", 10).by(&ada),
        call("01-14T23:59:59.999999", 20).by(&ada),
        call("01-12T08:00:00", 1).by(&bob).of("m2", "x"),
        call("01-12T08:00:00", 1).of("m3", "x"),
        call("01-12T08:00:00", 1).of("m4", "x"),
        call("01-12T08:00:00", 1).of("m5", "x"),
        call("01-12T08:00:00", 1).of("m6", "x"),
        call("01-12T08:00:00", 1).of("m6", "y"),
    ])
    .await;
    log.runs([
        run("01-15T08:00:00", "01-15T09:00:00", "completed"),
        run("01-13T08:00:00", "01-13T09:00:00", "failed"),
        run("01-13T08:00:00", "01-13T09:00:00", "cancelled"),
        running("01-15T09:00:00"),
    ])
    .await;
    let week = owner.done("workspace_stats", json!({})).await;
    // Eight calls of 100 and 10 tokens, which cost 10 + 20 + 6 × 1.
    assert_eq!(
        week["usage"],
        json!({"samples": 8, "input_tokens": 800, "output_tokens": 80, "cost_microusd": 36})
    );
    assert_eq!(
        week["executions"],
        json!({"completed": 1, "failed": 1, "cancelled": 1, "queued": 1, "running": 1})
    );
    assert_eq!(
        (&week["agents"], &week["documents"]),
        (&json!({"active": 3, "with_work": 2}), &json!({"total": 1, "added": 1}))
    );
    let names = ["model", "requests", "cost_microusd"];
    assert_eq!(
        rows(&week["top_models"], &names),
        json!([["gpt-4o-mini", 2, 30], ["m6", 2, 2], ["m2", 1, 1], ["m3", 1, 1], ["m4", 1, 1]])
    );
    let names = ["agent_id", "name", "requests", "cost_microusd"];
    assert_eq!(rows(&week["top_agents"], &names), json!([[ada, "Ada", 2, 30], [bob, "Bob", 1, 1]]));
    let today = owner.done("workspace_stats", json!({"period": "today"})).await;
    assert_has(&today, json!({"from": "2026-01-15T00:00:00.000000Z", "/usage/cost_microusd": 10}));
    assert_eq!(fields(&today["executions"], &["completed", "failed", "cancelled"]), json!([1, 0, 0]));
    assert_eq!(today["agents"], json!({"active": 3, "with_work": 1}));
    let month = owner.done("workspace_stats", json!({"period": "30d"})).await;
    assert_eq!(month["from"], json!("2025-12-16T10:00:00.000000Z"));
}

#[both_databases]
async fn the_score_is_the_sum_of_its_parts(db: TestDb) {
    let app = App::new(db).await;
    noise(&app).await;
    let (log, owner) = (Log::a(&app), app.owner());
    let ada = agent(&owner, "Ada", "coder").await;
    agent(&owner, "Idle", "worker").await;
    let cy = agent(&owner, "Cy", "coder").await;
    let dee = agent(&owner, "Dee", "coder").await;
    owner.done("update_agent", json!({"agent": "Dee", "status": "inactive"})).await;
    // Of three active agents, Ada has a call at the first moment of the 7 days, and Cy's execution ended just
    // before. Dee is inactive.
    log.calls([call("01-08T10:00:00", 1).by(&ada), call("01-15T09:00:00", 1).by(&dee)]).await;
    log.runs([run("01-08T09:00:00", "01-08T09:59:59.999999", "completed").by(&cy)]).await;
    let none = owner.done("get_efficiency_score", json!({})).await;
    assert_eq!(fields(&none, &["score"]), json!([null]));
    assert_eq!(
        fields(&none["agents"], &["weight", "samples", "reached", "share_percent"]),
        json!([60, 3, 1, 33.3])
    );
    assert_eq!(
        fields(&none["completion"], &["weight", "samples", "reached", "share_percent"]),
        json!([40, 0, 0, null])
    );
    // In 24 hours three executions completed and one failed. A cancelled one counts as neither, and the last
    // one ended too early.
    let ended = |status| run("01-15T08:00:00", "01-15T09:00:00", status);
    log.runs([
        ended("completed"),
        ended("completed"),
        ended("failed"),
        ended("cancelled"),
        run("01-14T09:00:00", "01-14T10:00:00", "completed"),
        run("01-14T09:00:00", "01-14T09:59:59.999999", "failed"),
    ])
    .await;
    let score = owner.done("get_efficiency_score", json!({})).await;
    assert_eq!(fields(&score["completion"], &["samples", "reached", "share_percent"]), json!([4, 3, 75.0]));
    // 60 × 1/3 + 40 × 3/4 = 20 + 30.
    assert_eq!(score["score"], json!(50.0));
    log.runs([running("01-01T00:00:00").by(&cy)]).await;
    // A running execution counts as work, whenever it started: 60 × 2/3 + 30.
    assert_eq!(owner.done("get_efficiency_score", json!({})).await["score"], json!(70.0));
}
