//! The connected apps, skills and plugins that are assigned to agents.

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::{
    backend::{StoreError, Tx, WriteTx},
    tables::agents,
};

/// A connected app, skill or plugin that is assigned to an agent.
#[derive(Clone, Debug, FromRow)]
pub struct AssignedRow {
    /// The id of the connection or marketplace item.
    pub id: Id,
    /// The app of the connection, or the item's slug.
    pub slug: String,
    /// The name of the connection or item.
    pub name: String,
    #[sqlx(try_from = "i64")]
    pub assigned_at: Ts,
}

/// The number of rows that belong to an agent and that [`remove_all`] removes or revokes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct AssignmentCounts {
    /// Connected apps.
    pub tools: i64,
    pub skills: i64,
    pub plugins: i64,
    /// Enabled heartbeats: 0 or 1.
    pub heartbeats: i64,
    /// Schedules that are active or paused.
    pub schedules: i64,
    /// Keys that are not revoked.
    pub keys: i64,
}

/// Selects the connected apps of an agent.
macro_rules! tools {
    ($rest:literal) => {
        concat!(
            "SELECT c.id, c.app AS slug, c.name, t.assigned_at FROM agent_tools t \
             JOIN connections c ON c.workspace_id = t.workspace_id AND c.id = t.connection_id \
             WHERE t.workspace_id = $1 AND t.agent_id = $2 ",
            $rest
        )
    };
}

/// Selects the marketplace items of an agent that a table assigns.
macro_rules! items {
    ($table:literal, $rest:literal) => {
        concat!(
            "SELECT i.id, i.slug, i.name, s.assigned_at FROM ",
            $table,
            " s JOIN marketplace_items i ON i.id = s.item_id WHERE s.workspace_id = $1 AND s.agent_id = $2 ",
            $rest
        )
    };
}

/// Assigns a row to an agent, unless it is assigned.
macro_rules! assign {
    ($table:literal, $column:literal) => {
        concat!(
            "INSERT INTO ",
            $table,
            " (workspace_id, agent_id, ",
            $column,
            ", assigned_at) VALUES ($1, $2, $3, $4) ON CONFLICT (workspace_id, agent_id, ",
            $column,
            ") DO NOTHING"
        )
    };
}

/// Returns the connected apps that are assigned to an agent, ordered by app; at most 500.
pub async fn tools(tx: &mut Tx, agent: Id) -> Result<Vec<AssignedRow>, StoreError> {
    with_backend!(tx, workspace, c => sqlx::query_as(tools!("ORDER BY c.app LIMIT 500")).bind(workspace)
        .bind(agent).fetch_all(c).await)
}

/// Returns the skills that are assigned to an agent, ordered by slug; at most 500.
pub async fn skills(tx: &mut Tx, agent: Id) -> Result<Vec<AssignedRow>, StoreError> {
    with_backend!(tx, workspace, c => sqlx::query_as(items!("agent_skills", "ORDER BY i.slug LIMIT 500"))
        .bind(workspace).bind(agent).fetch_all(c).await)
}

/// Returns the plugins that are assigned to an agent, ordered by slug; at most 500.
pub async fn plugins(tx: &mut Tx, agent: Id) -> Result<Vec<AssignedRow>, StoreError> {
    with_backend!(tx, workspace, c => sqlx::query_as(items!("agent_plugins", "ORDER BY i.slug LIMIT 500"))
        .bind(workspace).bind(agent).fetch_all(c).await)
}

/// What is assigned, unless it was deleted meanwhile, and whether the assignment is new.
pub type Assigned = (Option<AssignedRow>, bool);

/// Assigns a connected app to an agent, unless it is assigned.
pub async fn add_tool(tx: &mut WriteTx, agent: Id, connection: Id, at: Ts) -> Result<Assigned, StoreError> {
    let sql = [assign!("agent_tools", "connection_id"), tools!("AND t.connection_id = $3")];
    add(tx, sql, agent, connection, at).await
}

