//! The table `memories`: texts that a workspace or one of its agents stores.

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{
    JsonText, StoreError, Tx, WriteTx, json,
    text::{self, Ranked},
};

/// The column `agent_id`: the nil id stands for the whole workspace.
#[derive(sqlx::Type)]
#[sqlx(transparent)]
struct AgentOrNil(Id);

impl From<AgentOrNil> for Option<Id> {
    fn from(AgentOrNil(id): AgentOrNil) -> Self {
        (!id.is_nil()).then_some(id)
    }
}

/// A memory.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct MemoryRow {
    /// ID.
    pub id: Id,
    /// ID of the agent that owns the memory; null for memories of the workspace.
    #[sqlx(try_from = "AgentOrNil")]
    pub agent_id: Option<Id>,
    /// `note`.
    #[schemars(extend("x-ours" = true))]
    pub kind: String,
    /// Stored text.
    #[schemars(extend("x-untrusted" = "memories"))]
    pub content: String,
    /// Tags.
    #[schemars(extend("x-untrusted" = "memories"))]
    #[sqlx(try_from = "JsonText")]
    pub tags: Vec<String>,
    /// The member who stored it, or for whom it was stored.
    pub created_by: Option<Id>,
    /// When it was stored.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// SHA-256 of the content, in hexadecimal. The same content is stored once for each agent.
    #[serde(skip)]
    pub content_hash: String,
    /// The words of the content and of the tags.
    #[serde(skip)]
    pub tokens: String,
    /// The version of the row; each update increments it.
    #[serde(skip)]
    pub version: i64,
}

impl Ranked for MemoryRow {
    fn tokens(&self) -> &str {
        &self.tokens
    }

    fn key(&self) -> (Ts, Id) {
        (self.created_at, self.id)
    }
}

/// The number of memories of one kind that one agent or the workspace has.
#[derive(Clone, Debug, FromRow)]
pub struct MemoryCount {
    /// The agent; absent for the whole workspace.
    #[sqlx(try_from = "AgentOrNil")]
    pub agent_id: Option<Id>,
    /// The agent's name; absent for the whole workspace and if the agent no longer exists.
    pub agent_name: Option<String>,
    pub kind: String,
    pub memories: i64,
    /// The size of their contents in bytes.
    pub bytes: i64,
    #[sqlx(try_from = "i64")]
    pub oldest: Ts,
    #[sqlx(try_from = "i64")]
    pub newest: Ts,
}

/// Inserts a memory. Returns `false` if the agent has a memory with this content.
pub async fn insert(tx: &mut WriteTx, row: &MemoryRow) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO memories (workspace_id, id, agent_id, kind, content, content_hash, tokens, tags, \
        version, created_by, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
        ON CONFLICT (workspace_id, agent_id, content_hash) DO NOTHING";
    Ok(with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id)
            .bind(row.agent_id.unwrap_or_default())
        .bind(&row.kind).bind(&row.content).bind(&row.content_hash).bind(&row.tokens).bind(json(&row.tags)?)
        .bind(row.version).bind(row.created_by).bind(row.created_at.as_micros()).execute(c).await
        .map(|done| done.rows_affected()))?
        == 1)
}

pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<MemoryRow>, StoreError> {
    tx.find(by_id!(memories), id).await
}

/// Returns the memory of this agent with this content hash. The nil id stands for the workspace.
pub async fn by_hash(tx: &mut Tx, agent_id: Id, hash: &str) -> Result<Option<MemoryRow>, StoreError> {
    const SQL: &str = select!(memories " FROM memories WHERE workspace_id = $1 AND agent_id = $2 \
        AND content_hash = $3");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(agent_id).bind(hash)
        .fetch_optional(c).await)
}

/// Lists at most `limit` memories after `cursor`, newest first. With `agent_id`, only those of one agent (the
/// nil id stands for the workspace); with `tag`, only those with this tag.
pub async fn list(
    tx: &mut Tx,
    agent_id: Option<Id>,
    tag: Option<&str>,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<MemoryRow>, StoreError> {
    // CROSS JOIN makes SQLite read the rows of the tag in their order.
    const TAGGED: &str = select!(memories "m." " FROM memory_tags t CROSS JOIN memories m \
        WHERE t.workspace_id = $1 AND t.tag = $3 AND (t.created_at, t.memory_id) < ($4, $5) \
        AND m.workspace_id = $1 AND m.id = t.memory_id AND ($2 IS NULL OR m.agent_id = $2) \
        ORDER BY t.created_at DESC, t.memory_id DESC LIMIT $6");
    let Some(tag) = tag else {
        let sql = filtered!(select!(memories " FROM memories WHERE workspace_id = $1 AND "),
            [agent_id => "agent_id = $2" or "$2 IS NULL"],
            " AND (created_at, id) < ($3, $4) ORDER BY created_at DESC, id DESC LIMIT $5"
        );
        return with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(agent_id)
            .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await);
    };
    with_backend!(tx, workspace, c => sqlx::query_as(TAGGED).bind(workspace).bind(agent_id).bind(tag)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

/// Returns the newest memories that share a word with `words`, of all agents or of one, to be ranked by
/// [`text::rank`].
pub async fn candidates(
    tx: &mut Tx,
    words: &[String],
    agent_id: Option<Id>,
) -> Result<Vec<MemoryRow>, StoreError> {
    const SQLITE: &str = select!(memories "m."
        " FROM memories_text CROSS JOIN memories m ON m.seq = memories_text.rowid \
        WHERE memories_text MATCH $2 AND m.workspace_id = $1 AND ($3 IS NULL OR m.agent_id = $3) \
        ORDER BY memories_text.rowid DESC LIMIT $4");
    const PG: &str = select!(memories " FROM memory_candidates($2, $3, $4) WHERE workspace_id = $1");
    if words.is_empty() {
        return Ok(Vec::new());
    }
    per_backend!(tx, workspace,
        sqlite c => sqlx::query_as(SQLITE).bind(workspace).bind(text::fts5(workspace, words)).bind(agent_id)
            .bind(text::CANDIDATES).fetch_all(c).await,
        pg c => sqlx::query_as(PG).bind(workspace).bind(words.join(" ")).bind(agent_id)
            .bind(text::CANDIDATES).fetch_all(c).await,
    )
}

/// Counts the memories by agent and kind, largest count first.
pub async fn counts(tx: &mut Tx) -> Result<Vec<MemoryCount>, StoreError> {
    const SQL: &str = "SELECT m.*, a.name AS agent_name FROM (SELECT agent_id, kind, CAST(COUNT(*) AS BIGINT) AS memories, \
            CAST(SUM(bytes) AS BIGINT) AS bytes, MIN(created_at) AS oldest, MAX(created_at) AS newest \
            FROM memories WHERE workspace_id = $1 GROUP BY agent_id, kind) m \
        LEFT JOIN agents a ON a.workspace_id = $1 AND a.id = m.agent_id ORDER BY m.memories DESC, m.agent_id, m.kind";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_all(c).await)
}

/// Deletes a memory. Returns `false` if the memory does not exist.
pub async fn delete(tx: &mut WriteTx, id: Id) -> Result<bool, StoreError> {
    const SQL: &str = "DELETE FROM memories WHERE workspace_id = $1 AND id = $2";
    Ok(tx.execute(SQL, id).await? == 1)
}
