//! Writes that are dropped, fail or panic, and what becomes of the other writes of their group.

use std::sync::{Arc, Mutex};

use futures_util::{future::join_all, poll};
use sqlx::SqliteConnection;
use tempfile::TempDir;

use super::*;
use crate::{
    backend::sqlite::{Lease, open},
    queries::STATEMENTS,
};

/// Longer than any test takes, so that a group ends only when nobody waits.
const LONG: Duration = Duration::from_mins(1);
const INSERT: &str = "INSERT INTO t SELECT 1";
/// Inserts a row after some ten milliseconds.
const SLOW_INSERT: &str = "INSERT INTO t SELECT max(n) FROM ( \
    WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 100000) SELECT n FROM c)";

/// A writer of a new file with the empty table `t`.
async fn writer() -> (TempDir, Writer) {
    let folder = tempfile::tempdir().unwrap();
    let (mut conn, _readers) = open(&folder.path().join("a.db")).await.unwrap();
    sqlx::query("CREATE TABLE t (a)").execute(&mut conn).await.unwrap();
    (folder, Writer::start(conn, &STATEMENTS, LONG).unwrap())
}

async fn begin(writer: &Writer) -> Lease {
    writer.begin(Id::nil(), None).await.unwrap().0
}

async fn run(lease: &mut Lease, sql: &'static str) -> Result<(), sqlx::Error> {
    sqlx::query(sql).execute(lease.connection().unwrap()).await.map(|_| ())
}

async fn count(conn: &mut SqliteConnection) -> i64 {
    sqlx::query_scalar("SELECT count(*) FROM t").fetch_one(conn).await.unwrap()
}

/// The rows that a new write sees. It commits, so the writer still works.
async fn rows(writer: &Writer) -> i64 {
    let mut lease = begin(writer).await;
    let rows = count(lease.connection().unwrap()).await;
    lease.commit(BulkRows::default()).await.unwrap();
    rows
}

#[tokio::test]
async fn a_write_that_is_dropped_anywhere_leaves_nothing() {
    let (_folder, writer) = writer().await;
    let mut before_the_end = begin(&writer).await;
    run(&mut before_the_end, INSERT).await.unwrap();
    drop(before_the_end);
    assert_eq!(rows(&writer).await, 0, "dropped between action and commit");

    let mut in_a_statement = begin(&writer).await;
    assert!(poll!(Box::pin(run(&mut in_a_statement, SLOW_INSERT))).is_pending());
    drop(in_a_statement);
    assert_eq!(rows(&writer).await, 0, "dropped while a statement ran");

    let mut in_restart = begin(&writer).await;
    run(&mut in_restart, INSERT).await.unwrap();
    assert!(poll!(Box::pin(in_restart.restart())).is_pending());
    drop(in_restart);
    assert_eq!(rows(&writer).await, 0, "dropped while it was rolled back");

    let task = writer.clone();
    let panicking = tokio::spawn(async move {
        let mut lease = begin(&task).await;
        run(&mut lease, INSERT).await.unwrap();
        panic!("on purpose");
    });
    assert!(panicking.await.unwrap_err().is_panic());
    assert_eq!(rows(&writer).await, 0, "a panic");
}

#[tokio::test]
async fn a_commit_that_nobody_waits_for_happens() {
    let (_folder, writer) = writer().await;
    let mut lease = begin(&writer).await;
    run(&mut lease, INSERT).await.unwrap();
    assert!(poll!(Box::pin(lease.commit(BulkRows::default()))).is_pending());
    assert_eq!(rows(&writer).await, 1);
}

#[tokio::test]
async fn the_connection_is_not_lost_in_the_hand_over() {
    let (_folder, writer) = writer().await;
    for yields in 0..200 {
        let first = begin(&writer).await;
        let mut gone = Box::pin(writer.begin(Id::nil(), None));
        let mut dropped_later = Box::pin(writer.begin(Id::nil(), None));
        assert!(poll!(gone.as_mut()).is_pending() && poll!(dropped_later.as_mut()).is_pending());
        drop(gone);
        let mut ended = Box::pin(first.rollback());
        assert!(poll!(ended.as_mut()).is_pending());
        // The lease is on its way to the second one, or has arrived; it never looks at it.
        for _ in 0..yields {
            std::thread::yield_now();
        }
        drop(dropped_later);
        ended.await.unwrap();
    }
    assert_eq!(rows(&writer).await, 0);
}

#[tokio::test]
async fn a_restarted_write_keeps_what_came_after() {
    let (_folder, writer) = writer().await;
    let mut lease = begin(&writer).await;
    for _ in 0..3 {
        run(&mut lease, INSERT).await.unwrap();
        lease.restart().await.unwrap();
    }
    run(&mut lease, INSERT).await.unwrap();
    lease.commit(BulkRows::default()).await.unwrap();
    assert_eq!(rows(&writer).await, 1);
}

