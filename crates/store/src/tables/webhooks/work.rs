//! What the worker does: events become deliveries, deliveries are taken and tried, old ones are removed.
//!
//! Whoever takes a delivery moves its time on in the same commit: for so long it is theirs. A process that dies in the
//! middle leaves it to be tried again when that time is over. An outcome counts only for the attempt that it is of.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use super::WebhookRow;
use crate::backend::{Db, StoreError, WriteTx};

/// A webhook that has not read the outbox to its end.
#[derive(Clone, Debug, FromRow)]
pub struct Behind {
    /// Where it belongs.
    pub workspace_id: Id,
    /// The webhook.
    #[sqlx(flatten)]
    pub webhook: WebhookRow,
}

/// A delivery that is to be made.
#[derive(Clone, Debug)]
pub struct NewDelivery<'d> {
    /// Its id.
    pub id: Id,
    /// Where it goes.
    pub webhook_id: Id,
    /// What is told.
    pub event_id: Id,
    /// Such as `agent.created`.
    pub event_name: &'d str,
    /// What is sent, the same with every attempt.
    pub body: &'d str,
    /// When it was taken; it is tried at once.
    pub at: Ts,
}

/// A delivery that is this process's to try.
#[derive(Clone, Debug, FromRow)]
pub struct ClaimedDelivery {
    /// Its id.
    pub id: Id,
    /// What is told.
    pub event_id: Id,
    /// What is sent.
    pub body: String,
    /// Which attempt this is, from 1 on.
    pub attempts: i64,
}

/// Whether any enabled webhook exists: without one nobody needs to look at the outbox.
pub async fn any(db: &Db) -> Result<bool, StoreError> {
    const SQL: &str = "SELECT workspace_id FROM webhooks WHERE enabled = TRUE LIMIT 1";
    let mut tx = db.read_as_worker().await?;
    let found: Option<Id> = with_backend!(tx, c => sqlx::query_scalar(SQL).fetch_optional(c).await)?;
    tx.end().await?;
    Ok(found.is_some())
}

/// Whether any enabled webhook has events to read. On SQLite the worker asks first, so that it disturbs no writer.
pub async fn waits(db: &Db) -> Result<bool, StoreError> {
    const SQLITE: &str = "SELECT h.workspace_id FROM webhooks h WHERE h.enabled = TRUE AND EXISTS (SELECT 1 FROM events e \
        WHERE e.workspace_id = h.workspace_id AND e.seq > h.place) LIMIT 1";
    const PG: &str = "SELECT h.workspace_id FROM webhooks h WHERE h.enabled AND EXISTS (SELECT 1 FROM events e \
        WHERE e.workspace_id = h.workspace_id AND e.place > h.place) LIMIT 1";
    let mut tx = db.read_as_worker().await?;
    let found: Option<Id> = per_backend!(tx,
        sqlite c => sqlx::query_scalar(SQLITE).fetch_optional(c).await,
        pg c => sqlx::query_scalar(PG).fetch_optional(c).await,
    )?;
    tx.end().await?;
    Ok(found.is_some())
}

/// Webhooks of all workspaces that have events to read; at most `limit`. They are this transaction's until it ends.
pub async fn behind(tx: &mut WriteTx, limit: i64) -> Result<Vec<Behind>, StoreError> {
    const SQLITE: &str = "SELECT h.* FROM webhooks h JOIN workspaces w ON w.id = h.workspace_id \
        WHERE h.enabled = TRUE AND w.deleted_at IS NULL AND EXISTS (SELECT 1 FROM events e \
        WHERE e.workspace_id = h.workspace_id AND e.seq > h.place) ORDER BY h.place, h.id LIMIT $1";
    const PG: &str = "SELECT h.* FROM webhooks h JOIN workspaces w ON w.id = h.workspace_id \
        WHERE h.enabled AND w.deleted_at IS NULL AND EXISTS (SELECT 1 FROM events e \
        WHERE e.workspace_id = h.workspace_id AND e.place > h.place) ORDER BY h.place, h.id LIMIT $1 \
        FOR UPDATE OF h SKIP LOCKED";
    Ok(per_backend!(tx,
        sqlite c => sqlx::query_as(SQLITE).bind(limit).fetch_all(c).await,
        pg c => sqlx::query_as(PG).bind(limit).fetch_all(c).await,
    )?)
}

