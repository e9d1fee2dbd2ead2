//! Copies of a SQLite database: a backup beside a process that writes, and the check of a file before it is restored.

use std::{path::Path, time::Duration};

use sqlx::{ConnectOptions as _, Connection as _, SqliteConnection, sqlite::SqliteConnectOptions};

use crate::backend::{StoreError, refuse_other_sqlite, sqlite_options};

/// Copies the database `from`, as it is now, into `to`, which is an empty file, without the row of `serving`. Processes
/// that write go on. Fails if the copy is not sound.
pub async fn back_up(from: &Path, to: &Path) -> Result<(), StoreError> {
    let mut source = reader(from).connect().await?;
    refuse_other_sqlite(&mut source).await?;
    refuse_foreign(&mut source).await?;
    let target = to.to_str().ok_or_else(|| StoreError::Setup("the path of the copy is not UTF-8".into()))?;
    sqlx::query("VACUUM INTO $1").bind(target).execute(&mut source).await?;
    source.close().await?;
    let mut copy = SqliteConnectOptions::new().filename(to).connect().await?;
    sqlx::query("DELETE FROM serving").execute(&mut copy).await?;
    refuse_damaged(&mut copy).await?;
    copy.close().await?;
    Ok(())
}

/// Fails if the file is damaged, is no database of Toolcrib, or has a schema that this program can't upgrade. Only
/// reads.
pub async fn check(file: &Path) -> Result<(), StoreError> {
    let mut conn = reader(file).connect().await?;
    let checked = async {
        refuse_damaged(&mut conn).await?;
        refuse_foreign(&mut conn).await?;
        refuse_other_sqlite(&mut conn).await
    };
    let checked = checked.await;
    conn.close().await?;
    checked
}

/// Moves the WAL of a database into its file, so that the file can be moved.
pub async fn settle(file: &Path) -> Result<(), StoreError> {
    let mut conn = sqlite_options(file).connect().await?;
    let busy: bool = sqlx::query_scalar("PRAGMA wal_checkpoint(TRUNCATE)").fetch_one(&mut conn).await?;
    conn.close().await?;
    if busy { Err(StoreError::Unavailable("another process uses the file".into())) } else { Ok(()) }
}

fn reader(file: &Path) -> SqliteConnectOptions {
    // Not with the journal mode of the service, which only a writer can set.
    SqliteConnectOptions::new()
        .filename(file)
        .read_only(true)
        .busy_timeout(Duration::from_secs(5))
        .log_statements(tracing::log::LevelFilter::Off)
}

async fn refuse_damaged(conn: &mut SqliteConnection) -> Result<(), StoreError> {
    let damaged = |what: &str| StoreError::Setup(format!("the file is damaged: {what}"));
    let found: Vec<String> = sqlx::query_scalar("PRAGMA integrity_check(1)")
        .fetch_all(&mut *conn)
        .await
        .map_err(|error| damaged(&error.to_string()))?;
    if let Some(problem) = found.iter().find(|line| *line != "ok") {
        return Err(damaged(problem.lines().last().unwrap_or(problem)));
    }
    let dangling = sqlx::query("PRAGMA foreign_key_check").fetch_all(conn).await?;
    if dangling.is_empty() { Ok(()) } else { Err(damaged("rows refer to rows that are missing")) }
}

async fn refuse_foreign(conn: &mut SqliteConnection) -> Result<(), StoreError> {
    const SQL: &str =
        "SELECT COUNT(*) FROM sqlite_master WHERE name IN ('_sqlx_migrations', 'workspaces', 'audit_chain')";
    let found: i64 = sqlx::query_scalar(SQL).fetch_one(conn).await?;
    if found == 3 { Ok(()) } else { Err(StoreError::Setup("it is no database of Toolcrib".into())) }
}
