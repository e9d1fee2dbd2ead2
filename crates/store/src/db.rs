//! The database that is in use.

use std::{any::Any, path::Path, time::Duration};

use futures_util::{FutureExt, future::BoxFuture};
use sqlx::{SqliteConnection, postgres::PgConnectOptions};
use tokio::sync::{mpsc, oneshot};
use toolcrib_model::Id;

use crate::{
    AccessRow, ActorIds, AuditRow, EventRow, StoreError, Tx, WriteTx, builtin_data,
    logins::{self, Logins},
    pg::{PgPools, PgTx},
    pool::Pool,
    sqlite::{self, SqliteTx, WriterMessage},
    tx::{Backend, Connection},
};

mod audit_batch;
mod pg;

pub use pg::PgDb;

/// What runs beside the requests takes no longer than this.
const WORK_LIMIT: Duration = Duration::from_secs(10);

/// What a write job returns: `Ok` commits, `Err` takes back everything it changed.
pub type JobFuture<'t, T, E> = BoxFuture<'t, Result<T, E>>;

/// Names a closure as a job of [`Db::write_with_access`], so that the compiler knows what it borrows.
pub fn write_job<T, E, F>(run: F) -> F
where
    F: for<'t> FnOnce(&'t mut WriteTx, Option<AccessRow>) -> JobFuture<'t, T, E>,
{
    run
}

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
}

impl Db {
    /// Opens (and makes, if it is missing) a SQLite file and brings it up to date.
    pub async fn open_sqlite(path: &Path) -> Result<Self, StoreError> {
        let (mut writer, readers) = sqlite::open(path).await?;
        sqlx::migrate!("../../migrations/sqlite")
            .run(&mut writer)
            .await
            .map_err(|fault| migration(&fault))?;
        builtin_data::load(Connection::Sqlite(&mut writer)).await?;
        Ok(Self::Sqlite(SqliteDb { readers, writer: sqlite::start(writer)? }))
    }

    /// Connects to PostgreSQL, brings it up to date as the URL's user, and serves as roles that own nothing.
    pub async fn open_pg(url: &str, pool_size: u32) -> Result<Self, StoreError> {
        let options: PgConnectOptions = url.parse().map_err(StoreError::from)?;
        logins::migrate(url).await?;
        Ok(Self::over(PgPools::open(&options, pool_size).await?))
    }

    /// Connects to PostgreSQL as three logins that own nothing. Somebody else has brought it up to date for them:
    /// [`logins::migrate_for`].
    pub async fn open_pg_as(logins: &Logins, pool_size: u32) -> Result<Self, StoreError> {
        let checked = logins::check(logins).await?;
        Ok(Self::over(PgPools::open_as(&checked, pool_size).await?))
    }

    fn over(pools: PgPools) -> Self {
        let (audit, queue) = mpsc::channel(4096);
        tokio::spawn(audit_batch::write_audit(pools.audit.clone(), queue));
        Self::Pg(PgDb { pools, audit })
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

    /// Where `actor` stands now; `None` where there is no such workspace.
    pub async fn access_row(&self, workspace: Id, actor: ActorIds) -> Result<Option<AccessRow>, StoreError> {
        match self {
            Self::Pg(db) => pg::read_access(&db.pools.reads, workspace, actor).await,
            Self::Sqlite(_) => {
                let (tx, access) = self.read_with_access(workspace, actor).await?;
                tx.end().await?;
                Ok(access)
            }
        }
    }

    /// Begins a read and says where `actor` stands; `None` where there is no such workspace.
    pub async fn read_with_access(
        &self,
        workspace: Id,
        actor: ActorIds,
    ) -> Result<(Tx, Option<AccessRow>), StoreError> {
        match self {
            Self::Pg(db) => pg::begin(&db.pools.reads, workspace, actor, false).await,
            Self::Sqlite(db) => {
                let begun = SqliteTx::begin_as(&db.readers, workspace, actor).await;
                let (tx, access) = begun.map_err(unread)?;
                Ok((Tx::new(Backend::SqliteRead(tx), workspace), access))
            }
        }
    }

    /// Runs `job` in a write transaction, after reading where `actor` stands in that same transaction. `Ok` commits with
    /// the job's audit and outbox rows; `Err`, a panic or more than `limit` takes everything back.
    pub async fn write_with_access<T, E, F>(
        &self,
        workspace: Id,
        actor: ActorIds,
        limit: Duration,
        job: F,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: for<'t> FnOnce(&'t mut WriteTx, Option<AccessRow>) -> JobFuture<'t, T, E> + Send + 'static,
    {
        match self {
            Self::Sqlite(db) => db.write(workspace, Some(actor), limit, job).await,
            Self::Pg(db) => {
                let (tx, access) = pg::begin(&db.pools.writes, workspace, actor, true).await?;
                pg::run(WriteTx(tx), limit, move |tx| job(tx, access)).await
            }
        }
    }

    /// Runs `job` in a write transaction; see [`Db::write_with_access`].
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
                pg::run(WriteTx(Tx::new(Backend::Pg(tx), workspace)), limit, job).await
            }
        }
    }

    /// Runs `job` in a write transaction of no workspace, for what runs beside the requests; see [`Db::write_with_access`]. On
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
                pg::run(WriteTx(Tx::new(Backend::Pg(tx), Id::nil())), WORK_LIMIT, job).await
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

    /// Makes audit rows durable; returns when their group is committed.
    pub async fn audit(&self, rows: Vec<AuditRow>) -> Result<(), StoreError> {
        self.audit_telling(rows, Vec::new()).await
    }

    /// The same, with events that are told in that very commit.
    pub async fn audit_telling(&self, rows: Vec<AuditRow>, events: Vec<EventRow>) -> Result<(), StoreError> {
        let (reply, answer) = oneshot::channel();
        let queue = match self {
            Self::Sqlite(db) => &db.writer,
            Self::Pg(db) => &db.audit,
        };
        queue.try_send(WriterMessage::Audit { rows, events, reply }).map_err(|_| queue_full())?;
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
        actor: Option<ActorIds>,
        limit: Duration,
        job: F,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: for<'t> FnOnce(&'t mut WriteTx, Option<AccessRow>) -> JobFuture<'t, T, E> + Send + 'static,
    {
        let run: sqlite::WriteJob = Box::new(move |tx, access| {
            async move {
                let ended = job(tx, access).await;
                let keep = ended.is_ok();
                (Box::new(ended) as Box<dyn Any + Send>, keep)
            }
            .boxed()
        });
        let (reply, answer) = oneshot::channel();
        self.writer
            .try_send(WriterMessage::Job { workspace, actor, limit, run, reply })
            .map_err(|_| queue_full())?;
        let ended = answer.await.map_err(|_| queue_full())??;
        match ended.downcast::<Result<T, E>>() {
            Ok(ended) => *ended,
            Err(_) => Err(StoreError::Inconsistent("a job answered with another type".into()).into()),
        }
    }
}

pub(crate) fn unread(fault: StoreError) -> StoreError {
    StoreError::AccessRowUnreadable(fault.to_string())
}

fn queue_full() -> StoreError {
    StoreError::Unavailable("the writer's queue is full or closed".into())
}

pub(crate) fn migration(fault: &sqlx::migrate::MigrateError) -> StoreError {
    StoreError::Unavailable(format!("migration: {fault}"))
}
