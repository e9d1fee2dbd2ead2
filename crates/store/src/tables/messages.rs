//! The table `messages`: messages of chats, as chat backends reported them. A chat belongs to every user whom
//! one of its messages names.

mod candidates;

pub use candidates::candidates;

use sqlx::FromRow;
use toolcrib_model::{Id, Ts};

use crate::backend::{StoreError, Tx, WriteTx, text::Ranked};

#[derive(Clone, Debug, FromRow)]
pub struct MessageRow {
    /// The id, assigned by the reporter.
    pub id: Id,
    /// When the message was written.
    #[sqlx(try_from = "i64")]
    pub occurred_at: Ts,
    /// The chat's id in the chat backend.
    pub chat_id: String,
    /// The user who wrote or received the message.
    pub user_id: Option<Id>,
    /// The agent that wrote or received the message.
    pub agent_id: Option<Id>,
    /// `user`, `assistant` or `tool`.
    pub role: String,
    pub text: String,
    /// The words of the text.
    pub tokens: String,
}

impl Ranked for MessageRow {
    fn tokens(&self) -> &str {
        &self.tokens
    }

    fn key(&self) -> (Ts, Id) {
        (self.occurred_at, self.id)
    }
}

/// The chats that a query includes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChatScope {
    /// All chats of the workspace.
    All,
    /// The chats of this user; none if the id is nil.
    Of(Id),
}

impl ChatScope {
    const fn reader(self) -> Option<Id> {
        match self {
            Self::All => None,
            Self::Of(user) => Some(user),
        }
    }
}

/// How many messages were counted, and the number of their chats.
#[derive(Clone, Copy, Debug, FromRow)]
pub struct ChatCounts {
    pub chats: i64,
    pub counted: i64,
}

/// The last message of a chat, with the names of its user and agent.
#[derive(Clone, Debug, FromRow)]
pub struct ChatEntry {
    /// The chat's id in the chat backend.
    pub chat_id: String,
    /// When the message was written.
    #[sqlx(try_from = "i64")]
    pub at: Ts,
    pub text: String,
    /// `user`, `assistant` or `tool`.
    pub role: String,
    /// The user who wrote or received the message.
    pub user_id: Option<Id>,
    /// The user's display name.
    pub user_name: Option<String>,
    /// The agent that wrote or received the message.
    pub agent_id: Option<Id>,
    /// The agent's name; absent if the agent no longer exists.
    pub agent_name: Option<String>,
}

/// Inserts a message. Returns `false` if this id was reported before.
pub async fn insert(tx: &mut WriteTx, row: &MessageRow) -> Result<bool, StoreError> {
    const SQL: &str = "INSERT INTO messages (workspace_id, id, occurred_at, chat_id, user_id, agent_id, role, text, \
        tokens) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (workspace_id, id) DO NOTHING";
    Ok(with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id)
        .bind(row.occurred_at.as_micros()).bind(&row.chat_id).bind(row.user_id).bind(row.agent_id)
        .bind(&row.role).bind(&row.text).bind(&row.tokens).execute(c).await.map(|done| done.rows_affected()))?
        == 1)
}

/// Lists at most `limit` chats that have messages since `from`, each as its last message, newest first.
pub async fn chats(
    tx: &mut Tx,
    from: Ts,
    scope: ChatScope,
    limit: i64,
) -> Result<Vec<ChatEntry>, StoreError> {
    const SQL: &str = "SELECT m.chat_id, m.occurred_at AS at, m.text, m.role, m.user_id, m.agent_id, \
        coalesce(p.display_name, u.display_name) AS user_name, a.name AS agent_name FROM messages m \
        LEFT JOIN members p ON p.workspace_id = m.workspace_id AND p.user_id = m.user_id \
        LEFT JOIN users u ON u.id = m.user_id \
        LEFT JOIN agents a ON a.workspace_id = m.workspace_id AND a.id = m.agent_id \
        WHERE m.workspace_id = $1 AND m.occurred_at >= $2 \
        AND ($3 IS NULL OR m.chat_id IN (SELECT chat_id FROM messages WHERE workspace_id = $1 AND user_id = $3)) \
        AND NOT EXISTS (SELECT 1 FROM messages n WHERE n.workspace_id = m.workspace_id AND n.chat_id = m.chat_id \
            AND (n.occurred_at, n.id) > (m.occurred_at, m.id)) \
        ORDER BY m.occurred_at DESC, m.id DESC LIMIT $4";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(from.as_micros())
        .bind(scope.reader()).bind(limit).fetch_all(c).await)
}

/// Counts the chats of the newest `most` messages since `from`.
pub async fn chat_counts(
    tx: &mut Tx,
    from: Ts,
    scope: ChatScope,
    most: i64,
) -> Result<ChatCounts, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(DISTINCT chat_id) AS BIGINT) AS chats, CAST(COUNT(*) AS BIGINT) AS counted FROM \
        (SELECT chat_id FROM messages WHERE workspace_id = $1 AND occurred_at >= $2 \
            AND ($3 IS NULL OR chat_id IN (SELECT chat_id FROM messages WHERE workspace_id = $1 AND user_id = $3)) \
            ORDER BY occurred_at DESC, id DESC LIMIT $4) newest";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(from.as_micros())
        .bind(scope.reader()).bind(most).fetch_one(c).await)
}
