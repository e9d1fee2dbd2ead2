//! Alerts that an Alertmanager delivers, stored in the workspace that their label names.

use std::{collections::BTreeMap, sync::Arc};

use toolcrib_connectors::{
    Label, UpstreamError,
    alertmanager::{OutsideAlert, delivered},
    embedded::DataScope,
};
use toolcrib_engine::ActionError;
use toolcrib_model::{Clock, ErrorCode, Id, Ts};
use toolcrib_store::{
    Db, StoreError,
    alerts::{self, AlertRow},
};

/// Days to keep an alert after its last delivery.
const KEPT_DAYS: i64 = 30;
/// Maximum number of alerts that are read at once.
const MAX_ALERTS: i64 = 500;

/// Stores delivered alerts. Cheap to clone.
#[derive(Clone)]
pub struct Inbox {
    db: Db,
    clock: Arc<dyn Clock>,
    label: Label,
}

impl Inbox {
    /// Creates an inbox that stores alerts in `db`. The value of `label` is the ID of an alert's workspace.
    pub fn new(db: Db, clock: Arc<dyn Clock>, label: Label) -> Self {
        Self { db, clock, label }
    }

    /// Stores the alerts of one message of Alertmanager's webhook and returns their number. An alert without the ID of
    /// a workspace belongs to the platform. Delivering a message again changes nothing.
    pub async fn deliver(&self, body: &[u8]) -> Result<usize, ActionError> {
        let now = self.clock.now();
        let delivered = delivered(body, &self.label, now).map_err(|error| no_message(&error))?;
        let count = delivered.len();
        let mut by_workspace: BTreeMap<Id, Vec<AlertRow>> = BTreeMap::new();
        for alert in delivered {
            let row = row(alert, now)?;
            by_workspace.entry(row.workspace_id).or_default().push(row);
        }
        let mut refused = None;
        for (workspace, rows) in by_workspace {
            // Alerts of the other workspaces are stored even if one workspace's are refused.
            if let Err(error) = self.store(workspace, &rows, now).await {
                tracing::error!(%workspace, %error, "alerts of a workspace could not be stored");
                refused = Some(error);
            }
        }
        if let Some(error) = refused {
            return Err(error.into());
        }
        tracing::info!(alerts = count, "Alertmanager delivered alerts");
        Ok(count)
    }

    /// Stores alerts of one workspace, and deletes its old ones.
    async fn store(&self, workspace: Id, rows: &[AlertRow], now: Ts) -> Result<(), StoreError> {
        let mut tx = self.db.begin_write(workspace).await?;
        alerts::forget(&mut tx, now.plus_days(-KEPT_DAYS)).await?;
        for row in rows {
            alerts::put(&mut tx, row).await?;
        }
        tx.commit().await
    }

    /// Returns the alerts in scope that were delivered since `from`.
    pub(super) async fn since(&self, reach: DataScope, from: Ts) -> Result<Vec<AlertRow>, ActionError> {
        // A transaction of its own, ended before an external service is called.
        let rows = match reach {
            DataScope::Workspace(id) => {
                let mut tx = self.db.read(id).await?;
                let rows = alerts::since(&mut tx, from, MAX_ALERTS).await?;
                tx.end().await?;
                rows
            }
            DataScope::Platform => {
                let mut tx = self.db.read(Id::nil()).await?;
                let rows = alerts::since_anywhere(&mut tx, from, MAX_ALERTS).await?;
                tx.end().await?;
                rows
            }
        };
        Ok(rows)
    }
}

fn row(alert: OutsideAlert, now: Ts) -> Result<AlertRow, ActionError> {
    let labels =
        serde_json::to_string(&alert.labels).map_err(|why| ActionError::internal(why.to_string()))?;
    Ok(AlertRow {
        workspace_id: alert.workspace.unwrap_or_default(),
        fingerprint: alert.fingerprint,
        starts_at: alert.since,
        ended_at: alert.ended.map(Ts::as_micros),
        name: alert.name,
        severity: alert.severity,
        subject: alert.subject,
        summary: alert.summary,
        labels,
        received_at: now,
    })
}

fn no_message(cause: &UpstreamError) -> ActionError {
    let detail = "the body is not an Alertmanager webhook message of version 4";
    let mut error = ActionError::new(ErrorCode::MalformedRequest, detail);
    error.internal = Some(cause.to_string());
    error
}
