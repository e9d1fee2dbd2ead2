//! PostgreSQL: pools by role, and a transaction that no cancellation can leak.

use std::time::Duration;

use sqlx::{
    AssertSqlSafe, Executor, PgConnection, PgPool, Postgres,
    pool::PoolConnection,
    postgres::{PgConnectOptions, PgPoolOptions, PgRow},
};
use toolcrib_model::Id;

use crate::{Standing, StoreError, batch};

/// The pools: requests, audit batches, workers. Each takes a role that owns nothing. The owner only looks after the
/// tables, never at what is in them.
#[derive(Clone, Debug)]
pub struct PgPools {
    pub app: PgPool,
    pub audit: PgPool,
    pub worker: PgPool,
    pub owner: PgPool,
}

impl PgPools {
    pub async fn open(options: &PgConnectOptions, size: u32) -> Result<Self, StoreError> {
        Ok(Self {
            app: pool(options, "SET ROLE toolcrib_app", size).await?,
            audit: pool(options, "SET ROLE toolcrib_audit", 2).await?,
            worker: pool(options, "SET ROLE toolcrib_worker", 3).await?,
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

async fn pool(options: &PgConnectOptions, role: &'static str, size: u32) -> Result<PgPool, StoreError> {
    let pool = PgPoolOptions::new()
        .max_connections(size)
        .acquire_timeout(Duration::from_secs(5))
        .test_before_acquire(false)
        .after_connect(move |conn, _| {
            Box::pin(async move {
                conn.execute(role).await?;
                // One plan for all: what is asked goes by workspace, and planning takes longer than the statement.
                // Nothing here runs for so long that compiling it would pay.
                let settings = "SET standard_conforming_strings = on; \
                    SET plan_cache_mode = force_generic_plan; SET jit = off";
                conn.execute(settings).await?;
                conn.execute(Standing::PREPARE).await?;
                conn.execute(batch::PG_PREPARE).await.map(|_| ())
            })
        })
        .connect_with(options.clone().statement_cache_capacity(1024))
        .await?;
    Ok(pool)
}

/// A connection inside a transaction. It is marked dirty before BEGIN, and only a successful end marks it clean: a
/// dirty one is closed rather than given back, so that a cancelled call can't hand its tenant to the next borrower.
pub struct PgTx {
    conn: PoolConnection<Postgres>,
    clean: bool,
}

impl PgTx {
    /// Begins on `workspace`. `select`, if any, is run in the same round trip; its rows are returned.
    pub async fn begin(
        pool: &PgPool,
        workspace: Id,
        write: bool,
        select: Option<String>,
    ) -> Result<(Self, Vec<PgRow>), StoreError> {
        let mode = if write { "" } else { " READ ONLY" };
        let savepoint = if write { "SAVEPOINT call_start;" } else { "" };
        let select = select.unwrap_or_default();
        let sql = format!("BEGIN{mode}; SET LOCAL app.workspace_id = '{workspace}'; {savepoint} {select}");
        // An idle connection may have been closed by the server: one retry on a fresh one.
        for last in [false, true] {
            let mut tx = Self { conn: pool.acquire().await?, clean: false };
            match sqlx::raw_sql(AssertSqlSafe(sql.clone())).fetch_all(&mut *tx.conn).await {
                Ok(rows) => return Ok((tx, rows)),
                Err(fault) if last => return Err(fault.into()),
                Err(_) => {}
            }
        }
        Err(StoreError::Unavailable("no connection".into()))
    }

    pub fn connection(&mut self) -> &mut PgConnection {
        &mut self.conn
    }

    /// Runs the last statements (which must end the transaction) and gives the connection back clean.
    pub async fn end(mut self, sql: &'static str) -> Result<(), StoreError> {
        sqlx::raw_sql(sql).execute(&mut *self.conn).await?;
        self.clean = true;
        Ok(())
    }

    /// Like [`PgTx::end`], with statements built from rows; `sql` ends with `COMMIT`.
    pub async fn end_with(mut self, sql: String) -> Result<(), StoreError> {
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut *self.conn).await?;
        self.clean = true;
        Ok(())
    }
}

impl Drop for PgTx {
    fn drop(&mut self) {
        if !self.clean {
            self.conn.close_on_drop();
        }
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
            let setting: Option<String> =
                sqlx::query_scalar("SELECT nullif(current_setting('app.workspace_id', true), '')")
                    .fetch_one(&pools.app)
                    .await
                    .unwrap();
            assert_eq!(setting, None, "a tenant leaked after {polls} polls");
            // Only inside a transaction is there anything to save.
            let refused = sqlx::raw_sql("SAVEPOINT probe").execute(&pools.app).await.unwrap_err();
            let code = refused.as_database_error().unwrap().code().unwrap().into_owned();
            assert_eq!(code, "25P01", "a transaction is open after {polls} polls");
        }
        assert!(cancelled > 0, "no begin was cancelled");
        pools.close().await;
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_dropped_transaction_is_not_given_back() {
        let db = toolcrib_testkit::postgres().await;
        let pools = PgPools::open(&db.url().parse().unwrap(), 1).await.unwrap();
        let pid = "SELECT pg_backend_pid()";
        let (mut tx, _) = PgTx::begin(&pools.app, Id::from_u128(0xa), true, None).await.unwrap();
        let first: i32 = sqlx::query_scalar(pid).fetch_one(tx.connection()).await.unwrap();
        drop(tx);
        let second: i32 = sqlx::query_scalar(pid).fetch_one(&pools.app).await.unwrap();
        assert_ne!(first, second);
        let (tx, _) = PgTx::begin(&pools.app, Id::from_u128(0xa), true, None).await.unwrap();
        tx.end("COMMIT").await.unwrap();
        let third: i32 = sqlx::query_scalar(pid).fetch_one(&pools.app).await.unwrap();
        assert_eq!(second, third);
        pools.close().await;
    }
}
