//! [`Db`]: begins reads and runs write jobs on the configured database.

use std::{
    any::Any,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

use futures_util::{FutureExt, future::BoxFuture};
use sqlx::SqliteConnection;
use tokio::sync::{mpsc, oneshot};
use toolcrib_model::Id;

use super::{
    StoreError, Tx, WriteTx,
    bulk_insert::BulkRows,
    pool::Pool,
    postgres::{self, PgDb, PgPools, PgTx},
    select::Selects,
    sqlite::{self, SqliteTx, WriterMessage},
    statements::{Opening, OpeningRow, Statements},
    transaction::Backend,
};

/// The time limit of a background job's transaction.
const WORK_LIMIT: Duration = Duration::from_secs(10);

/// The future of a write job: `Ok` commits the transaction, `Err` rolls it back.
pub type JobFuture<'t, T, E> = BoxFuture<'t, Result<T, E>>;

/// A database: SQLite in a file, or PostgreSQL. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Db {
    /// SQLite with one writer thread and read-only readers.
    Sqlite(SqliteDb),
    /// PostgreSQL with one pool per role and row level security.
    Pg(PgDb),
}

/// The SQLite side of [`Db`].
#[derive(Clone, Debug)]
pub struct SqliteDb {
    readers: Pool<SqliteConnection>,
    writer: mpsc::Sender<WriterMessage>,
    statements: &'static Statements,
}

impl Db {
    /// Starts the writer of a database that [`sqlite::open`] opened.
    pub(crate) fn start_sqlite(
        writer: SqliteConnection,
        readers: Pool<SqliteConnection>,
        statements: &'static Statements,
    ) -> Result<Self, StoreError> {
        Ok(Self::Sqlite(SqliteDb { readers, writer: sqlite::start(writer, statements)?, statements }))
    }

    /// Starts the audit writer of a PostgreSQL database.
    pub(crate) fn start_pg(pools: PgPools, statements: &'static Statements) -> Self {
        let (audit, queue) = mpsc::channel(4096);
        tokio::spawn(postgres::write_audit(pools.audit.clone(), &statements.inserts, queue));
        Self::Pg(PgDb { pools, audit, statements })
    }

