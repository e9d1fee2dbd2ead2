//! The table `reports`: reports that agents submit. A report is never changed and remains when its agent is
//! deleted.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

/// A row of `reports`.
#[derive(Clone, Debug, FromRow)]
pub struct ReportRow {
    pub id: Id,
    /// The agent that submitted the report.
    pub agent_id: Id,
    /// The agent's name at that time.
    pub agent_name: String,
    pub title: String,
    /// The text, in Markdown.
    pub content: String,
    /// `standup`, `research`, `incident`, `summary`, `delivery` or `audit`.
    pub kind: String,
    /// `ok`, `warning`, `critical` or `info`.
    pub status: String,
    pub summary: Option<String>,
    /// A JSON object with numbers and strings.
    pub metrics: Option<String>,
    /// The user for whom the agent submitted the report.
    pub created_by: Option<Id>,
    /// When the report was submitted.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
}

/// Returns the newest report; with `agent` or `kind`, the newest of this agent or kind.
pub async fn latest(
    tx: &mut Tx,
    agent: Option<Id>,
    kind: Option<&str>,
) -> Result<Option<ReportRow>, StoreError> {
    let sql = filtered!(
        "SELECT * FROM reports WHERE workspace_id = $1 AND ",
        [agent => "agent_id = $2" or "$2 IS NULL"],
        " AND ($3 IS NULL OR kind = $3) ORDER BY created_at DESC, id DESC LIMIT 1"
    );
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(sql).bind(workspace).bind(agent).bind(kind)
        .fetch_optional(c).await)?)
}

/// Inserts a report.
pub async fn insert(tx: &mut WriteTx, row: &ReportRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO reports (workspace_id, id, agent_id, agent_name, title, content, kind, status, \
        summary, metrics, created_by, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.agent_id)
        .bind(&row.agent_name).bind(&row.title).bind(&row.content).bind(&row.kind).bind(&row.status)
        .bind(&row.summary).bind(&row.metrics).bind(row.created_by).bind(row.created_at.as_micros())
        .execute(c).await.map(|_| ()))?;
    Ok(())
}
