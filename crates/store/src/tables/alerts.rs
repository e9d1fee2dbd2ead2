//! The table `alerts`: alerts that an Alertmanager delivered. Alerts that belong to no workspace have the nil
//! id.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

/// An alert as of its last delivery.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct AlertRow {
    /// The alert's workspace; the nil id for none.
    pub workspace_id: Id,
    /// Identifies the alert's set of labels.
    pub fingerprint: String,
    /// When the alert began to fire.
    #[sqlx(try_from = "i64")]
    pub starts_at: Ts,
    /// When the alert ended, in microseconds; absent while it fires.
    pub ended_at: Option<i64>,
    /// The name of the alerting rule.
    pub name: String,
    /// The severity, in the operator's own words.
    pub severity: Option<String>,
    /// The object that the alert is about.
    pub subject: String,
    /// A description of the problem.
    pub summary: String,
    /// A JSON object with string values.
    pub labels: String,
    /// When the alert was last delivered.
    #[sqlx(try_from = "i64")]
    pub received_at: Ts,
}

/// Inserts or updates an alert in the transaction's workspace. An alert that has ended stays ended, in
/// whatever order deliveries arrive. At most one alert per set of labels is firing: this deletes another
/// firing row of the same labels, because a later delivery may report an earlier start.
pub async fn put(tx: &mut WriteTx, row: &AlertRow) -> Result<(), StoreError> {
    const REPLACED: &str = "DELETE FROM alerts WHERE workspace_id = $1 AND fingerprint = $2 AND starts_at <> $3 \
        AND starts_at <= $4 AND ended_at IS NULL";
    const SQL: &str = "INSERT INTO alerts (workspace_id, fingerprint, starts_at, ended_at, name, severity, subject, \
        summary, labels, received_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) \
        ON CONFLICT (workspace_id, fingerprint, starts_at) DO UPDATE SET \
        ended_at = COALESCE(excluded.ended_at, alerts.ended_at), name = excluded.name, severity = excluded.severity, \
        subject = excluded.subject, summary = excluded.summary, labels = excluded.labels, \
        received_at = excluded.received_at";
    let until = row.ended_at.unwrap_or(i64::MAX);
    with_backend!(tx, workspace, c => sqlx::query(REPLACED).bind(workspace).bind(&row.fingerprint)
        .bind(row.starts_at.as_micros()).bind(until).execute(c).await.map(|_| ()))?;
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(&row.fingerprint)
        .bind(row.starts_at.as_micros()).bind(row.ended_at).bind(&row.name).bind(&row.severity)
        .bind(&row.subject).bind(&row.summary).bind(&row.labels).bind(row.received_at.as_micros())
        .execute(c).await.map(|_| ()))
}

/// Deletes the alerts of the transaction's workspace that were last delivered before `before`.
pub async fn forget(tx: &mut WriteTx, before: Ts) -> Result<(), StoreError> {
    const SQL: &str = "DELETE FROM alerts WHERE workspace_id = $1 AND received_at < $2";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(before.as_micros())
        .execute(c).await.map(|_| ()))
}

/// Returns the workspace's alerts that were delivered since `from`, at most the newest `most`.
pub async fn since(tx: &mut Tx, from: Ts, most: i64) -> Result<Vec<AlertRow>, StoreError> {
    const SQL: &str = select!(alerts " FROM alerts WHERE workspace_id = $1 AND received_at >= $2 \
        ORDER BY starts_at DESC, fingerprint LIMIT $3");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(from.as_micros())
        .bind(most).fetch_all(c).await)
}

/// Returns the alerts of all workspaces and of none that were delivered since `from`, at most the newest
/// `most`. Only for system admins.
pub async fn since_anywhere(tx: &mut Tx, from: Ts, most: i64) -> Result<Vec<AlertRow>, StoreError> {
    let from = from.as_micros();
    per_backend!(tx,
        sqlite c => sqlx::query_as("SELECT workspace_id, fingerprint, starts_at, ended_at, name, severity, subject, \
            summary, labels, received_at FROM alerts WHERE received_at >= $1 \
            ORDER BY starts_at DESC, fingerprint LIMIT $2").bind(from).bind(most).fetch_all(c).await,
        pg c => sqlx::query_as(select!(alerts " FROM alerts_anywhere($1, $2)")).bind(from).bind(most).fetch_all(c).await,
    )
}
