//! Agents.

use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts, name_key};

use crate::backend::{StoreError, Tx, WriteTx, folded};

mod creation_defaults;

pub use creation_defaults::{CreationDefaults, creation_defaults};

/// An agent as it is stored.
#[derive(Clone, Debug, FromRow)]
pub struct AgentRow {
    /// Its id.
    pub id: Id,
    /// Unique in the workspace, without regard to case.
    pub name: String,
    /// Made from the name at creation and never changed: what `accessible_by` names.
    pub slug: String,
    /// `chatbot`, `worker`, `researcher` or `coder`.
    pub role: String,
    /// The model it uses.
    pub model: String,
    /// `active` or `inactive`.
    pub status: String,
    /// What it is for.
    pub description: Option<String>,
    /// Its instructions.
    pub system_prompt: Option<String>,
    /// 0 to 2.
    pub temperature: Option<f64>,
    /// A JSON list of words.
    pub tags: String,
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
    /// When it last did something, or one of its keys was last used, in microseconds.
    pub last_active_at: Option<i64>,
}

/// An agent in a list: without what only its own page shows.
#[derive(Clone, Debug, FromRow)]
pub struct ListedAgent {
    /// Its id.
    pub id: Id,
    /// Unique in the workspace, without regard to case.
    pub name: String,
    /// Made from the name at creation and never changed.
    pub slug: String,
    /// `chatbot`, `worker`, `researcher` or `coder`.
    pub role: String,
    /// The model it uses.
    pub model: String,
    /// `active` or `inactive`.
    pub status: String,
    /// What it is for.
    pub description: Option<String>,
    /// A JSON list of words.
    pub tags: String,
    /// When it was made.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// When it last changed.
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
    /// When it last did something, or one of its keys was last used, in microseconds.
    pub last_active_at: Option<i64>,
    /// How many connected apps it was given.
    pub tool_count: i64,
    /// How many skills it was given.
    pub skill_count: i64,
    /// How many plugins it was given.
    pub plugin_count: i64,
    /// Whether its heartbeat beats.
    pub heartbeat: bool,
}

/// Which agents are listed.
#[derive(Clone, Debug, Default)]
pub struct AgentFilter {
    /// `active` or `inactive`.
    pub status: Option<String>,
    /// Part of the name or description, in any case.
    pub search: Option<String>,
}

/// How many agents are looked through at once for those that hold a part.
const BATCH: i64 = 500;

/// Agents, newest first, from behind `cursor`; at most `limit` rows. A part of a name or description is looked for here and
/// not in SQL: the databases do not agree on what the small letter of a letter is.
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
    const SQL: &str = "SELECT g.id, g.name, g.slug, g.role, g.model, g.status, g.description, g.tags, \
        g.created_at, g.updated_at, g.last_active_at, \
        g.tool_count, g.skill_count, g.plugin_count, g.heartbeat \
        FROM agents g WHERE g.workspace_id = $1 AND ($2 IS NULL OR status = $2) \
        AND (created_at, id) < ($3, $4) ORDER BY created_at DESC, id DESC LIMIT $5";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(&filter.status)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)?)
}

impl ListedAgent {
    /// Whether name or description holds this part, which is [`folded`].
    fn holds(&self, part: &str) -> bool {
        folded(&self.name).contains(part)
            || self.description.as_ref().is_some_and(|description| folded(description).contains(part))
    }
}

/// One agent by id.
pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<AgentRow>, StoreError> {
    const SQL: &str = "SELECT * FROM agents WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(id).fetch_optional(c).await)?)
}

/// One agent by its exact name, in any case.
pub async fn by_name(tx: &mut Tx, name: &str) -> Result<Option<AgentRow>, StoreError> {
    // Names that were stored before names were kept in NFC are found as they were written.
    const SQL: &str = "SELECT * FROM agents WHERE workspace_id = $1 AND name_key IN ($2, $3) LIMIT 1";
    let workspace = tx.workspace;
    let (key, written) = (name_key(name), name.to_lowercase());
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(&key).bind(&written).fetch_optional(c).await)?,
    )
}

/// Whether an agent has this name.
pub async fn is_taken(tx: &mut Tx, name: &str) -> Result<bool, StoreError> {
    const SQL: &str = "SELECT EXISTS (SELECT 1 FROM agents WHERE workspace_id = $1 AND name_key = $2)";
    let workspace = tx.workspace;
    let key = name_key(name);
    Ok(with_backend!(tx, c => sqlx::query_scalar(SQL).bind(workspace).bind(&key).fetch_one(c).await)?)
}

/// The names of up to 500 agents, newest first: near names are looked for among them.
pub async fn names(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT name FROM agents WHERE workspace_id = $1 ORDER BY created_at DESC LIMIT 500";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_scalar(SQL).bind(workspace).fetch_all(c).await)?)
}

/// Adds an agent; [`StoreError::Duplicate`] when its name or slug is taken.
pub async fn insert(tx: &mut WriteTx, row: &AgentRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO agents (workspace_id, id, name, name_key, slug, role, model, status, description, \
        system_prompt, temperature, tags, version, created_by, created_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)";
    let workspace = tx.workspace;
    let key = name_key(&row.name);
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.name).bind(&key).bind(&row.slug)
        .bind(&row.role).bind(&row.model).bind(&row.status).bind(&row.description).bind(&row.system_prompt)
        .bind(row.temperature).bind(&row.tags).bind(row.version).bind(row.created_by)
        .bind(row.created_at.as_micros()).bind(row.updated_at.as_micros()).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Holds these agents until the transaction ends. Whoever changes several agents, or what is counted in their rows, takes
/// the agents first and in this order, so that no two wait for each other. SQLite has one writer.
pub async fn hold(tx: &mut WriteTx, ids: &[Id]) -> Result<(), StoreError> {
    const SQL: &str =
        "SELECT id FROM agents WHERE workspace_id = $1 AND id = ANY($2) ORDER BY id FOR NO KEY UPDATE";
    if ids.is_empty() {
        return Ok(());
    }
    let workspace = tx.workspace;
    per_backend!(tx,
        sqlite _c => Ok(()),
        pg c => Ok(sqlx::query(SQL).bind(workspace).bind(ids).execute(c).await.map(|_| ())?),
    )
}

/// Stores the changed fields of an agent and counts its version up; `false` where it is gone.
pub async fn update(tx: &mut WriteTx, row: &AgentRow) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE agents SET name = $3, name_key = $4, role = $5, model = $6, status = $7, description = $8, \
        system_prompt = $9, temperature = $10, tags = $11, version = version + 1, updated_at = $12 \
        WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    let key = name_key(&row.name);
    let changed = with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.name).bind(&key).bind(&row.role)
        .bind(&row.model).bind(&row.status).bind(&row.description).bind(&row.system_prompt).bind(row.temperature)
        .bind(&row.tags).bind(row.updated_at.as_micros()).execute(c).await.map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}

/// Removes an agent; `false` where it is gone already.
pub async fn delete(tx: &mut WriteTx, id: Id) -> Result<bool, StoreError> {
    const SQL: &str = "DELETE FROM agents WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    let gone = with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(id).execute(c).await.map(|d| d.rows_affected()))?;
    Ok(gone == 1)
}

/// Notes that an agent did something, unless it did something later; nothing where there is no such agent.
pub async fn was_active(tx: &mut WriteTx, id: Id, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE agents SET last_active_at = $3 WHERE workspace_id = $1 AND id = $2 \
        AND (last_active_at IS NULL OR last_active_at < $3)";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(id).bind(at.as_micros()).execute(c).await.map(|_| ()))?;
    Ok(())
}
