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
///
/// Requests that change rows have connections of their own, and more: they wait for the disk, and who waits at the same time
/// shares one flush of the log. Reads only wait for the processor, and more at once take longer each.
#[derive(Clone, Debug)]
pub struct PgPools {
    pub reads: Lender<PgConnection>,
    pub writes: Lender<PgConnection>,
    pub audit: Lender<PgConnection>,
    pub worker: Lender<PgConnection>,
    pub owner: PgPool,
}

impl PgPools {
    /// `size` connections for requests, of which a third is for reads; at least one for each.
    pub async fn open(options: &PgConnectOptions, size: u32) -> Result<Self, StoreError> {
        let reads = (size / 3).max(1);
        Ok(Self {
            reads: lender(options, APP, reads).await?,
            writes: lender(options, APP, size.saturating_sub(reads).max(1)).await?,
            audit: lender(options, "SET ROLE toolcrib_audit", 2).await?,
            worker: lender(options, "SET ROLE toolcrib_worker", 3).await?,
            owner: PgPoolOptions::new().max_connections(1).connect_lazy_with(options.clone()),
        })
    }

    pub async fn close(&self) {
        self.reads.close().await;
        self.writes.close().await;
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

/// Row level security lets what follows see and write this workspace's rows, until the transaction ends.
pub fn within(workspace: Id) -> String {
    format!("SET LOCAL app.workspace_id = '{workspace}';")
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
        let sql = format!("BEGIN{mode}; {}{select}", within(workspace));
        Ok(lender.begin(|conn| Self::begun(conn, &sql)).await?)
    }

    /// The rows of one SELECT on `workspace`, in one round trip: the statements of a message are a transaction.
    pub async fn ask(
        lender: &Lender<PgConnection>,
        workspace: Id,
        select: &str,
    ) -> Result<Vec<PgRow>, StoreError> {
        let sql = within(workspace) + select;
        let (Self(conn), rows) = lender.begin(|conn| Self::begun(conn, &sql)).await?;
        conn.give_back();
        Ok(rows)
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
        let sql = format!("ROLLBACK AND CHAIN; {}", within(workspace));
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

    /// Runs the last statements (which must end the transaction) and gives the connection back. Only where it is lost is
    /// nobody sure of the end: [`StoreError::Unavailable`].
    pub async fn end(mut self, sql: impl Into<String>) -> Result<(), StoreError> {
        match sqlx::raw_sql(AssertSqlSafe(sql.into())).execute(self.connection()).await {
            Ok(_) => {
                self.0.give_back();
                Ok(())
            }
            Err(refused @ sqlx::Error::Database(_)) => {
                // Without its transaction the connection is as good as before.
                if sqlx::raw_sql("ROLLBACK").execute(self.connection()).await.is_err() {
                    return Err(StoreError::Unavailable(refused.to_string()));
                }
                self.0.give_back();
                Err(match refused.into() {
                    StoreError::Unavailable(fault) => StoreError::NotCommitted(fault),
                    fault => fault,
                })
            }
            Err(lost) => Err(StoreError::Unavailable(lost.to_string())),
        }
    }
}

#[cfg(test)]
mod tests;
