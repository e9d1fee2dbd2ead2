//! PostgreSQL: the task that inserts the audit rows of reads, in batches of all workspaces with one commit each.

use sqlx::PgConnection;
use tokio::sync::mpsc;
use toolcrib_model::Id;

use super::{LoginPool, PgTx};
use crate::backend::{
    StoreError,
    bulk_insert::{BulkInserts, BulkRow, WaitingRows},
    pg_session::PgSession,
    pool::PoolConnection,
};

/// The most calls whose rows share a commit.
const MAX_CALLS_PER_COMMIT: usize = 512;

/// Inserts the rows of `queue` until its last sender is dropped.
pub async fn write_audit(
    pool: LoginPool,
    inserts: &'static BulkInserts,
    mut queue: mpsc::Receiver<WaitingRows>,
) {
    let mut items = Vec::with_capacity(MAX_CALLS_PER_COMMIT);
    while queue.recv_many(&mut items, MAX_CALLS_PER_COMMIT).await > 0 {
        write_batch(&pool, inserts, std::mem::take(&mut items)).await;
    }
}

/// Inserts the batch in one commit. If the database refuses a row, each half gets its own commit, until the refused row
/// is alone in its part.
async fn write_batch(pool: &LoginPool, inserts: &'static BulkInserts, batch: Vec<WaitingRows>) {
    let mut open = vec![batch];
    while let Some(mut part) = open.pop() {
        match written(pool, inserts, &part).await {
            Err(error) if error.is_refusal() && part.len() > 1 => {
                let later = part.split_off(part.len() / 2);
                open.extend([later, part]);
            }
            ended => reply(part, &ended),
        }
    }
}

async fn written(
    pool: &LoginPool,
    inserts: &'static BulkInserts,
    part: &[WaitingRows],
) -> Result<(), StoreError> {
    let audit: Vec<&BulkRow> = part.iter().flat_map(|one| &one.rows.audit).collect();
    let outbox: Vec<&BulkRow> = part.iter().flat_map(|one| &one.rows.outbox).collect();
    if pool.is_pooled() {
        return insert_in_transaction(pool, inserts, &audit, &outbox).await;
    }
    pool.connections.begin(Id::nil(), |conn| insert(conn, inserts, &audit, &outbox)).await?
}

/// Behind a pooler in transaction mode a statement outside a transaction is two messages to two connections of the
/// server.
async fn insert_in_transaction(
    pool: &LoginPool,
    inserts: &'static BulkInserts,
    audit: &[&BulkRow],
    outbox: &[&BulkRow],
) -> Result<(), StoreError> {
    let (mut tx, _) = PgTx::begin(pool, Id::nil(), true, None).await?;
    let inserted = inserts.insert_pg(&mut tx.session(), audit, outbox).await;
    tx.end(if inserted.is_ok() { "COMMIT" } else { "ROLLBACK" }).await?;
    inserted
}

/// Inserts the rows on `conn`. A refusal is the inner result, so that the pool doesn't retry it, and the connection is
/// released.
async fn insert(
    mut conn: PoolConnection<PgConnection>,
    inserts: &'static BulkInserts,
    audit: &[&BulkRow],
    outbox: &[&BulkRow],
) -> Result<Result<(), StoreError>, StoreError> {
    match inserts.insert_pg(&mut PgSession::named(conn.connection()), audit, outbox).await {
        Err(error) if !error.is_refusal() => Err(error),
        ended => {
            conn.release();
            Ok(ended)
        }
    }
}

fn reply(part: Vec<WaitingRows>, ended: &Result<(), StoreError>) {
    if let Err(error) = ended
        && error.is_refusal()
    {
        tracing::error!(%error, "the database refused a row of the audit log");
    }
    for one in part {
        // The receiver is dropped if its call was cancelled; the row is inserted nevertheless.
        let result = ended.as_ref().copied().map_err(|error| StoreError::NotCommitted(error.to_string()));
        drop(one.reply.send(result));
    }
}
