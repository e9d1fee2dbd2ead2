//! SQLite: a pool of read-only readers, and one writer that commits in groups.

mod group;
mod lease;
mod reader;
mod writer;

pub use lease::Lease;
pub use reader::SqliteReadTx;
pub use writer::{MAX_GROUP_TIME, Writer};

use std::{
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use sqlx::{
    ConnectOptions, Connection as _, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous},
};
use toolcrib_model::Id;

use super::{
    StoreError,
    migrations::{SQLITE_MIGRATIONS, migration_error, refuse_other_sqlite},
    pool::Pool,
};

/// The number of readers. Each has its own thread.
const READERS: u32 = 4;

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

/// The options of a connection that migrates. It logs no slow statement, because a migration is one of 80 kB.
pub fn migration_options(path: &Path) -> SqliteConnectOptions {
    options(path).disable_statement_logging()
}

/// Creates the file and its WAL, runs the migrations, and then opens the writer and the readers. Fails before the first
/// write if the file has the schema of another build.
pub async fn open(path: &Path) -> Result<(SqliteConnection, Pool<SqliteConnection>), StoreError> {
    if !make_private(path)? {
        check_schema(path).await?;
    }
    let mut conn = migration_options(path).create_if_missing(true).connect().await?;
    SQLITE_MIGRATIONS.run(&mut conn).await.map_err(|error| migration_error(&error))?;
    let writer = options(path).connect().await?;
    conn.close().await?;
    let options = options(path).read_only(true);
    let readers = Pool::open("reads", options, Box::new(|_| Box::pin(async { Ok(()) })), READERS).await?;
    Ok((writer, readers))
}

/// Creates a missing file with mode 0600, which SQLite also gives to its WAL. Returns whether it was missing. Doesn't
/// open an existing file: closing it would release the POSIX locks that this process holds on it.
fn make_private(path: &Path) -> Result<bool, StoreError> {
    let made = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    match made {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(StoreError::Unavailable(format!("the file can't be made: {error}"))),
    }
}

/// SQLite's `SQLITE_READONLY_ROLLBACK`: a process ended while it changed the file's first page, which happens only in a
/// new file.
const UNFINISHED: &str = "776";

/// Fails if an existing file has the schema of another build. Uses a connection that can't write, because the writer
/// sets the journal mode when it connects and moves the WAL into the file when it closes.
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

/// Adds the steps of SQLite's virtual machine that all later reads take to `steps`, in tens.
pub async fn count_reads(readers: &Pool<SqliteConnection>, steps: &Arc<AtomicU64>) -> Result<(), StoreError> {
    let mut all = Vec::new();
    for _ in 0..READERS {
        all.push(readers.acquire(Id::nil()).await?);
    }
    for mut reader in all {
        // A connection reads a schema that was changed at its next statement, of which it is no work.
        let read = if reader.in_read_transaction() {
            "COMMIT; BEGIN; SELECT COUNT(*) FROM sqlite_master"
        } else {
            "SELECT COUNT(*) FROM sqlite_master"
        };
        sqlx::raw_sql(read).execute(reader.connection()).await?;
        count_steps(reader.connection(), steps).await?;
        reader.release();
    }
    Ok(())
}

/// Adds the steps of all later statements of a connection to `steps`, in tens.
pub async fn count_steps(conn: &mut SqliteConnection, steps: &Arc<AtomicU64>) -> Result<(), StoreError> {
    let steps = Arc::clone(steps);
    conn.lock_handle().await?.set_progress_handler(10, move || {
        steps.fetch_add(1, Ordering::Relaxed);
        true
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_migration_is_logged_as_a_slow_statement() {
        const OFF: &str = "slow_statements_level: Off";
        let path = Path::new("a.db");
        assert!(format!("{:?}", migration_options(path)).contains(OFF));
        assert!(!format!("{:?}", options(path)).contains(OFF));
    }
}
