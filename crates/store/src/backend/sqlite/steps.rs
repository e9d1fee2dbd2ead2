//! Counts the work of statements, so that a test can compare it in small and large workspaces: time depends on the
//! machine.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use sqlx::SqliteConnection;
use toolcrib_model::Id;

use super::READERS;
use crate::backend::{StoreError, WriteTx, pool::Pool, transaction::Backend};

/// The steps between two calls of the handler.
const EVERY: i32 = 10;

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
        count(reader.connection(), steps.clone()).await?;
        reader.release();
    }
    Ok(())
}

/// The same for the writer, in one of its transactions.
pub async fn count_writes(tx: &mut WriteTx, steps: Arc<AtomicU64>) -> Result<(), StoreError> {
    match &mut tx.backend {
        Backend::SqliteWrite(lease) => count(lease.connection()?, steps).await,
        Backend::SqliteRead(_) | Backend::Pg(_) => Ok(()),
    }
}

async fn count(conn: &mut SqliteConnection, steps: Arc<AtomicU64>) -> Result<(), StoreError> {
    conn.lock_handle().await?.set_progress_handler(EVERY, move || {
        steps.fetch_add(1, Ordering::Relaxed);
        true
    });
    Ok(())
}
