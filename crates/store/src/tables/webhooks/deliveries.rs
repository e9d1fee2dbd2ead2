//! What was sent to a webhook, what waits, and what was given up.

use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

/// One event for one webhook.
#[derive(Clone, Debug, FromRow)]
pub struct DeliveryRow {
    /// Its id.
    pub id: Id,
    /// Where it goes.
    pub webhook_id: Id,
    /// What is told.
    pub event_id: Id,
    /// Such as `agent.created`.
    pub event_name: String,
    /// `pending`, `delivered` or `dead`.
    pub status: String,
    /// How often it was tried.
    pub attempts: i64,
    /// When it is tried next, in microseconds; absent where it is not.
    pub next_at: Option<i64>,
    /// The HTTP status of the last answer.
    pub answered: Option<i64>,
    /// Why the last attempt failed.
    pub problem: Option<String>,
    /// When the event was taken for this webhook.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// When it was last tried.
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

/// A webhook's deliveries, newest first, from behind `cursor`; at most `limit` rows; of one status, or all.
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
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(webhook).bind(status).bind(cursor.at.as_micros())
        .bind(cursor.id).bind(limit).fetch_all(c).await)?,
    )
}

/// One delivery.
pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<DeliveryRow>, StoreError> {
    const SQL: &str = columns!("AND id = $2");
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(id).fetch_optional(c).await)?)
}

/// Has one tried again at once, with all its attempts; `false` where somebody is trying it at this moment.
pub async fn retry(tx: &mut WriteTx, row: &DeliveryRow, at: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_at = $3 \
        WHERE workspace_id = $1 AND id = $2 AND status = $4 AND attempts = $5";
    let workspace = tx.workspace;
    let done = with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(at.as_micros()).bind(&row.status)
        .bind(row.attempts).execute(c).await.map(|done| done.rows_affected()))?;
    Ok(done == 1)
}
