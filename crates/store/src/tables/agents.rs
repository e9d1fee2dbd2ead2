//! The table `agents`.

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts, name_key};

use crate::backend::{JsonText, OptionalTime, StoreError, Tx, WriteTx, folded, json};

/// Configuration of an agent.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct AgentRow {
    /// ID of the agent.
    pub id: Id,
    /// Name, unique in the workspace.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub name: String,
    /// Slug, set at creation.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub slug: String,
    /// Role: `chatbot`, `worker`, `researcher` or `coder`.
    #[schemars(extend("x-ours" = true))]
    pub role: String,
    /// Model of the agent.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub model: String,
    /// Status: `active` or `inactive`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// Purpose of the agent.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub description: Option<String>,
    /// Instructions for the agent.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub system_prompt: Option<String>,
    /// Sampling temperature, 0 to 2; null means the model's default.
    pub temperature: Option<f64>,
    /// Keywords to find the agent by.
    #[schemars(extend("x-untrusted" = "agents"))]
    #[sqlx(try_from = "JsonText")]
    pub tags: Vec<String>,
    /// Time of creation.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// Time of the last change.
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
    /// Time of the agent's last activity; null if it was never active.
    #[sqlx(try_from = "OptionalTime")]
    pub last_active_at: Option<Ts>,
    /// The version of the row; each update increments it.
    #[serde(skip)]
    pub version: i64,
    /// The user who created the agent.
    #[serde(skip)]
    pub created_by: Option<Id>,
}

/// An agent without its instructions.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct ListedAgent {
    /// ID of the agent.
    pub id: Id,
    /// Name, unique in the workspace.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub name: String,
    /// Slug, set at creation.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub slug: String,
    /// Role: `chatbot`, `worker`, `researcher` or `coder`.
    #[schemars(extend("x-ours" = true))]
    pub role: String,
    /// Model of the agent.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub model: String,
    /// Status: `active` or `inactive`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// Purpose of the agent.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub description: Option<String>,
    /// Keywords to find the agent by.
    #[schemars(extend("x-untrusted" = "agents"))]
    #[sqlx(try_from = "JsonText")]
    pub tags: Vec<String>,
    /// Number of assigned apps.
    pub tool_count: i64,
    /// Number of assigned skills.
    pub skill_count: i64,
    /// Number of assigned plugins.
    pub plugin_count: i64,
    /// Whether the heartbeat is on.
    pub heartbeat: bool,
    /// Time of creation.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// Time of the last change.
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
    /// Time of the last activity or of the last use of a key (to the minute); null if there was none.
    #[sqlx(try_from = "OptionalTime")]
    pub last_active_at: Option<Ts>,
}

/// Conditions for [`list`]; an absent field sets none.
#[derive(Clone, Debug, Default)]
pub struct AgentFilter {
    /// `active` or `inactive`.
    pub status: Option<String>,
    /// A part of the name or description, compared regardless of case.
    pub search: Option<String>,
}

/// The number of rows that [`list`] reads at once while it searches by text.
const BATCH: i64 = 500;

/// Lists at most `limit` agents after `cursor`, newest first. Compares names and descriptions here and not in
/// SQL, because the databases lower-case some letters differently.
pub async fn list(
    tx: &mut Tx,
    filter: &AgentFilter,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<ListedAgent>, StoreError> {
    let Some(part) = filter.search.as_deref().map(folded) else {
        return page(tx, filter, cursor, limit).await;
    };
    let (mut found, mut cursor) = (Vec::new(), cursor);
    let wanted = usize::try_from(limit).unwrap_or(usize::MAX);
    loop {
        let rows = page(tx, filter, cursor, BATCH).await?;
        let last = rows.last().map(|row| Cursor { at: row.created_at, id: row.id });
        let whole = i64::try_from(rows.len()).unwrap_or(i64::MAX) >= BATCH;
        found.extend(rows.into_iter().filter(|row| row.holds(&part)));
        match last {
            Some(last) if whole && found.len() < wanted => cursor = last,
            _ => break,
        }
    }
    found.truncate(wanted);
    Ok(found)
}

async fn page(
    tx: &mut Tx,
    filter: &AgentFilter,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<ListedAgent>, StoreError> {
    let sql = filtered!(
        "SELECT g.id, g.name, g.slug, g.role, g.model, g.status, g.description, g.tags, \
         g.created_at, g.updated_at, g.last_active_at, \
         g.tool_count, g.skill_count, g.plugin_count, g.heartbeat \
         FROM agents g WHERE g.workspace_id = $1 AND ",
        [filter.status => "status = $2" or "$2 IS NULL"],
        " AND (created_at, id) < ($3, $4) ORDER BY created_at DESC, id DESC LIMIT $5"
    );
    with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(&filter.status)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

impl ListedAgent {
    /// Whether the name or description contains `part`, which is already [`folded`].
    fn holds(&self, part: &str) -> bool {
        folded(&self.name).contains(part)
            || self.description.as_ref().is_some_and(|description| folded(description).contains(part))
    }
}

pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<AgentRow>, StoreError> {
    tx.find(by_id!(agents), id).await
}

/// Returns the agent with this id. Other transactions that change or lock it wait until this one ends; SQLite has one
/// writer anyway.
pub async fn lock(tx: &mut WriteTx, id: Id) -> Result<Option<AgentRow>, StoreError> {
    let sql = locked!(tx, by_id!(agents) => " FOR NO KEY UPDATE");
    tx.find(sql, id).await
}

/// Returns the agent with this name, compared regardless of case.
pub async fn by_name(tx: &mut Tx, name: &str) -> Result<Option<AgentRow>, StoreError> {
    const SQL: &str = select!(agents " FROM agents WHERE workspace_id = $1 AND name_key = $2");
    let (workspace, key) = (tx.workspace, name_key(name));
    with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(&key).fetch_optional(c).await)
}

pub async fn by_slug(tx: &mut Tx, slug: &str) -> Result<Option<AgentRow>, StoreError> {
    const SQL: &str = select!(agents " FROM agents WHERE workspace_id = $1 AND slug = $2");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(slug)
        .fetch_optional(c).await)
}

/// Returns the names of the newest 500 agents, for suggestions of similar names.
pub async fn names(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT name FROM agents WHERE workspace_id = $1 ORDER BY created_at DESC LIMIT 500";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).fetch_all(c).await)
}

pub async fn slugs(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT slug FROM agents WHERE workspace_id = $1";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).fetch_all(c).await)
}

/// Inserts an agent. Fails with [`StoreError::Duplicate`] if its name or slug is taken.
pub async fn insert(tx: &mut WriteTx, row: &AgentRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO agents (workspace_id, id, name, name_key, slug, role, model, status, description, \
        system_prompt, temperature, tags, version, created_by, created_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
    let key = name_key(&row.name);
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.name)
        .bind(&key).bind(&row.slug).bind(&row.role).bind(&row.model).bind(&row.status)
        .bind(&row.description).bind(&row.system_prompt).bind(row.temperature).bind(json(&row.tags)?)
        .bind(row.version).bind(row.created_by).bind(row.created_at.as_micros())
        .bind(row.updated_at.as_micros()).execute(c).await.map(|_| ()))
}

