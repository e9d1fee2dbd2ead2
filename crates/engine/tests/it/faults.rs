//! What the gates do if something that they depend on fails.

use serde_json::json;
use toolcrib_testkit::{TestDb, both_databases, eventually, postgres, sqlite};

use crate::{people::rows, things::app};

#[both_databases]
async fn no_effect_without_an_audit_row(db: TestDb) {
    let app = app(db).await;
    app.owner().done("create_thing", json!({"name": "before"})).await;
    app.db.raw_sql("ALTER TABLE action_log RENAME TO action_log_gone").await;
    assert_eq!(app.owner().refused("create_thing", json!({"name": "x"})).await, "audit_unavailable");
    assert_eq!(app.owner().refused("get_thing", json!({"name": "before"})).await, "audit_unavailable");
    assert_eq!(app.owner().refused("create_thing", json!({})).await, "audit_unavailable");
    app.db.raw_sql("ALTER TABLE action_log_gone RENAME TO action_log").await;
    assert_eq!(app.owner().refused("get_thing", json!({"name": "x"})).await, "not_found", "it had no effect");
    app.owner().done("create_thing", json!({"name": "x"})).await;
}

#[both_databases]
async fn rights_that_cannot_be_read_are_no_rights(db: TestDb) {
    let app = app(db).await;
    app.db.raw_sql("ALTER TABLE members RENAME TO members_gone").await;
    assert_eq!(app.owner().refused("create_thing", json!({"name": "x"})).await, "authorization_unavailable");
    assert_eq!(app.owner().refused("get_thing", json!({"name": "x"})).await, "authorization_unavailable");
    app.db.raw_sql("ALTER TABLE members_gone RENAME TO members").await;
    app.owner().done("create_thing", json!({"name": "x"})).await;
}

#[both_databases]
async fn a_caller_who_goes_away_changes_nothing(db: TestDb) {
    let app = app(db).await;
    for n in 0..20_u64 {
        let owner = app.owner();
        let call = owner.call("create_thing", json!({"name": format!("t{n}")}));
        // The future is dropped a little later in each round: the call completes, or it never began.
        let _ = tokio::time::timeout(std::time::Duration::from_micros(n * 150), call).await;
    }
    let things = eventually("each thing has its row", async || {
        let mut tx = app.db.read(app.a.workspace).await.unwrap();
        let things = toolcrib_store::agents::names(&mut tx).await.unwrap().len();
        let filter = toolcrib_store::audit::AuditFilter {
            action: Some("platform_create_thing".into()),
            ..Default::default()
        };
        let rows =
            toolcrib_store::audit::list(&mut tx, &filter, toolcrib_model::Cursor::START, 100).await.unwrap();
        tx.end().await.unwrap();
        let rows = rows.len();
        if things == rows && things > 0 { Ok(things) } else { Err(format!("{things} things, {rows} rows")) }
    });
    assert!(things.await <= 20);
}

/// On SQLite alone, where a trigger needs no function.
#[tokio::test(flavor = "multi_thread")]
async fn an_error_while_storing_the_response_is_no_timeout() {
    let app = app(sqlite().await).await;
    let forgetful =
        "CREATE TRIGGER forgetful BEFORE INSERT ON idempotency BEGIN SELECT RAISE(ABORT, 'forgotten'); END";
    app.db.raw_sql(forgetful).await;
    let problem = app.owner().with_key("k").problem("create_thing", json!({"name": "x"})).await;
    assert_eq!(problem.code.as_str(), "internal");
    let rows = rows(&app, "call", None).await;
    assert_eq!((rows.len(), Some(rows[0].id)), (1, problem.call_id));
    let told = (rows[0].outcome.as_str(), rows[0].reason.as_deref(), rows[0].error_code.as_deref());
    assert_eq!(told, ("failed", Some("failed"), Some("internal")));
    assert_eq!(app.owner().refused("get_thing", json!({"name": "x"})).await, "not_found");
}

/// PostgreSQL terminates the connection in the middle of each commit that inserts an agent.
const LOST_AT_COMMIT: &str = "
    CREATE FUNCTION lose_connection() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
        BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); RETURN NULL; END $$;
    CREATE CONSTRAINT TRIGGER lost AFTER INSERT ON agents DEFERRABLE INITIALLY DEFERRED
        FOR EACH ROW EXECUTE FUNCTION lose_connection();";

/// On PostgreSQL alone: SQLite commits in this process, so its result can't be lost.
#[tokio::test(flavor = "multi_thread")]
async fn a_commit_without_an_answer_is_not_called_undone() {
    let app = app(postgres().await).await;
    app.db.raw_sql(LOST_AT_COMMIT).await;
    let error = app.owner().problem("create_thing", json!({"name": "x"})).await;
    assert_eq!(error.code.as_str(), "outcome_unknown");
    assert!(!error.code.retryable() && !error.detail.contains("nothing"), "{}", error.detail);
    assert!(error.hint.is_some_and(|hint| hint.contains("same `Idempotency-Key`")));
    app.db.raw_sql("DROP TRIGGER lost ON agents").await;
    app.owner().done("create_thing", json!({"name": "x"})).await;
}
