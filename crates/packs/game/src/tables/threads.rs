//! The tables `game_threads`, `game_messages` and `game_thread_reads`.

use sqlx::FromRow;
use toolcrib_engine::prelude::*;
use toolcrib_store::{StoreError, Tx, WriteTx, with_backend};

/// A thread of ideas.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct ThreadRow {
    /// ID.
    pub id: Id,
    /// Title.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub title: Option<String>,
    /// Number of messages.
    pub message_count: i64,
    /// Time of the last message.
    #[sqlx(try_from = "i64")]
    pub last_message_at: Ts,
    /// ID of the brainstorm that was made of it last.
    pub brainstorm_id: Option<Id>,
    /// ID of the user, agent or key that created it.
    pub created_by: Id,
    /// Time of creation.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
}

impl ThreadRow {
    /// The title, or a word for none.
    pub fn name(&self) -> &str {
        self.title.as_deref().unwrap_or("untitled")
    }
}

/// A thread in a list.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct ListedThread {
    #[serde(flatten)]
    #[sqlx(flatten)]
    pub row: ThreadRow,
    /// Number of messages by others that the caller has not read.
    pub unread: i64,
}

/// A message of a thread.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct MessageRow {
    /// ID.
    pub id: Id,
    /// ID of the message that it replies to.
    #[serde(rename = "parent_message")]
    pub parent_id: Option<Id>,
    /// Content.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub content: String,
    /// ID of the user, agent or key that wrote it.
    pub created_by: Id,
    /// Time of creation.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
}

impl MessageRow {
    pub fn position(&self) -> Cursor {
        Cursor { at: self.created_at, id: self.id }
    }
}

/// Before every message, in a list that begins with the oldest.
pub const FIRST: Cursor = Cursor { at: Ts::from_micros(i64::MIN), id: Id::nil() };

/// Lists at most `limit` threads after `cursor`, newest first, with what `reader` has not read.
pub async fn list(
    tx: &mut Tx,
    project: Id,
    reader: Id,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<ListedThread>, StoreError> {
    const SQL: &str = select_of!(game_threads "t."
        ", (SELECT COUNT(*) FROM game_messages m WHERE m.workspace_id = t.workspace_id \
            AND m.project_id = t.project_id AND m.thread_id = t.id AND m.created_by <> $3 \
            AND (m.created_at, m.id) > (coalesce(r.message_at, $7), coalesce(r.message_id, $8))) AS unread \
        FROM game_threads t LEFT JOIN game_thread_reads r ON r.workspace_id = t.workspace_id \
            AND r.project_id = t.project_id AND r.thread_id = t.id AND r.reader_id = $3 \
        WHERE t.workspace_id = $1 AND t.project_id = $2 AND (t.created_at, t.id) < ($4, $5) \
        ORDER BY t.created_at DESC, t.id DESC LIMIT $6");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project).bind(reader)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).bind(FIRST.at.as_micros()).bind(FIRST.id)
        .fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, project: Id, id: Id) -> Result<Option<ThreadRow>, StoreError> {
    const SQL: &str = select_of!(game_threads
        " FROM game_threads WHERE workspace_id = $1 AND project_id = $2 AND id = $3");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project).bind(id)
        .fetch_optional(c).await)
}

/// Returns at most `limit` messages after `cursor`, oldest first.
pub async fn messages(
    tx: &mut Tx,
    project: Id,
    thread: Id,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<MessageRow>, StoreError> {
    const SQL: &str = select_of!(game_messages
        " FROM game_messages WHERE workspace_id = $1 AND project_id = $2 AND thread_id = $3 \
        AND (created_at, id) > ($4, $5) ORDER BY created_at, id LIMIT $6");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project).bind(thread)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

/// Returns a message of a thread, or without `id` the last one.
pub async fn message(
    tx: &mut Tx,
    project: Id,
    thread: Id,
    id: Option<Id>,
) -> Result<Option<MessageRow>, StoreError> {
    const ONE: &str = select_of!(game_messages
        " FROM game_messages WHERE workspace_id = $1 AND project_id = $2 AND thread_id = $3 AND id = $4");
    const LAST: &str = select_of!(game_messages
        " FROM game_messages WHERE workspace_id = $1 AND project_id = $2 AND thread_id = $3 \
        AND $4 IS NULL ORDER BY created_at DESC, id DESC LIMIT 1");
    let sql = if id.is_some() { ONE } else { LAST };
    Ok(
        with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(project).bind(thread).bind(id)
        .fetch_optional(c).await)?,
    )
}

pub async fn insert(tx: &mut WriteTx, project: Id, row: &ThreadRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO game_threads (workspace_id, project_id, id, title, message_count, last_message_at, \
        created_by, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    Ok(
        with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(project).bind(row.id).bind(&row.title)
        .bind(row.message_count).bind(row.last_message_at.as_micros()).bind(row.created_by)
        .bind(row.created_at.as_micros()).execute(c).await.map(|_| ()))?,
    )
}

/// Inserts a message, and counts it in its thread if that has fewer than `most`. Returns `false` otherwise.
pub async fn post(
    tx: &mut WriteTx,
    project: Id,
    thread: Id,
    row: &MessageRow,
    most: i64,
) -> Result<bool, StoreError> {
    const COUNT: &str = "UPDATE game_threads SET message_count = message_count + 1, last_message_at = $4 \
        WHERE workspace_id = $1 AND project_id = $2 AND id = $3 AND message_count < $5";
    let counted = with_backend!(tx, workspace, c => sqlx::query(COUNT).bind(workspace).bind(project).bind(thread)
        .bind(row.created_at.as_micros()).bind(most).execute(c).await.map(|done| done.rows_affected()))?;
    if counted == 1 {
        insert_message(tx, project, thread, row).await?;
    }
    Ok(counted == 1)
}

/// Inserts a message that its thread counts already.
pub async fn insert_message(
    tx: &mut WriteTx,
    project: Id,
    thread: Id,
    row: &MessageRow,
) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO game_messages (workspace_id, project_id, thread_id, id, parent_id, created_by, created_at, \
        content) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
    Ok(
        with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(project).bind(thread).bind(row.id)
        .bind(row.parent_id).bind(row.created_by).bind(row.created_at.as_micros()).bind(&row.content)
        .execute(c).await.map(|_| ()))?,
    )
}

/// Remembers the brainstorm that was made of a thread.
pub async fn set_brainstorm(tx: &mut WriteTx, project: Id, id: Id, brainstorm: Id) -> Result<(), StoreError> {
    const SQL: &str =
        "UPDATE game_threads SET brainstorm_id = $4 WHERE workspace_id = $1 AND project_id = $2 AND id = $3";
    Ok(
        with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(project).bind(id).bind(brainstorm)
        .execute(c).await.map(|_| ()))?,
    )
}

/// Moves the mark of a reader to a message, unless it is there or behind it.
pub async fn mark_read(
    tx: &mut WriteTx,
    project: Id,
    thread: Id,
    reader: Id,
    up_to: Cursor,
) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO game_thread_reads (workspace_id, project_id, thread_id, reader_id, message_at, message_id) \
        VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (workspace_id, project_id, thread_id, reader_id) DO UPDATE \
        SET message_at = excluded.message_at, message_id = excluded.message_id \
        WHERE (game_thread_reads.message_at, game_thread_reads.message_id) < (excluded.message_at, excluded.message_id)";
    Ok(
        with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(project).bind(thread).bind(reader)
        .bind(up_to.at.as_micros()).bind(up_to.id).execute(c).await.map(|_| ()))?,
    )
}