    /// The kind of the database: `sqlite` or `postgres`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Sqlite(_) => "sqlite",
            Self::Pg(_) => "postgres",
        }
    }

    /// Begins a read on a workspace. The database refuses writes in it.
    pub async fn read(&self, workspace: Id) -> Result<Tx, StoreError> {
        match self {
            Self::Sqlite(db) => {
                let tx = SqliteTx::begin(&db.readers, workspace).await?;
                Ok(Tx::new(Backend::SqliteRead(tx), workspace))
            }
            Self::Pg(db) => {
                let tx = PgTx::begin(&db.pools.reads, workspace, false).await?;
                Ok(Tx::new(Backend::Pg(tx), workspace))
            }
        }
    }

    /// Runs an opening SELECT without a transaction for further statements.
    pub(crate) async fn select_opening(
        &self,
        workspace: Id,
        opening: Opening,
    ) -> Result<Option<OpeningRow>, StoreError> {
        match self {
            Self::Pg(db) => db.select_opening(workspace, opening).await,
            Self::Sqlite(_) => {
                let (tx, row) = self.read_opening(workspace, opening).await?;
                tx.end().await?;
                Ok(row)
            }
        }
    }

    /// Begins a read with an opening SELECT.
    pub(crate) async fn read_opening(
        &self,
        workspace: Id,
        opening: Opening,
    ) -> Result<(Tx, Option<OpeningRow>), StoreError> {
        match self {
            Self::Pg(db) => {
                let (tx, row, _) = db.begin(&db.pools.reads, workspace, opening, false, &[]).await?;
                Ok((tx, row))
            }
            Self::Sqlite(db) => {
                let begun = SqliteTx::begin_with(&db.readers, db.statements, workspace, opening).await;
                let (tx, row) = begun.map_err(opening_failed)?;
                Ok((Tx::new(Backend::SqliteRead(tx), workspace), row))
            }
        }
    }

    /// Runs `job` in a write transaction that begins with an opening SELECT and `selects`; see [`Db::write`].
    pub(crate) async fn write_opening<S, T, E, F>(
        &self,
        workspace: Id,
        (opening, selects): (Opening, S),
        limit: Duration,
        job: F,
    ) -> Result<T, E>
    where
        S: Selects + Send + Sync + 'static,
        S::Output: Send,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: for<'t> FnOnce(&'t mut WriteTx, Option<OpeningRow>, S::Output) -> JobFuture<'t, T, E>
            + Send
            + 'static,
    {
        match self {
            Self::Sqlite(db) => {
                db.write(workspace, Some(opening), limit, |tx, row| {
                    async move {
                        let selected = tx.fetch(selects).await?;
                        job(tx, row, selected).await
                    }
                    .boxed()
                })
                .await
            }
            Self::Pg(db) => {
                let mut statements = Vec::new();
                selects.statements(&mut statements);
                let (tx, row, rows) =
                    db.begin(&db.pools.writes, workspace, opening, true, &statements).await?;
                let selected = selects.decode(&mut rows.into_iter())?;
                postgres::run(WriteTx(tx), limit, move |tx| job(tx, row, selected)).await
            }
        }
    }

    /// Runs `job` in a write transaction. `Ok` commits its changes with its audit and outbox rows; `Err`, a panic or a run
    /// of more than 30 seconds rolls them back.
    pub async fn write<T, E, F>(&self, workspace: Id, job: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: for<'t> FnOnce(&'t mut WriteTx) -> JobFuture<'t, T, E> + Send + 'static,
    {
        let limit = Duration::from_secs(30);
        match self {
            Self::Sqlite(db) => db.write(workspace, None, limit, move |tx, _| job(tx)).await,
            Self::Pg(db) => {
                let tx = PgTx::begin(&db.pools.writes, workspace, true).await?;
                postgres::run(WriteTx(Tx::new(Backend::Pg(tx), workspace)), limit, job).await
            }
        }
    }

    /// Runs `job` in a write transaction that belongs to no workspace, for background jobs; see [`Db::write`]. On PostgreSQL
    /// it runs as the role that sees some tables across workspaces.
    pub async fn write_as_worker<T, E, F>(&self, job: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: for<'t> FnOnce(&'t mut WriteTx) -> JobFuture<'t, T, E> + Send + 'static,
    {
        match self {
            Self::Sqlite(db) => db.write(Id::nil(), None, WORK_LIMIT, move |tx, _| job(tx)).await,
            Self::Pg(db) => {
                let tx = PgTx::begin(&db.pools.worker, Id::nil(), true).await?;
                postgres::run(WriteTx(Tx::new(Backend::Pg(tx), Id::nil())), WORK_LIMIT, job).await
            }
        }
    }

    /// Begins a read across workspaces, for background jobs; see [`Db::write_as_worker`].
    pub(crate) async fn read_as_worker(&self) -> Result<Tx, StoreError> {
        match self {
            Self::Sqlite(_) => self.read(Id::nil()).await,
            Self::Pg(db) => {
                let tx = PgTx::begin(&db.pools.worker, Id::nil(), false).await?;
                Ok(Tx::new(Backend::Pg(tx), Id::nil()))
            }
        }
    }

    /// Inserts audit rows and, in the same commit, outbox rows. Returns when the commit is durable.
    pub(crate) async fn write_rows(&self, rows: BulkRows) -> Result<(), StoreError> {
        let (reply, answer) = oneshot::channel();
        let queue = match self {
            Self::Sqlite(db) => &db.writer,
            Self::Pg(db) => &db.audit,
        };
        queue.try_send(WriterMessage::Audit { rows, reply }).map_err(|_| queue_full())?;
        answer.await.map_err(|_| queue_full())?
    }

    /// Closes every connection and waits until each is closed. The SQLite writer ends when the last clone of this value is
    /// dropped.
    pub async fn close(&self) {
        match self {
            Self::Sqlite(db) => db.readers.close().await,
            Self::Pg(db) => db.pools.close().await,
        }
    }

    /// Adds the steps of SQLite's virtual machine that all later statements take to `steps`, in tens; PostgreSQL adds
    /// nothing. For tests that compare the work of small and large workspaces.
    pub async fn count_steps(&self, steps: &Arc<AtomicU64>) -> Result<(), StoreError> {
        if let Self::Sqlite(db) = self {
            sqlite::count_reads(&db.readers, steps).await?;
            let steps = Arc::clone(steps);
            self.write(Id::nil(), |tx| sqlite::count_writes(tx, steps).boxed()).await?;
        }
        Ok(())
    }

    /// Whether the connections to PostgreSQL could become the schema's owner. They can if one login is used for all roles.
    pub fn may_become_owner(&self) -> bool {
        self.pg().is_some_and(|pools| pools.owner.is_some())
    }

    pub(crate) fn pg(&self) -> Option<&PgPools> {
        match self {
            Self::Sqlite(_) => None,
            Self::Pg(db) => Some(&db.pools),
        }
    }
}

impl SqliteDb {
    async fn write<T, E, F>(
        &self,
        workspace: Id,
        opening: Option<Opening>,
        limit: Duration,
        job: F,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: for<'t> FnOnce(&'t mut WriteTx, Option<OpeningRow>) -> JobFuture<'t, T, E> + Send + 'static,
    {
        let run: sqlite::WriteJob = Box::new(move |tx, row| {
            async move {
                let ended = job(tx, row).await;
                let keep = ended.is_ok();
                (Box::new(ended) as Box<dyn Any + Send>, keep)
            }
            .boxed()
        });
        let (reply, answer) = oneshot::channel();
        self.writer
            .try_send(WriterMessage::Job { workspace, opening, limit, run, reply })
            .map_err(|_| queue_full())?;
        let ended = answer.await.map_err(|_| queue_full())??;
        match ended.downcast::<Result<T, E>>() {
            Ok(ended) => *ended,
            Err(_) => Err(StoreError::Inconsistent("a job answered with another type".into()).into()),
        }
    }
}

/// The error that the caller gets if an opening SELECT failed.
pub fn opening_failed(error: StoreError) -> StoreError {
    StoreError::AccessRowUnreadable(error.to_string())
}

fn queue_full() -> StoreError {
    StoreError::Unavailable("the writer's queue is full or closed".into())
}
