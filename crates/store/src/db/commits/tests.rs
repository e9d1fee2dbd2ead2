//! What shares a commit, and what becomes of the others where one write can't be kept.

use std::time::Duration;

use futures_util::{
    FutureExt,
    future::{BoxFuture, join_all},
    poll,
};
use sqlx::PgConnection;
use toolcrib_model::Ts;
use toolcrib_testkit::TestDb;

use super::*;
use crate::{ActorIds, Db, agents, pg::PgPools, pool::PoolConnection, write_job};

/// Both wait in the same queue.
const HERE: Id = Id::from_u128(1);
const THERE: Id = Id::from_u128(1 + QUEUES as u128);

/// A database of the test's own, and this many connections to it, two thirds of which are for writes.
async fn opened(size: u32) -> (TestDb, PgPools, Commits) {
    let db = toolcrib_testkit::postgres().await;
    let pools = PgPools::open(&db.url().parse().unwrap(), size).await.unwrap();
    let commits = Commits::start(&pools.writes);
    (db, pools, commits)
}

fn event(workspace: Id, id: u128) -> String {
    let id = Id::from_u128(id);
    format!(
        "INSERT INTO events (workspace_id, id, name, kind, data, occurred_at) \
         VALUES ('{workspace}', '{id}', 'test', 'domain', '{{}}', 1);"
    )
}

/// All of them in one group: no connection is free until the last one waits.
async fn grouped(
    pools: &PgPools,
    commits: &Commits,
    writes: Vec<(Id, String)>,
) -> Vec<Result<(), StoreError>> {
    let held =
        [pools.writes.acquire(Id::nil()).await.unwrap(), pools.writes.acquire(Id::nil()).await.unwrap()];
    let mut all = Box::pin(join_all(writes.into_iter().map(|(at, what)| commits.commit(at, what))));
    assert!(poll!(all.as_mut()).is_pending());
    tokio::time::sleep(Duration::from_millis(20)).await;
    held.into_iter().for_each(PoolConnection::release);
    all.await
}

