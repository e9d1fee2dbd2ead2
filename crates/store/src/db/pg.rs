//! PostgreSQL: a transaction from its begin to its commit.

use std::{panic::AssertUnwindSafe, time::Duration};

use futures_util::FutureExt;
use sqlx::PgConnection;
use tokio::sync::mpsc;
use toolcrib_model::Id;

use super::{
    JobFuture,
    commits::{Commits, Later},
    unread,
};
use crate::{
    AccessRow, ActorIds, StoreError, Tx, WriteTx,
    access_row::{self, AccessAndGround},
    agents::Ahead,
    bulk_insert,
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
    pub(super) commits: Commits,
}

/// Begins a read, and reads where `actor` stands and what is asked ahead.
pub async fn begin_read(
    db: &PgDb,
    workspace: Id,
    actor: ActorIds,
    ahead: Option<&Ahead>,
) -> Result<(Tx, Option<AccessRow>), StoreError> {
    begin(&db.pools.reads, workspace, actor, false, ahead).await
}

/// The same for a write. One that asks nothing else has no transaction but its commit's.
pub async fn begin_write(
    db: &PgDb,
    workspace: Id,
    actor: ActorIds,
    ahead: Option<&Ahead>,
) -> Result<(Tx, Option<AccessRow>), StoreError> {
    if !ahead.is_some_and(|ahead| ahead.only) {
        return begin(&db.pools.writes, workspace, actor, true, ahead).await;
    }
    let (access, ground) = read_access(&db.pools.writes, workspace, actor, ahead).await?;
    let later = Later { writes: db.pools.writes.clone(), commits: db.commits.clone() };
    let mut tx = Tx::new(Backend::PgLater(later), workspace);
    tx.ground = ground;
    Ok((tx, access))
}

async fn begin(
    pool: &Pool<PgConnection>,
    workspace: Id,
    actor: ActorIds,
    write: bool,
    ahead: Option<&Ahead>,
) -> Result<(Tx, Option<AccessRow>), StoreError> {
    let select = access_row::execute(workspace, actor, ahead)?;
    let (tx, rows) = PgTx::begin(pool, workspace, write, Some(select)).await.map_err(unread)?;
    let mut tx = Tx::new(Backend::Pg(tx), workspace);
    let (access, ground) = access_row::from_row(rows.first(), ahead)?;
    tx.ground = ground;
    Ok((tx, access))
}

/// Where `actor` stands, and what is asked ahead, by itself.
pub async fn read_access(
    pool: &Pool<PgConnection>,
    workspace: Id,
    actor: ActorIds,
    ahead: Option<&Ahead>,
) -> Result<AccessAndGround, StoreError> {
    let select = access_row::execute(workspace, actor, ahead)?;
    let rows = PgTx::ask(pool, workspace, &select).await.map_err(unread)?;
    Ok(access_row::from_row(rows.first(), ahead)?)
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
    let Tx { backend, workspace, late, audit, events, .. } = tx.0;
    let not_kept = if late.is_empty() { not_kept } else { late_or_not_kept };
    match (backend, ended) {
        (Backend::Pg(pg), Ok(answer)) => {
            let sql = bulk_insert::pg_commit(late, audit, events)?;
            pg.end(sql).await.map_err(not_kept)?;
            Ok(answer)
        }
        (Backend::PgLater(later), Ok(answer)) => {
            let rows = bulk_insert::pg_rows(late, audit, events)?;
            if !rows.is_empty() {
                later.commits.commit(workspace, rows).await.map_err(not_kept)?;
            }
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

/// The same where statements of the job were left for the commit: what they are refused for is told as if they had run
/// before it.
fn late_or_not_kept(fault: StoreError) -> StoreError {
    match fault {
        StoreError::Duplicate | StoreError::Timeout | StoreError::Statement(_) => fault,
        fault => not_kept(fault),
    }
}