/// Assigns a skill to an agent, unless it is assigned.
pub async fn add_skill(tx: &mut WriteTx, agent: Id, item: Id, at: Ts) -> Result<Assigned, StoreError> {
    let sql = [assign!("agent_skills", "item_id"), items!("agent_skills", "AND s.item_id = $3")];
    add(tx, sql, agent, item, at).await
}

/// Assigns a plugin to an agent, unless it is assigned.
pub async fn add_plugin(tx: &mut WriteTx, agent: Id, item: Id, at: Ts) -> Result<Assigned, StoreError> {
    let sql = [assign!("agent_plugins", "item_id"), items!("agent_plugins", "AND s.item_id = $3")];
    add(tx, sql, agent, item, at).await
}

async fn add(
    tx: &mut WriteTx,
    [insert, select]: [&'static str; 2],
    agent: Id,
    given: Id,
    at: Ts,
) -> Result<Assigned, StoreError> {
    let new = with_backend!(tx, workspace, c => sqlx::query(insert).bind(workspace).bind(agent).bind(given)
        .bind(at.as_micros()).execute(c).await.map(|done| done.rows_affected()))?;
    let row = with_backend!(tx, workspace, c => sqlx::query_as(select).bind(workspace).bind(agent).bind(given)
        .fetch_optional(c).await)?;
    Ok((row, new == 1))
}

/// Counts the rows that belong to an agent.
pub async fn counts(tx: &mut Tx, agent: Id) -> Result<AssignmentCounts, StoreError> {
    const SQL: &str = "SELECT \
        CAST((SELECT COUNT(*) FROM agent_tools WHERE workspace_id = $1 AND agent_id = $2) AS BIGINT) AS tools, \
        CAST((SELECT COUNT(*) FROM agent_skills WHERE workspace_id = $1 AND agent_id = $2) AS BIGINT) AS skills, \
        CAST((SELECT COUNT(*) FROM agent_plugins WHERE workspace_id = $1 AND agent_id = $2) AS BIGINT) AS plugins, \
        CAST((SELECT COUNT(*) FROM heartbeats WHERE workspace_id = $1 AND agent_id = $2 AND enabled) AS BIGINT) \
        AS heartbeats, CAST((SELECT COUNT(*) FROM schedules \
        WHERE workspace_id = $1 AND agent_id = $2 AND status IN ('active', 'paused')) AS BIGINT) AS schedules, \
        CAST((SELECT COUNT(*) FROM keys \
        WHERE workspace_id = $1 AND agent_id = $2 AND revoked_at IS NULL) AS BIGINT) AS keys";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(agent).fetch_one(c).await)
}

/// Locks an agent, deletes its assignments, heartbeat and schedules and revokes its keys. Call this before the agent is
/// deleted. Returns `false` if the agent does not exist.
pub async fn remove_all(tx: &mut WriteTx, agent: Id, at: Ts) -> Result<bool, StoreError> {
    const GONE: [&str; 5] = [
        "DELETE FROM agent_tools WHERE workspace_id = $1 AND agent_id = $2",
        "DELETE FROM agent_skills WHERE workspace_id = $1 AND agent_id = $2",
        "DELETE FROM agent_plugins WHERE workspace_id = $1 AND agent_id = $2",
        "DELETE FROM heartbeats WHERE workspace_id = $1 AND agent_id = $2",
        "DELETE FROM schedules WHERE workspace_id = $1 AND agent_id = $2",
    ];
    const KEYS: &str =
        "UPDATE keys SET revoked_at = $3 WHERE workspace_id = $1 AND agent_id = $2 AND revoked_at IS NULL";
    if !agents::lock_all(tx, &[agent]).await? {
        return Ok(false);
    }
    for sql in GONE {
        tx.execute(sql, agent).await?;
    }
    tx.execute_at(KEYS, agent, at).await?;
    Ok(true)
}
