//! How executions ended, and how long they took.

use serde_json::json;
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use super::{Log, agent, fields, noisy, rows, run, running};
use crate::harness::App;

#[both_databases]
async fn the_success_rate_and_its_change(db: TestDb) {
    let app = noisy(db).await;
    let log = Log::a(&app);
    // This week begins at 2026-01-08T10:00Z, with 2 of 3 completed. The week before begins at
    // 2026-01-01T10:00Z, with 1 of 2.
    log.runs([
        run("01-08T09:00:00", "01-08T10:00:00", "completed"),
        run("01-15T09:00:00", "01-15T10:00:00", "completed"),
        run("01-15T09:00:00", "01-15T09:30:00", "failed"),
        run("01-15T09:00:00", "01-15T09:30:00", "cancelled"),
        running("01-15T09:00:00"),
        run("01-08T09:00:00", "01-08T09:59:59.999999", "completed"),
        run("01-01T09:00:00", "01-01T10:00:00", "failed"),
        run("01-01T09:00:00", "01-01T09:59:59.999999", "completed"),
    ])
    .await;
    let week = app.owner().done("get_success_rate", json!({"days": 7})).await;
    let names = ["samples", "completed", "failed", "cancelled", "success_rate"];
    assert_eq!(fields(&week, &names), json!([3, 2, 1, 1, 66.7]));
    assert_eq!(fields(&week["previous"], &names), json!([2, 1, 1, 0, 50.0]));
    let expected = json!(["2026-01-01T10:00:00.000000Z", "2026-01-08T10:00:00.000000Z"]);
    assert_eq!(fields(&week["previous"], &["from", "to"]), expected);
    // 66.67 − 50 percentage points.
    assert_eq!(week["change_points"], json!(16.7));
    // Nothing ended on the day before, so there is nothing to compare with.
    let day = app.owner().done("get_success_rate", json!({"days": 1})).await;
    assert_eq!((fields(&day, &names), &day["change_points"]), (json!([2, 1, 1, 1, 50.0]), &json!(null)));
    assert_eq!(day["previous"]["success_rate"], json!(null));
}

#[both_databases]
async fn median_mean_and_p95_are_of_completed_executions(db: TestDb) {
    let app = App::new(db).await;
    let names = ["samples", "median_seconds", "mean_seconds", "p95_seconds"];
    // 60, 120, 180 and 600 s: the middle two are 120 and 180, the mean is 960 / 4, and 95 % of four are all
    // four. Executions that failed, are running, or ended before the day do not count.
    Log::a(&app)
        .runs([
            run("01-15T08:00:00", "01-15T08:01:00", "completed"),
            run("01-15T08:00:00", "01-15T08:02:00", "completed"),
            run("01-15T08:00:00", "01-15T08:03:00", "completed"),
            run("01-14T09:50:00", "01-14T10:00:00", "completed"),
            run("01-15T06:00:00", "01-15T09:00:00", "failed"),
            running("01-14T00:00:00"),
            run("01-14T09:00:00", "01-14T09:59:59.999999", "completed"),
        ])
        .await;
    let a = app.owner().done("get_completion_time", json!({"days": 1})).await;
    assert_eq!(fields(&a, &names), json!([4, 150.0, 240.0, 600.0]));
    // 1 to 20 s: the median is between 10 and 11, the mean is 210 / 20, and p95 is the 19th of 20.
    let seconds = (1..=20).map(|s| run("01-15T08:00:00", &format!("01-15T08:00:{s:02}"), "completed"));
    Log::b(&app).runs(seconds).await;
    let b = app.as_role_b(Role::Viewer).done("get_completion_time", json!({})).await;
    assert_eq!(fields(&b, &names), json!([20, 10.5, 10.5, 19.0]));
}

#[both_databases]
async fn error_rates_are_by_role(db: TestDb) {
    let app = noisy(db).await;
    let (log, owner) = (Log::a(&app), app.owner());
    // 1 of 10 failed is 10 %, just critical. 1 of 20 is 5 %, just a warning. 1 of 21 is 4.8 %.
    for (name, role, count) in [("Chat", "chatbot", 10), ("Work", "worker", 20), ("Find", "researcher", 21)] {
        let by = agent(&owner, name, role).await;
        let status = |n| if n == 0 { "failed" } else { "completed" };
        log.runs((0..count).map(|n| run("01-15T08:00:00", "01-15T09:00:00", status(n)).by(&by))).await;
    }
    log.runs([
        run("01-15T08:00:00", "01-15T09:00:00", "completed"),
        run("01-15T08:00:00", "01-15T09:00:00", "cancelled"),
    ])
    .await;
    let rates = owner.done("get_error_rates", json!({"days": 1})).await;
    let names = ["role", "samples", "failed", "error_rate", "standing"];
    assert_eq!(
        rows(&rates["items"], &names),
        json!([
            ["chatbot", 10, 1, 10.0, "critical"],
            ["worker", 20, 1, 5.0, "warning"],
            ["researcher", 21, 1, 4.8, "good"],
            [null, 1, 0, 0.0, "good"]
        ])
    );
    // 3 of 52 failed.
    assert_eq!(fields(&rates, &names[1..]), json!([52, 3, 5.8, "warning"]));
}

#[both_databases]
async fn targets_are_met_at_their_bound(db: TestDb) {
    let app = noisy(db).await;
    let log = Log::a(&app);
    // 19 of 20 completed: 95 %. The slowest of the 19 took 120 s, and 95 % of 19 are 18.05, so all 19.
    log.runs((0..18).map(|_| run("01-15T08:00:00", "01-15T08:01:00", "completed"))).await;
    log.runs([
        run("01-15T08:00:00", "01-15T08:02:00", "completed"),
        run("01-15T08:00:00", "01-15T09:00:00", "failed"),
    ])
    .await;
    let owner = app.owner();
    let met = owner.done("get_sla_compliance", json!({})).await;
    assert_eq!(met["compliant"], json!(true));
    assert_eq!(
        fields(&met["success"], &["target_percent", "samples", "completed", "success_rate", "met"]),
        json!([95.0, 20, 19, 95.0, true])
    );
    let names = ["target_seconds", "samples", "within_target", "within_target_percent", "p95_seconds", "met"];
    assert_eq!(fields(&met["duration"], &names), json!([120, 19, 19, 100.0, 120.0, true]));
    // With a target of a second less, 18 of 19 are within it: 94.7 %.
    let slow = owner.done("get_sla_compliance", json!({"target_seconds": 119})).await;
    assert_eq!((&slow["compliant"], &slow["success"]["met"]), (&json!(false), &json!(true)));
    assert_eq!(fields(&slow["duration"], &names), json!([119, 19, 18, 94.7, 120.0, false]));
    let strict = owner.done("get_sla_compliance", json!({"target_success": 95.1, "days": 1})).await;
    assert_has(&strict, json!({"compliant": false, "/success/met": false, "/duration/met": true}));
}

#[both_databases]
async fn failed_executions_alone_miss_the_target(db: TestDb) {
    let app = App::new(db).await;
    Log::a(&app).runs([run("01-15T08:00:00", "01-15T08:01:00", "failed")]).await;
    let owner = app.owner();
    let missed = owner.done("get_sla_compliance", json!({})).await;
    assert_eq!((&missed["compliant"], &missed["duration"]["met"]), (&json!(false), &json!(null)));
    // A success target of 0 is met, but the duration is unknown.
    let unknown = owner.done("get_sla_compliance", json!({"target_success": 0})).await;
    assert_eq!((&unknown["compliant"], &unknown["success"]["met"]), (&json!(null), &json!(true)));
}