/// Locks the rows of these agents in the order of their ids until the transaction ends. A transaction that
/// changes several agents, or the counters in their rows, calls this first, so that transactions can't
/// deadlock. Returns `false` if one of them does not exist. Does nothing on SQLite, whose one writer lets no agent
/// vanish that this transaction has read.
pub async fn lock_all(tx: &mut WriteTx, ids: &[Id]) -> Result<bool, StoreError> {
    const SQL: &str =
        "SELECT id FROM agents WHERE workspace_id = $1 AND id = ANY($2) ORDER BY id FOR NO KEY UPDATE";
    if ids.is_empty() {
        return Ok(true);
    }
    per_backend!(tx, workspace,
        sqlite _c => Ok(true),
        pg c => sqlx::query(SQL).bind(workspace).bind(ids).execute(c).await
            .map(|locked| usize::try_from(locked.rows_affected()) == Ok(ids.len())),
    )
}

/// Updates an agent and increments its version if the stored version is still `row.version`; returns `false`
/// otherwise.
pub async fn update(tx: &mut WriteTx, row: &AgentRow) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE agents SET name = $3, name_key = $4, role = $5, model = $6, status = $7, description = $8, \
        system_prompt = $9, temperature = $10, tags = $11, version = version + 1, updated_at = $12 \
        WHERE workspace_id = $1 AND id = $2 AND version = $13";
    let key = name_key(&row.name);
    let changed = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.name)
        .bind(&key).bind(&row.role).bind(&row.model).bind(&row.status).bind(&row.description)
        .bind(&row.system_prompt).bind(row.temperature).bind(json(&row.tags)?).bind(row.updated_at.as_micros())
        .bind(row.version).execute(c).await.map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}

/// Deletes an agent that this transaction holds; see [`lock_all`].
pub async fn delete(tx: &mut WriteTx, id: Id) -> Result<(), StoreError> {
    const SQL: &str = "DELETE FROM agents WHERE workspace_id = $1 AND id = $2";
    tx.execute(SQL, id).await?;
    Ok(())
}

/// Sets an agent's time of last activity to `at` unless a later time is stored. Does nothing if the agent
/// does not exist.
pub async fn set_last_active(tx: &mut WriteTx, id: Id, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE agents SET last_active_at = $3 WHERE workspace_id = $1 AND id = $2 \
        AND (last_active_at IS NULL OR last_active_at < $3)";
    tx.execute_at(SQL, id, at).await?;
    Ok(())
}

/// What a new agent with a given name depends on in its workspace.
#[derive(Clone, Debug, FromRow)]
pub struct NewAgentFacts {
    /// Whether an agent has this name.
    pub taken: bool,
    /// The model of an agent for which the caller names none.
    pub default_model: Option<String>,
    /// The name of the default blueprint, if the workspace has one.
    pub blueprint: Option<String>,
    /// The rules of the default blueprint, as a JSON object.
    pub rules: Option<String>,
    /// The id of an approved marketplace template with the agent's name that is not installed.
    pub template: Option<Id>,
}

/// Reads what a new agent called `name` depends on. Returns `None` if the workspace does not exist.
pub async fn new_agent_facts(tx: &mut Tx, name: &str) -> Result<Option<NewAgentFacts>, StoreError> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM agents a WHERE a.workspace_id = $1 AND a.name_key = $2) AS taken, \
        w.default_model, b.name AS blueprint, b.rules, \
        (SELECT i.id FROM marketplace_items i WHERE i.kind = 'agent' AND i.name_key = $2 \
            AND i.status = 'approved' AND NOT EXISTS (SELECT 1 FROM installs n WHERE n.workspace_id = $1 \
            AND n.item_id = i.id) LIMIT 1) AS template \
        FROM workspaces w LEFT JOIN blueprints b ON b.workspace_id = w.id AND b.default_slot = 1 \
        WHERE w.id = $1 AND w.deleted_at IS NULL";
    let key = name_key(name);
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(&key)
        .fetch_optional(c).await)
}
