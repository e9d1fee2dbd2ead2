//! A transaction that is bound to one workspace.

use std::ops::{Deref, DerefMut};

use sqlx::{PgConnection, SqliteConnection};
use toolcrib_model::Id;

use crate::{AuditRow, EventRow, StoreError, pg::PgTx, sqlite::SqliteTx};

/// The connection of whichever database is in use; what `with_backend!` matches on.
pub enum Connection<'t> {
    Sqlite(&'t mut SqliteConnection),
    Pg(&'t mut PgConnection),
}

pub(crate) enum Backend {
    SqliteRead(SqliteTx),
    SqliteWrite(Box<SqliteConnection>),
    Pg(PgTx),
}

/// A transaction on one workspace's rows. The database refuses writes in it unless it is a [`WriteTx`].
pub struct Tx {
    pub(crate) backend: Backend,
    pub(crate) workspace: Id,
    /// Where the call began; another one only after [`WriteTx::switch_workspace`].
    pub(crate) origin_workspace: Id,
    pub(crate) audit: Vec<AuditRow>,
    pub(crate) events: Vec<EventRow>,
}

/// A transaction that may change rows. Reads go through it as through a [`Tx`].
pub struct WriteTx(pub(crate) Tx);

impl Tx {
    pub(crate) fn new(backend: Backend, workspace: Id) -> Self {
        Self { backend, workspace, origin_workspace: workspace, audit: Vec::new(), events: Vec::new() }
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
        tx.events.clear();
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

    /// Adds a row to the audit log in this transaction's commit.
    pub fn audit(&mut self, row: AuditRow) {
        self.0.audit.push(row);
    }

    /// Adds a row to the outbox in this transaction's commit.
    pub fn event(&mut self, row: EventRow) {
        self.0.events.push(row);
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
