//! The database that is in use.

use std::{any::Any, time::Duration};

use futures_util::{FutureExt, future::BoxFuture};
use sqlx::SqliteConnection;
use tokio::sync::{mpsc, oneshot};
use toolcrib_model::Id;

use super::{
    StoreError, Tx, WriteTx,
    bulk_insert::BulkRows,
    pool::Pool,
    postgres::{self, PgDb, PgPools, PgTx},
    sqlite::{self, SqliteTx, WriterMessage},
    statements::{Opening, OpeningRow, Statements},
    transaction::Backend,
};

/// What runs beside the requests takes no longer than this.
const WORK_LIMIT: Duration = Duration::from_secs(10);

/// What a write job returns: `Ok` commits, `Err` takes back everything it changed.
pub type JobFuture<'t, T, E> = BoxFuture<'t, Result<T, E>>;

/// SQLite in a file, or PostgreSQL. Cheap to clone.
#[derive(Clone, Debug)]
pub enum Db {
    /// One writer task, read-only readers.
    Sqlite(SqliteDb),
    /// Pools by role, row level security.
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
    /// Serves what [`sqlite::open`] opened.
    pub(crate) fn start_sqlite(
        writer: SqliteConnection,
        readers: Pool<SqliteConnection>,
        statements: &'static Statements,
    ) -> Result<Self, StoreError> {
        Ok(Self::Sqlite(SqliteDb { readers, writer: sqlite::start(writer, statements)?, statements }))
    }

    /// Serves connections to PostgreSQL.
    pub(crate) fn start_pg(pools: PgPools, statements: &'static Statements) -> Self {
        let (audit, queue) = mpsc::channel(4096);
        tokio::spawn(postgres::write_audit(pools.audit.clone(), &statements.inserts, queue));
        Self::Pg(PgDb { pools, audit, statements })
    }

    /// `sqlite` or `postgres`.
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
                let (tx, _) = PgTx::begin(&db.pools.reads, workspace, false, None).await?;
                Ok(Tx::new(Backend::Pg(tx), workspace))
            }
        }
    }

    /// Runs an opening SELECT by itself.
    pub(crate) async fn ask(
        &self,
        workspace: Id,
        opening: Opening,
    ) -> Result<Option<OpeningRow>, StoreError> {
        match self {
            Self::Pg(db) => db.ask(workspace, opening).await,
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
            Self::Pg(db) => db.begin(&db.pools.reads, workspace, opening, false).await,
            Self::Sqlite(db) => {
                let begun = SqliteTx::begin_with(&db.readers, db.statements, workspace, opening).await;
                let (tx, row) = begun.map_err(opening_failed)?;
                Ok((Tx::new(Backend::SqliteRead(tx), workspace), row))
            }
        }
    }

    /// Runs `job` in a write transaction that begins with an opening SELECT; see [`Db::write`].
    pub(crate) async fn write_opening<T, E, F>(
        &self,
        workspace: Id,
        opening: Opening,
        limit: Duration,
        job: F,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: for<'t> FnOnce(&'t mut WriteTx, Option<OpeningRow>) -> JobFuture<'t, T, E> + Send + 'static,
    {
        match self {
            Self::Sqlite(db) => db.write(workspace, Some(opening), limit, job).await,
            Self::Pg(db) => {
                let (tx, row) = db.begin(&db.pools.writes, workspace, opening, true).await?;
                postgres::run(WriteTx(tx), limit, move |tx| job(tx, row)).await
            }
        }
    }

    /// Runs `job` in a write transaction. `Ok` commits with the job's audit and outbox rows; `Err`, a panic or more than
    /// 30 seconds takes everything back.
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
                let (tx, _) = PgTx::begin(&db.pools.writes, workspace, true, None).await?;
                postgres::run(WriteTx(Tx::new(Backend::Pg(tx), workspace)), limit, job).await
            }
        }
    }

    /// Runs `job` in a write transaction of no workspace, for what runs beside the requests; see [`Db::write`]. On
    /// PostgreSQL it is the role that sees some tables across workspaces.
    pub async fn write_as_worker<T, E, F>(&self, job: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: for<'t> FnOnce(&'t mut WriteTx) -> JobFuture<'t, T, E> + Send + 'static,
    {
        match self {
            Self::Sqlite(db) => db.write(Id::nil(), None, WORK_LIMIT, move |tx, _| job(tx)).await,
            Self::Pg(db) => {
                let (tx, _) = PgTx::begin(&db.pools.worker, Id::nil(), true, None).await?;
                postgres::run(WriteTx(Tx::new(Backend::Pg(tx), Id::nil())), WORK_LIMIT, job).await
            }
        }
    }

    /// Begins a read across workspaces, for what runs beside the requests; see [`Db::write_as_worker`].
    pub(crate) async fn read_as_worker(&self) -> Result<Tx, StoreError> {
        match self {
            Self::Sqlite(_) => self.read(Id::nil()).await,
            Self::Pg(db) => {
                let (tx, _) = PgTx::begin(&db.pools.worker, Id::nil(), false, None).await?;
                Ok(Tx::new(Backend::Pg(tx), Id::nil()))
            }
        }
    }

    /// Makes audit rows durable, and outbox rows in the same commit; returns when their group is committed.
    pub(crate) async fn write_rows(&self, rows: BulkRows) -> Result<(), StoreError> {
        let (reply, answer) = oneshot::channel();
        let queue = match self {
            Self::Sqlite(db) => &db.writer,
            Self::Pg(db) => &db.audit,
        };
        queue.try_send(WriterMessage::Audit { rows, reply }).map_err(|_| queue_full())?;
        answer.await.map_err(|_| queue_full())?
    }

    /// Closes every connection, and waits for it. What still runs is cut off; a SQLite writer ends with its last clone.
    pub async fn close(&self) {
        match self {
            Self::Sqlite(db) => db.readers.close().await,
            Self::Pg(db) => db.pools.close().await,
        }
    }

    /// Whether the connections to PostgreSQL could take the rights of the schema's owner again: they have one login.
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

/// What the failure of an opening SELECT is to the caller.
pub fn opening_failed(error: StoreError) -> StoreError {
    StoreError::AccessRowUnreadable(error.to_string())
}

fn queue_full() -> StoreError {
    StoreError::Unavailable("the writer's queue is full or closed".into())
}