/// Does this to the connection that sleeps, as soon as there is one.
async fn while_asleep(what: &'static str, pools: &PgPools) {
    let sql = format!(
        "SELECT {what}(pid) FROM pg_stat_activity WHERE datname = current_database() \
         AND query LIKE '%pg_sleep(60)%' AND wait_event = 'PgSleep' AND pid <> pg_backend_pid()"
    );
    while sqlx::query(sqlx::AssertSqlSafe(sql.clone())).execute(pools.owner()).await.unwrap().rows_affected()
        == 0
    {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The transactions that wrote these events, where they are.
async fn written_by(pools: &PgPools, ids: &[u128]) -> Vec<Option<String>> {
    const BY: &str = "SELECT xmin::text FROM events WHERE workspace_id = ANY($1) AND id = $2";
    let mut found = Vec::new();
    for id in ids {
        let by = sqlx::query_scalar(BY).bind([HERE, THERE]).bind(Id::from_u128(*id));
        found.push(by.fetch_optional(pools.owner()).await.unwrap());
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_together_is_one_commit_each_in_its_own_workspace() {
    let (_db, pools, commits) = opened(3).await;
    let writes = vec![(HERE, event(HERE, 1)), (THERE, event(THERE, 2)), (HERE, event(HERE, 3))];
    for done in grouped(&pools, &commits, writes).await {
        done.unwrap();
    }
    let by = written_by(&pools, &[1, 2, 3]).await;
    assert!(by[0].is_some() && by[0] == by[1] && by[1] == by[2], "{by:?}");
    // And the next one is another.
    commits.commit(HERE, event(HERE, 4)).await.unwrap();
    assert_ne!(written_by(&pools, &[4]).await[0], by[0]);
    pools.close().await;
}

/// A write that asks nothing else gets to its commit without a transaction of its own.
#[tokio::test(flavor = "multi_thread")]
async fn writes_that_were_told_all_they_ask_share_a_commit() {
    const WORKSPACE: &str =
        "INSERT INTO workspaces (id, name, created_at, updated_at) VALUES ($1, 'w', 1, 1)";
    const BY: &str = "SELECT DISTINCT xmin::text FROM agents WHERE workspace_id = $1";
    let (test, pools, _) = opened(3).await;
    sqlx::query(WORKSPACE).bind(HERE).execute(pools.owner()).await.unwrap();
    let db = Db::open_pg(&test.url(), 3).await.unwrap();
    let Db::Pg(pg) = &db else { panic!("it is PostgreSQL") };
    let add = |name: &'static str| {
        let add = write_job(move |tx, _| async move { agents::insert_late(tx, &agent(name)).await }.boxed());
        let ahead = agents::ahead(name).map(agents::Ahead::only);
        db.write_ahead::<(), StoreError, _>(HERE, ActorIds::default(), ahead, Duration::from_mins(1), add)
    };
    // No read is in their way, and both wait while their queue is busy.
    let reading = pg.pools.reads.acquire(Id::nil()).await.unwrap();
    let busy = pg.commits.commit(HERE, "SELECT pg_sleep(60);".to_owned());
    let both = async {
        // Only waits for it.
        while_asleep("abs", &pools).await;
        let both_wait = async {
            while pg.commits.queue(HERE).capacity() > LONGEST - 2 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            while_asleep("pg_cancel_backend", &pools).await;
        };
        let both_wait = tokio::time::timeout(Duration::from_secs(10), both_wait);
        let (both, waited) = tokio::join!(join_all(vec![add("one"), add("two")]), both_wait);
        waited.expect("both wait for their commit");
        both
    };
    let (cancelled, both) = tokio::join!(busy, both);
    cancelled.unwrap_err();
    for done in both {
        done.unwrap();
    }
    let by: Vec<String> = sqlx::query_scalar(BY).bind(HERE).fetch_all(pools.owner()).await.unwrap();
    assert_eq!(by.len(), 1, "{by:?}");
    drop(reading);
    db.close().await;
    pools.close().await;
}

fn agent(name: &str) -> agents::AgentRow {
    agents::AgentRow {
        id: Id::from_u128(name.bytes().map(u128::from).sum()),
        name: name.into(),
        slug: name.into(),
        role: "coder".into(),
        model: "a-model".into(),
        status: "active".into(),
        description: None,
        system_prompt: None,
        temperature: None,
        tags: "[]".into(),
        version: 1,
        created_by: None,
        created_at: Ts::from_micros(1),
        updated_at: Ts::from_micros(1),
        last_active_at: None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_refused_is_refused_alone() {
    let (_db, pools, commits) = opened(3).await;
    commits.commit(HERE, event(HERE, 1)).await.unwrap();
    let foreign = event(HERE, 4) + &event(THERE, 5);
    let writes = vec![
        (HERE, event(HERE, 2)),
        (HERE, event(HERE, 1)),
        (THERE, event(THERE, 3)),
        (HERE, foreign),
        (THERE, event(THERE, 6)),
    ];
    let done = grouped(&pools, &commits, writes).await;
    assert!(matches!(done[1], Err(StoreError::Duplicate)), "{done:?}");
    assert!(matches!(done[3], Err(StoreError::Statement(_))), "{done:?}");
    assert!([0, 2, 4].iter().all(|at| done[*at].is_ok()), "{done:?}");
    let by = written_by(&pools, &[2, 3, 4, 5, 6]).await;
    assert_eq!(by.iter().map(Option::is_some).collect::<Vec<_>>(), [true, true, false, false, true]);
    pools.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_waits_for_a_row_that_only_another_write_needs() {
    let (_db, pools, commits) = opened(9).await;
    let mut somebody = pools.owner().acquire().await.unwrap();
    let held: &mut PgConnection = &mut somebody;
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!("BEGIN; {}", event(HERE, 1)))).execute(held).await.unwrap();
    let soon = async |done: BoxFuture<'_, Result<(), StoreError>>| {
        tokio::time::timeout(Duration::from_secs(5), done).await.expect("it waits for nothing").unwrap();
    };
    // Whether it came alone or with another, in that workspace or the next.
    let mut waits = commits.commit(HERE, event(HERE, 1)).boxed();
    tokio::time::timeout(Duration::from_millis(100), waits.as_mut()).await.unwrap_err();
    soon(commits.commit(HERE, event(HERE, 2)).boxed()).await;
    let mut also = commits.commit(HERE, event(HERE, 1)).boxed();
    assert!(poll!(also.as_mut()).is_pending());
    soon(commits.commit(THERE, event(THERE, 3)).boxed()).await;
    assert!(poll!(waits.as_mut()).is_pending() && poll!(also.as_mut()).is_pending());
    sqlx::raw_sql("ROLLBACK").execute(&mut *somebody).await.unwrap();
    let both = [waits.await, also.await];
    assert_eq!(both.iter().filter(|done| done.is_ok()).count(), 1, "{both:?}");
    assert!(both.iter().any(|done| matches!(done, Err(StoreError::Duplicate))), "{both:?}");
    drop(somebody);
    pools.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_waits_for_any_more_is_not_done() {
    let (_db, pools, commits) = opened(3).await;
    let left = |id, since| {
        let (reply, answer) = oneshot::channel();
        (Left { workspace: HERE, statements: event(HERE, id), since, reply }, answer)
    };
    let ((old, told), (new, kept)) =
        (left(1, Instant::now().checked_sub(LIMIT).unwrap()), left(2, Instant::now()));
    let tx = begin(&pools.writes, HERE).await.unwrap();
    together(tx, vec![old, new], &pools.writes).await;
    assert!(matches!(told.await.unwrap(), Err(StoreError::NotCommitted(_))));
    kept.await.unwrap().unwrap();
    let by = written_by(&pools, &[1, 2]).await;
    assert!(by[0].is_none() && by[1].is_some(), "{by:?}");
    // And where there is no connection, nothing is begun.
    pools.close().await;
    let refused = commits.commit(HERE, event(HERE, 3)).await;
    assert!(matches!(refused, Err(StoreError::NotCommitted(_))), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_statement_that_the_server_cancels_is_known_not_to_be_kept() {
    let (_db, pools, commits) = opened(3).await;
    let sleeps = event(HERE, 1) + "SELECT pg_sleep(60);";
    let cancel = while_asleep("pg_cancel_backend", &pools);
    let (done, ()) = tokio::join!(commits.commit(HERE, sleeps), cancel);
    assert!(matches!(done, Err(StoreError::NotCommitted(_))), "{done:?}");
    pools.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn when_the_connection_is_lost_nobody_is_told_that_it_was_kept() {
    let (_db, pools, commits) = opened(3).await;
    let writes = vec![(HERE, event(HERE, 1)), (THERE, "SELECT pg_sleep(60);".to_owned())];
    let cut = while_asleep("pg_terminate_backend", &pools);
    let (done, ()) = tokio::join!(grouped(&pools, &commits, writes), cut);
    assert!(done.iter().all(|done| matches!(done, Err(StoreError::Unavailable(_)))), "{done:?}");
    assert_eq!(written_by(&pools, &[1]).await, [None]);
    commits.commit(HERE, event(HERE, 2)).await.unwrap();
    pools.close().await;
}
