//! The state of a connection after it is released, handed over or lost.

use toolcrib_model::Id;
use toolcrib_testkit::TestDb;

use super::*;
use crate::backend::{bulk_insert::BulkRows, statements::RawAccessRow};
use crate::queries::STATEMENTS;

/// A new database and connections to it.
async fn opened(size: u32) -> (TestDb, PgPools) {
    let db = toolcrib_testkit::postgres().await;
    let pools = PgPools::open(&db.url().parse().unwrap(), size, &STATEMENTS).await.unwrap();
    (db, pools)
}

async fn begin(pool: &LoginPool, workspace: Id, write: bool) -> Result<PgTx, StoreError> {
    Ok(PgTx::begin(pool, workspace, write, None).await?.0)
}

/// sqlx 0.9.0's own `begin()` fails this: cancelled at the wrong moment it hands the pool a connection that
/// is still inside the transaction, with the tenant of whoever is gone.
#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_begin_leaks_neither_tenant_nor_transaction() {
    let (_db, pools) = opened(1).await;
    let tenant = Id::from_u128(0xa);
    let mut cancelled = 0;
    // From never polled to polled until it is done, so that every await point of the begin is cancelled.
    for polls in (0..3_000).step_by(15) {
        let begun = {
            let mut beginning = std::pin::pin!(begin(&pools.writes, tenant, polls % 2 == 0));
            let mut begun = None;
            for _ in 0..polls {
                if let std::task::Poll::Ready(done) = futures_util::poll!(beginning.as_mut()) {
                    begun = Some(done);
                    break;
                }
                tokio::task::yield_now().await;
            }
            begun
        };
        match begun {
            Some(begun) => begun.unwrap().end("COMMIT").await.unwrap(),
            None => cancelled += 1,
        }
        let mut next = pools.writes.connections.acquire(Id::nil()).await.unwrap();
        assert_clean(next.connection(), &format!("after {polls} polls")).await;
        next.release();
    }
    assert!(cancelled > 0, "no begin was cancelled");
    pools.close().await;
}

