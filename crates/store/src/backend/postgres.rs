//! PostgreSQL: one pool per role, and transactions that a cancelled task can't leave open.

use std::{sync::Arc, time::Duration};

use sqlx::{
    AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, PgConnection, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use toolcrib_model::Id;

mod audit_writer;
mod transaction;

pub use audit_writer::write_audit;
pub use transaction::PgTx;

use super::{
    StoreError,
    pool::{Pool, Setup},
    statements::{AccessQuery, Statements},
};

/// The settings of each connection. Generic plans, because each statement selects by workspace and planning it takes
/// longer than running it. No JIT, because no statement runs long enough for the compilation to pay. `random_page_cost`
/// is that of a solid-state disk: with the default, for a spinning disk, 400 agents are looked up by reading all
/// agents.
const SETTINGS: [&str; 3] = ["plan_cache_mode = force_generic_plan", "jit = off", "random_page_cost = 1.1"];

/// Limits how long a statement waits for a row lock, also during a commit, which has no other time limit.
const LOCK_TIMEOUT: &str = "lock_timeout = '10s'";

/// How long the server may take to accept a connection that is made when a database is opened.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Connects outside the pools, without retries. Logs no statement, because a migration is one of 80 kB.
pub async fn connect(options: &PgConnectOptions) -> Result<PgConnection, StoreError> {
    let options = options.clone().disable_statement_logging();
    match tokio::time::timeout(CONNECT_TIMEOUT, PgConnection::connect_with(&options)).await {
        Ok(connected) => Ok(connected?),
        Err(_) => Err(StoreError::Unavailable("the server did not answer within 10 seconds".into())),
    }
}

/// The login of one pool's connections.
pub struct PgLogin {
    options: PgConnectOptions,
    /// What sets the role, behind `SET`; `None` if the login has exactly that role's rights.
    role: Option<&'static str>,
    /// Whether a pooler in transaction mode is before the server.
    pooled: bool,
}

impl PgLogin {
    /// A login that may become `role`, such as the owner.
    fn member(options: &PgConnectOptions, role: &'static str) -> Self {
        Self { options: options.clone(), role: Some(role), pooled: false }
    }

    /// A login that has the rights of one role and can't get any others.
    pub fn direct(options: PgConnectOptions, pooled: bool) -> Self {
        Self { options, role: None, pooled }
    }
}

#[derive(Clone, Debug)]
pub struct LoginPool {
    pub connections: Pool<PgConnection>,
    /// Behind a pooler in transaction mode a connection keeps nothing between transactions. Then these statements set
    /// in each transaction what otherwise is set once for a connection.
    local_settings: Option<Arc<str>>,
}

impl LoginPool {
    /// Whether a pooler in transaction mode is before the server.
    pub const fn is_pooled(&self) -> bool {
        self.local_settings.is_some()
    }

    /// The text that reads an access row.
    pub fn access(&self, statements: &Statements, workspace: Id, access: AccessQuery) -> String {
        if self.is_pooled() {
            statements.access_pg_unprepared(workspace, access)
        } else {
            statements.access_pg(workspace, access)
        }
    }
}

/// Pools for requests, audit batches and workers. The role of each owns no table.
///
/// Writes have their own pool, which is larger: they wait for the disk, and concurrent commits share one flush of the
/// log. Reads wait for the processor alone, so that more concurrent reads only take longer each.
#[derive(Clone, Debug)]
pub struct PgPools {
    pub reads: LoginPool,
    pub writes: LoginPool,
    pub audit: LoginPool,
    pub worker: LoginPool,
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
        let logins =
            [login("ROLE toolcrib_app"), login("ROLE toolcrib_audit"), login("ROLE toolcrib_worker")];
        let owner = PgPoolOptions::new().max_connections(1).connect_lazy_with(options.clone());
        Ok(Self { owner: Some(owner), ..Self::open_as(&logins, size, statements).await? })
    }

    /// Opens the pools with the logins for requests, audit batches and workers. Requests get `size` connections, of
    /// which a third is for reads; each pool has at least one.
    pub async fn open_as(
        [app, audit, worker]: &[PgLogin; 3],
        size: u32,
        statements: &'static Statements,
    ) -> Result<Self, StoreError> {
        let reads = (size / 3).max(1);
        let prepare = statements.pg_prepare();
        let pool = |name, login, more, size| pool(name, login, more, &prepare, size);
        Ok(Self {
            reads: pool("reads", app, Some(LOCK_TIMEOUT), reads).await?,
            writes: pool("writes", app, Some(LOCK_TIMEOUT), size.saturating_sub(reads).max(1)).await?,
            audit: pool("audit", audit, None, 2).await?,
            worker: pool("worker", worker, None, 3).await?,
            owner: None,
        })
    }

    /// The owner of a test's tables.
    #[cfg(test)]
    pub fn owner(&self) -> &PgPool {
        self.owner.as_ref().unwrap()
    }

    pub fn record_connections(&self) {
        for pool in [&self.reads, &self.writes, &self.audit, &self.worker] {
            pool.connections.record_connections();
        }
    }

    pub async fn close(&self) {
        self.reads.connections.close().await;
        self.writes.connections.close().await;
        self.audit.connections.close().await;
        self.worker.connections.close().await;
        if let Some(owner) = &self.owner {
            owner.close().await;
        }
    }
}

async fn pool(
    name: &'static str,
    login: &PgLogin,
    more: Option<&'static str>,
    prepare: &str,
    size: u32,
) -> Result<LoginPool, StoreError> {
    let settings = login.role.into_iter().chain(more).chain(SETTINGS);
    let set = |set: &str| -> String {
        settings.clone().map(|setting| format!("{set} {setting}; ")).collect::<Vec<_>>().concat()
    };
    let (capacity, at_connect) =
        if login.pooled { (0, String::new()) } else { (1024, format!("{}{prepare}", set("SET"))) };
    // Checking the log filter for each statement costs more than the log line is worth.
    let options = login
        .options
        .clone()
        .statement_cache_capacity(capacity)
        .log_statements(tracing::log::LevelFilter::Off);
    // Behind a pooler the empty statement reaches the server, which connecting to the pooler does not.
    let setup: Setup<PgConnection> = Box::new(move |conn| {
        let at_connect = at_connect.clone();
        Box::pin(async move { conn.execute(AssertSqlSafe(at_connect)).await.map(|_| ()) })
    });
    Ok(LoginPool {
        connections: Pool::open(name, options, setup, size).await?,
        local_settings: login.pooled.then(|| set("SET LOCAL").into()),
    })
}

#[cfg(test)]
mod tests;