/// Notes how far the outbox was read for a webhook.
pub async fn moved(tx: &mut WriteTx, webhook: Id, offset: i64) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE webhooks SET place = $3 WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(webhook).bind(offset).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Adds a delivery, unless this webhook has one of this event.
pub async fn add(tx: &mut WriteTx, row: &NewDelivery<'_>) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO webhook_deliveries (workspace_id, id, webhook_id, event_id, event_name, body, status, \
        attempts, next_at, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, 'pending', 0, $7, $7, $7) \
        ON CONFLICT DO NOTHING";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.webhook_id).bind(row.event_id)
        .bind(row.event_name).bind(row.body).bind(row.at.as_micros()).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Enabled webhooks with deliveries that are due, the longest first: each with its workspace; at most `limit`.
pub async fn due(db: &Db, now: Ts, limit: i64) -> Result<Vec<(Id, Id)>, StoreError> {
    const SQL: &str = "SELECT d.workspace_id, d.webhook_id FROM webhook_deliveries d \
        JOIN webhooks h ON h.workspace_id = d.workspace_id AND h.id = d.webhook_id \
        JOIN workspaces w ON w.id = d.workspace_id \
        WHERE d.status = 'pending' AND d.next_at <= $1 AND h.enabled = TRUE AND w.deleted_at IS NULL \
        GROUP BY d.workspace_id, d.webhook_id ORDER BY MIN(d.next_at), d.webhook_id LIMIT $2";
    let mut tx = db.read_as_worker().await?;
    let found =
        with_backend!(tx, c => sqlx::query_as(SQL).bind(now.as_micros()).bind(limit).fetch_all(c).await)?;
    tx.end().await?;
    Ok(found)
}

/// Takes up to `limit` of a webhook's deliveries that are due at `now`: nobody else tries them before `until`.
pub async fn take(
    tx: &mut WriteTx,
    webhook: Id,
    now: Ts,
    until: Ts,
    limit: i64,
) -> Result<Vec<ClaimedDelivery>, StoreError> {
    const SQLITE: &str = "UPDATE webhook_deliveries SET next_at = $4, attempts = attempts + 1 WHERE workspace_id = $1 \
        AND id IN (SELECT id FROM webhook_deliveries WHERE workspace_id = $1 AND webhook_id = $2 \
        AND status = 'pending' AND next_at <= $3 ORDER BY next_at, id LIMIT $5) \
        RETURNING id, event_id, body, attempts";
    const PG: &str = "UPDATE webhook_deliveries SET next_at = $4, attempts = attempts + 1 WHERE workspace_id = $1 \
        AND id IN (SELECT id FROM webhook_deliveries WHERE workspace_id = $1 AND webhook_id = $2 \
        AND status = 'pending' AND next_at <= $3 ORDER BY next_at, id LIMIT $5 FOR UPDATE SKIP LOCKED) \
        RETURNING id, event_id, body, attempts";
    let workspace = tx.workspace;
    let (now, until) = (now.as_micros(), until.as_micros());
    Ok(per_backend!(tx,
        sqlite c => sqlx::query_as(SQLITE).bind(workspace).bind(webhook).bind(now).bind(until).bind(limit)
            .fetch_all(c).await,
        pg c => sqlx::query_as(PG).bind(workspace).bind(webhook).bind(now).bind(until).bind(limit)
            .fetch_all(c).await,
    )?)
}

/// What came of an attempt.
#[derive(Clone, Debug)]
pub struct DeliveryOutcome {
    /// `delivered`, `pending` or `dead`.
    pub status: &'static str,
    /// The HTTP status of the answer.
    pub answered: Option<i64>,
    /// Why it failed.
    pub problem: Option<String>,
    /// When it is tried again.
    pub next_at: Option<Ts>,
}

/// Notes what came of the attempt that was taken; `false` where it is no longer this process's.
pub async fn tried(
    tx: &mut WriteTx,
    claimed: &ClaimedDelivery,
    outcome: &DeliveryOutcome,
    at: Ts,
) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE webhook_deliveries SET status = $4, answered = $5, problem = $6, next_at = $7, \
        updated_at = $8 WHERE workspace_id = $1 AND id = $2 AND attempts = $3 AND status = 'pending'";
    let workspace = tx.workspace;
    let done = with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(claimed.id).bind(claimed.attempts).bind(outcome.status)
        .bind(outcome.answered).bind(&outcome.problem).bind(outcome.next_at.map(Ts::as_micros)).bind(at.as_micros())
        .execute(c).await.map(|done| done.rows_affected()))?;
    Ok(done == 1)
}