async fn pid(conn: &mut PgConnection) -> i32 {
    sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(conn).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_transaction_is_not_given_back_and_a_refused_one_is() {
    let (_db, pools) = opened(1).await;
    let mut tx = begin(&pools.writes, Id::from_u128(0xa), true).await.unwrap();
    let first = pid(tx.connection()).await;
    drop(tx);
    let mut next = pools.writes.connections.acquire(Id::nil()).await.unwrap();
    let second = pid(next.connection()).await;
    assert_ne!(first, second);
    next.release();
    let tx = begin(&pools.writes, Id::from_u128(0xa), true).await.unwrap();
    tx.end("COMMIT").await.unwrap();
    let tx = begin(&pools.writes, Id::from_u128(0xa), true).await.unwrap();
    tx.end("SELECT 1 / 0; COMMIT").await.unwrap_err();
    let mut last = pools.writes.connections.acquire(Id::nil()).await.unwrap();
    assert_eq!(second, pid(last.connection()).await);
    last.release();
    pools.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_is_handed_a_connection_is_in_a_transaction_of_their_own() {
    let (_db, pools) = opened(1).await;
    let mut tx = begin(&pools.reads, Id::from_u128(0xa), false).await.unwrap();
    let server = pid(tx.connection()).await;
    let mut next = std::pin::pin!(begin(&pools.reads, Id::from_u128(0xb), true));
    assert!(futures_util::poll!(next.as_mut()).is_pending());
    tx.end_read().await.unwrap();
    let mut next = next.await.unwrap();
    assert_eq!(pid(next.connection()).await, server);
    let state: (String, String) = sqlx::query_as(
        "SELECT current_setting('app.workspace_id'), current_setting('transaction_read_only')",
    )
    .fetch_one(next.connection())
    .await
    .unwrap();
    assert_eq!(state, (Id::from_u128(0xb).to_string(), "off".into()));
    next.end("COMMIT").await.unwrap();
    pools.close().await;
}

/// After a restart of the server no idle connection works; callers get new ones without an error.
#[tokio::test(flavor = "multi_thread")]
async fn connections_that_the_server_closed_are_replaced() {
    let (_db, pools) = opened(6).await;
    let again = || begin(&pools.writes, Id::from_u128(0xa), true);
    let all = futures_util::future::join_all((0..4).map(|_| again())).await;
    for tx in all {
        tx.unwrap().end("COMMIT").await.unwrap();
    }
    let closed = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
        WHERE datname = current_database() AND pid <> pg_backend_pid()";
    sqlx::query(closed).execute(pools.owner()).await.unwrap();
    for _ in 0..4 {
        again().await.unwrap().end("COMMIT").await.unwrap();
    }
    pools.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_have_a_third_and_leave_the_rest_to_writes() {
    let (_db, pools) = opened(3).await;
    let begin = |pool, write| begin(pool, Id::from_u128(0xa), write);
    let read = begin(&pools.reads, false).await.unwrap();
    let first = begin(&pools.writes, true).await.unwrap();
    let second = begin(&pools.writes, true).await.unwrap();
    let (mut more, mut late) =
        (std::pin::pin!(begin(&pools.reads, false)), std::pin::pin!(begin(&pools.writes, true)));
    assert!(futures_util::poll!(more.as_mut()).is_pending());
    assert!(futures_util::poll!(late.as_mut()).is_pending());
    read.end_read().await.unwrap();
    first.end("COMMIT").await.unwrap();
    for tx in [more.await.unwrap(), late.await.unwrap(), second] {
        tx.end("COMMIT").await.unwrap();
    }
    pools.close().await;
}

/// Asserts that the connection has no workspace and is outside any transaction.
async fn assert_clean(conn: &mut PgConnection, when: &str) {
    let setting: Option<String> =
        sqlx::query_scalar("SELECT nullif(current_setting('app.workspace_id', true), '')")
            .fetch_one(&mut *conn)
            .await
            .unwrap();
    assert_eq!(setting, None, "a tenant leaked {when}");
    // SAVEPOINT fails outside a transaction.
    let refused = sqlx::raw_sql("SAVEPOINT probe").execute(conn).await.unwrap_err();
    let code = refused.as_database_error().unwrap().code().unwrap().into_owned();
    assert_eq!(code, "25P01", "a transaction is open {when}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_select_without_a_transaction_runs_in_its_workspace_and_leaves_nothing() {
    const SELECT: &str = "SELECT current_setting('app.workspace_id'), pg_backend_pid()";
    use sqlx::Row as _;
    let (_db, pools) = opened(1).await;
    let tenant = Id::from_u128(0xb);
    let select = async || match PgTx::select_once(&pools.reads, tenant, SELECT.into()).await.unwrap() {
        Some(RawAccessRow::Pg(row)) => (row.get::<String, _>(0), row.get::<i32, _>(1)),
        _ => panic!("a row of PostgreSQL was expected"),
    };
    let (workspace, server) = select().await;
    assert_eq!(workspace, tenant.to_string());
    let mut lent = pools.reads.connections.acquire(Id::nil()).await.unwrap();
    assert_eq!(pid(lent.connection()).await, server);
    assert_clean(lent.connection(), "after the select").await;
    lent.release();
    // Also after a read that hands its connection over.
    let tx = begin(&pools.reads, Id::from_u128(0xa), false).await.unwrap();
    let mut waiting = std::pin::pin!(select());
    assert!(futures_util::poll!(waiting.as_mut()).is_pending());
    tx.end_read().await.unwrap();
    assert_eq!(waiting.await, (tenant.to_string(), server));
    let mut lent = pools.reads.connections.acquire(Id::nil()).await.unwrap();
    assert_clean(lent.connection(), "after the select").await;
    lent.release();
    pools.close().await;
}

/// As the statistics look up the agents of their groups: 400 of 40,000.
#[tokio::test(flavor = "multi_thread")]
async fn few_rows_are_looked_up_by_their_keys() {
    const FILL: &str = "CREATE TEMP TABLE agents_of_a_test AS SELECT id, repeat('a', 160) AS prompt \
            FROM generate_series(1, 40000) id ORDER BY md5(CAST(id AS TEXT)); \
        CREATE UNIQUE INDEX by_id ON agents_of_a_test (id); \
        CREATE TEMP TABLE groups AS SELECT id * 100 AS id FROM generate_series(1, 400) id; \
        ANALYZE agents_of_a_test; ANALYZE groups";
    let (_db, pools) = opened(3).await;
    let mut conn = pools.writes.connections.acquire(Id::nil()).await.unwrap();
    sqlx::raw_sql(FILL).execute(conn.connection()).await.unwrap();
    let plan = "EXPLAIN SELECT prompt FROM groups JOIN agents_of_a_test USING (id)";
    let plan: Vec<String> = sqlx::query_scalar(plan).fetch_all(conn.connection()).await.unwrap();
    assert!(plan[0].contains("Nested Loop"), "{plan:#?}");
    drop(conn);
    pools.close().await;
}

/// On a new connection it would wait for the same lock again.
#[tokio::test(flavor = "multi_thread")]
async fn a_begin_that_waited_too_long_for_a_lock_is_not_repeated() {
    const LOCK: &str = "SET LOCAL lock_timeout = '50ms'; SELECT nextval('begins'); \
        SELECT CAST(pg_advisory_xact_lock(1) AS TEXT)";
    use sqlx::Row as _;
    let (_db, pools) = opened(6).await;
    let sequence = "CREATE SEQUENCE begins; GRANT USAGE ON SEQUENCE begins TO PUBLIC";
    sqlx::raw_sql(sequence).execute(pools.owner()).await.unwrap();
    let begin = async || PgTx::begin(&pools.writes, Id::from_u128(0xa), true, Some(LOCK.into())).await;
    let (holder, _) = begin().await.unwrap();
    assert!(matches!(begin().await, Err(StoreError::Timeout)));
    holder.end("COMMIT").await.unwrap();
    let (last, row) = begin().await.unwrap();
    let Some(RawAccessRow::Pg(row)) = row else { panic!("a row of PostgreSQL was expected") };
    assert_eq!(row.get::<i64, _>(0), 3, "each began once");
    last.end("COMMIT").await.unwrap();
    pools.close().await;
}

/// A COMMIT after a failed statement would roll back without an error.
#[tokio::test(flavor = "multi_thread")]
async fn a_commit_after_a_failed_statement_is_an_error() {
    let (_db, pools) = opened(1).await;
    let mut tx = begin(&pools.writes, Id::from_u128(0xa), true).await.unwrap();
    sqlx::query("SELECT 1 / 0").execute(tx.connection()).await.unwrap_err();
    let ended = tx.commit(&STATEMENTS.inserts, &BulkRows::default()).await;
    assert!(matches!(ended, Err(StoreError::NotCommitted(_))), "{ended:?}");
    let mut lent = pools.writes.connections.acquire(Id::nil()).await.unwrap();
    assert_clean(lent.connection(), "after the failed commit").await;
    lent.release();
    pools.close().await;
}

/// Closes the server's side of a transaction, as a restart or a broken network does.
async fn lose(pools: &PgPools, tx: &mut PgTx) {
    let server = pid(tx.connection()).await;
    let closed = "SELECT pg_terminate_backend($1, 5000)";
    sqlx::query(closed).bind(server).execute(pools.owner()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_connection_that_is_lost_is_an_error_and_is_replaced() {
    let (_db, pools) = opened(1).await;
    let mut tx = begin(&pools.writes, Id::from_u128(0xa), true).await.unwrap();
    lose(&pools, &mut tx).await;
    let failed: StoreError = sqlx::query("SELECT 1").execute(tx.connection()).await.unwrap_err().into();
    assert!(matches!(failed, StoreError::Unavailable(_)), "in the middle: {failed:?}");
    drop(tx);

    let mut tx = begin(&pools.writes, Id::from_u128(0xa), true).await.unwrap();
    lose(&pools, &mut tx).await;
    let failed = tx.restart(Id::from_u128(0xa)).await;
    assert!(matches!(failed, Err(StoreError::Unavailable(_))), "at the restart: {failed:?}");
    drop(tx);

    let mut tx = begin(&pools.writes, Id::from_u128(0xa), true).await.unwrap();
    lose(&pools, &mut tx).await;
    let failed = tx.commit(&STATEMENTS.inserts, &BulkRows::default()).await;
    assert!(matches!(failed, Err(StoreError::InDoubt(_) | StoreError::NotCommitted(_))), "{failed:?}");
    begin(&pools.writes, Id::from_u128(0xb), true).await.unwrap().end("COMMIT").await.unwrap();
    pools.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_stays_in_the_workspace_and_keeps_nothing() {
    let (_db, pools) = opened(1).await;
    let tenant = Id::from_u128(0xa);
    let mut tx = begin(&pools.writes, tenant, true).await.unwrap();
    sqlx::query("CREATE TEMP TABLE gone (a INT)").execute(tx.connection()).await.unwrap();
    tx.restart(tenant).await.unwrap();
    let state: (Option<String>, String) =
        sqlx::query_as("SELECT CAST(to_regclass('gone') AS TEXT), current_setting('app.workspace_id')")
            .fetch_one(tx.connection())
            .await
            .unwrap();
    assert_eq!(state, (None, tenant.to_string()));
    tx.end("COMMIT").await.unwrap();
    pools.close().await;
}
