//! Ended executions, grouped by agent, playbook or role.

use sqlx::FromRow;
use toolcrib_model::Id;

use super::{
    Span,
    sorted::{medians, nth, sorted},
};
use crate::backend::{StoreError, Tx};

/// The executions of one agent.
#[derive(Clone, Debug, FromRow)]
pub struct OfAgent {
    pub agent_id: Id,
    pub name: String,
    pub completed: i64,
    pub failed: i64,
    /// Completed executions with a known start.
    pub timed: i64,
    /// The lower median of their durations, in microseconds.
    pub low: Option<i64>,
    /// The upper median of their durations, in microseconds.
    pub high: Option<i64>,
}

/// The executions of one playbook.
#[derive(Clone, Debug, FromRow)]
pub struct OfPlaybook {
    /// The playbook's id; `None` for executions without a playbook.
    pub playbook_id: Option<Id>,
    /// The playbook's name in one of the executions.
    pub name: Option<String>,
    pub completed: i64,
    pub failed: i64,
    /// Completed executions with a known start.
    pub timed: i64,
    /// The lower median of their durations, in microseconds.
    pub low: Option<i64>,
    /// The upper median of their durations, in microseconds.
    pub high: Option<i64>,
}

/// The executions by agents of one role.
#[derive(Clone, Debug, FromRow)]
pub struct OfRole {
    /// The agents' role; `None` for executions without an agent or by an agent that no longer exists.
    pub role: Option<String>,
    pub completed: i64,
    pub failed: i64,
}

macro_rules! groups {
    ($database:ident, $key:literal, $columns:literal, $name:literal, $named:literal) => {
        concat!(
            "WITH runs AS (SELECT agent_id, playbook_id, playbook_name, status, \
                CASE WHEN status = 'completed' THEN finished_at - started_at END AS took FROM executions \
                WHERE workspace_id = $1 AND finished_at >= $2 AND finished_at < $3), \
             groups AS MATERIALIZED (SELECT ",
            $columns,
            ", CAST(COUNT(*) FILTER (WHERE status = 'completed') AS BIGINT) AS completed, \
                CAST(COUNT(*) FILTER (WHERE status = 'failed') AS BIGINT) AS failed, \
                CAST(COUNT(took) AS BIGINT) AS timed, ",
            sorted!($database),
            " AS durations FROM runs GROUP BY ",
            $key,
            ") SELECT ",
            $key,
            ", ",
            $name,
            ", completed, failed, timed, ",
            medians!($database, "timed"),
            " FROM groups",
            $named
        )
    };
}

/// Reads the executions of a span in groups. Given are the column, the columns of a group, its name, and what joins the
/// name.
macro_rules! grouped {
    ($tx:ident, $span:ident, $($part:literal),*) => {{
        let (workspace, sql) = ($tx.workspace, $tx.sql(groups!(sqlite, $($part),*), groups!(pg, $($part),*)));
        with_backend!($tx, c => sqlx::query_as(sql).bind(workspace).bind($span.from).bind($span.until)
            .fetch_all(c).await)
    }};
}

/// Groups executions by agent. Executions by agents that no longer exist are omitted.
pub async fn by_agent(tx: &mut Tx, span: Span) -> Result<Vec<OfAgent>, StoreError> {
    // `CROSS JOIN` makes SQLite look up the agents of the groups, instead of the reverse.
    Ok(grouped!(
        tx,
        span,
        "agent_id",
        "agent_id",
        "a.name",
        " CROSS JOIN agents a WHERE a.workspace_id = $1 AND a.id = agent_id"
    )?)
}

pub async fn by_playbook(tx: &mut Tx, span: Span) -> Result<Vec<OfPlaybook>, StoreError> {
    Ok(grouped!(tx, span, "playbook_id", "playbook_id, MAX(playbook_name) AS name", "name", "")?)
}

/// Groups executions by the role of their agent.
pub async fn by_role(tx: &mut Tx, span: Span) -> Result<Vec<OfRole>, StoreError> {
    // The agents are looked up once a group, not once an execution.
    const SQL: &str = "SELECT a.role, CAST(SUM(completed) AS BIGINT) AS completed, CAST(SUM(failed) AS BIGINT) AS failed \
        FROM (SELECT agent_id, COUNT(*) FILTER (WHERE status = 'completed') AS completed, \
            COUNT(*) FILTER (WHERE status = 'failed') AS failed FROM executions \
            WHERE workspace_id = $1 AND finished_at >= $2 AND finished_at < $3 GROUP BY agent_id) e \
        LEFT JOIN agents a ON a.workspace_id = $1 AND a.id = e.agent_id GROUP BY a.role";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(span.from).bind(span.until)
        .fetch_all(c).await)
}
