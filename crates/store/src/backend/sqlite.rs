//! SQLite: read-only readers, and one writer task that commits in groups.

mod group;
mod reader;
mod spin_then_park;

pub use reader::SqliteTx;

use std::{any::Any, os::unix::fs::OpenOptionsExt as _, path::Path, time::Duration};

use futures_util::future::BoxFuture;
use sqlx::{
    ConnectOptions, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use tokio::{
    sync::{mpsc, oneshot},
    time::Instant,
};
use toolcrib_model::{FairQueue, Id};

use super::{
    StoreError, Tx, WriteTx,
    bulk_insert::BulkRows,
    migrations::{SQLITE_MIGRATIONS, migration_error},
    pool::Pool,
    statements::{Opening, OpeningRow, Statements},
    transaction::Backend,
};

/// What a job leaves: its answer, and whether its changes are kept.
pub type JobOutput = (Box<dyn Any + Send>, bool);
/// A job of the writer.
pub type WriteJob =
    Box<dyn for<'t> FnOnce(&'t mut WriteTx, Option<OpeningRow>) -> BoxFuture<'t, JobOutput> + Send>;

/// What waits for the writer.
pub enum WriterMessage {
    Job {
        workspace: Id,
        /// Whose row the job is given.
        opening: Option<Opening>,
        limit: Duration,
        run: WriteJob,
        reply: oneshot::Sender<Result<Box<dyn Any + Send>, StoreError>>,
    },
    Audit {
        rows: BulkRows,
        reply: oneshot::Sender<Result<(), StoreError>>,
    },
}

/// Each is a thread of its own.
const READERS: u32 = 4;
/// At most this many items share a commit.
const BATCH: usize = 512;
/// At most this many items wait; more is refused with 503.
const QUEUE: usize = 4096;
/// At most this many of one workspace wait; more is refused with 503, for this workspace alone.
const MOST_OF_ONE: usize = 2048;
/// No job is begun in a group that has taken this long.
const LONGEST_GROUP: Duration = Duration::from_millis(10);

pub fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(Duration::from_secs(5))
        .foreign_keys(true)
        .pragma("temp_store", "memory")
        // No mmap: with every commit of the writer each reader would unmap the file and fault its pages in again.
        .pragma("cache_size", "-32768")
        .statement_cache_capacity(1024)
        .log_statements(tracing::log::LevelFilter::Off)
}

/// Opens the writer first (it makes the file and its WAL) and brings the file up to date, then the readers.
pub async fn open(path: &Path) -> Result<(SqliteConnection, Pool<SqliteConnection>), StoreError> {
    make_private(path)?;
    let mut writer = options(path).create_if_missing(true).connect().await?;
    SQLITE_MIGRATIONS.run(&mut writer).await.map_err(|error| migration_error(&error))?;
    let readers =
        Pool::open(options(path).read_only(true), Box::new(|_| Box::pin(async { Ok(()) })), READERS).await?;
    Ok((writer, readers))
}

/// Makes a missing file with mode 0600: what SQLite keeps beside it gets the same. One that is there is not opened: closing
/// it again would let go of the locks that this process holds on it.
fn make_private(path: &Path) -> Result<(), StoreError> {
    let made = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    match made {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(StoreError::Unavailable(format!("the file can't be made: {error}")))
        }
        _ => Ok(()),
    }
}

/// Starts the writer; it ends when the last sender is dropped. It has a thread of its own: every statement of every
/// write waits for it, and among the requests it would wait for its turn each time.
pub fn start(
    conn: SqliteConnection,
    statements: &'static Statements,
) -> Result<mpsc::Sender<WriterMessage>, StoreError> {
    let cannot = |fault: std::io::Error| StoreError::Unavailable(format!("the writer's thread: {fault}"));
    let (send, receive) = mpsc::channel(QUEUE);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().map_err(cannot)?;
    let run = move || runtime.block_on(write(conn, statements, receive));
    std::thread::Builder::new().name("sqlite-writer".into()).spawn(run).map_err(cannot)?;
    Ok(send)
}

async fn write(
    conn: SqliteConnection,
    statements: &'static Statements,
    mut queue: mpsc::Receiver<WriterMessage>,
) {
    let mut tx = WriteTx(Tx::new(Backend::SqliteWrite(Box::new(conn)), Id::nil()));
    let mut came = Vec::with_capacity(BATCH);
    let mut waiting = FairQueue::new(MOST_OF_ONE);
    loop {
        if waiting.is_empty() && queue.recv_many(&mut came, BATCH).await == 0 {
            return;
        }
        while came.len() < BATCH
            && let Ok(item) = queue.try_recv()
        {
            came.push(item);
        }
        for item in came.drain(..) {
            if let Err(refused) = waiting.push(item.workspace(), item) {
                refused.refuse();
            }
        }
        // One of each workspace in turn. Where the jobs take long the others wait for the next commit, so that whoever
        // comes meanwhile is in it.
        let began = Instant::now();
        let next = std::iter::from_fn(|| (began.elapsed() < LONGEST_GROUP).then(|| waiting.pop()).flatten());
        spin_then_park::run(group::commit(&mut tx, statements, next.take(BATCH))).await;
    }
}

impl WriterMessage {
    /// Whose turn it takes; for rows of several workspaces, the first one's.
    fn workspace(&self) -> Id {
        match self {
            Self::Job { workspace, .. } => *workspace,
            Self::Audit { rows, .. } => rows.audit.first().map_or(Id::nil(), |row| row.workspace),
        }
    }

    /// Too many of its workspace wait already.
    fn refuse(self) {
        let refused = || StoreError::Unavailable("too many writes of this workspace wait".into());
        match self {
            Self::Job { reply, .. } => drop(reply.send(Err(refused()))),
            Self::Audit { reply, .. } => drop(reply.send(Err(refused()))),
        }
    }
}

/// What the caller of a job that panicked is told, on either database.
pub fn panicked() -> StoreError {
    StoreError::Inconsistent("a job panicked".into())
}
