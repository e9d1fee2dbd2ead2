//! Reports that agents hand in. They are never changed, and outlive their agent.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

/// A report as it is stored.
#[derive(Clone, Debug, FromRow)]
pub struct ReportRow {
    /// Its id.
    pub id: Id,
    /// Who handed it in.
    pub agent_id: Id,
    /// The agent's name at that time.
    pub agent_name: String,
    /// Its title.
    pub title: String,
    /// Its text, in Markdown.
    pub content: String,
    /// `standup`, `research`, `incident`, `summary`, `delivery` or `audit`.
    pub kind: String,
    /// `ok`, `warning`, `critical` or `info`.
    pub status: String,
    /// Its gist.
    pub summary: Option<String>,
    /// A JSON object of numbers and words.
    pub metrics: Option<String>,
    /// For whom it was handed in.
    pub created_by: Option<Id>,
    /// When it was handed in.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
}

/// The newest report, of one agent and one kind where they are named.
pub async fn latest(
    tx: &mut Tx,
    agent: Option<Id>,
    kind: Option<&str>,
) -> Result<Option<ReportRow>, StoreError> {
    const SQL: &str = "SELECT * FROM reports WHERE workspace_id = $1 AND ($2 IS NULL OR agent_id = $2) \
        AND ($3 IS NULL OR kind = $3) ORDER BY created_at DESC, id DESC LIMIT 1";
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(agent).bind(kind).fetch_optional(c).await)?,
    )
}

/// Adds a report.
pub async fn insert(tx: &mut WriteTx, row: &ReportRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO reports (workspace_id, id, agent_id, agent_name, title, content, kind, status, \
        summary, metrics, created_by, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.agent_id).bind(&row.agent_name)
        .bind(&row.title).bind(&row.content).bind(&row.kind).bind(&row.status).bind(&row.summary).bind(&row.metrics)
        .bind(row.created_by).bind(row.created_at.as_micros()).execute(c).await.map(|_| ()))?;
    Ok(())
}
