//! A write transaction in one call.

use toolcrib_model::Id;
use toolcrib_store::{Db, StoreError, WriteTx};

/// Begins a write, runs `work`, and commits after `Ok` or rolls back after `Err`.
pub async fn write<T, E: From<StoreError>>(
    db: &Db,
    workspace: Id,
    work: impl AsyncFnOnce(&mut WriteTx) -> Result<T, E>,
) -> Result<T, E> {
    let mut tx = db.begin_write(workspace).await?;
    let outcome = work(&mut tx).await;
    tx.end(outcome).await
}
