//! A transaction that is bound to one workspace.

mod open_write;
mod write;

use sqlx::SqliteConnection;
use toolcrib_model::Id;

use super::{
    StoreError,
    postgres::{PgSession, PgTx},
    sqlite::{Lease, SqliteTx},
};

pub use open_write::assert_no_open_write;
pub use write::{WORKER_LIMIT, WriteTx, within};

/// The transaction's connection, by database; `with_backend!` matches on it.
pub enum Connection<'t> {
    Sqlite(&'t mut SqliteConnection),
    Pg(PgSession<'t>),
}

/// The database's own transaction.
pub(super) enum Backend {
    SqliteRead(SqliteTx),
    SqliteWrite(Lease),
    Pg(PgTx),
}

/// A transaction on one workspace's rows. The database refuses writes in it unless it is a [`WriteTx`].
pub struct Tx {
    pub(super) backend: Backend,
    pub(crate) workspace: Id,
}

impl Tx {
    pub(super) const fn new(backend: Backend, workspace: Id) -> Self {
        Self { backend, workspace }
    }

    pub fn workspace(&self) -> Id {
        self.workspace
    }

    /// The text for the transaction's database, where the databases need different texts.
    pub const fn sql(&self, sqlite: &'static str, pg: &'static str) -> &'static str {
        match self.backend {
            Backend::SqliteRead(_) | Backend::SqliteWrite(_) => sqlite,
            Backend::Pg(_) => pg,
        }
    }

    /// The connection that statements run on.
    pub fn connection(&mut self) -> Result<Connection<'_>, StoreError> {
        Ok(match &mut self.backend {
            Backend::SqliteRead(tx) => Connection::Sqlite(tx.connection()),
            Backend::SqliteWrite(lease) => Connection::Sqlite(lease.connection()?),
            Backend::Pg(tx) => Connection::Pg(tx.session()),
        })
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
