//! [`Db`]: begins reads and writes on the configured database.

use std::{
    panic,
    sync::{Arc, atomic::AtomicU64},
};

use sqlx::{FromRow, SqliteConnection, postgres::PgRow, sqlite::SqliteRow};
use tokio::sync::{mpsc, oneshot};
use toolcrib_model::{Id, Ts};

use super::{
    Connection, StoreError, Tx, WriteTx,
    bulk_insert::{BulkRows, WaitingRows},
    pool::Pool,
    postgres::{self, PgPools, PgTx},
    sqlite::{self, MAX_GROUP_TIME, SqliteReadTx, Writer},
    statements::{AccessQuery, RawAccessRow, Statements},
    transaction::{BackendTx, assert_no_open_write},
};

/// A database: SQLite in a file, or PostgreSQL. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Db {
    statements: &'static Statements,
    database: Database,
}

#[derive(Clone, Debug)]
enum Database {
    /// SQLite with one writing connection and read-only readers.
    Sqlite { readers: Pool<SqliteConnection>, writer: Writer },
    /// PostgreSQL with one pool per role and row level security.
    Pg { pools: PgPools, audit: mpsc::Sender<WaitingRows> },
}

impl Db {
    /// Starts the writer of a database that [`sqlite::open`] opened.
    pub(crate) fn start_sqlite(
        writer: SqliteConnection,
        readers: Pool<SqliteConnection>,
        statements: &'static Statements,
    ) -> Result<Self, StoreError> {
        let writer = Writer::start(writer, statements, MAX_GROUP_TIME)?;
        Ok(Self { statements, database: Database::Sqlite { readers, writer } })
    }

    /// Starts the audit writer of a PostgreSQL database.
    pub(crate) fn start_pg(pools: PgPools, statements: &'static Statements) -> Self {
        let (audit, queue) = mpsc::channel(4096);
        tokio::spawn(postgres::write_audit(pools.audit.clone(), &statements.inserts, queue));
        Self { statements, database: Database::Pg { pools, audit } }
    }

