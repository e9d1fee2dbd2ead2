//! PostgreSQL: pools by role, and a transaction that no cancellation can leak.

use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Executor as _, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions, PgRow},
};
use toolcrib_model::Id;

use crate::{
    StoreError, agents, batch,
    lender::{Lender, Lent, Setup},
    standing,
};

/// One plan for all: what is asked goes by workspace, and planning takes longer than the statement. Nothing here runs
/// for so long that compiling it would pay.
const SETTINGS: &str =
    "SET standard_conforming_strings = on; SET plan_cache_mode = force_generic_plan; SET jit = off";

/// What waits for somebody else's row gives up in the end, also where it was left for the commit, of which nobody else
/// keeps the time.
const APP: &str = "SET ROLE toolcrib_app; SET lock_timeout = '10s'";

/// Connections by what they are for: requests, audit batches, workers. Each takes a role that owns nothing. The owner
/// only looks after the tables, never at what is in them.
#[derive(Clone, Debug)]
pub struct PgPools {
    pub app: Lender<PgConnection>,
    pub audit: Lender<PgConnection>,
    pub worker: Lender<PgConnection>,
    pub owner: PgPool,
}

impl PgPools {
    pub async fn open(options: &PgConnectOptions, size: u32) -> Result<Self, StoreError> {
        Ok(Self {
            app: lender(options, APP, size).await?,
            audit: lender(options, "SET ROLE toolcrib_audit", 2).await?,
            worker: lender(options, "SET ROLE toolcrib_worker", 3).await?,
            owner: PgPoolOptions::new().max_connections(1).connect_lazy_with(options.clone()),
        })
    }

    pub async fn close(&self) {
        self.app.close().await;
        self.audit.close().await;
        self.worker.close().await;
        self.owner.close().await;
    }
}

async fn lender(
    options: &PgConnectOptions,
    role: &'static str,
    size: u32,
) -> Result<Lender<PgConnection>, StoreError> {
    // Looking each statement up in the log's filter costs more than its line would ever tell.
    let options =
        options.clone().statement_cache_capacity(1024).log_statements(tracing::log::LevelFilter::Off);
    let setup: Setup<PgConnection> = Box::new(move |conn| {
        Box::pin(async move {
            for sql in [role, SETTINGS, &standing::PREPARE, &batch::PG_PREPARE, &agents::PREPARE] {
                conn.execute(sql).await?;
            }
            Ok(())
        })
    });
    Ok(Lender::open(options, setup, size).await?)
}

/// A connection inside a transaction. Only a successful end gives it back: one that was cancelled is closed, so that
/// it can't hand its tenant to the next borrower.
pub struct PgTx(Lent<PgConnection>);

impl PgTx {
    /// Begins on `workspace`. `select`, if any, is run in the same round trip; its rows are returned.
    pub async fn begin(
        lender: &Lender<PgConnection>,
        workspace: Id,
        write: bool,
        select: Option<String>,
    ) -> Result<(Self, Vec<PgRow>), StoreError> {
        let mode = if write { "" } else { " READ ONLY" };
        let select = select.unwrap_or_default();
        let sql = format!("BEGIN{mode}; SET LOCAL app.workspace_id = '{workspace}'; {select}");
        Ok(lender.begin(|conn| Self::begun(conn, &sql)).await?)
    }

    async fn begun(mut conn: Lent<PgConnection>, sql: &str) -> Result<(Self, Vec<PgRow>), sqlx::Error> {
        let before = if conn.reading() { "COMMIT; " } else { "" };
        let sql = format!("{before}{sql}");
        let rows = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_all(conn.connection()).await?;
        Ok((Self(conn), rows))
    }

    pub fn connection(&mut self) -> &mut PgConnection {
        self.0.connection()
    }

    /// Takes back everything since the begin, and begins on `workspace` again. Cheaper for the many writes that take
    /// nothing back than a savepoint in each.
    pub async fn begin_again(&mut self, workspace: Id) -> Result<(), StoreError> {
        let sql = format!("ROLLBACK AND CHAIN; SET LOCAL app.workspace_id = '{workspace}'");
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(self.connection()).await?;
        Ok(())
    }

    /// Ends a read. Where somebody waits for the connection, their BEGIN does, in the round trip that it costs anyway.
    pub async fn end_read(self) -> Result<(), StoreError> {
        match self.0.hand_on() {
            Ok(()) => Ok(()),
            Err(conn) => Self(conn).end("COMMIT").await,
        }
    }

