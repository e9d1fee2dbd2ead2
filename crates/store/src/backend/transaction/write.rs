//! A transaction that may change rows.

use std::{
    collections::HashSet,
    ops::{Deref, DerefMut},
    panic::AssertUnwindSafe,
    sync::LazyLock,
    time::Duration,
};

use futures_util::FutureExt as _;
use parking_lot::Mutex;
use sqlx::AssertSqlSafe;
use tokio::{task, time::timeout};
use toolcrib_model::{Id, Ts};

use super::{BackendTx, Tx};
use crate::backend::{
    StoreError,
    bulk_insert::{BulkRow, BulkRows, BulkTable, pg_array},
    statements::Statements,
};

/// The time limit of a background job's transaction, for [`within`].
pub const WORKER_LIMIT: Duration = Duration::from_secs(10);

/// A transaction that may change rows. It derefs to a [`Tx`] for reads. Dropping it rolls back.
pub struct WriteTx {
    tx: Tx,
    /// The workspace in which the transaction began. It differs from `tx.workspace` after
    /// [`WriteTx::switch_workspace`].
    origin_workspace: Id,
    /// The rows that the commit inserts.
    rows: BulkRows,
    statements: &'static Statements,
    _open: OpenWrite,
}

impl WriteTx {
    pub(in crate::backend) fn new(
        backend: BackendTx,
        workspace: Id,
        statements: &'static Statements,
    ) -> Self {
        let tx = Tx::new(backend, workspace);
        Self {
            tx,
            origin_workspace: workspace,
            rows: BulkRows::default(),
            statements,
            _open: OpenWrite::new(),
        }
    }

    /// Inserts the audit and outbox rows and commits. Returns when the commit is durable; on SQLite it is that of the
    /// group.
    ///
    /// # Errors
    /// [`StoreError::NotCommitted`] if nothing was stored, [`StoreError::InDoubt`] if it is unknown.
    pub async fn commit(self) -> Result<(), StoreError> {
        match self.tx.backend {
            BackendTx::SqliteRead(_) => Err(read_only()),
            BackendTx::SqliteWrite(lease) => lease.commit(self.rows).await,
            BackendTx::Pg(pg) => pg.commit(&self.statements.inserts, &self.rows).await,
        }
    }

    /// Rolls back. On SQLite it returns after the group's commit, because the transaction may have read what others of
    /// the group wrote: the caller must not tell it before it is durable.
    pub async fn rollback(self) -> Result<(), StoreError> {
        match self.tx.backend {
            BackendTx::SqliteRead(_) => Ok(()),
            BackendTx::SqliteWrite(lease) => lease.rollback().await,
            BackendTx::Pg(pg) => pg.end("ROLLBACK").await,
        }
    }

    /// Commits after `Ok` and rolls back after `Err`.
    pub async fn end<T, E: From<StoreError>>(self, outcome: Result<T, E>) -> Result<T, E> {
        match outcome {
            Ok(answer) => self.commit().await.map(|()| answer).map_err(E::from),
            Err(error) => {
                self.rollback().await?;
                Err(error)
            }
        }
    }

    /// Rolls back the changes made so far and drops the collected outbox rows. The transaction can be used further, and
    /// later changes are committed.
    pub async fn restart(&mut self) -> Result<(), StoreError> {
        self.rows.outbox.clear();
        match &mut self.tx.backend {
            BackendTx::SqliteRead(_) => {}
            BackendTx::SqliteWrite(lease) => lease.restart().await?,
            BackendTx::Pg(pg) => pg.restart(self.origin_workspace).await?,
        }
        self.tx.workspace = self.origin_workspace;
        Ok(())
    }

    /// Makes other transactions on this workspace that take the lock `name` wait until this one ends. SQLite has one
    /// writer, so that nothing is locked.
    pub(crate) async fn lock(&mut self, name: &'static str) -> Result<(), StoreError> {
        const SQL: &str = "SELECT pg_advisory_xact_lock(hashtextextended($1 || ':' || $2, 0))";
        let workspace = self.workspace.to_string();
        per_backend!(self,
            sqlite _c => Ok(()),
            pg c => sqlx::query(SQL).bind(name).bind(workspace).execute(c).await.map(|_| ()),
        )?;
        Ok(())
    }

    /// Runs a statement about the rows with an ID: `$1` is the workspace, `$2` the ID. Returns how many it changed.
    pub(crate) async fn execute(&mut self, sql: &'static str, id: Id) -> Result<u64, StoreError> {
        with_backend!(self, workspace, c => sqlx::query(sql).bind(workspace).bind(id).execute(c).await
            .map(|done| done.rows_affected()))
    }

    /// As [`WriteTx::execute`], with a time as `$3`.
    pub(crate) async fn execute_at(&mut self, sql: &'static str, id: Id, at: Ts) -> Result<u64, StoreError> {
        with_backend!(self, workspace, c => sqlx::query(sql).bind(workspace).bind(id).bind(at.as_micros())
            .execute(c).await.map(|done| done.rows_affected()))
    }

