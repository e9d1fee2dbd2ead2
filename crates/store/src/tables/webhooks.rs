//! Webhooks: the URLs to which a workspace's events are sent. The signing secrets are stored encrypted and
//! are read only by the worker that sends.
//!
//! [`deliveries`] has the statements for people's requests, [`worker`] those of the worker.

pub mod deliveries;
pub mod worker;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{JsonText, OptionalTime, StoreError, Tx, WriteTx, json};

/// Who receives the messages of a webhook. Which fields are needed depends on the format.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct WebhookReceiver {
    /// For `telegram`: id of the chat, or `@name` of a channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 64), regex(pattern = "^(-?[0-9]+|@[A-Za-z0-9_]+)$"))]
    pub chat_id: Option<String>,
    /// For `twilio`: SID of the account.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 34, max = 34), regex(pattern = "^AC[0-9a-fA-F]{32}$"))]
    pub account_sid: Option<String>,
    /// For `twilio`: number or name of the sender.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(
        length(min = 1, max = 40),
        regex(pattern = "^((whatsapp:)?[+][0-9]{3,15}|[A-Za-z0-9 ]{1,11})$")
    )]
    pub from: Option<String>,
    /// For `twilio`: number that receives the messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 4, max = 40), regex(pattern = "^(whatsapp:)?[+][0-9]{3,15}$"), extend("x-sensitive" = true))]
    pub to: Option<String>,
}

/// A webhook.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct WebhookRow {
    /// ID.
    pub id: Id,
    /// What is sent: `standard` signed events, or messages to people by `slack`, `telegram` or `twilio`.
    pub format: String,
    /// URL to which events are delivered. For messages to people the base address of the service.
    pub url: String,
    /// Who receives the messages; null if the URL says it all.
    #[sqlx(try_from = "JsonText")]
    pub receiver: Option<WebhookReceiver>,
    /// Events to deliver: names, `agent.*` for all events of a resource, or `*` for all.
    #[sqlx(try_from = "JsonText")]
    pub types: Vec<String>,
    /// Whether events are delivered.
    pub enabled: bool,
    /// Time until which deliveries are also signed with the previous secret.
    #[sqlx(try_from = "OptionalTime")]
    #[serde(rename = "previous_secret_until")]
    pub previous_until: Option<Ts>,
    /// User who created it.
    pub created_by: Option<Id>,
    /// Time of creation.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// Time of the last change.
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
    /// The offset up to which the outbox was read for this webhook.
    #[serde(skip)]
    #[sqlx(rename = "place")]
    pub offset: i64,
    /// Events from before this time are not sent.
    #[serde(skip)]
    #[sqlx(try_from = "i64")]
    pub since: Ts,
}

/// The secrets of a webhook, encrypted: those that sign, or the one by which a service takes messages.
#[derive(Clone, Debug, FromRow)]
pub struct EncryptedSecret {
    pub secret_encrypted: String,
    pub previous_encrypted: Option<String>,
    /// When the previous secret expires, in microseconds. Until then both secrets sign.
    pub previous_until: Option<i64>,
}

/// Selects the columns of a [`WebhookRow`], without the secrets.
macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, format, url, receiver, types, enabled, place, since, previous_until, created_by, created_at, updated_at \
             FROM webhooks WHERE workspace_id = $1 ",
            $rest
        )
    };
}

/// Lists at most `limit` webhooks after `cursor`, newest first.
pub async fn list(tx: &mut Tx, cursor: Cursor, limit: i64) -> Result<Vec<WebhookRow>, StoreError> {
    const SQL: &str = columns!("AND (created_at, id) < ($2, $3) ORDER BY created_at DESC, id DESC LIMIT $4");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(cursor.at.as_micros())
        .bind(cursor.id).bind(limit).fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<WebhookRow>, StoreError> {
    tx.find(columns!("AND id = $2"), id).await
}

/// Returns a webhook, locked until the transaction ends.
pub async fn lock(tx: &mut WriteTx, id: Id) -> Result<Option<WebhookRow>, StoreError> {
    let sql = locked!(tx, columns!("AND id = $2") => " FOR NO KEY UPDATE");
    tx.find(sql, id).await
}

/// Counts the workspace's webhooks. Other transactions wait here until this one ends, so that the caller can
/// enforce a limit on the count.
pub async fn count(tx: &mut WriteTx) -> Result<i64, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM webhooks WHERE workspace_id = $1";
    tx.lock("webhooks").await?;
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).fetch_one(c).await)
}

