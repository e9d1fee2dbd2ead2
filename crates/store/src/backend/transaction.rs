//! A transaction that is bound to one workspace.

use std::ops::{Deref, DerefMut};

use sqlx::{PgConnection, SqliteConnection};
use toolcrib_model::Id;

use super::{
    StoreError,
    bulk_insert::{BulkRow, BulkRows},
    postgres::PgTx,
    sqlite::SqliteTx,
};

/// The connection of whichever database is in use; what `with_backend!` matches on.
pub enum Connection<'t> {
    Sqlite(&'t mut SqliteConnection),
    Pg(&'t mut PgConnection),
}

/// What holds the transaction.
pub(super) enum Backend {
    SqliteRead(SqliteTx),
    SqliteWrite(Box<SqliteConnection>),
    Pg(PgTx),
}

/// A transaction on one workspace's rows. The database refuses writes in it unless it is a [`WriteTx`].
pub struct Tx {
    pub(super) backend: Backend,
    pub(crate) workspace: Id,
    /// Where the call began; another one only after [`WriteTx::switch_workspace`].
    pub(super) origin_workspace: Id,
    /// Inserted at the commit.
    pub(super) rows: BulkRows,
}

/// A transaction that may change rows. Reads go through it as through a [`Tx`].
pub struct WriteTx(pub(super) Tx);

impl Tx {
    pub(super) fn new(backend: Backend, workspace: Id) -> Self {
        Self { backend, workspace, origin_workspace: workspace, rows: BulkRows::default() }
    }

    /// The workspace it is bound to.
    pub fn workspace(&self) -> Id {
        self.workspace
    }

    /// The connection for another statement.
    pub(crate) fn connection(&mut self) -> Connection<'_> {
        match &mut self.backend {
            Backend::SqliteRead(tx) => Connection::Sqlite(tx.connection()),
            Backend::SqliteWrite(conn) => Connection::Sqlite(conn),
            Backend::Pg(tx) => Connection::Pg(tx.connection()),
        }
    }

    /// Ends a read and gives its connection back. Dropping without it closes the connection instead.
    pub async fn end(self) -> Result<(), StoreError> {
        match self.backend {
            Backend::SqliteRead(tx) => tx.end(),
            Backend::SqliteWrite(_) => {}
            Backend::Pg(tx) => tx.end_read().await?,
        }
        Ok(())
    }
}

impl WriteTx {
    /// Takes back everything this call changed so far; what is written afterwards still commits. Rows collected for
    /// the outbox are dropped with it.
    pub async fn rollback(&mut self) -> Result<(), StoreError> {
        let tx = &mut self.0;
        tx.rows.outbox.clear();
        match &mut tx.backend {
            Backend::Pg(pg) => pg.begin_again(tx.origin_workspace).await?,
            Backend::SqliteWrite(conn) => {
                sqlx::query("ROLLBACK TO SAVEPOINT call_start").execute(&mut **conn).await?;
            }
            Backend::SqliteRead(_) => {}
        }
        tx.workspace = tx.origin_workspace;
        Ok(())
    }

    /// Binds the transaction to another workspace: one that this very call creates. [`WriteTx::rollback`] leaves it again.
    pub async fn switch_workspace(&mut self, workspace: Id) -> Result<(), StoreError> {
        if self.0.workspace == workspace {
            return Ok(());
        }
        per_backend!(self.0,
            sqlite _c => Ok::<_, sqlx::Error>(()),
            pg c => sqlx::query("SELECT set_config('app.workspace_id', $1, true)")
                .bind(workspace.to_string()).execute(c).await.map(|_| ()),
        )?;
        self.0.workspace = workspace;
        Ok(())
    }

    /// Adds a row of the audit log, which this transaction's commit inserts.
    pub(crate) fn push_audit(&mut self, row: BulkRow) {
        self.0.rows.audit.push(row);
    }

    /// Adds a row of the outbox, which this transaction's commit inserts.
    pub(crate) fn push_outbox(&mut self, row: BulkRow) {
        self.0.rows.outbox.push(row);
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
