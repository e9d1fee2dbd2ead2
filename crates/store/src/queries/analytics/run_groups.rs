//! Ended executions, grouped by agent, playbook or role.

use sqlx::FromRow;
use toolcrib_model::Id;

use super::Span;
use crate::backend::Select;

/// The executions of one agent.
#[derive(Clone, Debug, FromRow)]
pub struct OfAgent {
    /// The agent's id.
    pub agent_id: Id,
    /// The agent's name.
    pub name: String,
    /// Completed executions.
    pub completed: i64,
    /// Failed executions.
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
    /// Completed executions.
    pub completed: i64,
    /// Failed executions.
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
    /// Completed executions.
    pub completed: i64,
    /// Failed executions.
    pub failed: i64,
}

/// Selects the counts and medians of a group, from rows that `placed!` numbers.
macro_rules! group {
    () => {
        "CAST(COUNT(*) FILTER (WHERE status = 'completed') AS BIGINT) AS completed, \
         CAST(COUNT(*) FILTER (WHERE status = 'failed') AS BIGINT) AS failed, \
         CAST(COUNT(took) AS BIGINT) AS timed, \
         MAX(CASE WHEN place = (among + 1) / 2 THEN took END) AS low, \
         MAX(CASE WHEN place = among / 2 + 1 THEN took END) AS high"
    };
}

/// Numbers the executions of each group by duration. Rows without a duration are numbered separately.
macro_rules! placed {
    ($group:literal) => {
        concat!(
            "ROW_NUMBER() OVER (PARTITION BY ",
            $group,
            ", took IS NULL ORDER BY took) AS place, COUNT(took) OVER (PARTITION BY ",
            $group,
            ") AS among FROM runs"
        )
    };
}

/// Groups executions by agent. Executions by agents that no longer exist are omitted.
pub fn by_agent(span: Span) -> Select<Vec<OfAgent>> {
    const SQL: &str = concat!(
        "WITH runs AS (SELECT agent_id, e.status, CASE WHEN e.status = 'completed' THEN finished_at - started_at END \
            AS took FROM executions e JOIN agents a ON a.workspace_id = e.workspace_id AND a.id = e.agent_id \
            WHERE e.workspace_id = $1 AND finished_at >= $2 AND finished_at < $3), \
         placed AS (SELECT agent_id, status, took, ",
        placed!("agent_id"),
        ") SELECT agent_id, (SELECT name FROM agents a WHERE a.workspace_id = $1 AND a.id = agent_id) AS name, ",
        group!(),
        " FROM placed GROUP BY agent_id"
    );
    Select::all(SQL, span.values())
}

/// Groups executions by playbook.
pub fn by_playbook(span: Span) -> Select<Vec<OfPlaybook>> {
    const SQL: &str = concat!(
        "WITH runs AS (SELECT playbook_id, playbook_name, status, \
            CASE WHEN status = 'completed' THEN finished_at - started_at END AS took FROM executions \
            WHERE workspace_id = $1 AND finished_at >= $2 AND finished_at < $3), \
         placed AS (SELECT playbook_id, playbook_name, status, took, ",
        placed!("playbook_id"),
        ") SELECT playbook_id, MAX(playbook_name) AS name, ",
        group!(),
        " FROM placed GROUP BY playbook_id"
    );
    Select::all(SQL, span.values())
}

/// Groups executions by the role of their agent.
pub fn by_role(span: Span) -> Select<Vec<OfRole>> {
    const SQL: &str = "SELECT a.role, CAST(COUNT(*) FILTER (WHERE e.status = 'completed') AS BIGINT) AS completed, \
        CAST(COUNT(*) FILTER (WHERE e.status = 'failed') AS BIGINT) AS failed \
        FROM executions e LEFT JOIN agents a ON a.workspace_id = e.workspace_id AND a.id = e.agent_id \
        WHERE e.workspace_id = $1 AND e.finished_at >= $2 AND e.finished_at < $3 GROUP BY a.role";
    Select::all(SQL, span.values())
}
