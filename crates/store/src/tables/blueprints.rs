//! Blueprints: a workspace's rules for its agents.

use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{JsonText, StoreError, Tx, WriteTx};

#[derive(Clone, Debug, FromRow)]
pub struct BlueprintRow {
    pub id: Id,
    /// The name: unique in the workspace, compared regardless of case.
    pub name: String,
    pub description: Option<String>,
    /// The rules, as a JSON object.
    pub rules: String,
    /// 1 for the default blueprint, `None` for every other.
    pub default_slot: Option<i64>,
    /// The version of the row; each update increments it.
    pub version: i64,
    /// The user who created the blueprint.
    pub created_by: Option<Id>,
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
}

/// The properties that rules check, of one agent or of all agents that have the same.
#[derive(Clone, Debug, FromRow)]
pub struct AgentFacts {
    pub agents: i64,
    pub model: String,
    #[sqlx(try_from = "JsonText")]
    pub tags: Vec<String>,
    /// Whether the agent has a system prompt that is not blank.
    pub prompted: bool,
    /// The number of connected apps that are assigned to the agent.
    pub tools: i64,
    /// The cost of the agent's model calls since the given time, in millionths of a dollar.
    pub spent_microusd: i64,
}

/// Lists at most `limit` blueprints after `cursor`, newest first.
pub async fn list(tx: &mut Tx, cursor: Cursor, limit: i64) -> Result<Vec<BlueprintRow>, StoreError> {
    const SQL: &str = select!(blueprints " FROM blueprints WHERE workspace_id = $1 AND (created_at, id) < ($2, $3) \
        ORDER BY created_at DESC, id DESC LIMIT $4");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(cursor.at.as_micros())
        .bind(cursor.id).bind(limit).fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<BlueprintRow>, StoreError> {
    tx.find(by_id!(blueprints), id).await
}

/// Returns the blueprint with this id. Other transactions that change or lock it wait until this one ends; SQLite has
/// one writer anyway.
pub async fn lock(tx: &mut WriteTx, id: Id) -> Result<Option<BlueprintRow>, StoreError> {
    let sql = locked!(tx, by_id!(blueprints) => " FOR NO KEY UPDATE");
    tx.find(sql, id).await
}

/// Returns the blueprint with this name, compared regardless of case.
pub async fn by_name(tx: &mut Tx, name: &str) -> Result<Option<BlueprintRow>, StoreError> {
    const SQL: &str = select!(blueprints " FROM blueprints WHERE workspace_id = $1 AND name_key = $2");
    let (workspace, key) = (tx.workspace, name.to_lowercase());
    with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(&key).fetch_optional(c).await)
}

pub async fn default(tx: &mut Tx) -> Result<Option<BlueprintRow>, StoreError> {
    const SQL: &str = select!(blueprints " FROM blueprints WHERE workspace_id = $1 AND default_slot = 1");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_optional(c).await)
}

/// Returns the names of the newest 500 blueprints, for suggestions of similar names.
pub async fn names(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    const SQL: &str =
        "SELECT name FROM blueprints WHERE workspace_id = $1 ORDER BY created_at DESC LIMIT 500";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).fetch_all(c).await)
}

/// Returns the properties of an agent that rules check; counts costs since `since`.
pub async fn facts(tx: &mut Tx, agent: Id, since: Ts) -> Result<Option<AgentFacts>, StoreError> {
    const SQL: &str = "SELECT CAST(1 AS BIGINT) AS agents, model, tags, prompted, tool_count AS tools, \
        (SELECT CAST(COALESCE(SUM(cost_microusd), 0) AS BIGINT) FROM llm_usage \
            WHERE workspace_id = $1 AND agent_id = $2 AND occurred_at >= $3) AS spent_microusd \
        FROM agents WHERE workspace_id = $1 AND id = $2";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(agent)
        .bind(since.as_micros()).fetch_optional(c).await)
}

/// Returns the properties of all agents that rules check, without costs: agents that have the same are one row.
pub async fn groups(tx: &mut Tx) -> Result<Vec<AgentFacts>, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) AS agents, model, tags, prompted, tool_count AS tools, \
        CAST(0 AS BIGINT) AS spent_microusd FROM agents WHERE workspace_id = $1 \
        GROUP BY model, tags, tool_count, prompted";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_all(c).await)
}

/// Returns the properties of each agent whose costs since `since` are above `least`.
pub async fn spenders(tx: &mut Tx, since: Ts, least: i64) -> Result<Vec<AgentFacts>, StoreError> {
    // `coalesce` makes SQLite add up costs first and then look up agents, instead of the reverse.
    const SQL: &str = "SELECT CAST(1 AS BIGINT) AS agents, a.model, a.tags, a.prompted, a.tool_count AS tools, \
        u.spent_microusd FROM (SELECT agent_id, CAST(SUM(cost_microusd) AS BIGINT) AS spent_microusd FROM llm_usage \
            WHERE workspace_id = $1 AND occurred_at >= $2 GROUP BY agent_id HAVING SUM(cost_microusd) > $3) u \
        JOIN agents a ON a.workspace_id = $1 AND a.id = coalesce(u.agent_id, u.agent_id)";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(since.as_micros())
        .bind(least).fetch_all(c).await)
}

/// Makes the default blueprint an ordinary one, unless it is `keep`.
pub async fn clear_default(tx: &mut WriteTx, keep: Id, now: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE blueprints SET default_slot = NULL, version = version + 1, updated_at = $3 \
        WHERE workspace_id = $1 AND id <> $2 AND default_slot = 1";
    tx.execute_at(SQL, keep, now).await?;
    Ok(())
}

/// Inserts a blueprint. Fails with [`StoreError::Duplicate`] if its name is taken or another blueprint is the
/// default.
pub async fn insert(tx: &mut WriteTx, row: &BlueprintRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO blueprints (workspace_id, id, name, name_key, description, rules, default_slot, version, \
        created_by, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    let key = row.name.to_lowercase();
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.name)
        .bind(&key).bind(&row.description).bind(&row.rules).bind(row.default_slot).bind(row.version)
        .bind(row.created_by).bind(row.created_at.as_micros()).bind(row.updated_at.as_micros())
        .execute(c).await.map(|_| ()))
}

/// Updates a blueprint and increments its version if the stored version is still `row.version`; returns
/// `false` otherwise.
pub async fn update(tx: &mut WriteTx, row: &BlueprintRow) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE blueprints SET name = $4, name_key = $5, description = $6, rules = $7, default_slot = $8, \
        updated_at = $9, version = version + 1 WHERE workspace_id = $1 AND id = $2 AND version = $3";
    let key = row.name.to_lowercase();
    let changed = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.version)
        .bind(&row.name).bind(&key).bind(&row.description).bind(&row.rules).bind(row.default_slot)
        .bind(row.updated_at.as_micros()).execute(c).await.map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}
