//! Load over time: the queue in each hour, and the hours of the day.

use serde_json::{Value, json};
use toolcrib_model::{Role, Ts};
use toolcrib_testkit::{TestDb, both_databases};

use super::{Log, call, fields, noisy, rows, run};
use crate::harness::{App, record_id};

/// The hours of the day that have a load.
fn busy(data: &Value) -> Value {
    let hours = data["hours"].as_array().unwrap();
    assert_eq!(hours.len(), 24);
    let busy = hours.iter().filter(|hour| hour["load"] != 0);
    busy.map(|hour| fields(hour, &["hour", "model_calls", "executions", "level"])).collect()
}

#[both_databases]
async fn the_queue_of_earlier_hours_follows_from_the_rows(db: TestDb) {
    let app = noisy(db).await;
    let owner = app.owner();
    let wish = json!({"name": "P", "description": "d", "steps": [{"prompt": "p"}]});
    let made = owner.done("create_playbook", wish).await;
    assert!(made["id"].is_string());
    let mut asked = Vec::new();
    for at in ["2026-01-14T20:30:00Z", "2026-01-15T08:15:00Z", "2026-01-15T09:00:00Z"] {
        app.clock.set(at.parse::<Ts>().unwrap());
        asked.push(owner.done("execute_playbook", json!({"playbook": "P"})).await["id"].clone());
    }
    app.clock.set("2026-01-15T10:20:00Z".parse::<Ts>().unwrap());
    let first = asked[0].clone();
    let event = |n, at, event| json!({"id": record_id(n), "at": at, "execution_id": first, "event": event});
    Log::a(&app)
        .report(
            "executions",
            vec![event(1, "2026-01-14T22:00:00Z", "started"), event(2, "2026-01-14T23:30:00Z", "finished")],
        )
        .await;
    let depth = owner.done("get_queue_depth", json!({})).await;
    assert_eq!(fields(&depth, &["queued", "running"]), json!([2, 0]));
    // Since 08:15, two hours and five minutes ago.
    assert_eq!(
        depth["oldest_waiting"],
        json!({"execution_id": asked[1], "playbook_name": "P",
        "since": "2026-01-15T08:15:00.000000Z", "waiting_seconds": 7500})
    );
    // The first execution was requested at 20:30, so 21:00 is the first full hour with data, and 10:00 is the
    // 14th and last. At 21:00 the first execution waits. It runs from 22:00 until 23:30. At 09:00, when the
    // third is requested, and at 10:00, two wait.
    let hours = depth["trend"]["hours"].as_array().unwrap();
    assert_eq!((&depth["trend"]["samples"], hours.len()), (&json!(14), 14));
    let found = (&hours[0]["at"], &hours[13]["at"]);
    assert_eq!(found, (&json!("2026-01-14T21:00:00.000000Z"), &json!("2026-01-15T10:00:00.000000Z")));
    let depths = rows(&depth["trend"]["hours"], &["queued", "running"]);
    let mut expected = vec![json!([0, 0]); 14];
    (expected[0], expected[1], expected[2], expected[12], expected[13]) =
        (json!([1, 0]), json!([0, 1]), json!([0, 1]), json!([2, 0]), json!([2, 0]));
    assert_eq!(depths, json!(expected));
    // 1 in the first seven hours, 4 in the last seven.
    assert_eq!(depth["trend"]["direction"], json!("rising"));
}

#[both_databases]
async fn the_queue_depth_covers_at_most_24_hours(db: TestDb) {
    let app = App::new(db).await;
    Log::b(&app)
        .runs([
            run("01-10T00:00:00", "01-15T05:00:00", "completed"),
            run("01-14T10:30:00", "01-14T10:45:00", "completed"),
        ])
        .await;
    let depth = app.as_role_b(Role::Viewer).done("get_queue_depth", json!({})).await;
    let hours = depth["trend"]["hours"].as_array().unwrap();
    // From 11:00 of yesterday until now, 10:00. The long execution ran until 05:00, so it is in 18 of the
    // hours. The short one is in none.
    assert_eq!((hours.len(), &hours[0]["at"]), (24, &json!("2026-01-14T11:00:00.000000Z")));
    let running: Vec<_> = hours.iter().map(|hour| hour["running"].as_i64().unwrap()).collect();
    assert_eq!(running, [[1; 18].as_slice(), [0; 6].as_slice()].concat());
    assert_eq!(depth["trend"]["direction"], json!("level"));
}

#[both_databases]
async fn hours_of_the_day_are_those_of_the_time_zone(db: TestDb) {
    let app = noisy(db).await;
    let log = Log::a(&app);
    let calls = |when: &'static str, count: usize| (0..count).map(move |_| call(when, 1));
    log.calls(calls("01-15T08:05:00", 2).chain(calls("01-15T08:40:00", 1)).chain(calls("01-15T09:30:00", 3)))
        .await;
    log.calls(
        calls("01-14T22:45:00", 2).chain(calls("01-14T10:00:00", 1)).chain(calls("01-14T09:59:59.999999", 9)),
    )
    .await;
    log.runs([run("01-15T08:50:00", "01-15T09:00:00", "completed")]).await;
    let owner = app.owner();
    let utc = owner.done("get_peak_hours", json!({"days": 1})).await;
    // The hour with the most load is 8, with 4. 3 are exactly 75 %, which is no peak; 2 are half, and 1 is a
    // quarter. The nine calls are too early.
    let expected = json!([[8, 3, 1, "peak"], [9, 3, 0, "medium"], [10, 1, 0, "low"], [22, 2, 0, "medium"]]);
    assert_eq!(busy(&utc), expected);
    assert_eq!(fields(&utc, &["samples", "timezone", "peak_hours"]), json!([10, "UTC", [8]]));
    let expected = json!({"hour": 3, "model_calls": 0, "executions": 0, "load": 0, "level": "low"});
    assert_eq!(utc["hours"][3], expected);
    // Five and a half hours later, 08:05 is 13:35, 08:40 and 08:50 are 14:10 and 14:20, 09:30 is 15:00, 22:45
    // is 04:15, and 10:00 is 15:30. The hour 15 has 3 + 1 = 4.
    let kolkata = owner.done("get_peak_hours", json!({"days": 1, "timezone": "Asia/Kolkata"})).await;
    assert_eq!(
        busy(&kolkata),
        json!([[4, 2, 0, "medium"], [13, 2, 0, "medium"], [14, 1, 1, "medium"], [15, 4, 0, "peak"]])
    );
    let problem = owner.problem("get_peak_hours", json!({"timezone": "Mars/Base"})).await;
    let found = (problem.code.as_str(), problem.errors[0].pointer.as_str());
    assert_eq!(found, ("invalid_arguments", "/timezone"));
}
