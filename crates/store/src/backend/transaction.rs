//! A transaction that is bound to one workspace.

mod write;

use sqlx::{FromRow, SqliteConnection, postgres::PgRow, sqlite::SqliteRow};
use toolcrib_model::Id;

use super::{
    StoreError,
    pg_session::PgSession,
    postgres::PgTx,
    sqlite::{Lease, SqliteReadTx},
};

pub use write::{WORKER_LIMIT, WriteTx, assert_no_open_write, within};

/// The transaction's connection, by database; `with_backend!` matches on it.
pub enum Connection<'t> {
    Sqlite(&'t mut SqliteConnection),
    Pg(PgSession<'t>),
}

/// The database's own transaction.
pub(super) enum BackendTx {
    SqliteRead(SqliteReadTx),
    SqliteWrite(Lease),
    Pg(PgTx),
}

/// A transaction on one workspace's rows. The database refuses writes in it unless it is a [`WriteTx`].
pub struct Tx {
    pub(super) backend: BackendTx,
    pub(crate) workspace: Id,
}

impl Tx {
    pub(super) const fn new(backend: BackendTx, workspace: Id) -> Self {
        Self { backend, workspace }
    }

    pub fn workspace(&self) -> Id {
        self.workspace
    }

    /// The text for the transaction's database, where the databases need different texts.
    pub const fn sql(&self, sqlite: &'static str, pg: &'static str) -> &'static str {
        match self.backend {
            BackendTx::SqliteRead(_) | BackendTx::SqliteWrite(_) => sqlite,
            BackendTx::Pg(_) => pg,
        }
    }

    /// The connection that statements run on.
    pub fn connection(&mut self) -> Result<Connection<'_>, StoreError> {
        Ok(match &mut self.backend {
            BackendTx::SqliteRead(tx) => Connection::Sqlite(tx.connection()),
            BackendTx::SqliteWrite(lease) => Connection::Sqlite(lease.connection()?),
            BackendTx::Pg(tx) => Connection::Pg(tx.session()),
        })
    }

    /// Returns the row of the workspace that a statement finds by an ID: `$1` is the workspace, `$2` the ID.
    pub(crate) async fn find<R>(&mut self, sql: &'static str, id: Id) -> Result<Option<R>, StoreError>
    where
        R: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin,
    {
        with_backend!(self, workspace, c => sqlx::query_as(sql).bind(workspace).bind(id)
            .fetch_optional(c).await)
    }

    /// Ends a read and returns its connection to the pool. Dropping the transaction closes the connection instead.
    pub async fn end(self) -> Result<(), StoreError> {
        match self.backend {
            BackendTx::SqliteRead(tx) => tx.end(),
            BackendTx::SqliteWrite(_) => {}
            BackendTx::Pg(tx) => tx.end_read().await?,
        }
        Ok(())
    }

    /// Ends a read as [`Tx::end`] does and returns what was read. After an error it drops the transaction.
    pub(crate) async fn finish<T, E>(self, found: Result<T, E>) -> Result<T, StoreError>
    where
        StoreError: From<E>,
    {
        let found = found?;
        self.end().await?;
        Ok(found)
    }
}