/// Holds the connection until the other writes of the group wait.
async fn group(writer: &Writer, all: &[&'static str]) -> Vec<Result<(), StoreError>> {
    let first = begin(writer).await;
    let mut others: Vec<_> = all.iter().map(|sql| Box::pin(one(writer, sql))).collect();
    for other in &mut others {
        assert!(poll!(other.as_mut()).is_pending());
    }
    let (_, ended) = tokio::join!(first.commit(BulkRows::default()), join_all(others));
    ended
}

async fn one(writer: &Writer, sql: &'static str) -> Result<(), StoreError> {
    let mut lease = writer.begin(Id::nil(), None).await?.0;
    match run(&mut lease, sql).await {
        Ok(()) => lease.commit(BulkRows::default()).await,
        Err(error) => {
            lease.rollback().await?;
            Err(error.into())
        }
    }
}

#[tokio::test]
async fn a_refused_statement_is_the_failure_of_its_write_alone() {
    let (_folder, writer) = writer().await;
    let ended = group(&writer, &[INSERT, "INSERT INTO nowhere VALUES (1)", INSERT]).await;
    assert_eq!(ended.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(rows(&writer).await, 2);
}

/// SQLite rolls back the whole transaction itself, as a caller that runs ROLLBACK does.
#[tokio::test]
async fn a_group_whose_transaction_is_gone_fails_as_a_whole() {
    const FULL: &str = "INSERT INTO t VALUES (zeroblob(1000000))";
    for breaks in ["ROLLBACK", FULL] {
        let (_folder, writer) = writer().await;
        let mut lease = begin(&writer).await;
        run(&mut lease, "PRAGMA max_page_count = 1").await.unwrap();
        lease.commit(BulkRows::default()).await.unwrap();
        let ended = group(&writer, &[INSERT, breaks]).await;
        assert!(ended.iter().all(Result::is_err), "{breaks}: {ended:?}");
        assert_eq!(rows(&writer).await, 0, "{breaks}");
        one(&writer, INSERT).await.unwrap();
        assert_eq!(rows(&writer).await, 1, "{breaks}");
    }
}

/// A refusal may tell what another write of the group did, so it is not told if that write is lost.
#[tokio::test]
async fn a_write_that_is_rolled_back_hears_of_the_groups_failure() {
    let (_folder, writer) = writer().await;
    let first = begin(&writer).await;
    let (mut kept, mut reads, mut breaks) = (
        Box::pin(one(&writer, INSERT)),
        Box::pin(writer.begin(Id::nil(), None)),
        Box::pin(one(&writer, "ROLLBACK")),
    );
    assert!(poll!(kept.as_mut()).is_pending() && poll!(reads.as_mut()).is_pending());
    assert!(poll!(breaks.as_mut()).is_pending());
    let refused = async {
        let mut lease = reads.await.unwrap().0;
        assert_eq!(count(lease.connection().unwrap()).await, 1);
        lease.rollback().await
    };
    let (_, kept, refused, broken) = tokio::join!(first.commit(BulkRows::default()), kept, refused, breaks);
    assert!(matches!(kept, Err(StoreError::NotCommitted(_))), "{kept:?}");
    assert!(matches!(refused, Err(StoreError::NotCommitted(_))), "{refused:?}");
    assert!(broken.is_err());
}

#[tokio::test]
async fn a_group_whose_last_write_is_dropped_is_committed() {
    let (_folder, writer) = writer().await;
    let first = begin(&writer).await;
    let (mut kept, mut last) = (Box::pin(one(&writer, INSERT)), Box::pin(writer.begin(Id::nil(), None)));
    assert!(poll!(kept.as_mut()).is_pending() && poll!(last.as_mut()).is_pending());
    let dropped = async { drop(last.await.unwrap()) };
    let (_, kept, ()) = tokio::join!(first.commit(BulkRows::default()), kept, dropped);
    kept.unwrap();
    assert_eq!(rows(&writer).await, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn workspaces_take_turns_and_a_slow_write_harms_none() {
    let (_folder, writer) = writer().await;
    let first = begin(&writer).await;
    let order = Arc::new(Mutex::new(Vec::new()));
    let writes = (0..64).map(|n: u128| {
        let (writer, order) = (writer.clone(), order.clone());
        let write = async move {
            // The first workspace has half of all writes.
            let workspace = if n < 32 { 0 } else { n % 8 };
            let mut lease = writer.begin(Id::from_u128(workspace), None).await?.0;
            order.lock().unwrap().push(workspace);
            run(&mut lease, if n == 1 { SLOW_INSERT } else { INSERT }).await?;
            lease.commit(BulkRows::default()).await
        };
        Box::pin(write)
    });
    let mut writes: Vec<_> = writes.collect();
    for write in &mut writes {
        assert!(poll!(write.as_mut()).is_pending());
    }
    let tasks = writes.into_iter().map(tokio::spawn);
    let all = join_all(tasks.collect::<Vec<_>>());
    first.commit(BulkRows::default()).await.unwrap();
    assert!(all.await.into_iter().all(|ended: Result<Result<(), StoreError>, _>| ended.unwrap().is_ok()));
    assert_eq!(rows(&writer).await, 64);
    let turns = order.lock().unwrap();
    assert_eq!(turns[..8].iter().collect::<std::collections::BTreeSet<_>>().len(), 8, "{turns:?}");
}
