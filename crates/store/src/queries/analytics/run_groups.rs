//! Executions that ended, by who ran them and by what they ran.

use sqlx::FromRow;
use toolcrib_model::Id;

use super::Span;
use crate::backend::{StoreError, Tx};

/// The runs of one agent.
#[derive(Clone, Debug, FromRow)]
pub struct OfAgent {
    /// The agent.
    pub agent_id: Id,
    /// Its name.
    pub name: String,
    /// Runs that went well.
    pub completed: i64,
    /// Runs that went wrong.
    pub failed: i64,
    /// Completed runs whose beginning is known.
    pub timed: i64,
    /// How long the middle one of them took, or the one before the middle, in microseconds.
    pub low: Option<i64>,
    /// How long the middle one of them took, or the one behind the middle, in microseconds.
    pub high: Option<i64>,
}

/// The runs of one playbook.
#[derive(Clone, Debug, FromRow)]
pub struct OfPlaybook {
    /// The playbook; `None` for runs of none.
    pub playbook_id: Option<Id>,
    /// Its name at one of the runs.
    pub name: Option<String>,
    /// Runs that went well.
    pub completed: i64,
    /// Runs that went wrong.
    pub failed: i64,
    /// Completed runs whose beginning is known.
    pub timed: i64,
    /// How long the middle one of them took, or the one before the middle, in microseconds.
    pub low: Option<i64>,
    /// How long the middle one of them took, or the one behind the middle, in microseconds.
    pub high: Option<i64>,
}

/// The runs of agents of one role.
#[derive(Clone, Debug, FromRow)]
pub struct OfRole {
    /// The agents' role; `None` for runs of no agent, or of one that is gone.
    pub role: Option<String>,
    /// Runs that went well.
    pub completed: i64,
    /// Runs that went wrong.
    pub failed: i64,
}

/// The counts and middle times of a group, from rows that are placed within it.
macro_rules! group {
    () => {
        "CAST(COUNT(*) FILTER (WHERE status = 'completed') AS BIGINT) AS completed, \
         CAST(COUNT(*) FILTER (WHERE status = 'failed') AS BIGINT) AS failed, \
         CAST(COUNT(took) AS BIGINT) AS timed, \
         MAX(CASE WHEN place = (among + 1) / 2 THEN took END) AS low, \
         MAX(CASE WHEN place = among / 2 + 1 THEN took END) AS high"
    };
}

/// What a run took and which place that has within its group; rows without a time come in a row of their own.
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

/// Runs by agent, of agents that are there.
pub async fn by_agent(tx: &mut Tx, span: Span) -> Result<Vec<OfAgent>, StoreError> {
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
    Ok(within!(tx, span, SQL, fetch_all)?)
}

/// Runs by playbook.
pub async fn by_playbook(tx: &mut Tx, span: Span) -> Result<Vec<OfPlaybook>, StoreError> {
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
    Ok(within!(tx, span, SQL, fetch_all)?)
}

/// Runs by the role of the agents that ran them.
pub async fn by_role(tx: &mut Tx, span: Span) -> Result<Vec<OfRole>, StoreError> {
    const SQL: &str = "SELECT a.role, CAST(COUNT(*) FILTER (WHERE e.status = 'completed') AS BIGINT) AS completed, \
        CAST(COUNT(*) FILTER (WHERE e.status = 'failed') AS BIGINT) AS failed \
        FROM executions e LEFT JOIN agents a ON a.workspace_id = e.workspace_id AND a.id = e.agent_id \
        WHERE e.workspace_id = $1 AND e.finished_at >= $2 AND e.finished_at < $3 GROUP BY a.role";
    Ok(within!(tx, span, SQL, fetch_all)?)
}
