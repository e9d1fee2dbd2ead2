//! PostgreSQL: one pool per role, and a transaction that a cancelled task can't leave open on a pooled connection.

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
    bulk_insert::execute,
    pool::{Pool, PoolConnection, Setup},
    sql_literal::SqlValue,
    statements::Statements,
};

/// Generic plans, because each statement selects by workspace and planning it takes longer than running it. No JIT,
/// because no statement runs long enough for the compilation to pay.
const SETTINGS: &str =
    "SET standard_conforming_strings = on; SET plan_cache_mode = force_generic_plan; SET jit = off";

/// Keeps the text of a statement that fails, with the values of a call, out of the server's log, if the login may set this.
/// Runs before the role is set.
const LOG_NO_TEXT: &str = "DO 'BEGIN SET log_min_error_statement = panic; \
    EXCEPTION WHEN insufficient_privilege THEN NULL; END'";

/// Limits how long a statement waits for a row lock, also during a commit, which has no other time limit.
const LOCK_TIMEOUT: &str = "SET lock_timeout = '10s'";

/// How long the server may take to accept a connection that is made when a database is opened.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The most bytes of kept statements, which wait in memory.
const MOST_KEPT: usize = 256 * 1024;

/// Connects outside the pools, without retries.
pub async fn connect(options: &PgConnectOptions) -> Result<PgConnection, StoreError> {
    match tokio::time::timeout(CONNECT_TIMEOUT, PgConnection::connect_with(options)).await {
        Ok(connected) => Ok(connected?),
        Err(_) => Err(StoreError::Unavailable("the server did not answer within 10 seconds".into())),
    }
}

/// The login of one pool's connections.
pub struct PgLogin {
    options: PgConnectOptions,
    /// The statement that sets the role; `None` if the login has exactly that role's rights.
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

/// Pools for requests, audit batches and workers. The role of each owns no table.
///
/// Writes have their own pool, which is larger: they wait for the disk, and concurrent commits share one flush of the
/// log. Reads wait for the processor alone, so that more concurrent reads only take longer each.
#[derive(Clone, Debug)]
pub struct PgPools {
    pub reads: Pool<PgConnection>,
    pub writes: Pool<PgConnection>,
    pub audit: Pool<PgConnection>,
    pub worker: Pool<PgConnection>,
    /// Connections as the schema's owner, if one login is used for all roles.
    pub owner: Option<PgPool>,
}

impl PgPools {
    /// Opens the pools with one login that may become each of the roles.
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

    /// Opens the pools with the logins for requests, audit batches and workers. Requests get `size` connections, of which a
    /// third is for reads; each pool has at least one.
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
    // Checking the log filter for each statement costs more than the log line is worth.
    let options =
        login.options.clone().statement_cache_capacity(1024).log_statements(tracing::log::LevelFilter::Off);
    let (set_role, prepare) = (login.set_role, prepare.to_owned());
    let setup: Setup<PgConnection> = Box::new(move |conn| {
        let prepare = prepare.clone();
        Box::pin(async move {
            for sql in [LOG_NO_TEXT].into_iter().chain(set_role).chain(more).chain([SETTINGS]) {
                conn.execute(sql).await?;
            }
            conn.execute(AssertSqlSafe(prepare)).await?;
            Ok(())
        })
    });
    Ok(Pool::open(options, setup, size).await?)
}

/// The statement that lets row level security admit this workspace's rows until the transaction ends.
pub fn set_workspace(workspace: Id) -> String {
    format!("SET LOCAL app.workspace_id = '{workspace}';")
}

/// A connection inside a transaction. Only a successful end returns it to the pool. A connection whose task was cancelled
/// is closed, so that the next task never gets its workspace.
pub struct PgTx {
    conn: PoolConnection<PgConnection>,
    /// The kept statements, each with its semicolon.
    kept: String,
}

impl PgTx {
    /// Begins a transaction on `workspace`. Runs `select`, if given, in the same round trip and returns its rows.
    pub async fn begin(
        pool: &Pool<PgConnection>,
        workspace: Id,
        write: bool,
        select: Option<String>,
    ) -> Result<(Self, Vec<PgRow>), StoreError> {
        let mode = if write { "" } else { " READ ONLY" };
        let select = select.unwrap_or_default();
        let sql = format!("BEGIN{mode}; {}{select}", set_workspace(workspace));
        Ok(pool.begin(workspace, |conn| Self::begun(conn, &sql)).await?)
    }

