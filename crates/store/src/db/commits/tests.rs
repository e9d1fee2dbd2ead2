//! What shares a commit, and what becomes of the others where one write can't be kept.

use std::time::Duration;

use futures_util::{FutureExt, future::join_all, poll};
use sqlx::PgConnection;
use toolcrib_model::Ts;
use toolcrib_testkit::TestDb;

use super::*;
use crate::{Db, Who, agents, job, lender::Lent, pg::PgPools};

/// Both wait in the same queue.
const HERE: Id = Id::from_u128(1);
const THERE: Id = Id::from_u128(1 + QUEUES as u128);

/// A database of the test's own, and one connection for its writes.
async fn opened() -> (TestDb, PgPools, Commits) {
    let db = toolcrib_testkit::postgres().await;
    let pools = PgPools::open(&db.url().parse().unwrap(), 3).await.unwrap();
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
    let held = [pools.writes.lend().await.unwrap(), pools.writes.lend().await.unwrap()];
    let mut all = Box::pin(join_all(writes.into_iter().map(|(at, what)| commits.commit(at, what))));
    assert!(poll!(all.as_mut()).is_pending());
    tokio::time::sleep(Duration::from_millis(20)).await;
    held.into_iter().for_each(Lent::give_back);
    all.await
}

/// The transactions that wrote these events, where they are.
async fn written_by(pools: &PgPools, ids: &[u128]) -> Vec<Option<String>> {
    const BY: &str = "SELECT xmin::text FROM events WHERE workspace_id = ANY($1) AND id = $2";
    let mut found = Vec::new();
    for id in ids {
        let by = sqlx::query_scalar(BY).bind([HERE, THERE]).bind(Id::from_u128(*id));
        found.push(by.fetch_optional(&pools.owner).await.unwrap());
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_together_is_one_commit_each_in_its_own_workspace() {
    let (_db, pools, commits) = opened().await;
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
    let (test, pools, _) = opened().await;
    sqlx::query(WORKSPACE).bind(HERE).execute(&pools.owner).await.unwrap();
    let db = Db::open_pg(&test.url(), 3).await.unwrap();
    let writes = &db.pg().unwrap().writes;
    let held = [writes.lend().await.unwrap(), writes.lend().await.unwrap()];
    let add = |name: &'static str| {
        let add = job(move |tx, _| async move { agents::insert_late(tx, &agent(name)).await }.boxed());
        let ahead = agents::ahead(name).map(agents::Ahead::only);
        db.write_ahead::<(), StoreError, _>(HERE, Who::default(), ahead, Duration::from_mins(1), add)
    };
    let mut both = Box::pin(join_all([add("one"), add("two")]));
    tokio::time::timeout(Duration::from_millis(500), both.as_mut()).await.unwrap_err();
    held.into_iter().for_each(Lent::give_back);
    for done in both.await {
        done.unwrap();
    }
    let by: Vec<String> = sqlx::query_scalar(BY).bind(HERE).fetch_all(&pools.owner).await.unwrap();
    assert_eq!(by.len(), 1, "{by:?}");
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
    let (_db, pools, commits) = opened().await;
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
    let (_db, pools, commits) = opened().await;
    let mut somebody = pools.owner.acquire().await.unwrap();
    let held: &mut PgConnection = &mut somebody;
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!("BEGIN; {}", event(HERE, 1)))).execute(held).await.unwrap();
    let lent = [pools.writes.lend().await.unwrap(), pools.writes.lend().await.unwrap()];
    let mut waits = Box::pin(commits.commit(HERE, event(HERE, 1)));
    let mut other = Box::pin(commits.commit(THERE, event(THERE, 2)));
    assert!(poll!(waits.as_mut()).is_pending() && poll!(other.as_mut()).is_pending());
    lent.into_iter().for_each(Lent::give_back);
    other.await.unwrap();
    // The queue is free as well, also for that workspace.
    commits.commit(HERE, event(HERE, 3)).await.unwrap();
    assert!(poll!(waits.as_mut()).is_pending());
    sqlx::raw_sql("ROLLBACK").execute(&mut *somebody).await.unwrap();
    waits.await.unwrap();
    drop(somebody);
    pools.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn when_the_connection_is_lost_nobody_is_told_that_it_was_kept() {
    const CUT: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
        WHERE datname = current_database() AND query LIKE '%pg_sleep(60)%' AND pid <> pg_backend_pid()";
    let (_db, pools, commits) = opened().await;
    let writes = vec![(HERE, event(HERE, 1)), (THERE, "SELECT pg_sleep(60);".to_owned())];
    let cut = async {
        while sqlx::query(CUT).execute(&pools.owner).await.unwrap().rows_affected() == 0 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let (done, ()) = tokio::join!(grouped(&pools, &commits, writes), cut);
    assert!(done.iter().all(|done| matches!(done, Err(StoreError::Unavailable(_)))), "{done:?}");
    assert_eq!(written_by(&pools, &[1]).await, [None]);
    commits.commit(HERE, event(HERE, 2)).await.unwrap();
    pools.close().await;
}
