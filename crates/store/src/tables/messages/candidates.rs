//! The messages that share a word with a query.

use sqlx::SqliteConnection;
use toolcrib_model::{Id, Ts};

use super::{ChatScope, MessageRow};
use crate::backend::{StoreError, Tx, text};

/// Returns the newest messages since `from` that share a word with `words`, to be ranked by [`text::rank`].
pub async fn candidates(
    tx: &mut Tx,
    words: &[String],
    from: Ts,
    scope: ChatScope,
) -> Result<Vec<MessageRow>, StoreError> {
    const PG: &str = select!(messages " FROM message_candidates($2, $3, $4, $5) WHERE workspace_id = $1");
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let (workspace, from, reader) = (tx.workspace, from.as_micros(), scope.reader());
    per_backend!(tx,
        sqlite c => on_sqlite(c, workspace, words, from, reader).await,
        pg c => sqlx::query_as(PG).bind(workspace).bind(words.join(" ")).bind(from).bind(reader)
            .bind(text::CANDIDATES).fetch_all(c).await,
    )
}

/// Finds all matches, and puts them in order: the full-text index knows no times.
const ALL: &str = select!(messages "m." " FROM messages_text CROSS JOIN messages m ON m.seq = messages_text.rowid \
    WHERE messages_text MATCH $5 AND m.workspace_id = $1 AND m.occurred_at >= $2 \
    AND ($3 IS NULL OR m.chat_id IN (SELECT chat_id FROM messages WHERE workspace_id = $1 AND user_id = $3)) \
    ORDER BY m.occurred_at DESC, m.id DESC LIMIT $4");

/// Returns a row if more than 2,000 messages match.
const FREQUENT: &str = "SELECT 1 FROM messages_text WHERE messages_text MATCH $1 LIMIT 1 OFFSET 2000";

/// Finds matches among the newest 5,000 messages, in the order of their times.
const RECENT: &str = select!(messages "m." " FROM messages m INDEXED BY messages_by_time \
    WHERE m.workspace_id = $1 AND m.occurred_at >= $2 AND m.occurred_at >= coalesce((SELECT n.occurred_at FROM messages n \
        WHERE n.workspace_id = $1 ORDER BY n.occurred_at DESC LIMIT 1 OFFSET 5000), $2) \
    AND ($3 IS NULL OR m.chat_id IN (SELECT chat_id FROM messages WHERE workspace_id = $1 AND user_id = $3)) \
    AND EXISTS (SELECT 1 FROM json_each($5) WHERE instr(' ' || m.tokens || ' ', value) > 0) \
    ORDER BY m.occurred_at DESC, m.id DESC LIMIT $4");

/// Looks for frequent words in recent messages, where enough of them are, and else in all messages.
async fn on_sqlite(
    conn: &mut SqliteConnection,
    workspace: Id,
    words: &[String],
    from: i64,
    reader: Option<Id>,
) -> Result<Vec<MessageRow>, sqlx::Error> {
    let expression = text::fts5(workspace, words);
    let find = |sql| sqlx::query_as(sql).bind(workspace).bind(from).bind(reader).bind(text::CANDIDATES);
    if sqlx::query(FREQUENT).bind(&expression).fetch_optional(&mut *conn).await?.is_some() {
        let whole_words: Vec<String> = words.iter().map(|word| format!(" {word} ")).collect();
        let whole_words = serde_json::json!(whole_words).to_string();
        let recent = find(RECENT).bind(whole_words).fetch_all(&mut *conn).await?;
        if i64::try_from(recent.len()) == Ok(text::CANDIDATES) {
            return Ok(recent);
        }
    }
    find(ALL).bind(expression).fetch_all(conn).await
}
