//! PostgreSQL: a transaction from its begin to its commit.

use std::{panic::AssertUnwindSafe, time::Duration};

use futures_util::FutureExt;
use sqlx::{FromRow as _, PgConnection};
use tokio::sync::mpsc;
use toolcrib_model::Id;

use super::{JobFuture, unread};
use crate::{
    AccessRow, ActorIds, StoreError, Tx, WriteTx, access_row, bulk_insert,
    pg::{PgPools, PgTx},
    pool::Pool,
    sqlite::{self, WriterMessage},
    tx::Backend,
};

/// The PostgreSQL side of [`Db`].
#[derive(Clone, Debug)]
pub struct PgDb {
    pub(super) pools: PgPools,
    pub(super) audit: mpsc::Sender<WriterMessage>,
}

/// Begins a transaction, and reads the access row of `actor` in the same round trip.
pub async fn begin(
    pool: &Pool<PgConnection>,
    workspace: Id,
    actor: ActorIds,
    write: bool,
) -> Result<(Tx, Option<AccessRow>), StoreError> {
    let select = access_row::execute(workspace, actor)?;
    let (tx, rows) = PgTx::begin(pool, workspace, write, Some(select)).await.map_err(unread)?;
    let access = rows.first().map(AccessRow::from_row).transpose()?;
    Ok((Tx::new(Backend::Pg(tx), workspace), access))
}

/// Reads the access row of `actor` by itself.
pub async fn read_access(
    pool: &Pool<PgConnection>,
    workspace: Id,
    actor: ActorIds,
) -> Result<Option<AccessRow>, StoreError> {
    let select = access_row::execute(workspace, actor)?;
    let rows = PgTx::ask(pool, workspace, &select).await.map_err(unread)?;
    Ok(rows.first().map(AccessRow::from_row).transpose()?)
}

/// Runs `job` and commits with its rows; see [`super::Db::write_with_access`].
pub async fn run<T, E, F>(mut tx: WriteTx, limit: Duration, job: F) -> Result<T, E>
where
    E: From<StoreError>,
    F: for<'t> FnOnce(&'t mut WriteTx) -> JobFuture<'t, T, E>,
{
    // A panic or a time-out drops the transaction here, which closes its connection.
    let ended = tokio::time::timeout(limit, AssertUnwindSafe(job(&mut tx)).catch_unwind()).await;
    let ended = ended.map_err(|_| StoreError::Timeout)?.map_err(|_| sqlite::panicked())?;
    let Tx { backend, audit, events, .. } = tx.0;
    match (backend, ended) {
        (Backend::Pg(pg), Ok(answer)) => {
            let sql = bulk_insert::pg_commit(audit, events)?;
            pg.end(sql).await.map_err(not_kept)?;
            Ok(answer)
        }
        (Backend::Pg(pg), Err(fault)) => {
            pg.end("ROLLBACK").await?;
            Err(fault)
        }
        (_, ended) => ended,
    }
}

/// What a failed commit means: the server's own refusal kept nothing; without an answer nobody here can tell.
fn not_kept(fault: StoreError) -> StoreError {
    match fault {
        StoreError::Unavailable(fault) => StoreError::InDoubt(fault),
        StoreError::InDoubt(_) | StoreError::NotCommitted(_) => fault,
        fault => StoreError::NotCommitted(fault.to_string()),
    }
}
