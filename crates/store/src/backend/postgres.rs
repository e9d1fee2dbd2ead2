//! PostgreSQL: pools by role, and a transaction that no cancellation can leak.

use std::time::Duration;

use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions, PgRow},
};
use toolcrib_model::Id;

mod audit_writer;
mod job;

pub use audit_writer::write_audit;
pub use job::{PgDb, run};

use super::{
    StoreError,
    pool::{Pool, PoolConnection, Setup},
    statements::Statements,
};

/// One plan for all: what is asked goes by workspace, and planning takes longer than the statement. Nothing here runs
/// for so long that compiling it would pay.
const SETTINGS: &str =
    "SET standard_conforming_strings = on; SET plan_cache_mode = force_generic_plan; SET jit = off";

/// What waits for somebody else's row gives up in the end, also in the commit, of which nobody else keeps the time.
const LOCK_TIMEOUT: &str = "SET lock_timeout = '10s'";

/// How long the server may take to accept a connection that is made when a database is opened.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// A connection of its own, outside the pools. What refuses it is told at once.
pub async fn connect(options: &PgConnectOptions) -> Result<PgConnection, StoreError> {
    match tokio::time::timeout(CONNECT_TIMEOUT, PgConnection::connect_with(options)).await {
        Ok(connected) => Ok(connected?),
        Err(_) => Err(StoreError::Unavailable("the server did not answer within 10 seconds".into())),
    }
}

/// As whom the connections for one purpose log in.
pub struct PgLogin {
    options: PgConnectOptions,
    /// The role that they take, unless the login has just that role's rights and no others.
    set_role: Option<&'static str>,
}

impl PgLogin {
    /// A login that may become `role`, such as the owner.
    fn member(options: &PgConnectOptions, role: &'static str) -> Self {
        Self { options: options.clone(), set_role: Some(role) }
    }

    /// A login that has the rights of one role and can't get any others.
    pub fn direct(options: PgConnectOptions) -> Self {
        Self { options, set_role: None }
    }
}

/// Connections by what they are for: requests, audit batches, workers. Each has a role that owns nothing.
///
/// Requests that change rows have connections of their own, and more: they wait for the disk, and who waits at the same time
/// shares one flush of the log. Reads only wait for the processor, and more at once take longer each.
#[derive(Clone, Debug)]
pub struct PgPools {
    pub reads: Pool<PgConnection>,
    pub writes: Pool<PgConnection>,
    pub audit: Pool<PgConnection>,
    pub worker: Pool<PgConnection>,
    /// The schema's owner, where the one login that there is may become it again.
    pub owner: Option<PgPool>,
}

impl PgPools {
    /// As one login that may become each of the roles.
    pub async fn open(
        options: &PgConnectOptions,
        size: u32,
        statements: &'static Statements,
    ) -> Result<Self, StoreError> {
        let login = |role| PgLogin::member(options, role);
        let logins = [
            login("SET ROLE toolcrib_app"),
            login("SET ROLE toolcrib_audit"),
            login("SET ROLE toolcrib_worker"),
        ];
        let owner = PgPoolOptions::new().max_connections(1).connect_lazy_with(options.clone());
        Ok(Self { owner: Some(owner), ..Self::open_as(&logins, size, statements).await? })
    }

    /// As the logins for requests, audit batches and workers. `size` connections for requests, of which a third is for
    /// reads; at least one for each.
    pub async fn open_as(
        [app, audit, worker]: &[PgLogin; 3],
        size: u32,
        statements: &'static Statements,
    ) -> Result<Self, StoreError> {
        let reads = (size / 3).max(1);
        let prepare = statements.pg_prepare();
        let pool = |login, more, size| pool(login, more, &prepare, size);
        Ok(Self {
            reads: pool(app, Some(LOCK_TIMEOUT), reads).await?,
            writes: pool(app, Some(LOCK_TIMEOUT), size.saturating_sub(reads).max(1)).await?,
            audit: pool(audit, None, 2).await?,
            worker: pool(worker, None, 3).await?,
            owner: None,
        })
    }

