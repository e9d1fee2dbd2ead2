//! What is kept for a while only: events, deliveries that are over, notifications.

use toolcrib_model::Ts;

use crate::backend::{StoreError, WriteTx};

/// Rows of a kind that one transaction looks at.
const BATCH: i64 = 2_000;

/// Removes some events of before `before`; how many. The last of all stays, whatever its age: places are counted from
/// it.
pub async fn events(tx: &mut WriteTx, before: Ts) -> Result<u64, StoreError> {
    const SQLITE: &str = "DELETE FROM events WHERE (workspace_id, seq) IN (SELECT workspace_id, seq FROM events \
        ORDER BY seq LIMIT $2) AND occurred_at < $1 AND seq < (SELECT max(seq) FROM events)";
    const PG: &str = "DELETE FROM events WHERE (workspace_id, seq) IN (SELECT workspace_id, seq FROM events \
        ORDER BY seq LIMIT $2) AND occurred_at < $1 AND place < (SELECT max(place) FROM events)";
    let before = before.as_micros();
    Ok(per_backend!(tx,
        sqlite c => sqlx::query(SQLITE).bind(before).bind(BATCH).execute(c).await.map(|done| done.rows_affected()),
        pg c => sqlx::query(PG).bind(before).bind(BATCH).execute(c).await.map(|done| done.rows_affected()),
    )?)
}

/// Removes some deliveries that were over before `before`; how many.
pub async fn deliveries(tx: &mut WriteTx, before: Ts) -> Result<u64, StoreError> {
    const SQL: &str = "DELETE FROM webhook_deliveries WHERE (workspace_id, id) IN (SELECT workspace_id, id \
        FROM webhook_deliveries WHERE status <> 'pending' AND updated_at < $1 LIMIT $2)";
    Ok(with_backend!(tx, c => sqlx::query(SQL).bind(before.as_micros()).bind(BATCH).execute(c).await
        .map(|done| done.rows_affected()))?)
}

/// Removes some notifications of before `before`, with who read them; how many.
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