pub async fn encrypted_secret(tx: &mut Tx, id: Id) -> Result<Option<EncryptedSecret>, StoreError> {
    const SQL: &str = "SELECT secret_encrypted, previous_encrypted, previous_until FROM webhooks \
        WHERE workspace_id = $1 AND id = $2";
    tx.find(SQL, id).await
}

pub async fn insert(tx: &mut WriteTx, row: &WebhookRow, secret_encrypted: &str) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO webhooks (workspace_id, id, url, types, enabled, place, since, secret_encrypted, \
        created_by, created_at, updated_at, format, receiver, free_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $10, $7, $8, $9, $9, $11, $12, 0)";
    let receiver = row.receiver.as_ref().map(json).transpose()?;
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.url)
        .bind(json(&row.types)?).bind(row.enabled).bind(row.offset).bind(secret_encrypted).bind(row.created_by)
        .bind(row.created_at.as_micros()).bind(row.since.as_micros()).bind(&row.format).bind(receiver)
        .execute(c).await.map(|_| ()))
}

/// Updates URL, receiver, types, `enabled`, `offset` and `since` of a webhook, and its secret if there is another one.
pub async fn update(
    tx: &mut WriteTx,
    row: &WebhookRow,
    secret_encrypted: Option<&str>,
) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE webhooks SET url = $3, types = $4, enabled = $5, place = $6, updated_at = $7, since = $8, \
        receiver = $9, secret_encrypted = coalesce($10, secret_encrypted) WHERE workspace_id = $1 AND id = $2";
    let receiver = row.receiver.as_ref().map(json).transpose()?;
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.url)
        .bind(json(&row.types)?).bind(row.enabled)
        .bind(row.offset).bind(row.updated_at.as_micros()).bind(row.since.as_micros()).bind(receiver)
        .bind(secret_encrypted).execute(c).await.map(|_| ()))
}

/// Lets a locked webhook send its next message at `at`, if it has to wait longer and no message is in flight.
pub async fn lift_wait(tx: &mut WriteTx, id: Id, now: Ts, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE webhooks SET free_at = $4 WHERE workspace_id = $1 AND id = $2 AND free_at > $4 \
        AND NOT EXISTS (SELECT 1 FROM webhook_deliveries d WHERE d.workspace_id = $1 AND d.webhook_id = $2 \
        AND d.status = 'pending' AND d.in_flight = TRUE AND d.next_at > $3)";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(id).bind(now.as_micros())
        .bind(at.as_micros()).execute(c).await.map(|_| ()))
}

/// Stores a new secret. The previous secret signs too until `until`.
pub async fn rotate(
    tx: &mut WriteTx,
    id: Id,
    secret_encrypted: &str,
    until: Ts,
    at: Ts,
) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE webhooks SET previous_encrypted = secret_encrypted, secret_encrypted = $3, \
        previous_until = $4, updated_at = $5 WHERE workspace_id = $1 AND id = $2";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(id).bind(secret_encrypted)
        .bind(until.as_micros()).bind(at.as_micros()).execute(c).await.map(|_| ()))
}

/// Deletes a webhook and its deliveries. Returns `false` if the webhook does not exist.
pub async fn delete(tx: &mut WriteTx, id: Id) -> Result<bool, StoreError> {
    const DELIVERIES: &str = "DELETE FROM webhook_deliveries WHERE workspace_id = $1 AND webhook_id = $2";
    const SQL: &str = "DELETE FROM webhooks WHERE workspace_id = $1 AND id = $2";
    // Delete the webhook first: a transaction that is adding deliveries for it holds its row's lock and ends
    // before this statement, or starts later and does not find the webhook.
    let gone = tx.execute(SQL, id).await?;
    tx.execute(DELIVERIES, id).await?;
    Ok(gone == 1)
}