    /// The kind of the database: `sqlite` or `postgres`.
    pub const fn kind(&self) -> &'static str {
        if self.is_sqlite() { "sqlite" } else { "postgres" }
    }

    /// Whether the database is SQLite, whose writes wait for each other.
    pub const fn is_sqlite(&self) -> bool {
        matches!(self.database, Database::Sqlite { .. })
    }

    /// Sets the gauges of the pools' connections. SQLite's writing connection is in no pool.
    pub fn record_connections(&self) {
        match &self.database {
            Database::Sqlite { readers, .. } => readers.record_connections(),
            Database::Pg { pools, .. } => pools.record_connections(),
        }
    }

    /// Begins a read on a workspace. The database refuses writes in it.
    pub async fn read(&self, workspace: Id) -> Result<Tx, StoreError> {
        Ok(self.begin_read(workspace, None).await?.0)
    }

    /// Begins a read and reads an access row, in one message.
    pub(crate) async fn begin_read(
        &self,
        workspace: Id,
        access: Option<AccessQuery>,
    ) -> Result<(Tx, Option<RawAccessRow>), StoreError> {
        assert_no_open_write();
        let (backend, row) = match &self.database {
            Database::Sqlite { readers, .. } => {
                let (tx, row) = SqliteReadTx::begin(readers, self.statements, workspace, access).await?;
                (BackendTx::SqliteRead(tx), row)
            }
            Database::Pg { pools, .. } => {
                let access = access.map(|access| pools.reads.access(self.statements, workspace, access));
                let (tx, row) = PgTx::begin(&pools.reads, workspace, false, access).await?;
                (BackendTx::Pg(tx), row)
            }
        };
        Ok((Tx::new(backend, workspace), row))
    }

    /// Reads an access row without a transaction for further statements.
    pub(crate) async fn read_access(
        &self,
        workspace: Id,
        access: AccessQuery,
    ) -> Result<Option<RawAccessRow>, StoreError> {
        if let Database::Pg { pools, .. } = &self.database {
            let select = pools.reads.access(self.statements, workspace, access);
            return PgTx::select_once(&pools.reads, workspace, select).await;
        }
        let (tx, row) = self.begin_read(workspace, Some(access)).await?;
        tx.end().await?;
        Ok(row)
    }

    /// Begins a write on a workspace. On SQLite it waits until no other write runs.
    pub async fn begin_write(&self, workspace: Id) -> Result<WriteTx, StoreError> {
        Ok(self.begin_write_with(workspace, None).await?.0)
    }

    /// Begins a write and reads an access row, in one message.
    pub(crate) async fn begin_write_with(
        &self,
        workspace: Id,
        access: Option<AccessQuery>,
    ) -> Result<(WriteTx, Option<RawAccessRow>), StoreError> {
        assert_no_open_write();
        let (backend, row) = match &self.database {
            Database::Sqlite { writer, .. } => {
                let (lease, row) = writer.begin(workspace, access).await?;
                (BackendTx::SqliteWrite(lease), row)
            }
            Database::Pg { pools, .. } => {
                let access = access.map(|access| pools.writes.access(self.statements, workspace, access));
                let (tx, row) = PgTx::begin(&pools.writes, workspace, true, access).await?;
                (BackendTx::Pg(tx), row)
            }
        };
        Ok((WriteTx::new(backend, workspace, self.statements), row))
    }

    /// Begins a write that belongs to no workspace, for background jobs. On PostgreSQL it runs as the role that sees
    /// some tables across workspaces.
    pub async fn begin_write_as_worker(&self) -> Result<WriteTx, StoreError> {
        let Database::Pg { pools, .. } = &self.database else { return self.begin_write(Id::nil()).await };
        let (tx, _) = PgTx::begin(&pools.worker, Id::nil(), true, None).await?;
        Ok(WriteTx::new(BackendTx::Pg(tx), Id::nil(), self.statements))
    }

    /// Begins a read across workspaces, for background jobs; see [`Db::begin_write_as_worker`].
    pub(crate) async fn read_as_worker(&self) -> Result<Tx, StoreError> {
        let Database::Pg { pools, .. } = &self.database else { return self.read(Id::nil()).await };
        let (tx, _) = PgTx::begin(&pools.worker, Id::nil(), false, None).await?;
        Ok(Tx::new(BackendTx::Pg(tx), Id::nil()))
    }

    /// Returns at most `limit` rows of all workspaces that a statement finds at a time: `$1` is the time, `$2` the limit.
    pub(crate) async fn due<R>(&self, sql: &'static str, now: Ts, limit: i64) -> Result<Vec<R>, StoreError>
    where
        R: for<'r> FromRow<'r, SqliteRow> + for<'r> FromRow<'r, PgRow> + Send + Unpin,
    {
        let mut tx = self.read_as_worker().await?;
        let found =
            with_backend!(tx, c => sqlx::query_as(sql).bind(now.as_micros()).bind(limit).fetch_all(c).await);
        tx.finish(found).await
    }

    /// Runs a task that writes. On SQLite it runs on the thread of the writing connection's task: each of its
    /// statements would otherwise wait until another thread wakes. The task runs to its end even if the caller is
    /// cancelled.
    pub async fn run_write<T: Send + 'static>(&self, task: impl Future<Output = T> + Send + 'static) -> T {
        let Database::Sqlite { writer, .. } = &self.database else { return task.await };
        match writer.spawn(task).await {
            Ok(output) => output,
            Err(error) => panic::resume_unwind(error.into_panic()),
        }
    }

    /// Inserts audit rows and, in the same commit, outbox rows. Returns when the commit is durable.
    pub(crate) async fn write_rows(&self, rows: BulkRows) -> Result<(), StoreError> {
        let audit = match &self.database {
            Database::Sqlite { writer, .. } => return writer.insert(rows).await,
            Database::Pg { audit, .. } => audit,
        };
        let full = || StoreError::Unavailable("the queue of audit rows is full or closed".into());
        let (reply, inserted) = oneshot::channel();
        audit.try_send(WaitingRows { rows, reply }).map_err(|_| full())?;
        inserted.await.map_err(|_| full())?
    }

    /// Closes every connection and waits until each is closed. The SQLite writer ends when the last clone of this value
    /// is dropped.
    pub async fn close(&self) {
        match &self.database {
            Database::Sqlite { readers, .. } => readers.close().await,
            Database::Pg { pools, .. } => pools.close().await,
        }
    }

    /// Adds the steps of SQLite's virtual machine that all later statements take to `steps`, in tens; PostgreSQL adds
    /// nothing. For tests that compare the work of small and large workspaces.
    pub async fn count_steps(&self, steps: &Arc<AtomicU64>) -> Result<(), StoreError> {
        if let Database::Sqlite { readers, .. } = &self.database {
            sqlite::count_reads(readers, steps).await?;
            let mut tx = self.begin_write(Id::nil()).await?;
            if let Connection::Sqlite(conn) = tx.connection()? {
                sqlite::count_steps(conn, steps).await?;
            }
            tx.rollback().await?;
        }
        Ok(())
    }

    /// Whether the connections to PostgreSQL could become the schema's owner. They can if one login is used for all
    /// roles.
    pub fn may_become_owner(&self) -> bool {
        self.pg().is_some_and(|pools| pools.owner.is_some())
    }

    pub(crate) const fn pg(&self) -> Option<&PgPools> {
        match &self.database {
            Database::Sqlite { .. } => None,
            Database::Pg { pools, .. } => Some(pools),
        }
    }
}