    /// Runs the last statements (which must end the transaction) and gives the connection back.
    pub async fn end(mut self, sql: impl Into<String>) -> Result<(), StoreError> {
        let ended = sqlx::raw_sql(AssertSqlSafe(sql.into())).execute(self.connection()).await;
        let whole = match &ended {
            Ok(_) => true,
            // Refused, not lost: without its transaction the connection is as good as before.
            Err(sqlx::Error::Database(_)) => {
                sqlx::raw_sql("ROLLBACK").execute(self.connection()).await.is_ok()
            }
            Err(_) => false,
        };
        if whole {
            self.0.give_back();
        }
        ended.map(|_| ()).map_err(StoreError::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// sqlx 0.9.0's own `begin()` fails this: cancelled at the wrong moment it hands the pool a connection that is
    /// still inside the transaction, with the tenant of whoever is gone.
    #[tokio::test(flavor = "multi_thread")]
    async fn a_cancelled_begin_leaks_neither_tenant_nor_transaction() {
        let db = toolcrib_testkit::postgres().await;
        let pools = PgPools::open(&db.url().parse().unwrap(), 1).await.unwrap();
        let tenant = Id::from_u128(0xa);
        let mut cancelled = 0;
        // From never polled to polled until it is done: every point of the begin is hit.
        for polls in (0..3_000).step_by(15) {
            let begun = {
                let mut begin = std::pin::pin!(PgTx::begin(&pools.app, tenant, polls % 2 == 0, None));
                let mut begun = None;
                for _ in 0..polls {
                    if let std::task::Poll::Ready(done) = futures_util::poll!(begin.as_mut()) {
                        begun = Some(done);
                        break;
                    }
                    tokio::task::yield_now().await;
                }
                begun
            };
            match begun {
                Some(begun) => begun.unwrap().0.end("COMMIT").await.unwrap(),
                None => cancelled += 1,
            }
            let mut next = pools.app.lend().await.unwrap();
            let setting: Option<String> =
                sqlx::query_scalar("SELECT nullif(current_setting('app.workspace_id', true), '')")
                    .fetch_one(next.connection())
                    .await
                    .unwrap();
            assert_eq!(setting, None, "a tenant leaked after {polls} polls");
            // Only inside a transaction is there anything to save.
            let refused = sqlx::raw_sql("SAVEPOINT probe").execute(next.connection()).await.unwrap_err();
            let code = refused.as_database_error().unwrap().code().unwrap().into_owned();
            assert_eq!(code, "25P01", "a transaction is open after {polls} polls");
            next.give_back();
        }
        assert!(cancelled > 0, "no begin was cancelled");
        pools.close().await;
    }

    async fn pid(conn: &mut PgConnection) -> i32 {
        sqlx::query_scalar("SELECT pg_backend_pid()").fetch_one(conn).await.unwrap()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_dropped_transaction_is_not_given_back_and_a_refused_one_is() {
        let db = toolcrib_testkit::postgres().await;
        let pools = PgPools::open(&db.url().parse().unwrap(), 1).await.unwrap();
        let (mut tx, _) = PgTx::begin(&pools.app, Id::from_u128(0xa), true, None).await.unwrap();
        let first = pid(tx.connection()).await;
        drop(tx);
        let mut next = pools.app.lend().await.unwrap();
        let second = pid(next.connection()).await;
        assert_ne!(first, second);
        next.give_back();
        let (tx, _) = PgTx::begin(&pools.app, Id::from_u128(0xa), true, None).await.unwrap();
        tx.end("COMMIT").await.unwrap();
        let (tx, _) = PgTx::begin(&pools.app, Id::from_u128(0xa), true, None).await.unwrap();
        tx.end("SELECT 1 / 0; COMMIT").await.unwrap_err();
        let mut last = pools.app.lend().await.unwrap();
        assert_eq!(second, pid(last.connection()).await);
        last.give_back();
        pools.close().await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn whoever_is_handed_a_connection_is_in_a_transaction_of_their_own() {
        let db = toolcrib_testkit::postgres().await;
        let pools = PgPools::open(&db.url().parse().unwrap(), 1).await.unwrap();
        let (mut tx, _) = PgTx::begin(&pools.app, Id::from_u128(0xa), false, None).await.unwrap();
        let server = pid(tx.connection()).await;
        let mut next = std::pin::pin!(PgTx::begin(&pools.app, Id::from_u128(0xb), true, None));
        assert!(futures_util::poll!(next.as_mut()).is_pending());
        tx.end_read().await.unwrap();
        let (mut next, _) = next.await.unwrap();
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

    /// As after a restart of the server: no connection that was kept is any good, and nobody needs to know.
    #[tokio::test(flavor = "multi_thread")]
    async fn connections_that_the_server_closed_are_replaced() {
        let db = toolcrib_testkit::postgres().await;
        let pools = PgPools::open(&db.url().parse().unwrap(), 4).await.unwrap();
        let begin = || PgTx::begin(&pools.app, Id::from_u128(0xa), true, None);
        let all = futures_util::future::join_all((0..4).map(|_| begin())).await;
        for tx in all {
            tx.unwrap().0.end("COMMIT").await.unwrap();
        }
        let closed = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity \
            WHERE datname = current_database() AND pid <> pg_backend_pid()";
        sqlx::query(closed).execute(&pools.owner).await.unwrap();
        for _ in 0..4 {
            begin().await.unwrap().0.end("COMMIT").await.unwrap();
        }
        pools.close().await;
    }
}
