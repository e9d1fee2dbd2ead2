//! The worker's statements: create deliveries from events, claim and attempt deliveries.
//!
//! Claiming a delivery moves its `next_at` into the future in the same commit; until then no other process
//! attempts it, also when somebody asks for a retry. If a process dies during an attempt, the delivery is
//! attempted again at that time. An outcome is stored only if the delivery has had no further attempt.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use super::WebhookRow;
use crate::backend::{Db, StoreError, WriteTx};

/// A webhook with unread events in the outbox.
#[derive(Clone, Debug, FromRow)]
pub struct UnreadWebhook {
    pub workspace_id: Id,
    #[sqlx(flatten)]
    pub webhook: WebhookRow,
}

#[derive(Clone, Debug)]
pub struct NewDelivery<'d> {
    pub id: Id,
    pub webhook_id: Id,
    pub event_id: Id,
    /// The event's name, such as `agent.created`.
    pub event_name: &'d str,
    /// The body of the request, the same for every attempt.
    pub body: &'d str,
    /// The time of creation, at which the first attempt is due.
    pub at: Ts,
}

/// A delivery that this process may attempt.
#[derive(Clone, Debug, FromRow)]
pub struct ClaimedDelivery {
    pub id: Id,
    pub event_id: Id,
    pub body: String,
    /// The number of this attempt, from 1.
    pub attempts: i64,
}

/// Whether any enabled webhook exists. Otherwise the worker does not read the outbox.
pub async fn any_enabled(db: &Db) -> Result<bool, StoreError> {
    const SQL: &str = "SELECT workspace_id FROM webhooks WHERE enabled = TRUE LIMIT 1";
    let mut tx = db.read_as_worker().await?;
    let found: Option<Id> = with_backend!(tx, c => sqlx::query_scalar(SQL).fetch_optional(c).await)?;
    tx.end().await?;
    Ok(found.is_some())
}

/// Whether any enabled webhook has unread events. The worker checks this before it begins a write
/// transaction, which on SQLite would delay other writes.
pub async fn has_unread(db: &Db) -> Result<bool, StoreError> {
    const SQLITE: &str = "SELECT h.workspace_id FROM webhooks h WHERE h.enabled = TRUE AND EXISTS (SELECT 1 FROM events e \
        WHERE e.workspace_id = h.workspace_id AND e.seq > h.place) LIMIT 1";
    const PG: &str = "SELECT h.workspace_id FROM webhooks h WHERE h.enabled AND EXISTS (SELECT 1 FROM events e \
        WHERE e.workspace_id = h.workspace_id AND e.place > h.place) LIMIT 1";
    let mut tx = db.read_as_worker().await?;
    let sql = tx.sql(SQLITE, PG);
    let found: Option<Id> = with_backend!(tx, c => sqlx::query_scalar(sql).fetch_optional(c).await)?;
    tx.end().await?;
    Ok(found.is_some())
}

/// Returns at most `limit` webhooks of all workspaces that have unread events, and locks their rows until the
/// transaction ends; skips rows that another transaction has locked.
pub async fn lock_unread(tx: &mut WriteTx, limit: i64) -> Result<Vec<UnreadWebhook>, StoreError> {
    const SQLITE: &str = select!(webhooks "h." " FROM webhooks h JOIN workspaces w ON w.id = h.workspace_id \
        WHERE h.enabled = TRUE AND w.deleted_at IS NULL AND EXISTS (SELECT 1 FROM events e \
        WHERE e.workspace_id = h.workspace_id AND e.seq > h.place) ORDER BY h.place, h.id LIMIT $1");
    const PG: &str = select!(webhooks "h." " FROM webhooks h JOIN workspaces w ON w.id = h.workspace_id \
        WHERE h.enabled AND w.deleted_at IS NULL AND EXISTS (SELECT 1 FROM events e \
        WHERE e.workspace_id = h.workspace_id AND e.place > h.place) ORDER BY h.place, h.id LIMIT $1 \
        FOR UPDATE OF h SKIP LOCKED");
    let sql = tx.sql(SQLITE, PG);
    with_backend!(tx, c => sqlx::query_as(sql).bind(limit).fetch_all(c).await)
}

/// Stores the offset up to which the outbox was read for a webhook.
pub async fn set_offset(tx: &mut WriteTx, webhook: Id, offset: i64) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE webhooks SET place = $3 WHERE workspace_id = $1 AND id = $2";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(webhook).bind(offset)
        .execute(c).await.map(|_| ()))
}

/// Inserts a delivery, unless the webhook has one of the same event.
pub async fn insert_delivery(tx: &mut WriteTx, row: &NewDelivery<'_>) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO webhook_deliveries (workspace_id, id, webhook_id, event_id, event_name, body, status, \
        attempts, next_at, in_flight, created_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, 'pending', 0, $7, FALSE, $7, $7) \
        ON CONFLICT DO NOTHING";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.webhook_id)
        .bind(row.event_id).bind(row.event_name).bind(row.body).bind(row.at.as_micros()).execute(c).await
        .map(|_| ()))
}