    /// The owner of a test's tables.
    #[cfg(test)]
    pub fn owner(&self) -> &PgPool {
        self.owner.as_ref().unwrap()
    }

    pub async fn close(&self) {
        self.reads.close().await;
        self.writes.close().await;
        self.audit.close().await;
        self.worker.close().await;
        if let Some(owner) = &self.owner {
            owner.close().await;
        }
    }
}

async fn pool(
    login: &PgLogin,
    more: Option<&'static str>,
    prepare: &str,
    size: u32,
) -> Result<Pool<PgConnection>, StoreError> {
    // Looking each statement up in the log's filter costs more than its line would ever tell.
    let options =
        login.options.clone().statement_cache_capacity(1024).log_statements(tracing::log::LevelFilter::Off);
    let (set_role, prepare) = (login.set_role, prepare.to_owned());
    let setup: Setup<PgConnection> = Box::new(move |conn| {
        let prepare = prepare.clone();
        Box::pin(async move {
            for sql in set_role.into_iter().chain(more).chain([SETTINGS]) {
                conn.execute(sql).await?;
            }
            conn.execute(AssertSqlSafe(prepare)).await?;
            Ok(())
        })
    });
    Ok(Pool::open(options, setup, size).await?)
}

/// Row level security lets what follows see and write this workspace's rows, until the transaction ends.
pub fn within(workspace: Id) -> String {
    format!("SET LOCAL app.workspace_id = '{workspace}';")
}

/// A connection inside a transaction. Only a successful end gives it back: one that was cancelled is closed, so that
/// it can't hand its tenant to the next borrower.
pub struct PgTx(PoolConnection<PgConnection>);

impl PgTx {
    /// Begins on `workspace`. `select`, if any, is run in the same round trip; its rows are returned.
    pub async fn begin(
        pool: &Pool<PgConnection>,
        workspace: Id,
        write: bool,
        select: Option<String>,
    ) -> Result<(Self, Vec<PgRow>), StoreError> {
        let mode = if write { "" } else { " READ ONLY" };
        let select = select.unwrap_or_default();
        let sql = format!("BEGIN{mode}; {}{select}", within(workspace));
        Ok(pool.begin(workspace, |conn| Self::begun(conn, &sql)).await?)
    }

    /// The rows of one SELECT on `workspace`, in one round trip: the statements of a message are a transaction.
    pub async fn ask(
        pool: &Pool<PgConnection>,
        workspace: Id,
        select: &str,
    ) -> Result<Vec<PgRow>, StoreError> {
        let sql = within(workspace) + select;
        let (Self(conn), rows) = pool.begin(workspace, |conn| Self::begun(conn, &sql)).await?;
        conn.release();
        Ok(rows)
    }

    async fn begun(
        mut conn: PoolConnection<PgConnection>,
        sql: &str,
    ) -> Result<(Self, Vec<PgRow>), sqlx::Error> {
        let before = if conn.in_read_transaction() { "COMMIT; " } else { "" };
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
        match self.0.hand_to_waiter() {
            Ok(()) => Ok(()),
            Err(conn) => Self(conn).end("COMMIT").await,
        }
    }

    /// Runs the last statements (which must end the transaction) and gives the connection back. Only where it is lost is
    /// nobody sure of the end: [`StoreError::Unavailable`].
    pub async fn end(mut self, sql: impl Into<String>) -> Result<(), StoreError> {
        match sqlx::raw_sql(AssertSqlSafe(sql.into())).execute(self.connection()).await {
            Ok(_) => {
                self.0.release();
                Ok(())
            }
            Err(refused @ sqlx::Error::Database(_)) => {
                // Without its transaction the connection is as good as before.
                if sqlx::raw_sql("ROLLBACK").execute(self.connection()).await.is_err() {
                    return Err(StoreError::Unavailable(refused.to_string()));
                }
                self.0.release();
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
