//! SQLite: a pool of read-only readers, and one writer thread that commits in groups.

mod group;
mod reader;
mod spin_then_park;
mod steps;

pub use reader::SqliteTx;
pub use steps::{count_reads, count_writes};

use std::{any::Any, os::unix::fs::OpenOptionsExt as _, path::Path, time::Duration};

use futures_util::future::BoxFuture;
use sqlx::{
    ConnectOptions, Connection as _, SqliteConnection,
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
    migrations::{SQLITE_MIGRATIONS, migration_error, refuse_other_sqlite},
    pool::Pool,
    statements::{Opening, OpeningRow, Statements},
    transaction::Backend,
};

/// The output of a job: its boxed result, and whether its changes are committed.
pub type JobOutput = (Box<dyn Any + Send>, bool);
/// A job that the writer runs.
pub type WriteJob =
    Box<dyn for<'t> FnOnce(&'t mut WriteTx, Option<OpeningRow>) -> BoxFuture<'t, JobOutput> + Send>;

/// A message to the writer.
pub enum WriterMessage {
    Job {
        workspace: Id,
        /// The opening SELECT whose row the job receives.
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

/// The number of readers. Each has its own thread.
const READERS: u32 = 4;
/// The most messages that share a commit.
const BATCH: usize = 512;
/// The most messages that wait; further ones are refused with 503.
const QUEUE: usize = 4096;
/// The most messages of one workspace that wait; further ones of this workspace are refused with 503.
const MAX_WAITING_PER_WORKSPACE: usize = 2048;
/// No job begins in a group that has run for this long.
const MAX_GROUP_TIME: Duration = Duration::from_millis(10);

pub fn options(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(Duration::from_secs(5))
        .foreign_keys(true)
        .pragma("temp_store", "memory")
        // No mmap: at each commit of the writer every reader would unmap the file and fault its pages in again.
        .pragma("cache_size", "-32768")
        .statement_cache_capacity(1024)
        .log_statements(tracing::log::LevelFilter::Off)
}

/// Opens the writer, which creates the file and its WAL, runs the migrations and then opens the readers. Fails before the first
/// write if the file has the schema of another build.
pub async fn open(path: &Path) -> Result<(SqliteConnection, Pool<SqliteConnection>), StoreError> {
    if !make_private(path)? {
        check_schema(path).await?;
    }
    let mut writer = options(path).create_if_missing(true).connect().await?;
    SQLITE_MIGRATIONS.run(&mut writer).await.map_err(|error| migration_error(&error))?;
    let readers =
        Pool::open(options(path).read_only(true), Box::new(|_| Box::pin(async { Ok(()) })), READERS).await?;
    Ok((writer, readers))
}

/// Creates a missing file with mode 0600, which SQLite also gives to its WAL. Returns whether it was missing. Doesn't open an
/// existing file: closing it would release the POSIX locks that this process holds on it.
fn make_private(path: &Path) -> Result<bool, StoreError> {
    let made = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    match made {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(StoreError::Unavailable(format!("the file can't be made: {error}"))),
    }
}

/// SQLite's `SQLITE_READONLY_ROLLBACK`: a process ended while it changed the file's first page, which happens only in a new file.
const UNFINISHED: &str = "776";

/// Fails if an existing file has the schema of another build. Uses a connection that can't write, because the writer sets the
/// journal mode when it connects and moves the WAL into the file when it closes.
async fn check_schema(path: &Path) -> Result<(), StoreError> {
    let options =
        SqliteConnectOptions::new().filename(path).read_only(true).busy_timeout(Duration::from_secs(5));
    let mut conn = options.log_statements(tracing::log::LevelFilter::Off).connect().await?;
    let checked = refuse_other_sqlite(&mut conn).await;
    conn.close().await?;
    match checked {
        // The writer restores the file.
        Err(StoreError::Statement(sqlx::Error::Database(error)))
            if error.code().as_deref() == Some(UNFINISHED) =>
        {
            Ok(())
        }
        checked => checked,
    }
}

/// Starts the writer, which ends when the last sender is dropped. The writer has its own thread: every statement of every
/// write waits for it, and on the server's runtime it would wait for a worker thread each time.
pub fn start(
    conn: SqliteConnection,
    statements: &'static Statements,
) -> Result<mpsc::Sender<WriterMessage>, StoreError> {
    let cannot = |error: std::io::Error| StoreError::Unavailable(format!("the writer's thread: {error}"));
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
    let mut waiting = FairQueue::new(MAX_WAITING_PER_WORKSPACE);
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
        // Takes one message of each workspace in turn. If the jobs take long, the rest wait for the next commit, which
        // then includes messages that arrive meanwhile.
        let began = Instant::now();
        let next = std::iter::from_fn(|| (began.elapsed() < MAX_GROUP_TIME).then(|| waiting.pop()).flatten());
        spin_then_park::run(group::commit(&mut tx, statements, next.take(BATCH))).await;
    }
}

impl WriterMessage {
    /// The workspace in whose turn the message runs: for rows of several workspaces, that of the first row.
    fn workspace(&self) -> Id {
        match self {
            Self::Job { workspace, .. } => *workspace,
            Self::Audit { rows, .. } => rows.audit.first().map_or(Id::nil(), |row| row.workspace),
        }
    }

    /// Replies that too many messages of the workspace wait.
    fn refuse(self) {
        let refused = || StoreError::Unavailable("too many writes of this workspace wait".into());
        match self {
            Self::Job { reply, .. } => drop(reply.send(Err(refused()))),
            Self::Audit { reply, .. } => drop(reply.send(Err(refused()))),
        }
    }
}

/// The error of a job that panicked, on either database.
pub fn panicked() -> StoreError {
    StoreError::Inconsistent("a job panicked".into())
}
