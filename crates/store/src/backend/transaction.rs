//! A transaction that is bound to one workspace.

mod write;

use std::ops::{Deref, DerefMut};

use sqlx::{PgConnection, SqliteConnection};
use toolcrib_model::Id;

use super::{
    StoreError,
    bulk_insert::BulkRows,
    postgres::PgTx,
    row_cache::RowCache,
    select::{Select, SelectRows, Selects, Statement},
    sqlite::SqliteTx,
};

/// The transaction's connection, by database; `with_backend!` matches on it.
pub enum Connection<'t> {
    Sqlite(&'t mut SqliteConnection),
    Pg(&'t mut PgConnection),
}

/// The database's own transaction.
pub(super) enum Backend {
    SqliteRead(SqliteTx),
    SqliteWrite(Box<SqliteConnection>),
    Pg(PgTx),
}

/// A transaction on one workspace's rows. The database refuses writes in it unless it is a [`WriteTx`].
pub struct Tx {
    pub(super) backend: Backend,
    pub(crate) workspace: Id,
    /// The workspace in which the transaction began. It differs from `workspace` after [`WriteTx::switch_workspace`].
    pub(super) origin_workspace: Id,
    /// The rows that the commit inserts.
    pub(super) rows: BulkRows,
    cache: RowCache,
}

/// A transaction that may change rows. It derefs to a [`Tx`] for reads.
pub struct WriteTx(pub(super) Tx);

impl Tx {
    pub(super) fn new(backend: Backend, workspace: Id) -> Self {
        Self {
            backend,
            workspace,
            origin_workspace: workspace,
            rows: BulkRows::default(),
            cache: RowCache::default(),
        }
    }

    /// Binds the writer of SQLite, which has one connection for all jobs, to the workspace of the next job, and forgets what the
    /// job before has read.
    pub(super) fn next_job(&mut self, workspace: Id) {
        (self.workspace, self.origin_workspace) = (workspace, workspace);
        self.cache.clear();
    }

    /// The workspace that the transaction is bound to.
    pub fn workspace(&self) -> Id {
        self.workspace
    }

    /// The text for the transaction's database, where the databases need different texts.
    pub(crate) const fn sql(&self, sqlite: &'static str, pg: &'static str) -> &'static str {
        match self.backend {
            Backend::SqliteRead(_) | Backend::SqliteWrite(_) => sqlite,
            Backend::Pg(_) => pg,
        }
    }

    /// The connection that statements run on, after the kept statements of [`WriteTx::execute`] were sent.
    pub(crate) async fn connection(&mut self) -> Result<Connection<'_>, StoreError> {
        Ok(match &mut self.backend {
            Backend::SqliteRead(tx) => Connection::Sqlite(tx.connection()),
            Backend::SqliteWrite(conn) => Connection::Sqlite(conn),
            Backend::Pg(tx) => Connection::Pg(tx.connection().await?),
        })
    }

    /// Runs one [`crate::Select`], or a tuple of them in one round trip to PostgreSQL, and returns what their rows become.
    pub async fn fetch<S: Selects>(&mut self, selects: S) -> Result<S::Output, StoreError> {
        let mut statements = Vec::new();
        selects.statements(&mut statements);
        let rows = self.select(&statements).await?;
        selects.decode(&mut rows.into_iter())
    }

    async fn select(&mut self, statements: &[&Statement]) -> Result<Vec<SelectRows>, StoreError> {
        let workspace = self.workspace;
        let conn = match &mut self.backend {
            Backend::SqliteRead(tx) => tx.connection(),
            Backend::SqliteWrite(conn) => conn,
            Backend::Pg(pg) => {
                return Ok(pg.select(workspace, statements).await?.into_iter().map(SelectRows::Pg).collect());
            }
        };
        let mut all = Vec::with_capacity(statements.len());
        for statement in statements {
            all.push(statement.on_sqlite(conn, workspace).await?);
        }
        Ok(all)
    }

    /// Returns the row of this type and key that [`Tx::cache`] added, unless something was changed since.
    pub(crate) fn cached<T: Clone + 'static>(&self, key: impl ToString) -> Option<T> {
        self.cache.get(&key)
    }

    /// Adds a row to the cache and returns it.
    pub(crate) fn cache<T, K>(&mut self, row: Option<T>, key: impl FnOnce(&T) -> K) -> Option<T>
    where
        T: Clone + Send + Sync + 'static,
        K: ToString,
    {
        if let Some(row) = &row {
            self.cache.insert(&key(row), row.clone());
        }
        row
    }

    /// Returns the cached row of this type and key, or fetches it and adds it to the cache.
    pub(crate) async fn fetch_cached<T>(
        &mut self,
        key: impl ToString,
        select: Select<Option<T>>,
    ) -> Result<Option<T>, StoreError>
    where
        T: Clone + Send + Sync + 'static,
    {
        let key = key.to_string();
        if let Some(row) = self.cached(&key) {
            return Ok(Some(row));
        }
        let row = self.fetch(select).await?;
        Ok(self.cache(row, |_| key))
    }

    /// Ends a read and returns its connection to the pool. Dropping the transaction closes the connection instead.
    pub async fn end(self) -> Result<(), StoreError> {
        match self.backend {
            Backend::SqliteRead(tx) => tx.end(),
            Backend::SqliteWrite(_) => {}
            Backend::Pg(tx) => tx.end_read().await?,
        }
        Ok(())
    }
}

impl Deref for WriteTx {
    type Target = Tx;

    fn deref(&self) -> &Tx {
        &self.0
    }
}

impl DerefMut for WriteTx {
    fn deref_mut(&mut self) -> &mut Tx {
        &mut self.0
    }
}
