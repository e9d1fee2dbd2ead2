//! Model calls: counts, tokens and cost.

use serde_json::json;
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases};

use super::{Log, agent, call, fields, noisy, rows, run};
use crate::harness::{App, record_id};

#[both_databases]
async fn usage_is_counted_by_model_and_provider(db: TestDb) {
    let app = noisy(db).await;
    let log = Log::a(&app);
    // Seven days ago was 2026-01-08T10:00:00Z. This moment and now are within the period, the microsecond
    // before is not.
    log.calls([
        call("01-15T10:00:00", 1),
        call("01-08T10:00:00", 1).with("input_tokens", 300).with("output_tokens", 30),
        call("01-08T09:59:59.999999", 1),
        call("01-12T00:00:00", 1).of("gpt-4o-mini", "azure"),
        call("01-13T00:00:00", 1).of("sonnet", "anthropic").with("input_tokens", 1000),
    ])
    .await;
    let week = app.as_role(Role::Viewer).done("get_llm_usage", json!({"days": 7})).await;
    // Four calls with 100 + 300 + 100 + 1000 input tokens and 10 + 30 + 10 + 10 output tokens.
    let expected = json!([4, 1500, 60, 0]);
    assert_eq!(fields(&week, &["samples", "input_tokens", "output_tokens", "left_out"]), expected);
    let expected = json!(["2026-01-08T10:00:00.000000Z", "2026-01-15T10:00:00.000000Z"]);
    assert_eq!(fields(&week, &["from", "to"]), expected);
    let names = ["model", "provider", "requests", "input_tokens", "output_tokens"];
    assert_eq!(
        rows(&week["items"], &names),
        json!([
            ["gpt-4o-mini", "openai", 2, 400, 40],
            ["gpt-4o-mini", "azure", 1, 100, 10],
            ["sonnet", "anthropic", 1, 1000, 10]
        ])
    );
    let month = app.owner().done("get_llm_usage", json!({})).await;
    assert_eq!((&month["samples"], &month["from"]), (&json!(5), &json!("2025-12-16T10:00:00.000000Z")));
}

#[both_databases]
async fn cost_is_split_by_model_agent_and_day(db: TestDb) {
    let app = noisy(db).await;
    let (log, owner) = (Log::a(&app), app.owner());
    let (ada, bob) = (agent(&owner, "Ada", "coder").await, agent(&owner, "Bob", "worker").await);
    // 30 + 50 + 20 + 0 = 100 in all. The first two calls are a microsecond apart, on different days.
    log.calls([
        call("01-14T23:59:59.999999", 30).by(&ada),
        call("01-15T00:00:00", 50).by(&ada).of("sonnet", "anthropic"),
        call("01-13T12:00:00", 20).by(&bob).of("gpt-4o-mini", "azure"),
        call("01-13T13:00:00", 0),
    ])
    .await;
    let by_model = owner.done("get_cost_breakdown", json!({"days": 7})).await;
    assert_eq!(fields(&by_model, &["group_by", "samples", "total_microusd"]), json!(["model", 4, 100]));
    let names = ["name", "requests", "cost_microusd", "share_percent"];
    let expected = json!([["gpt-4o-mini", 3, 50, 50.0], ["sonnet", 1, 50, 50.0]]);
    assert_eq!(rows(&by_model["items"], &names), expected);
    let by_day = owner.done("get_cost_breakdown", json!({"group_by": "day"})).await;
    assert_eq!(
        rows(&by_day["items"], &names),
        json!([["2026-01-13", 2, 20, 20.0], ["2026-01-14", 1, 30, 30.0], ["2026-01-15", 1, 50, 50.0]])
    );
    owner.confirmed("delete_agent", json!({"agent": "Bob"})).await;
    let by_agent = owner.done("get_cost_breakdown", json!({"group_by": "agent"})).await;
    let names = ["name", "agent_id", "requests", "cost_microusd", "share_percent"];
    let expected = json!([["Ada", ada, 2, 80, 80.0], [null, bob, 1, 20, 20.0], [null, null, 1, 0, 0.0]]);
    assert_eq!(rows(&by_agent["items"], &names), expected);
}

#[both_databases]
async fn without_cost_there_are_no_shares(db: TestDb) {
    let app = App::new(db).await;
    Log::a(&app).calls([call("01-15T09:00:00", 0)]).await;
    let free = app.owner().done("get_cost_breakdown", json!({})).await;
    assert_eq!((&free["total_microusd"], &free["items"][0]["share_percent"]), (&json!(0), &json!(null)));
}

#[both_databases]
async fn an_execution_costs_what_its_calls_cost(db: TestDb) {
    let app = noisy(db).await;
    let log = Log::a(&app);
    let execution = |n: u128| record_id(0x1000 + n);
    // Two days ago was 2026-01-13T10:00Z, and the middle is 2026-01-14T10:00Z.
    log.runs([
        run("01-13T22:00:00", "01-13T23:59:59.999999", "completed").at(execution(1)),
        run("01-13T22:00:00", "01-14T00:00:00", "cancelled").at(execution(2)),
        run("01-14T09:00:00", "01-14T10:00:00", "completed").at(execution(3)),
        run("01-15T08:00:00", "01-15T09:00:00", "failed").at(execution(4)),
        run("01-15T08:00:00", "01-15T09:30:00", "completed").at(execution(5)),
        run("01-13T08:00:00", "01-13T09:59:59.999999", "completed").at(execution(6)),
    ])
    .await;
    let of = |n: u128, cost: i64| call("01-13T09:00:00", cost).with("execution_id", json!(execution(n)));
    log.calls([
        of(1, 10),
        of(1, 20),
        of(2, 50),
        of(3, 100),
        of(4, 60),
        of(6, 1000),
        call("01-15T09:00:00", 5),
    ])
    .await;
    let two = app.owner().done("get_cost_per_execution", json!({"days": 2})).await;
    // Executions 1 to 4 have calls: 30 + 50 + 100 + 60 = 240, so 60 each. 5 has none, 6 ended too early, and
    // the last call belongs to no execution.
    let names = ["samples", "cost_microusd", "mean_microusd", "without_model_calls"];
    assert_eq!(fields(&two, &names), json!([4, 240, 60, 1]));
    // The day of the middle has 50 in the first half and 100 in the second.
    assert_eq!(
        rows(&two["days"], &["day", "samples", "cost_microusd", "mean_microusd", "without_model_calls"]),
        json!([["2026-01-13", 1, 30, 30, 0], ["2026-01-14", 2, 150, 75, 0], ["2026-01-15", 1, 60, 60, 1]])
    );
    // 30 + 50 for two is 40 each, and 100 + 60 for two is 80 each: twice as much.
    assert_eq!(fields(&two["halves"]["first"], &names), json!([2, 80, 40, 0]));
    assert_eq!(fields(&two["halves"]["second"], &names), json!([2, 160, 80, 1]));
    let expected = json!([100.0, "2026-01-14T10:00:00.000000Z"]);
    assert_eq!(fields(&two["halves"], &["change_percent", "middle"]), expected);
    // In one day only 3 (at the first moment), 4 and 5 ended, all but 3 in the second half: 100 against 60.
    let one = app.owner().done("get_cost_per_execution", json!({"days": 1})).await;
    assert_eq!((&one["samples"], &one["halves"]["change_percent"]), (&json!(2), &json!(-40.0)));
}
