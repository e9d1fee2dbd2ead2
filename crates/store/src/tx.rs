//! A transaction that is bound to one workspace.

use std::ops::{Deref, DerefMut};

use futures_util::FutureExt as _;
use sqlx::{AssertSqlSafe, PgConnection, SqliteConnection};
use toolcrib_model::Id;

use crate::{AuditRow, EventRow, StoreError, agents::Ground, db::Later, pg::PgTx, sqlite::SqliteTx};

/// The connection of whichever database is in use; what `with_backend!` matches on.
pub enum Connection<'t> {
    Sqlite(&'t mut SqliteConnection),
    Pg(&'t mut PgConnection),
}

pub(crate) enum Backend {
    SqliteRead(SqliteTx),
    SqliteWrite(Box<SqliteConnection>),
    Pg(PgTx),
    /// Begins with the first statement that somebody waits for; without one there is none but the commit's.
    PgLater(Later),
}

/// A transaction on one workspace's rows. The database refuses writes in it unless it is a [`WriteTx`].
pub struct Tx {
    pub(crate) backend: Backend,
    pub(crate) workspace: Id,
    /// Where the call began; another one only after [`WriteTx::switch_workspace`].
    pub(crate) origin_workspace: Id,
    /// What was read before it was asked for: see `agents::is_taken`.
    pub(crate) ground: Option<Ground>,
    /// Statements for PostgreSQL that nobody waits for: they run before the next one, or with the commit.
    pub(crate) late: String,
    pub(crate) audit: Vec<AuditRow>,
    pub(crate) events: Vec<EventRow>,
}

/// A transaction that may change rows. Reads go through it as through a [`Tx`].
pub struct WriteTx(pub(crate) Tx);

impl Tx {
    pub(crate) fn new(backend: Backend, workspace: Id) -> Self {
        let (audit, events) = (Vec::new(), Vec::new());
        Self {
            backend,
            workspace,
            origin_workspace: workspace,
            ground: None,
            late: String::new(),
            audit,
            events,
        }
    }

    /// The workspace it is bound to.
    pub fn workspace(&self) -> Id {
        self.workspace
    }

    /// The connection for another statement, after those that were left for later.
    pub(crate) async fn connection(&mut self) -> Result<Connection<'_>, StoreError> {
        if let Backend::PgLater(later) = &self.backend {
            let begun = PgTx::begin(&later.writes, self.workspace, true, None).boxed().await?;
            self.backend = Backend::Pg(begun.0);
        }
        match &mut self.backend {
            Backend::SqliteRead(tx) => Ok(Connection::Sqlite(tx.connection())),
            Backend::SqliteWrite(conn) => Ok(Connection::Sqlite(conn)),
            Backend::Pg(tx) => {
                if !self.late.is_empty() {
                    let late = std::mem::take(&mut self.late);
                    sqlx::raw_sql(AssertSqlSafe(late)).execute(tx.connection()).await?;
                }
                Ok(Connection::Pg(tx.connection()))
            }
            Backend::PgLater(_) => Err(StoreError::Inconsistent("a transaction did not begin".into())),
        }
    }

    /// Ends a read and gives its connection back. Dropping without it closes the connection instead.
    pub async fn end(self) -> Result<(), StoreError> {
        match self.backend {
            Backend::SqliteRead(tx) => tx.end(),
            Backend::SqliteWrite(_) | Backend::PgLater(_) => {}
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
        tx.late.clear();
        match &mut tx.backend {
            Backend::Pg(pg) => pg.begin_again(tx.origin_workspace).await?,
            Backend::SqliteWrite(conn) => {
                sqlx::query("ROLLBACK TO SAVEPOINT call_start").execute(&mut **conn).await?;
            }
            Backend::SqliteRead(_) | Backend::PgLater(_) => {}
        }
        (tx.workspace, tx.ground) = (tx.origin_workspace, None);
        Ok(())
    }

    /// Runs what was left for the commit now, so that its errors are told here.
    pub async fn flush(&mut self) -> Result<(), StoreError> {
        self.0.connection().await.map(|_| ())
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
        (self.0.workspace, self.0.ground) = (workspace, None);
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
