//! Gate 9.

use std::sync::Arc;

use serde_json::json;
use toolcrib_engine::{
    limits::{LocalLimiter, RedisLimiter, redis::Time},
    shared::Shared,
};
use toolcrib_testkit::{App, both_databases, change_workspace, outside::Redis, sqlite};

use crate::things::{app, catalog};

/// What spends nothing of a shared bucket is told whether it may without one.
#[tokio::test(flavor = "multi_thread")]
async fn without_redis_what_changes_is_refused_and_what_reads_runs() {
    let mut server = Redis::start().await;
    let shared = Shared::connect(&server.url().into()).await.unwrap();
    let app = App::with_limiter(sqlite().await, catalog(), |clock| {
        let alone = Arc::new(LocalLimiter::new(clock.clone()));
        Arc::new(RedisLimiter::new(shared, Time::Passed(clock), alone))
    });
    let app = app.await;
    app.owner().done("create_thing", json!({"name": "x"})).await;
    server.stop();
    assert_eq!(app.owner().refused("create_thing", json!({"name": "y"})).await, "limiter_unavailable");
    app.owner().done("get_thing", json!({"name": "x"})).await;
    assert_eq!(app.owner().refused("get_thing", json!({"name": "y"})).await, "not_found", "it had no effect");
}

both_databases! {
    async fn of_200_parallel_writes_exactly_10_are_admitted(db: TestDb) {
        let app = Arc::new(app(db).await);
        change_workspace(&app.db, app.a.workspace, |row| row.write_per_minute = 10).await;
        let calls = (0..200).map(|n| {
            let app = app.clone();
            tokio::spawn(async move { app.owner().call("create_thing", json!({"name": format!("t{n}")})).await.status() })
        });
        let mut statuses = Vec::new();
        for call in calls.collect::<Vec<_>>() {
            statuses.push(call.await.unwrap());
        }
        let of = |wanted: u16| statuses.iter().filter(|status| **status == wanted).count();
        assert_eq!((of(200), of(429)), (10, 190));
        let problem = app.owner().problem("create_thing", json!({"name": "late"})).await;
        let wait = problem.retry_after.unwrap();
        app.clock.advance(i64::try_from(wait).unwrap());
        app.owner().done("create_thing", json!({"name": "late"})).await;
        assert_eq!(app.owner().refused("create_thing", json!({"name": "later"})).await, "rate_limited");
    }

    async fn a_call_that_would_not_run_spends_nothing(db: TestDb) {
        let app = app(db).await;
        change_workspace(&app.db, app.a.workspace, |row| row.write_per_minute = 1).await;
        for _ in 0..5 {
            app.owner().refused("create_thing", json!({})).await;
            app.as_role(toolcrib_model::Role::Viewer).refused("create_thing", json!({"name": "x"})).await;
            app.owner().asked("create_thing", json!({"name": "asked", "dangerous": true})).await;
        }
        app.owner().done("create_thing", json!({"name": "x"})).await;
        assert_eq!(app.owner().refused("create_thing", json!({"name": "y"})).await, "rate_limited");
        assert_eq!(app.owner().refused("get_thing", json!({"name": "y"})).await, "not_found", "reads have their own");
    }

    async fn workspaces_do_not_share_a_bucket(db: TestDb) {
        let app = app(db).await;
        change_workspace(&app.db, app.a.workspace, |row| row.write_per_minute = 1).await;
        app.owner().done("create_thing", json!({"name": "x"})).await;
        app.owner().refused("create_thing", json!({"name": "y"})).await;
        app.as_role_b(toolcrib_model::Role::Owner).done("create_thing", json!({"name": "y"})).await;
    }

    async fn refusals_have_a_bucket_of_their_own(db: TestDb) {
        let app = app(db).await;
        for _ in 0..600 {
            assert_eq!(app.owner().refused("create_thing", json!({})).await, "invalid_arguments");
        }
        for _ in 0..20 {
            assert_eq!(app.owner().refused("create_thing", json!({})).await, "rate_limited");
        }
        let mut tx = app.db.read(app.a.workspace).await.unwrap();
        let filter = toolcrib_store::audit::Filter { reason: Some("refusals".into()), ..Default::default() };
        let rows = toolcrib_store::audit::list(&mut tx, &filter, toolcrib_model::Cursor::START, 100).await.unwrap();
        assert_eq!(rows.len(), 1, "one row a minute stands for the flood");
        app.owner().done("create_thing", json!({"name": "x"})).await;
    }
}
