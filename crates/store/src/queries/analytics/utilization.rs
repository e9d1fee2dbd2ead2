//! Who had something to do, and for how long; and what there is to work with.

use sqlx::FromRow;
use toolcrib_model::Id;

use super::Span;
use crate::backend::{StoreError, Tx};

/// Agents, and those with work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct AgentUtilization {
    /// Agents whose status is active.
    pub active: i64,
    /// Those of them with a model call or an execution.
    pub working: i64,
}

/// How long an agent was busy.
#[derive(Clone, Debug, FromRow)]
pub struct AgentBusyTime {
    /// The agent.
    pub agent_id: Id,
    /// Its name; `None` where it is gone.
    pub name: Option<String>,
    /// Its executions.
    pub executions: i64,
    /// The time in which at least one of them ran, in microseconds.
    pub micros: i64,
}

/// How many documents there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct Documents {
    /// All of them.
    pub total: i64,
    /// Those that were added in the span.
    pub added: i64,
}

/// Active agents, and those that had a model call in the span, or an execution that ended in it or runs.
pub async fn agent_utilization(tx: &mut Tx, span: Span) -> Result<AgentUtilization, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) AS active, CAST(COALESCE(SUM(CASE \
            WHEN EXISTS (SELECT 1 FROM llm_usage u WHERE u.workspace_id = $1 AND u.agent_id = a.id \
                AND u.occurred_at >= $2 AND u.occurred_at < $3) THEN 1 \
            WHEN EXISTS (SELECT 1 FROM executions e WHERE e.workspace_id = $1 AND e.agent_id = a.id \
                AND e.finished_at >= $2 AND e.finished_at < $3) THEN 1 \
            WHEN EXISTS (SELECT 1 FROM executions e WHERE e.workspace_id = $1 AND e.agent_id = a.id \
                AND e.finished_at IS NULL AND e.status = 'running') THEN 1 \
            ELSE 0 END), 0) AS BIGINT) AS working \
        FROM agents a WHERE a.workspace_id = $1 AND a.status = 'active'";
    Ok(within!(tx, span, SQL, fetch_one)?)
}

/// How long each agent was busy within the span: executions at the same time count once. With `ended` those that
/// still run are left out.
pub async fn busy(tx: &mut Tx, span: Span, ended: bool) -> Result<Vec<AgentBusyTime>, StoreError> {
    // `+ 0` keeps SQLite from the index by start, which would walk through all that ever began.
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
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(span.from).bind(span.until).bind(ended)
        .fetch_all(c).await)?,
    )
}

/// How many documents there are.
pub async fn documents(tx: &mut Tx, span: Span) -> Result<Documents, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) AS total, \
        CAST(COUNT(*) FILTER (WHERE created_at >= $2 AND created_at < $3) AS BIGINT) AS added \
        FROM documents WHERE workspace_id = $1";
    Ok(within!(tx, span, SQL, fetch_one)?)
}
