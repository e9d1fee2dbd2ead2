//! Statistics of the workspace, the efficiency score, the ranking of agents, and all actions without rows.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use super::{Log, agent, call, fields, noisy, rows, run, running};

#[both_databases]
async fn the_totals_of_today_and_of_a_week(db: TestDb) {
    let app = noisy(db).await;
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
    let expected = json!({"samples": 8, "input_tokens": 800, "output_tokens": 80, "cost_microusd": 36});
    assert_eq!(week["usage"], expected);
    let expected = json!({"completed": 1, "failed": 1, "cancelled": 1, "queued": 1, "running": 1});
    assert_has(&week, json!({"executions": expected, "agents": {"active": 3, "with_work": 2}}));
    assert_has(&week, json!({"documents": {"total": 1, "added": 1}}));
    let names = ["model", "requests", "cost_microusd"];
    let expected = json!([["gpt-4o-mini", 2, 30], ["m6", 2, 2], ["m2", 1, 1], ["m3", 1, 1], ["m4", 1, 1]]);
    assert_eq!(rows(&week["top_models"], &names), expected);
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
    let app = noisy(db).await;
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
    let expected = json!([60, 3, 1, 33.3]);
    assert_eq!(fields(&none["agents"], &["weight", "samples", "reached", "share_percent"]), expected);
    let expected = json!([40, 0, 0, null]);
    assert_eq!(fields(&none["completion"], &["weight", "samples", "reached", "share_percent"]), expected);
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

#[both_databases]
async fn agents_are_ranked_by_each_metric_and_none_below_five(db: TestDb) {
    let app = noisy(db).await;
    let (log, owner) = (Log::a(&app), app.owner());
    let ada = agent(&owner, "Ada", "coder").await;
    let bob = agent(&owner, "Bob", "coder").await;
    let cy = agent(&owner, "Cy", "coder").await;
    let dee = agent(&owner, "Dee", "coder").await;
    agent(&owner, "Idle", "coder").await;
    let took = |seconds: i64, status| run("01-15T08:00:00", &format!("01-15T08:00:{seconds:02}"), status);
    // Ada: 4 of 5. Bob: 5 of 6, of 50 s each. Dee: 5 of 5, of 10, 20, 30, 40 and 50 s. Cy: 4, and one that
    // ended before the 30 days, which begin at 2025-12-16T10:00Z. Cancelled executions do not count.
    log.runs([10, 20, 30, 40].map(|s| took(s, "completed").by(&ada))).await;
    log.runs([took(5, "failed").by(&ada), took(5, "cancelled").by(&cy), took(5, "failed").by(&bob)]).await;
    log.runs([50; 5].map(|s| took(s, "completed").by(&bob))).await;
    log.runs([1; 4].map(|s| took(s, "completed").by(&cy))).await;
    log.runs([run("2025-12-16T09:00:00", "2025-12-16T09:59:59.999999", "completed").by(&cy)]).await;
    log.runs([10, 20, 30, 40, 50].map(|s| took(s, "completed").by(&dee))).await;
    let names = ["rank", "name", "agent_id", "value", "samples"];
    let counts = ["metric", "min_samples", "compared", "below_min_samples"];
    let best = owner.done("get_agent_ranking", json!({})).await;
    let expected = json!([[1, "Dee", dee, 100.0, 5], [2, "Bob", bob, 83.3, 6], [3, "Ada", ada, 80.0, 5]]);
    assert_eq!(rows(&best["items"], &names), expected);
    assert_eq!(fields(&best, &counts), json!(["success_rate", 5, 3, 1]));
    // Ada completed only four. The median of Dee's five is 30 s, and faster is better.
    let fast = owner.done("get_agent_ranking", json!({"metric": "median_time"})).await;
    assert_eq!(rows(&fast["items"], &names), json!([[1, "Dee", dee, 30.0, 5], [2, "Bob", bob, 50.0, 5]]));
    assert_eq!(fields(&fast, &counts), json!(["median_time", 5, 2, 2]));
    // Bob and Dee have five each, so they share the first rank, and the next rank is the third.
    let most = owner.done("get_agent_ranking", json!({"metric": "completed"})).await;
    let expected = json!([[1, "Bob", bob, 5.0, 6], [1, "Dee", dee, 5.0, 5], [3, "Ada", ada, 4.0, 5]]);
    assert_eq!(rows(&most["items"], &names), expected);
    let one = owner.done("get_agent_ranking", json!({"limit": 1})).await;
    assert_eq!((rows(&one["items"], &["name"]), &one["compared"]), (json!([["Dee"]]), &json!(3)));
    // An execution at the first moment of the 30 days is Cy's fifth.
    log.runs([run("2025-12-16T09:00:00", "2025-12-16T10:00:00", "completed").by(&cy)]).await;
    let five = owner.done("get_agent_ranking", json!({})).await;
    let expected = json!([[1, "Cy"], [1, "Dee"], [3, "Bob"], [4, "Ada"]]);
    assert_eq!(rows(&five["items"], &["rank", "name"]), expected);
    owner.confirmed("delete_agent", json!({"agent": "Cy"})).await;
    assert_eq!(owner.done("get_agent_ranking", json!({})).await["compared"], json!(3));
}

/// The actions, by name.
const ALL: &str = "get_llm_usage get_cost_breakdown workspace_stats get_success_rate get_completion_time \
    get_error_rates get_queue_depth get_efficiency_score get_cost_per_execution get_peak_hours \
    get_bottlenecks get_predictive_alerts get_agent_ranking get_sla_compliance";
/// Numbers that say what was asked.
const SAID: &str = "weight bound high_bound threshold min_samples min_confidence hour target_percent \
    target_seconds";
/// Numbers that count rows.
const COUNTS: &str = "samples requests left_out completed failed cancelled queued running active with_work \
    total added reached without_model_calls model_calls executions load found alerts below_min_confidence \
    compared below_min_samples within_target value";

fn is_in(words: &str, name: &str) -> bool {
    words.split(' ').any(|word| word == name)
}

/// Checks that every count is 0, every list is empty, and every unknown value is null.
fn knows_nothing(action: &str, path: &str, value: &Value) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                if !is_in(SAID, key) {
                    knows_nothing(action, &format!("{path}/{key}"), value);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| knows_nothing(action, path, item)),
        Value::Number(number) => {
            let name = path.rsplit('/').next().unwrap();
            assert!(is_in(COUNTS, name) && number.as_f64() == Some(0.0), "{action}: {path} is {number}");
        }
        Value::Null | Value::String(_) => {}
        Value::Bool(_) => panic!("{action}: {path} is {value}"),
    }
}

#[both_databases]
async fn without_rows_figures_are_zero_or_unknown(db: TestDb) {
    let app = noisy(db).await;
    for action in ALL.split(' ') {
        let data = app.as_role(Role::Viewer).done(action, json!({})).await;
        knows_nothing(action, "", &data);
        assert!(!data.to_string().contains("Canary"), "{action}");
    }
    let owner = app.owner();
    assert_eq!(owner.done("get_llm_usage", json!({})).await["input_tokens"], json!(null));
    assert_eq!(owner.done("get_peak_hours", json!({})).await["hours"][0]["level"], json!(null));
    let found = owner.done("get_queue_depth", json!({})).await;
    assert_eq!(found["trend"], json!({"samples": 0, "direction": null, "hours": []}));
    assert_eq!(owner.done("get_sla_compliance", json!({})).await["compliant"], json!(null));
    assert_eq!(owner.done("get_efficiency_score", json!({})).await["score"], json!(null));
}
