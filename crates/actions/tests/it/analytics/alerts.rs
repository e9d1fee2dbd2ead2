//! Predictive alerts.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use super::{Log, agent, call, fields, noisy, rows, run, running};
use crate::harness::App;

async fn alerts(app: &App, min_confidence: i64) -> Value {
    app.owner().done("get_predictive_alerts", json!({"min_confidence": min_confidence})).await
}

const CHECK: [&str; 6] = ["rule", "samples", "value", "threshold", "alerts", "below_min_confidence"];

#[both_databases]
async fn a_jump_of_cost_is_more_than_half_as_much_again(db: TestDb) {
    let app = App::new(db).await;
    let log = Log::a(&app);
    // The week before begins at 2026-01-01T10:00Z and costs 100. This week begins at 2026-01-08T10:00Z and
    // costs 150.
    log.calls([
        call("01-01T10:00:00", 40),
        call("01-08T09:59:59.999999", 60),
        call("01-08T10:00:00", 150),
        call("01-01T09:59:59.999999", 999),
    ])
    .await;
    let even = alerts(&app, 0).await;
    let found = (fields(&even["checks"][0], &CHECK), &even["alerts"]);
    assert_eq!(found, (json!(["cost_jump", 3, 1.5, 1.5, 0, 0]), &json!([])));
    log.calls([call("01-15T10:00:00", 1)]).await;
    // 151 against 100. There are calls on 3 of 14 days, counted back from now (those of 8 January are 7 days
    // ago, or a little more): 70 × 3/14 = 15. The excess over 1.5 times is 2 of 300: 30 × 2/300 = 0.2.
    let over = alerts(&app, 0).await;
    let alert = &over["alerts"][0];
    let expected = json!(["cost_jump", null, 1.51, 15]);
    assert_eq!(fields(alert, &["rule", "agent_id", "value", "confidence"]), expected);
    assert_eq!(
        alert["numbers"],
        json!({"cost_microusd": 151, "cost_before_microusd": 100, "model_calls": 2, "model_calls_before": 2})
    );
    assert_eq!(
        alert["confidence_from"],
        json!({"data_percent": 21.4, "excess_percent": 0.7, "how": "3 of the 14 days have model calls"})
    );
    let hidden = app.owner().done("get_predictive_alerts", json!({})).await;
    let found = (fields(&hidden["checks"][0], &CHECK), &hidden["alerts"]);
    assert_eq!(found, (json!(["cost_jump", 4, 1.51, 1.5, 0, 1]), &json!([])));

    // Calls on all 14 days, three times as expensive: the confidence is 100.
    let days = (1..=14).map(|day| call(&format!("01-{day:02}T12:00:00"), if day < 8 { 100 } else { 300 }));
    Log::b(&app).calls(days).await;
    let sure = app.as_role_b(Role::Viewer).done("get_predictive_alerts", json!({})).await;
    assert_eq!(rows(&sure["alerts"], &["value", "confidence"]), json!([[3.0, 100]]));
}

#[both_databases]
async fn cost_without_an_earlier_period_is_no_jump(db: TestDb) {
    let app = App::new(db).await;
    Log::a(&app).calls([call("01-15T09:00:00", 1000)]).await;
    let none = alerts(&app, 0).await;
    let found = (fields(&none["checks"][0], &CHECK), &none["alerts"]);
    assert_eq!(found, (json!(["cost_jump", 1, null, 1.5, 0, 0]), &json!([])));
}

#[both_databases]
async fn more_than_a_thousand_calls_in_an_hour_look_like_a_loop(db: TestDb) {
    let app = noisy(db).await;
    let (log, owner) = (Log::a(&app), app.owner());
    let (ada, bob) = (agent(&owner, "Ada", "coder").await, agent(&owner, "Bob", "coder").await);
    // 1,000 calls from 08:00 on, and others in the last microsecond before, which belong to another hour.
    log.calls((0..600).map(|_| call("01-15T08:00:00", 0).by(&ada))).await;
    log.calls((0..400).map(|_| call("01-15T08:30:00", 0).by(&bob))).await;
    log.calls((0..500).map(|_| call("01-15T07:59:59.999999", 0).by(&bob))).await;
    let even = alerts(&app, 0).await;
    let found = (fields(&even["checks"][1], &CHECK), &even["alerts"]);
    assert_eq!(found, (json!(["model_call_burst", 1500, 1000.0, 1000.0, 0, 0]), &json!([])));
    log.calls([call("01-15T08:59:59.999999", 0)]).await;
    let over = owner.done("get_predictive_alerts", json!({})).await;
    let alert = &over["alerts"][0];
    // All calls are counted: 70. 1 of 1,000 is above the bound: 0.03.
    let expected = json!(["model_call_burst", ada, "Ada", 1001.0, 70]);
    assert_eq!(fields(alert, &["rule", "agent_id", "agent_name", "value", "confidence"]), expected);
    // 08:00 is 1,768,464,000 seconds after 1970.
    assert_eq!(
        alert["numbers"],
        json!({"model_calls": 1001, "model_calls_of_agent": 600, "hour_unix_seconds": 1_768_464_000})
    );
}

#[both_databases]
async fn an_agent_that_hardly_rests_is_overloaded(db: TestDb) {
    let app = noisy(db).await;
    let (log, owner) = (Log::a(&app), app.owner());
    let (ada, bob) = (agent(&owner, "Ada", "coder").await, agent(&owner, "Bob", "coder").await);
    // The 24 hours begin at 10:00 of the 14th. One execution ends at 02:00, the other at 06:24, and the time
    // that they share counts once: 20 h 24 min, which is 85 % and not above the bound.
    log.runs([
        run("01-14T08:00:00", "01-15T02:00:00", "completed").by(&ada),
        run("01-15T00:00:00", "01-15T06:24:00", "failed").by(&ada),
    ])
    .await;
    let even = alerts(&app, 0).await;
    let found = (fields(&even["checks"][2], &CHECK), &even["alerts"]);
    assert_eq!(found, (json!(["busy_agent", 2, 85.0, 85.0, 0, 0]), &json!([])));
    log.runs([
        run("01-15T06:30:00", "01-15T06:30:01", "completed").by(&ada),
        running("01-14T07:00:00").by(&bob),
    ])
    .await;
    let over = owner.done("get_predictive_alerts", json!({})).await;
    // Ada: all executions ended, 70, and the excess is a second. Bob's has no end, so half of 70, and he is
    // busy all the time: 30.
    let names = ["agent_name", "value", "confidence"];
    assert_eq!(rows(&over["alerts"], &names), json!([["Ada", 85.0, 70], ["Bob", 100.0, 65]]));
    let expected = json!({"busy_seconds": 73_441, "of_seconds": 86_400, "executions": 3});
    assert_has(&over["alerts"], json!({"/0/numbers": expected, "/0/agent_id": ada}));
    assert_has(&over["alerts"], json!({"/1/confidence_from/data_percent": 50.0}));
    let surer = alerts(&app, 66).await;
    assert_eq!(
        (rows(&surer["alerts"], &names[..1]), fields(&surer["checks"][2], &CHECK[4..])),
        (json!([["Ada"]]), json!([1, 1]))
    );
}
