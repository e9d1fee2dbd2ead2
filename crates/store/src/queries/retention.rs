//! Deletes rows after their retention period: events, ended deliveries, notifications.

use toolcrib_model::Ts;

use crate::backend::{StoreError, WriteTx};

/// The most rows of a kind that one transaction handles.
const BATCH: i64 = 2_000;

/// Deletes a batch of events from before `before` and returns their number. The last event of all remains,
/// whatever its age, because the next offsets are computed from it.
pub async fn events(tx: &mut WriteTx, before: Ts) -> Result<u64, StoreError> {
    const SQLITE: &str = "DELETE FROM events WHERE (workspace_id, seq) IN (SELECT workspace_id, seq FROM events \
        ORDER BY seq LIMIT $2) AND occurred_at < $1 AND seq < (SELECT max(seq) FROM events)";
    const PG: &str = "DELETE FROM events WHERE (workspace_id, seq) IN (SELECT workspace_id, seq FROM events \
        ORDER BY seq LIMIT $2) AND occurred_at < $1 AND place < (SELECT max(place) FROM events)";
    let before = before.as_micros();
    let sql = tx.sql(SQLITE, PG);
    Ok(
        with_backend!(tx, c => sqlx::query(sql).bind(before).bind(BATCH).execute(c).await.map(|done| done.rows_affected()))?,
    )
}

/// Deletes a batch of deliveries that ended before `before` and returns their number.
pub async fn deliveries(tx: &mut WriteTx, before: Ts) -> Result<u64, StoreError> {
    const SQL: &str = "DELETE FROM webhook_deliveries WHERE (workspace_id, id) IN (SELECT workspace_id, id \
        FROM webhook_deliveries WHERE status <> 'pending' AND updated_at < $1 LIMIT $2)";
    with_backend!(tx, c => sqlx::query(SQL).bind(before.as_micros()).bind(BATCH).execute(c).await
        .map(|done| done.rows_affected()))
}

/// Deletes a batch of notifications from before `before` with their read marks, and returns their number.
pub async fn notifications(tx: &mut WriteTx, before: Ts) -> Result<u64, StoreError> {
    const READS: &str = "DELETE FROM notification_reads WHERE (workspace_id, notification_id) IN \
        (SELECT workspace_id, id FROM notifications WHERE created_at < $1 ORDER BY created_at, id LIMIT $2)";
    const SQL: &str = "DELETE FROM notifications WHERE (workspace_id, id) IN \
        (SELECT workspace_id, id FROM notifications WHERE created_at < $1 ORDER BY created_at, id LIMIT $2)";
    let before = before.as_micros();
    with_backend!(tx, c => sqlx::query(READS).bind(before).bind(BATCH).execute(c).await.map(|_| ()))?;
    Ok(
        with_backend!(tx, c => sqlx::query(SQL).bind(before).bind(BATCH).execute(c).await.map(|done| done.rows_affected()))?,
    )
}
