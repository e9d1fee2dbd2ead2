//! Blueprints: the rules that a workspace has for its agents.

use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx};

/// A blueprint as it is stored.
#[derive(Clone, Debug, FromRow)]
pub struct BlueprintRow {
    /// Its id.
    pub id: Id,
    /// Unique in the workspace, without regard to case.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// The rules, as a JSON object.
    pub rules: String,
    /// 1 for the default blueprint, `None` for every other.
    pub default_slot: Option<i64>,
    /// Counts its changes.
    pub version: i64,
    /// Who made it.
    pub created_by: Option<Id>,
    /// When it was made.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// When it last changed.
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
}

/// What rules look at in an agent.
#[derive(Clone, Debug, FromRow)]
pub struct AgentFacts {
    /// The agent.
    pub id: Id,
    /// Its name.
    pub name: String,
    /// The model it uses.
    pub model: String,
    /// A JSON list of words.
    pub tags: String,
    /// Its instructions.
    pub system_prompt: Option<String>,
    /// Connected apps that it was given.
    pub tools: i64,
    /// What its model calls cost since the time that was asked for, in millionths of a dollar.
    pub spent_microusd: i64,
}

/// Blueprints, newest first, from behind `cursor`; at most `limit` rows.
pub async fn list(tx: &mut Tx, cursor: Cursor, limit: i64) -> Result<Vec<BlueprintRow>, StoreError> {
    const SQL: &str = "SELECT * FROM blueprints WHERE workspace_id = $1 AND (created_at, id) < ($2, $3) \
        ORDER BY created_at DESC, id DESC LIMIT $4";
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(cursor.at.as_micros()).bind(cursor.id).bind(limit)
        .fetch_all(c).await)?,
    )
}

/// One blueprint by id.
pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<BlueprintRow>, StoreError> {
    const SQL: &str = "SELECT * FROM blueprints WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(id).fetch_optional(c).await)?)
}

/// One blueprint by its exact name, in any case.
pub async fn by_name(tx: &mut Tx, name: &str) -> Result<Option<BlueprintRow>, StoreError> {
    const SQL: &str = "SELECT * FROM blueprints WHERE workspace_id = $1 AND name_key = $2";
    let workspace = tx.workspace;
    let key = name.to_lowercase();
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(&key).fetch_optional(c).await)?)
}

/// The default blueprint, where there is one.
pub async fn default(tx: &mut Tx) -> Result<Option<BlueprintRow>, StoreError> {
    const SQL: &str = "SELECT * FROM blueprints WHERE workspace_id = $1 AND default_slot = 1";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).fetch_optional(c).await)?)
}

/// The names of up to 500 blueprints, newest first: near names are looked for among them.
pub async fn names(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    const SQL: &str =
        "SELECT name FROM blueprints WHERE workspace_id = $1 ORDER BY created_at DESC LIMIT 500";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_scalar(SQL).bind(workspace).fetch_all(c).await)?)
}

/// What rules look at, of one agent or of all; spending counts from `since`.
pub async fn facts(tx: &mut Tx, agent: Option<Id>, since: Ts) -> Result<Vec<AgentFacts>, StoreError> {
    const SQL: &str = "SELECT a.id, a.name, a.model, a.tags, a.system_prompt, \
        (SELECT CAST(COUNT(*) AS BIGINT) FROM agent_tools t \
            WHERE t.workspace_id = a.workspace_id AND t.agent_id = a.id) AS tools, \
        (SELECT CAST(COALESCE(SUM(u.cost_microusd), 0) AS BIGINT) FROM llm_usage u \
            WHERE u.workspace_id = a.workspace_id AND u.agent_id = a.id AND u.occurred_at >= $3) AS spent_microusd \
        FROM agents a WHERE a.workspace_id = $1 AND ($2 IS NULL OR a.id = $2)";
    let workspace = tx.workspace;
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(agent).bind(since.as_micros()).fetch_all(c).await)?,
    )
}

/// Takes the mark of the default from whichever blueprint has it, except `keep`.
pub async fn clear_default(tx: &mut WriteTx, keep: Id, now: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE blueprints SET default_slot = NULL, version = version + 1, updated_at = $3 \
        WHERE workspace_id = $1 AND id <> $2 AND default_slot = 1";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(keep).bind(now.as_micros()).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Adds a blueprint; [`StoreError::Duplicate`] when its name is taken or another one is the default.
pub async fn insert(tx: &mut WriteTx, row: &BlueprintRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO blueprints (workspace_id, id, name, name_key, description, rules, default_slot, version, \
        created_by, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    let workspace = tx.workspace;
    let key = row.name.to_lowercase();
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.name).bind(&key).bind(&row.description)
        .bind(&row.rules).bind(row.default_slot).bind(row.version).bind(row.created_by)
        .bind(row.created_at.as_micros()).bind(row.updated_at.as_micros()).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Stores the changed fields of a blueprint that nobody else changed since it was read, and counts its version up;
/// `false` where somebody did.
pub async fn update(tx: &mut WriteTx, row: &BlueprintRow) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE blueprints SET name = $4, name_key = $5, description = $6, rules = $7, default_slot = $8, \
        updated_at = $9, version = version + 1 WHERE workspace_id = $1 AND id = $2 AND version = $3";
    let workspace = tx.workspace;
    let key = row.name.to_lowercase();
    let changed = with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(row.version).bind(&row.name).bind(&key)
        .bind(&row.description).bind(&row.rules).bind(row.default_slot).bind(row.updated_at.as_micros()).execute(c).await
        .map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}