    /// Runs one SELECT on `workspace` in one round trip: the statements of one message are a transaction.
    pub async fn select_once(
        pool: &Pool<PgConnection>,
        workspace: Id,
        select: &str,
    ) -> Result<Vec<PgRow>, StoreError> {
        let sql = set_workspace(workspace) + select;
        let (tx, rows) = pool.begin(workspace, |conn| Self::begun(conn, &sql)).await?;
        tx.conn.release();
        Ok(rows)
    }

    async fn begun(
        mut conn: PoolConnection<PgConnection>,
        sql: &str,
    ) -> Result<(Self, Vec<PgRow>), sqlx::Error> {
        let before = if conn.in_read_transaction() { "COMMIT; " } else { "" };
        let sql = format!("{before}{sql}");
        let rows = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_all(conn.connection()).await?;
        Ok((Self { conn, kept: String::new() }, rows))
    }

    /// The connection, after the kept statements were sent.
    pub async fn connection(&mut self) -> Result<&mut PgConnection, StoreError> {
        self.send_kept().await?;
        Ok(self.conn.connection())
    }

    /// Keeps a statement with its values. It is prepared at its first use on the connection.
    pub async fn keep(&mut self, sql: &'static str, values: &[SqlValue]) -> Result<(), StoreError> {
        if !self.conn.prepared.contains_key(sql) {
            self.prepare(sql, values).await?;
        }
        execute(&self.conn.prepared[sql], values, &mut self.kept)?;
        if self.kept.len() > MOST_KEPT {
            self.send_kept().await?;
        }
        Ok(())
    }

    /// Prepares a statement in a message of its own: if the message fails, it is certain that nothing was prepared.
    async fn prepare(&mut self, sql: &'static str, values: &[SqlValue]) -> Result<(), StoreError> {
        let name = format!("kept_{}", self.conn.prepared.len());
        // As if the values were bound: the server can't infer the type of each parameter.
        let types: Vec<&str> = values.iter().map(SqlValue::pg_type).collect();
        let prepare = format!("PREPARE {name} ({}) AS {sql}", types.join(", "));
        sqlx::raw_sql(AssertSqlSafe(prepare)).execute(self.conn.connection()).await?;
        self.conn.prepared.insert(sql, name);
        Ok(())
    }

    async fn send_kept(&mut self) -> Result<(), StoreError> {
        if !self.kept.is_empty() {
            let sql = std::mem::take(&mut self.kept);
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(self.conn.connection()).await?;
        }
        Ok(())
    }

    /// Rolls back the transaction and begins another one on `workspace`. Cheaper than a savepoint in each write, because few
    /// writes are rolled back.
    pub async fn begin_again(&mut self, workspace: Id) -> Result<(), StoreError> {
        self.kept.clear();
        let sql = format!("ROLLBACK AND CHAIN; {}", set_workspace(workspace));
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(self.conn.connection()).await?;
        Ok(())
    }

    /// Ends a read. If a task waits for the connection, that task's first message ends the transaction and saves a round
    /// trip.
    pub async fn end_read(self) -> Result<(), StoreError> {
        match self.conn.hand_to_waiter() {
            Ok(()) => Ok(()),
            Err(conn) => Self { conn, kept: String::new() }.end("COMMIT").await,
        }
    }

    /// Sends the kept statements, `rows` and COMMIT in one message, and returns the connection to the pool.
    ///
    /// # Errors
    /// As [`PgTx::end`].
    pub async fn commit(mut self, rows: &str) -> Result<(), StoreError> {
        let mut sql = std::mem::take(&mut self.kept);
        sql.push_str(rows);
        if sql.is_empty() {
            // After a failed statement COMMIT rolls back and reports no error; this fails instead, as an INSERT would.
            sql.push_str("SAVEPOINT call_end;");
        }
        sql.push_str("COMMIT");
        self.end(sql).await
    }

    /// Runs the last statements, which must end the transaction, and returns the connection to the pool. Kept statements are
    /// not sent.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if the connection was lost: the transaction may have been committed or not. With any
    /// other error it was not.
    pub async fn end(mut self, sql: impl Into<String>) -> Result<(), StoreError> {
        match sqlx::raw_sql(AssertSqlSafe(sql.into())).execute(self.conn.connection()).await {
            Ok(_) => {
                self.conn.release();
                Ok(())
            }
            Err(refused @ sqlx::Error::Database(_)) => {
                // After the rollback the connection can be used again.
                if sqlx::raw_sql("ROLLBACK").execute(self.conn.connection()).await.is_err() {
                    return Err(StoreError::Unavailable(refused.to_string()));
                }
                self.conn.release();
                Err(match refused.into() {
                    StoreError::Unavailable(error) => StoreError::NotCommitted(error),
                    error => error,
                })
            }
            Err(lost) => Err(StoreError::Unavailable(lost.to_string())),
        }
    }
}

#[cfg(test)]
mod tests;
