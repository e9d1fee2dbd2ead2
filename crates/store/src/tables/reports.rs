//! The table `reports`: reports that agents submit. A report is never changed and remains when its agent is
//! deleted.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{JsonText, StoreError, Tx, WriteTx, json};

/// A report.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct ReportRow {
    /// ID.
    pub id: Id,
    /// ID of the agent that submitted the report.
    pub agent_id: Id,
    /// The agent's name at that time.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub agent_name: String,
    /// Title.
    #[schemars(extend("x-untrusted" = "reports"))]
    pub title: String,
    /// Text of the report, in Markdown.
    #[schemars(extend("x-untrusted" = "reports"))]
    pub content: String,
    /// `standup`, `research`, `incident`, `summary`, `delivery` or `audit`.
    #[schemars(extend("x-ours" = true))]
    pub kind: String,
    /// `ok`, `warning`, `critical` or `info`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// Short summary.
    #[schemars(extend("x-untrusted" = "reports"))]
    pub summary: Option<String>,
    /// Numbers and words that belong to it; null where none were given.
    #[schemars(extend("x-untrusted" = "reports"))]
    #[sqlx(try_from = "JsonText")]
    pub metrics: Option<Value>,
    /// Time of submission.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// The user for whom the agent submitted the report.
    #[serde(skip)]
    pub created_by: Option<Id>,
}

/// Returns the newest report; with `agent` or `kind`, the newest of this agent or kind.
pub async fn latest(
    tx: &mut Tx,
    agent: Option<Id>,
    kind: Option<&str>,
) -> Result<Option<ReportRow>, StoreError> {
    let sql = filtered!(select!(reports " FROM reports WHERE workspace_id = $1 AND "),
        [agent => "agent_id = $2" or "$2 IS NULL"],
        " AND ($3 IS NULL OR kind = $3) ORDER BY created_at DESC, id DESC LIMIT 1"
    );
    with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(agent).bind(kind)
        .fetch_optional(c).await)
}

pub async fn insert(tx: &mut WriteTx, row: &ReportRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO reports (workspace_id, id, agent_id, agent_name, title, content, kind, status, \
        summary, metrics, created_by, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.agent_id)
        .bind(&row.agent_name).bind(&row.title).bind(&row.content).bind(&row.kind).bind(&row.status)
        .bind(&row.summary).bind(row.metrics.as_ref().map(json).transpose()?).bind(row.created_by).bind(row.created_at.as_micros())
        .execute(c).await.map(|_| ()))
}