/// Returns workspace and id of at most `limit` enabled webhooks with due deliveries, the longest overdue
/// first.
pub async fn due(db: &Db, now: Ts, limit: i64) -> Result<Vec<(Id, Id)>, StoreError> {
    const SQL: &str = "SELECT d.workspace_id, d.webhook_id FROM webhook_deliveries d \
        JOIN webhooks h ON h.workspace_id = d.workspace_id AND h.id = d.webhook_id \
        JOIN workspaces w ON w.id = d.workspace_id \
        WHERE d.status = 'pending' AND d.next_at <= $1 AND h.free_at <= $1 AND h.enabled = TRUE \
        AND w.deleted_at IS NULL \
        GROUP BY d.workspace_id, d.webhook_id ORDER BY MIN(d.next_at), d.webhook_id LIMIT $2";
    db.due(SQL, now, limit).await
}

/// Claims at most `limit` of a webhook's deliveries that are due at `now`, in the order of their events, so that no
/// other process attempts them before `until`.
pub async fn claim(
    tx: &mut WriteTx,
    webhook: Id,
    now: Ts,
    until: Ts,
    limit: i64,
) -> Result<Vec<ClaimedDelivery>, StoreError> {
    const SQLITE: &str = "UPDATE webhook_deliveries SET next_at = $4, in_flight = TRUE, attempts = attempts + 1 \
        WHERE workspace_id = $1 AND id IN (SELECT id FROM webhook_deliveries WHERE workspace_id = $1 AND webhook_id = $2 \
        AND status = 'pending' AND next_at <= $3 ORDER BY next_at, event_id LIMIT $5) \
        RETURNING id, event_id, body, attempts";
    const PG: &str = "UPDATE webhook_deliveries SET next_at = $4, in_flight = TRUE, attempts = attempts + 1 \
        WHERE workspace_id = $1 AND id IN (SELECT id FROM webhook_deliveries WHERE workspace_id = $1 AND webhook_id = $2 \
        AND status = 'pending' AND next_at <= $3 ORDER BY next_at, event_id LIMIT $5 FOR UPDATE SKIP LOCKED) \
        RETURNING id, event_id, body, attempts";
    let (now, until) = (now.as_micros(), until.as_micros());
    let sql = tx.sql(SQLITE, PG);
    Ok(
        with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(webhook).bind(now).bind(until)
        .bind(limit).fetch_all(c).await)?,
    )
}

/// Occupies a webhook that sends one message at a time until `until`, or until [`set_free_at`]. Returns `false` if it
/// is occupied at `now`.
pub async fn occupy(tx: &mut WriteTx, webhook: Id, now: Ts, until: Ts) -> Result<bool, StoreError> {
    const SQL: &str =
        "UPDATE webhooks SET free_at = $4 WHERE workspace_id = $1 AND id = $2 AND free_at <= $3";
    let done = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(webhook)
        .bind(now.as_micros()).bind(until.as_micros()).execute(c).await.map(|done| done.rows_affected()))?;
    Ok(done == 1)
}

/// Stores when a webhook may send its next message.
pub async fn set_free_at(tx: &mut WriteTx, webhook: Id, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE webhooks SET free_at = $3 WHERE workspace_id = $1 AND id = $2";
    tx.execute_at(SQL, webhook, at).await?;
    Ok(())
}

#[derive(Clone, Debug)]
pub struct DeliveryOutcome {
    /// `delivered`, `pending` or `dead`.
    pub status: &'static str,
    /// The HTTP status of the response.
    pub answered: Option<i64>,
    /// The reason of a failure.
    pub problem: Option<String>,
    /// When the next attempt is due.
    pub next_at: Option<Ts>,
}

/// Disables a webhook as it was when its deliveries were claimed. Returns `false` if it was changed or deleted since:
/// then another receiver may have said that it is gone.
pub async fn disable(tx: &mut WriteTx, webhook: &WebhookRow, at: Ts) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE webhooks SET enabled = FALSE, updated_at = $3 \
        WHERE workspace_id = $1 AND id = $2 AND enabled = TRUE AND updated_at = $4";
    let done = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(webhook.id)
        .bind(at.as_micros()).bind(webhook.updated_at.as_micros()).execute(c).await
        .map(|done| done.rows_affected()))?;
    Ok(done == 1)
}

/// Stores the outcome of a claimed attempt. Returns `false` if another attempt was claimed or the delivery is
/// no longer pending.
pub async fn store_outcome(
    tx: &mut WriteTx,
    claimed: &ClaimedDelivery,
    outcome: &DeliveryOutcome,
    at: Ts,
) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE webhook_deliveries SET status = $4, answered = $5, problem = $6, next_at = $7, \
        in_flight = FALSE, updated_at = $8 WHERE workspace_id = $1 AND id = $2 AND attempts = $3 AND status = 'pending'";
    let done = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(claimed.id)
        .bind(claimed.attempts).bind(outcome.status)
        .bind(outcome.answered).bind(&outcome.problem).bind(outcome.next_at.map(Ts::as_micros)).bind(at.as_micros())
        .execute(c).await.map(|done| done.rows_affected()))?;
    Ok(done == 1)
}
