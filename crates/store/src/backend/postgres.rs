//! PostgreSQL: one pool per role, and transactions that a cancelled task can't leave open.

use std::time::Duration;

use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};

mod audit_writer;
mod transaction;

pub use audit_writer::{WaitingRows, write_audit};
pub use transaction::PgTx;

use super::{
    StoreError,
    pool::{Pool, Setup},
    statements::Statements,
};

/// Generic plans, because each statement selects by workspace and planning it takes longer than running it. No JIT,
/// because no statement runs long enough for the compilation to pay. The cost of a page at random is that of a solid-state disk:
/// with the default of a turning one, 400 agents are looked up by reading all agents.
const SETTINGS: &str = "SET plan_cache_mode = force_generic_plan; SET jit = off; \
    SET random_page_cost = 1.1";

/// Limits how long a statement waits for a row lock, also during a commit, which has no other time limit.
const LOCK_TIMEOUT: &str = "SET lock_timeout = '10s'";

/// How long the server may take to accept a connection that is made when a database is opened.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

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
            for sql in set_role.into_iter().chain(more).chain([SETTINGS]) {
                conn.execute(sql).await?;
            }
            conn.execute(AssertSqlSafe(prepare)).await?;
            Ok(())
        })
    });
    Ok(Pool::open(options, setup, size).await?)
}

#[cfg(test)]
mod tests;
