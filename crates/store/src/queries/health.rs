//! Checks of the database itself: health, `doctor`, and proofs that it refuses writes in reads.

use std::time::Duration;

use tokio::time::Instant;
use toolcrib_model::{Id, Ts};

use crate::backend::{Db, StoreError, Tx};

/// Runs a trivial query in a new transaction.
pub async fn ping(db: &Db) -> Result<(), StoreError> {
    let mut tx = db.read(Id::nil()).await?;
    with_backend!(tx, c => sqlx::query("SELECT 1").execute(c).await.map(|_| ()))?;
    tx.end().await
}

/// Measures the duration of a trivial query in an open transaction.
pub async fn answer(tx: &mut Tx) -> Result<Duration, StoreError> {
    let begun = Instant::now();
    with_backend!(tx, c => sqlx::query("SELECT 1").execute(c).await.map(|_| ()))?;
    Ok(begun.elapsed())
}

/// Returns the time of the database server. `None` on SQLite, which uses this process's clock.
pub async fn clock(db: &Db) -> Result<Option<Ts>, StoreError> {
    const SQL: &str = "SELECT CAST(floor(extract(epoch FROM clock_timestamp()) * 1000000) AS BIGINT)";
    let mut tx = db.read(Id::nil()).await?;
    let now = per_backend!(tx,
        sqlite _c => Ok::<_, sqlx::Error>(None),
        pg c => sqlx::query_scalar(SQL).fetch_one(c).await.map(Some),
    )?;
    tx.end().await?;
    Ok(now.map(Ts::from_micros))
}

/// Returns the first problems that SQLite finds in its file, which it reads completely. Always empty on
/// PostgreSQL, which has no such check.
pub async fn quick_check(db: &Db) -> Result<Vec<String>, StoreError> {
    let mut tx = db.read(Id::nil()).await?;
    let found = per_backend!(tx,
        sqlite c => sqlx::query_scalar::<_, String>("PRAGMA quick_check(10)").fetch_all(c).await,
        pg _c => Ok::<_, sqlx::Error>(Vec::new()),
    )?;
    tx.end().await?;
    Ok(found.into_iter().filter(|line| line != "ok").collect())
}

/// Returns the version of the database, such as `3.51.3` or `15.18`.
pub async fn version(db: &Db) -> Result<String, StoreError> {
    let mut tx = db.read(Id::nil()).await?;
    let sql = tx.sql("SELECT sqlite_version()", "SHOW server_version");
    let version = with_backend!(tx, c => sqlx::query_scalar(sql).fetch_one(c).await);
    tx.finish(version).await
}

/// Tries to change a row. In a read the database must refuse it.
pub async fn attempt_write(tx: &mut Tx) -> Result<(), StoreError> {
    Ok(
        with_backend!(tx, workspace, c => sqlx::query("UPDATE workspaces SET name = name || '!' WHERE id = $1")
        .bind(workspace).execute(c).await.map(|_| ()))?,
    )
}
