//! Deliveries to webhooks: pending, delivered and dead (no further attempts).

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{OptionalTime, StoreError, Tx, WriteTx};

/// A delivery of one event to one webhook.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct DeliveryRow {
    /// ID.
    pub id: Id,
    /// ID of the webhook.
    pub webhook_id: Id,
    /// ID of the event: the `webhook-id` of the message.
    pub event_id: Id,
    /// Name of the event, such as `agent.created`.
    #[serde(rename = "type")]
    pub event_name: String,
    /// `pending`, `delivered` or `dead`.
    pub status: String,
    /// Number of attempts.
    pub attempts: i64,
    /// Time of the next attempt.
    #[sqlx(try_from = "OptionalTime")]
    pub next_at: Option<Ts>,
    /// HTTP status of the last response.
    pub answered: Option<i64>,
    /// Reason why the last attempt failed.
    pub problem: Option<String>,
    /// Time at which the event was queued for this webhook.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// Time of the last change.
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
}

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, webhook_id, event_id, event_name, status, attempts, next_at, answered, problem, created_at, \
             updated_at FROM webhook_deliveries WHERE workspace_id = $1 ",
            $rest
        )
    };
}

/// Lists at most `limit` deliveries of a webhook after `cursor`, newest first. With `status`, only deliveries
/// with this status.
pub async fn list(
    tx: &mut Tx,
    webhook: Id,
    status: Option<&str>,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<DeliveryRow>, StoreError> {
    const SQL: &str = columns!(
        "AND webhook_id = $2 AND ($3 IS NULL OR status = $3) AND (created_at, id) < ($4, $5) \
         ORDER BY created_at DESC, id DESC LIMIT $6"
    );
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(webhook).bind(status)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<DeliveryRow>, StoreError> {
    tx.find(columns!("AND id = $2"), id).await
}

/// Makes a delivery due at once, with all its attempts available again. Returns `false` if an attempt is in flight, or
/// if the row has changed since it was read.
pub async fn retry(tx: &mut WriteTx, row: &DeliveryRow, at: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE webhook_deliveries SET status = 'pending', attempts = 0, answered = NULL, \
        problem = NULL, next_at = $3, in_flight = FALSE, updated_at = $3 \
        WHERE workspace_id = $1 AND id = $2 AND status = $4 AND attempts = $5 \
        AND NOT (in_flight = TRUE AND next_at > $3)";
    Ok(with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(at.as_micros())
        .bind(&row.status).bind(row.attempts).execute(c).await.map(|done| done.rows_affected()))?
        == 1)
}

/// Gives up the pending deliveries of a webhook that were queued before `before`, unless an attempt is in flight.
pub async fn give_up(
    tx: &mut WriteTx,
    webhook: Id,
    before: Ts,
    problem: &str,
    at: Ts,
) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE webhook_deliveries SET status = 'dead', problem = $4, next_at = NULL, updated_at = $5 \
        WHERE workspace_id = $1 AND webhook_id = $2 AND status = 'pending' AND created_at < $3 \
        AND NOT (in_flight = TRUE AND next_at > $5)";
    Ok(
        with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(webhook).bind(before.as_micros())
        .bind(problem).bind(at.as_micros()).execute(c).await.map(|_| ()))?,
    )
}
