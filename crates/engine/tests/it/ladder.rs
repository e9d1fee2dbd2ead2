//! A call that breaks two gates gets the answer of the earlier one. One test for each pair of neighbours.

use serde_json::{Value, json};
use toolcrib_engine::{Arguments, Outcome};
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{App, Person, TestDb, both_databases, change_workspace, user_identity};

use crate::things::app;

/// The code of a refusal, or what the call is otherwise.
async fn answer(person: &Person<'_>, action: &str, arguments: Value) -> String {
    match person.call(action, arguments).await.outcome {
        Outcome::Refused(problem) => problem.code.as_str().to_owned(),
        Outcome::Waiting(_) => "waits".to_owned(),
        Outcome::Completed(_) | Outcome::ToRun(_) => "runs".to_owned(),
    }
}

fn stranger(app: &App) -> Person<'_> {
    app.as_identity(user_identity(app.a.workspace, app.b.owner))
}

/// The owner, with a mission that the workspace does not have.
fn on_no_mission(app: &App) -> Person<'_> {
    let mut authenticated = app.owner().authenticated;
    authenticated.requested.mission = Some(Id::from_u128(77).to_string());
    app.as_identity(authenticated)
}

/// Leaves the workspace no write. The limit is spent by a write that runs.
async fn use_up_the_limit(app: &App) {
    change_workspace(&app.db, app.a.workspace, |row| row.settings.write_per_minute = 1).await;
    app.owner().done("insert_thing", json!({"name": "spends the limit"})).await;
    assert_eq!(answer(&app.owner(), "create_thing", json!({"name": "y"})).await, "rate_limited");
}

#[both_databases]
async fn gate_2_before_3(db: TestDb) {
    let app = app(db).await;
    let malformed = stranger(&app).call_raw("get_thing", Arguments::Text("[]".into())).await;
    assert_eq!(malformed.status(), 400);
    assert_eq!(answer(&stranger(&app), "get_thing", json!({})).await, "permission_denied");
}

#[both_databases]
async fn gate_3_before_4(db: TestDb) {
    let app = app(db).await;
    for action in ["no_such_thing", "execute"] {
        assert_eq!(answer(&stranger(&app), action, json!({})).await, "permission_denied", "{action}");
        // A mission belongs to the caller.
        assert_eq!(answer(&on_no_mission(&app), action, json!({})).await, "not_found", "{action}");
    }
    assert_eq!(answer(&app.owner(), "no_such_thing", json!({})).await, "unknown_action");
}

#[both_databases]
async fn gate_4_before_5(db: TestDb) {
    let app = app(db).await;
    let viewer = app.as_role(Role::Viewer).as_model("m");
    // The name can only mean an action that the viewer may not call.
    assert_eq!(answer(&viewer, "create_thign", json!({"name": "x"})).await, "unknown_action");
    assert_eq!(answer(&viewer, "create_thing", json!({"name": "x"})).await, "permission_denied");
}

#[both_databases]
async fn gate_5_before_6(db: TestDb) {
    let app = app(db).await;
    let viewer = app.as_role(Role::Viewer);
    for (action, arguments) in [
        ("create_thing", json!({"name": 7})),
        ("picky_thing", json!({"name": "missing"})),
        ("guarded_thing", json!({"name": "x", "dangerous": true})),
    ] {
        assert_eq!(answer(&viewer, action, arguments).await, "permission_denied", "{action}");
    }
    assert_eq!(answer(&app.owner(), "create_thing", json!({"name": 7})).await, "invalid_arguments");
}

#[both_databases]
async fn gate_6_before_7_validates_and_after_it_resolves(db: TestDb) {
    let app = app(db).await;
    let keyed = app.owner().with_key("k");
    keyed.done("picky_thing", json!({"name": "x"})).await;
    assert_eq!(answer(&keyed, "picky_thing", json!({"name": 7})).await, "invalid_arguments");
    assert_eq!(answer(&keyed, "picky_thing", json!({"name": "missing"})).await, "idempotency_mismatch");
    assert_eq!(answer(&app.owner(), "picky_thing", json!({"name": "missing"})).await, "not_found");
    // The schema comes before the permissions of parameters.
    let both = json!({"name": 7, "dangerous": true});
    assert_eq!(answer(&app.as_role(Role::Editor), "guarded_thing", both).await, "invalid_arguments");
}

#[both_databases]
async fn gates_6_and_7_before_8(db: TestDb) {
    let app = app(db).await;
    let keyed = app.owner().with_key("k");
    keyed.done("create_thing", json!({"name": "x"})).await;
    let asks = json!({"name": "y", "dangerous": true});
    assert_eq!(answer(&keyed, "create_thing", asks.clone()).await, "idempotency_mismatch");
    assert_eq!(answer(&app.owner(), "create_thing", asks).await, "waits");
    assert_eq!(answer(&app.owner(), "delete_thing", json!({"name": "no"})).await, "not_found");
    assert_eq!(answer(&app.owner(), "delete_thing", json!({"name": "x"})).await, "waits");
}

#[both_databases]
async fn gates_6_and_7_before_9(db: TestDb) {
    let app = app(db).await;
    let keyed = app.owner().with_key("k");
    keyed.done("create_thing", json!({"name": "x"})).await;
    app.clock.advance(60);
    use_up_the_limit(&app).await;
    assert!(keyed.call("create_thing", json!({"name": "x"})).await.replayed);
    assert_eq!(answer(&keyed, "create_thing", json!({"name": "y"})).await, "idempotency_mismatch");
    assert_eq!(answer(&app.owner(), "picky_thing", json!({"name": "missing"})).await, "not_found");
}

#[both_databases]
async fn gate_8_before_9(db: TestDb) {
    let app = app(db).await;
    app.owner().done("create_thing", json!({"name": "x"})).await;
    let id = app.owner().pending("delete_thing", json!({"name": "x"})).await;
    app.clock.advance(60);
    use_up_the_limit(&app).await;
    let asks = json!({"name": "y", "dangerous": true});
    assert_eq!(answer(&app.owner(), "create_thing", asks).await, "waits");
    // An approval is as well void before it is over the limit.
    assert_eq!(app.owner().approve(id).await.unwrap_err().code.as_str(), "rate_limited");
    let sql = "UPDATE agents SET version = version + 1 WHERE name = 'x'";
    app.db.raw_sql(sql).await;
    assert_eq!(app.owner().approve(id).await.unwrap_err().code.as_str(), "void");
}

#[both_databases]
async fn gate_9_before_10(db: TestDb) {
    let app = app(db).await;
    use_up_the_limit(&app).await;
    assert_eq!(answer(&app.owner(), "half_thing", json!({"name": "x"})).await, "rate_limited");
    app.clock.advance(60);
    assert_eq!(answer(&app.owner(), "half_thing", json!({"name": "x"})).await, "conflict");
}
