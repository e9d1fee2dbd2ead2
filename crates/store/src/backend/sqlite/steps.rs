//! Counts the work of reads, so that a test can compare it in small and large workspaces: time depends on the machine.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use sqlx::SqliteConnection;
use toolcrib_model::Id;

use super::READERS;
use crate::backend::{StoreError, pool::Pool};

/// The steps between two calls of the handler.
const EVERY: i32 = 10;

/// Adds the steps of SQLite's virtual machine that all later reads take to `steps`, in tens.
pub async fn count(readers: &Pool<SqliteConnection>, steps: &Arc<AtomicU64>) -> Result<(), StoreError> {
    let mut all = Vec::new();
    for _ in 0..READERS {
        all.push(readers.acquire(Id::nil()).await?);
    }
    for mut reader in all {
        let steps = steps.clone();
        reader.connection().lock_handle().await?.set_progress_handler(EVERY, move || {
            steps.fetch_add(1, Ordering::Relaxed);
            true
        });
        reader.release();
    }
    Ok(())
}
