//! PostgreSQL: the writer of reads' audit rows, from all workspaces in one commit a batch.

use sqlx::PgConnection;
use tokio::sync::{mpsc, oneshot};
use toolcrib_model::Id;

use crate::backend::{
    StoreError,
    bulk_insert::{BulkInserts, BulkRow, BulkRows},
    pool::{Pool, PoolConnection},
    sqlite::WriterMessage,
};

/// At most this many calls' rows share a commit.
const MOST: usize = 512;

/// The rows of one call, which are kept together or not at all.
struct Waiting {
    rows: BulkRows,
    reply: oneshot::Sender<Result<(), StoreError>>,
}

/// Writes what comes until the last sender is dropped.
pub async fn write_audit(
    pool: Pool<PgConnection>,
    inserts: &'static BulkInserts,
    mut queue: mpsc::Receiver<WriterMessage>,
) {
    let mut items = Vec::with_capacity(MOST);
    while queue.recv_many(&mut items, MOST).await > 0 {
        let waiting = items.drain(..).filter_map(|item| match item {
            WriterMessage::Audit { rows, reply } => Some(Waiting { rows, reply }),
            WriterMessage::Job { .. } => None,
        });
        write_batch(&pool, inserts, waiting.collect()).await;
    }
}

/// One commit for all. Where the database refuses it, each half gets its own, until whose row it was stands alone.
async fn write_batch(pool: &Pool<PgConnection>, inserts: &'static BulkInserts, batch: Vec<Waiting>) {
    let mut open = vec![batch];
    while let Some(mut part) = open.pop() {
        match written(pool, inserts, &part).await {
            Err(fault) if fault.is_refusal() && part.len() > 1 => {
                let later = part.split_off(part.len() / 2);
                open.extend([later, part]);
            }
            ended => tell(part, &ended),
        }
    }
}

async fn written(
    pool: &Pool<PgConnection>,
    inserts: &'static BulkInserts,
    part: &[Waiting],
) -> Result<(), StoreError> {
    let audit: Vec<&BulkRow> = part.iter().flat_map(|one| &one.rows.audit).collect();
    let outbox: Vec<&BulkRow> = part.iter().flat_map(|one| &one.rows.outbox).collect();
    pool.begin(Id::nil(), |conn| insert(conn, inserts, &audit, &outbox)).await?
}

/// A refusal is an answer, not a lost connection: nothing is tried again for it, and the connection is as good as before.
async fn insert(
    mut conn: PoolConnection<PgConnection>,
    inserts: &'static BulkInserts,
    audit: &[&BulkRow],
    outbox: &[&BulkRow],
) -> Result<Result<(), StoreError>, StoreError> {
    match inserts.pg(conn.connection(), audit, outbox).await {
        Err(fault) if !fault.is_refusal() => Err(fault),
        ended => {
            conn.release();
            Ok(ended)
        }
    }
}

fn tell(part: Vec<Waiting>, ended: &Result<(), StoreError>) {
    if let Err(fault) = ended
        && fault.is_refusal()
    {
        tracing::error!(%fault, "the database refused a row of the audit log");
    }
    for one in part {
        // A receiver that is gone was cancelled; its row stands.
        let told = ended.as_ref().copied().map_err(|fault| StoreError::NotCommitted(fault.to_string()));
        drop(one.reply.send(told));
    }
}