    /// Locks the rows with an ID, as [`WriteTx::execute`] finds them. SQLite has one writer, so that nothing is locked.
    pub(crate) async fn lock_rows(&mut self, sql: &'static str, id: Id) -> Result<(), StoreError> {
        let workspace = self.workspace;
        per_backend!(self,
            sqlite _c => Ok::<_, sqlx::Error>(()),
            pg c => sqlx::query(sql).bind(workspace).bind(id).execute(c).await.map(|_| ()),
        )?;
        Ok(())
    }

    /// Binds the transaction to another workspace, which the same transaction creates. [`WriteTx::restart`] returns to
    /// the first one.
    pub async fn switch_workspace(&mut self, workspace: Id) -> Result<(), StoreError> {
        if self.workspace == workspace {
            return Ok(());
        }
        per_backend!(self,
            sqlite _c => Ok::<_, sqlx::Error>(()),
            pg c => sqlx::query("SELECT set_config('app.workspace_id', $1, true)")
                .bind(workspace.to_string()).execute(c).await.map(|_| ()),
        )?;
        self.tx.workspace = workspace;
        Ok(())
    }

    /// Inserts the audit and outbox rows so far. On PostgreSQL the rows of a workspace can only be inserted while the
    /// transaction is bound to it; on SQLite the commit inserts them.
    pub async fn insert_collected(&mut self) -> Result<(), StoreError> {
        let BackendTx::Pg(pg) = &mut self.tx.backend else { return Ok(()) };
        let rows = std::mem::take(&mut self.rows);
        self.statements.inserts.insert_pg(&mut pg.session(), &rows.audit, &rows.outbox).await
    }

    /// Inserts rows of a table with one statement.
    pub(crate) async fn insert_rows(
        &mut self,
        table: &BulkTable,
        rows: &[BulkRow],
    ) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        let (sql, rows) = match self.tx.backend {
            BackendTx::Pg(_) => (table.insert_pg_text("$1"), pg_array(rows)?),
            BackendTx::SqliteRead(_) | BackendTx::SqliteWrite(_) => {
                (table.insert_sqlite_json("$1"), table.json(rows)?)
            }
        };
        with_backend!(self, c => sqlx::query(AssertSqlSafe(sql)).bind(rows).execute(c).await.map(|_| ()))?;
        Ok(())
    }

    /// Adds a row of the audit log, which the commit inserts.
    pub(crate) fn push_audit(&mut self, row: BulkRow) {
        self.rows.audit.push(row);
    }

    /// Adds a row of the outbox, which the commit inserts.
    pub(crate) fn push_outbox(&mut self, row: BulkRow) {
        self.rows.outbox.push(row);
    }
}

impl Deref for WriteTx {
    type Target = Tx;

    fn deref(&self) -> &Tx {
        &self.tx
    }
}

impl DerefMut for WriteTx {
    fn deref_mut(&mut self) -> &mut Tx {
        &mut self.tx
    }
}

/// Runs the work of a transaction for at most `limit`. The outer result is an error if the work took longer
/// ([`StoreError::Timeout`]) or panicked ([`StoreError::Inconsistent`]): its [`WriteTx`] must then be dropped, because
/// a statement may still run.
pub async fn within<T>(limit: Duration, work: impl Future<Output = T>) -> Result<T, StoreError> {
    match timeout(limit, AssertUnwindSafe(work).catch_unwind()).await {
        Ok(Ok(outcome)) => Ok(outcome),
        Ok(Err(_)) => Err(StoreError::Inconsistent("the work of a transaction panicked".into())),
        Err(_) => Err(StoreError::Timeout),
    }
}

fn read_only() -> StoreError {
    StoreError::Inconsistent("a read can't be committed".into())
}

/// The tasks with an open write, in debug builds. A task that begins another transaction then would wait for itself on
/// SQLite, and hold two connections to PostgreSQL.
static TASKS: LazyLock<Mutex<HashSet<task::Id>>> = LazyLock::new(Mutex::default);

/// The task that began a write, until the write ends.
struct OpenWrite(Option<task::Id>);

impl OpenWrite {
    fn new() -> Self {
        let task = if cfg!(debug_assertions) { task::try_id() } else { None };
        if let Some(task) = task {
            TASKS.lock().insert(task);
        }
        Self(task)
    }
}

impl Drop for OpenWrite {
    fn drop(&mut self) {
        if let Some(task) = self.0 {
            TASKS.lock().remove(&task);
        }
    }
}

/// Panics in debug builds if the task has an open write.
pub fn assert_no_open_write() {
    if cfg!(debug_assertions) {
        let open = task::try_id().is_some_and(|task| TASKS.lock().contains(&task));
        assert!(!open, "a task with an open write begins another transaction");
    }
}
