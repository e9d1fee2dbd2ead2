//! The utilization of agents, and the number of documents.

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::Id;

use super::{
    Span,
    totals::{bind_parts, by_day, calls, days},
};
use crate::backend::{StoreError, Tx};

/// Numbers of agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow, Serialize, JsonSchema)]
pub struct AgentUtilization {
    /// Number of agents that are active now.
    pub active: i64,
    /// Number of those with a model call or an ended execution in the period, or with a running execution.
    #[serde(rename = "with_work")]
    pub working: i64,
}

/// The time in which an agent was executing.
#[derive(Clone, Debug, FromRow)]
pub struct AgentBusyTime {
    pub agent_id: Id,
    /// The agent's name; `None` if the agent no longer exists.
    pub name: Option<String>,
    pub executions: i64,
    /// The time in which at least one execution was running, in microseconds.
    pub micros: i64,
}

/// Numbers of documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow, Serialize, JsonSchema)]
pub struct Documents {
    /// Number of documents now.
    pub total: i64,
    /// Number of documents added in the period.
    pub added: i64,
}

/// Counts the active agents, and those of them with a model call in the span, an execution that ended in it,
/// or an execution that is running.
pub async fn agent_utilization(tx: &mut Tx, span: Span) -> Result<AgentUtilization, StoreError> {
    const SQL: &str = concat!(
        "SELECT CAST((SELECT COUNT(*) FROM agents WHERE workspace_id = $1 AND status = 'active') AS BIGINT) AS active, \
         CAST((SELECT COUNT(*) FROM agents WHERE workspace_id = $1 AND status = 'active' AND id IN (SELECT agent_id FROM ",
        days!(),
        " UNION ALL SELECT agent_id FROM executions WHERE workspace_id = $1 AND finished_at >= $4 AND finished_at < $7 \
          UNION ALL SELECT agent_id FROM executions WHERE workspace_id = $1 AND status = 'running' \
            AND finished_at IS NULL)) AS BIGINT) AS working"
    );
    with_backend!(tx, workspace, c => bind_parts!(sqlx::query_as(SQL), workspace, by_day(span))
        .bind(Id::nil()).fetch_one(c).await)
}

/// Returns the time in which each agent was executing within the span; executions at the same time count
/// once. With `ended`, running executions are omitted.
pub async fn busy(tx: &mut Tx, span: Span, ended: bool) -> Result<Vec<AgentBusyTime>, StoreError> {
    // `+ 0` prevents SQLite from using the index on `started_at`, which would scan all earlier executions.
    const SQL: &str = "WITH found AS (SELECT agent_id, started_at, finished_at FROM executions \
            WHERE workspace_id = $1 AND agent_id IS NOT NULL AND finished_at > $2 AND started_at + 0 < $3 \
            UNION ALL SELECT agent_id, started_at, $3 FROM executions WHERE workspace_id = $1 AND status = 'running' \
            AND agent_id IS NOT NULL AND started_at + 0 < $3 AND NOT $4), \
        runs AS (SELECT agent_id, CASE WHEN started_at < $2 THEN $2 ELSE started_at END AS began, \
            CASE WHEN finished_at > $3 THEN $3 ELSE finished_at END AS done FROM found), \
        placed AS (SELECT agent_id, began, done, MAX(done) OVER (PARTITION BY agent_id ORDER BY began, done \
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS so_far FROM runs), \
        sums AS (SELECT agent_id, CAST(COUNT(*) AS BIGINT) AS executions, CAST(SUM(CASE \
            WHEN so_far IS NULL OR so_far <= began THEN done - began \
            WHEN so_far < done THEN done - so_far ELSE 0 END) AS BIGINT) AS micros FROM placed GROUP BY agent_id) \
        SELECT s.agent_id, a.name, s.executions, s.micros FROM sums s \
        LEFT JOIN agents a ON a.workspace_id = $1 AND a.id = s.agent_id";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(span.from).bind(span.until)
        .bind(ended).fetch_all(c).await)
}

pub async fn documents(tx: &mut Tx, span: Span) -> Result<Documents, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) AS total, \
        CAST(COUNT(*) FILTER (WHERE created_at >= $2 AND created_at < $3) AS BIGINT) AS added \
        FROM documents WHERE workspace_id = $1";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(span.from).bind(span.until)
        .fetch_one(c).await)
}
