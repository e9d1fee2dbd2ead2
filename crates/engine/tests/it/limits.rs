//! Gate 9.

use std::sync::Arc;

use serde_json::json;
use toolcrib_engine::{
    limits::{LocalLimiter, RedisLimiter, redis::Time},
    redis::RedisConnection,
};
use toolcrib_testkit::{App, TestDb, both_databases, change_workspace, outside::Redis, sqlite};

use crate::{
    people,
    things::{app, catalog},
};

/// Without Redis, this process counts reads by itself, and refuses every call that changes something.
#[tokio::test(flavor = "multi_thread")]
async fn without_redis_writes_are_refused_and_reads_run() {
    let mut server = Redis::start().await;
    let shared = RedisConnection::connect(&server.url().into()).await.unwrap();
    let app = App::with_limiter(sqlite().await, catalog(), |clock| {
        let alone = Arc::new(LocalLimiter::new(clock.clone()));
        Arc::new(RedisLimiter::new(shared, Time::FromClock(clock), alone))
    });
    let app = app.await;
    app.owner().done("create_thing", json!({"name": "x"})).await;
    server.stop();
    assert_eq!(app.owner().refused("create_thing", json!({"name": "y"})).await, "limiter_unavailable");
    app.owner().done("get_thing", json!({"name": "x"})).await;
    assert_eq!(app.owner().refused("get_thing", json!({"name": "y"})).await, "not_found", "it had no effect");
}

#[both_databases]
async fn of_200_parallel_writes_exactly_10_are_admitted(db: TestDb) {
    let app = Arc::new(app(db).await);
    change_workspace(&app.db, app.a.workspace, |row| row.settings.write_per_minute = 10).await;
    let calls = (0..200).map(|n| {
        let app = app.clone();
        tokio::spawn(async move {
            app.owner().call("create_thing", json!({"name": format!("t{n}")})).await.status()
        })
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

#[both_databases]
async fn a_person_has_a_share_of_the_writes_while_another_is_active(db: TestDb) {
    let app = app(db).await;
    change_workspace(&app.db, app.a.workspace, |row| row.settings.write_per_minute = 10).await;
    let (one, other) = (app.as_role(toolcrib_model::Role::Admin), app.owner());
    let writes = async |person: &toolcrib_testkit::Person<'_>, most: usize| {
        let mut done = 0;
        while done < most
            && person.call("create_thing", json!({"name": app.engine.new_id()})).await.status() == 200
        {
            done += 1;
        }
        done
    };
    // A person who is the only active one may use the whole limit.
    assert_eq!(writes(&one, 20).await, 10);
    app.clock.advance(60);
    // A read makes a person active. A call of an unknown action does not.
    other.refused("no_such", json!({})).await;
    assert_eq!(writes(&one, 1).await, 1);
    app.clock.advance(60);
    other.refused("get_thing", json!({"name": "none"})).await;
    assert_eq!(writes(&one, 20).await, 6);
    let answer = one.call("create_thing", json!({"name": "late"})).await;
    let limit = answer.limit.unwrap();
    assert_eq!((limit.limit, limit.remaining), (6, 0), "the tighter of the two is told");
    let check = async |person: &toolcrib_testkit::Person<'_>| {
        person.check("create_thing", json!({"name": "late"})).await.limit_remaining
    };
    assert_eq!((check(&one).await, check(&other).await), (Some(0), Some(4)), "by checks too");
    let problem = one.problem("create_thing", json!({"name": "late"})).await;
    assert!(problem.detail.contains("your share"), "{problem:?}");
    assert_eq!(problem.retry_after, Some(10));
    // A key that acts for this person counts as this person.
    let key = app.as_identity(people::service(&app, &["act_as", "*:*"], Some(app.a.admin)).await);
    assert_eq!(key.refused("create_thing", json!({"name": "by key"})).await, "rate_limited");
    assert_eq!(writes(&other, 20).await, 4);
    app.clock.advance(10);
    assert_eq!(writes(&one, 20).await, 1);
    // The share is a setting of the workspace.
    app.clock.advance(120);
    change_workspace(&app.db, app.a.workspace, |row| row.settings.write_share_percent = 100).await;
    other.refused("get_thing", json!({"name": "none"})).await;
    assert_eq!(writes(&one, 20).await, 10);
}

#[both_databases]
async fn a_call_that_would_not_run_spends_nothing(db: TestDb) {
    let app = app(db).await;
    change_workspace(&app.db, app.a.workspace, |row| row.settings.write_per_minute = 1).await;
    for _ in 0..5 {
        app.owner().refused("create_thing", json!({})).await;
        app.as_role(toolcrib_model::Role::Viewer).refused("create_thing", json!({"name": "x"})).await;
        app.owner().pending("create_thing", json!({"name": "asked", "dangerous": true})).await;
    }
    app.owner().done("create_thing", json!({"name": "x"})).await;
    assert_eq!(app.owner().refused("create_thing", json!({"name": "y"})).await, "rate_limited");
    assert_eq!(
        app.owner().refused("get_thing", json!({"name": "y"})).await,
        "not_found",
        "reads have their own"
    );
}

#[both_databases]
async fn workspaces_do_not_share_a_bucket(db: TestDb) {
    let app = app(db).await;
    change_workspace(&app.db, app.a.workspace, |row| row.settings.write_per_minute = 1).await;
    app.owner().done("create_thing", json!({"name": "x"})).await;
    app.owner().refused("create_thing", json!({"name": "y"})).await;
    app.as_role_b(toolcrib_model::Role::Owner).done("create_thing", json!({"name": "y"})).await;
}

#[both_databases]
async fn refusals_have_a_bucket_of_their_own(db: TestDb) {
    let app = app(db).await;
    for _ in 0..600 {
        assert_eq!(app.owner().refused("create_thing", json!({})).await, "invalid_arguments");
    }
    for _ in 0..20 {
        assert_eq!(app.owner().refused("create_thing", json!({})).await, "rate_limited");
    }
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let filter = toolcrib_store::audit::AuditFilter { reason: Some("refusals".into()), ..Default::default() };
    let rows =
        toolcrib_store::audit::list(&mut tx, &filter, toolcrib_model::Cursor::START, 100).await.unwrap();
    assert_eq!(rows.len(), 1, "one row a minute stands for the flood");
    app.owner().done("create_thing", json!({"name": "x"})).await;
}

/// On SQLite, the gates of a call after a refused one run on a reader before the call waits for the writer.
#[both_databases]
async fn a_call_after_a_refused_one_is_counted_once(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    let first = owner.call("create_thing", json!({"name": "first"})).await.limit.unwrap().remaining;
    assert_eq!(owner.call("create_thing", json!({"no": "name"})).await.status(), 422);
    for n in 1..=2 {
        let answer = owner.call("create_thing", json!({"name": format!("t{n}")})).await;
        assert_eq!((answer.status(), answer.limit.unwrap().remaining), (200, first - n));
    }
}
