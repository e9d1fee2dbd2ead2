//! Documents and the passages that they are searched by.

use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{
    StoreError, Tx, WriteTx, hex_id, like,
    text::{self, Ranked},
};

/// A document as it is stored, without its text.
#[derive(Clone, Debug, FromRow)]
pub struct DocumentRow {
    /// Its id.
    pub id: Id,
    /// Its title; several may have the same.
    pub title: String,
    /// Where it came from.
    pub source_url: Option<String>,
    /// A JSON list of words.
    pub tags: String,
    /// `processing`, `indexed` or `failed`.
    pub status: String,
    /// Why indexing failed.
    pub error: Option<String>,
    /// Bytes of its text.
    pub bytes: i64,
    /// How many passages it has.
    pub passages: i64,
    /// Counts its changes.
    pub version: i64,
    /// Who added it.
    pub created_by: Option<Id>,
    /// When it was added.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// When it last changed.
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
}

/// A passage that is to be stored.
#[derive(Clone, Debug, Serialize)]
pub struct Passage {
    /// Its id.
    #[serde(serialize_with = "hex_id")]
    pub id: Id,
    /// Where it stands in its document, from 0.
    pub position: i64,
    /// Its text.
    pub content: String,
    /// Its words, as [`text::tokens`] made them.
    pub tokens: String,
}

/// A passage that shares a word with a query.
#[derive(Clone, Debug, FromRow)]
pub struct PassageRow {
    /// Its id.
    pub id: Id,
    /// The document.
    pub document_id: Id,
    /// The document's title.
    pub title: String,
    /// Where it stands in its document, from 0.
    pub position: i64,
    /// Its text.
    pub content: String,
    /// Its words.
    pub tokens: String,
    /// When it was indexed.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
}

impl Ranked for PassageRow {
    fn tokens(&self) -> &str {
        &self.tokens
    }

    fn key(&self) -> (Ts, Id) {
        (self.created_at, self.id)
    }
}

/// Documents, newest first, from behind `cursor`; of one status, with `search` in the title in any case.
pub async fn list(
    tx: &mut Tx,
    status: Option<&str>,
    search: Option<&str>,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<DocumentRow>, StoreError> {
    const SQL: &str = "SELECT id, title, source_url, tags, status, error, bytes, passages, version, created_by, \
        created_at, updated_at FROM documents WHERE workspace_id = $1 AND ($2 IS NULL OR status = $2) \
        AND ($3 IS NULL OR title_key LIKE $3 ESCAPE '\\') AND (created_at, id) < ($4, $5) \
        ORDER BY created_at DESC, id DESC LIMIT $6";
    let workspace = tx.workspace;
    let pattern = search.map(like);
    Ok(
        with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(status).bind(&pattern).bind(cursor.at.as_micros())
        .bind(cursor.id).bind(limit).fetch_all(c).await)?,
    )
}

/// How many documents there are.
pub async fn count(tx: &mut Tx) -> Result<i64, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM documents WHERE workspace_id = $1";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_scalar(SQL).bind(workspace).fetch_one(c).await)?)
}

/// Documents with this id or exact title, in any case; at most three.
pub async fn find(tx: &mut Tx, reference: &str) -> Result<Vec<DocumentRow>, StoreError> {
    const SQL: &str = "SELECT id, title, source_url, tags, status, error, bytes, passages, version, created_by, \
        created_at, updated_at FROM documents WHERE workspace_id = $1 AND (id = $2 OR title_key = $3) \
        ORDER BY created_at DESC, id DESC LIMIT 3";
    let workspace = tx.workspace;
    let (id, key) = (Id::try_parse(reference).ok(), reference.to_lowercase());
    Ok(with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(id).bind(&key).fetch_all(c).await)?)
}

/// The titles of up to 500 documents, newest first: near titles are looked for among them.
pub async fn titles(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    const SQL: &str =
        "SELECT title FROM documents WHERE workspace_id = $1 ORDER BY created_at DESC LIMIT 500";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_scalar(SQL).bind(workspace).fetch_all(c).await)?)
}

/// The whole text of a document.
pub async fn content(tx: &mut Tx, id: Id) -> Result<Option<String>, StoreError> {
    const SQL: &str = "SELECT content FROM documents WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    Ok(with_backend!(tx, c => sqlx::query_scalar(SQL).bind(workspace).bind(id).fetch_optional(c).await)?)
}

/// The newest passages that share a word with `words`; for [`text::rank`].
pub async fn candidates(tx: &mut Tx, words: &[String]) -> Result<Vec<PassageRow>, StoreError> {
    const SQLITE: &str = "SELECT c.*, d.title FROM chunks_text CROSS JOIN chunks c ON c.seq = chunks_text.rowid \
        JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id \
        WHERE chunks_text MATCH $2 AND c.workspace_id = $1 ORDER BY c.created_at DESC, c.id DESC LIMIT $3";
    const PG: &str = "SELECT c.*, d.title FROM chunk_candidates($2, $3) c \
        JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id WHERE c.workspace_id = $1";
    if words.is_empty() {
        return Ok(Vec::new());
    }
    let workspace = tx.workspace;
    Ok(per_backend!(tx,
        sqlite c => sqlx::query_as(SQLITE).bind(workspace).bind(text::fts5(workspace, words))
            .bind(text::CANDIDATES).fetch_all(c).await,
        pg c => sqlx::query_as(PG).bind(workspace).bind(words.join(" ")).bind(text::CANDIDATES).fetch_all(c).await,
    )?)
}

/// Adds a document; its passages are added by [`index`].
pub async fn insert(tx: &mut WriteTx, row: &DocumentRow, content: &str) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO documents (workspace_id, id, title, title_key, content, source_url, tags, status, \
        error, bytes, passages, version, created_by, created_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";
    let workspace = tx.workspace;
    let key = row.title.to_lowercase();
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.title).bind(&key).bind(content)
        .bind(&row.source_url).bind(&row.tags).bind(&row.status).bind(&row.error).bind(row.bytes).bind(row.passages)
        .bind(row.version).bind(row.created_by).bind(row.created_at.as_micros()).bind(row.updated_at.as_micros())
        .execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Puts these passages in the place of the document's own, all in one statement, and marks it `indexed`; `false`
/// where the document is gone.
pub async fn index(tx: &mut WriteTx, id: Id, passages: &[Passage], at: Ts) -> Result<bool, StoreError> {
    const MARK: &str = "UPDATE documents SET status = 'indexed', error = NULL, passages = $3, version = version + 1, \
        updated_at = $4 WHERE workspace_id = $1 AND id = $2";
    const CLEAR: &str = "DELETE FROM chunks WHERE workspace_id = $1 AND document_id = $2";
    const SQLITE: &str = "INSERT INTO chunks (workspace_id, id, document_id, position, content, tokens, created_at) \
        SELECT $1, unhex(v->>'id'), $2, v->>'position', v->>'content', v->>'tokens', $4 \
        FROM (SELECT value AS v FROM json_each($3))";
    const PG: &str = "INSERT INTO chunks (workspace_id, id, document_id, position, content, tokens, created_at) \
        SELECT $1, v.id, $2, v.position, v.content, v.tokens, $4 FROM json_to_recordset(CAST($3 AS json)) \
        AS v(id UUID, position BIGINT, content TEXT, tokens TEXT)";
    let (workspace, at) = (tx.workspace, at.as_micros());
    let rows =
        serde_json::to_string(passages).map_err(|fault| StoreError::Inconsistent(fault.to_string()))?;
    let count = i64::try_from(passages.len()).unwrap_or(i64::MAX);
    let marked = with_backend!(tx, c => sqlx::query(MARK).bind(workspace).bind(id).bind(count).bind(at).execute(c).await
        .map(|done| done.rows_affected()))?;
    if marked == 0 {
        return Ok(false);
    }
    with_backend!(tx, c => sqlx::query(CLEAR).bind(workspace).bind(id).execute(c).await.map(|_| ()))?;
    per_backend!(tx,
        sqlite c => sqlx::query(SQLITE).bind(workspace).bind(id).bind(&rows).bind(at).execute(c).await.map(|_| ()),
        pg c => sqlx::query(PG).bind(workspace).bind(id).bind(&rows).bind(at).execute(c).await.map(|_| ()),
    )?;
    Ok(true)
}

/// Puts one passage in its place, instead of the one that stands there.
pub async fn put_passage(
    tx: &mut WriteTx,
    document: Id,
    passage: &Passage,
    at: Ts,
) -> Result<(), StoreError> {
    const CLEAR: &str = "DELETE FROM chunks WHERE workspace_id = $1 AND document_id = $2 AND position = $3";
    const SQL: &str = "INSERT INTO chunks (workspace_id, id, document_id, position, content, tokens, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(CLEAR).bind(workspace).bind(document).bind(passage.position).execute(c).await
        .map(|_| ()))?;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(passage.id).bind(document).bind(passage.position)
        .bind(&passage.content).bind(&passage.tokens).bind(at.as_micros()).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Counts the passages of a document anew, and its version up.
pub async fn recount(tx: &mut WriteTx, id: Id, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE documents SET passages = (SELECT COUNT(*) FROM chunks \
        WHERE chunks.workspace_id = $1 AND chunks.document_id = $2), version = version + 1, updated_at = $3 \
        WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(id).bind(at.as_micros()).execute(c).await.map(|_| ()))?;
    Ok(())
}

/// Notes how indexing by somebody else went; `false` where there is no such document.
pub async fn set_status(
    tx: &mut WriteTx,
    id: Id,
    status: &str,
    error: Option<&str>,
    at: Ts,
) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE documents SET status = $3, error = $4, version = version + 1, updated_at = $5 \
        WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    let changed = with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(id).bind(status).bind(error)
        .bind(at.as_micros()).execute(c).await.map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}

/// Removes a document with its passages; `false` where it is gone already.
pub async fn delete(tx: &mut WriteTx, id: Id) -> Result<bool, StoreError> {
    const CHUNKS: &str = "DELETE FROM chunks WHERE workspace_id = $1 AND document_id = $2";
    const SQL: &str = "DELETE FROM documents WHERE workspace_id = $1 AND id = $2";
    let workspace = tx.workspace;
    with_backend!(tx, c => sqlx::query(CHUNKS).bind(workspace).bind(id).execute(c).await.map(|_| ()))?;
    let gone = with_backend!(tx, c => sqlx::query(SQL).bind(workspace).bind(id).execute(c).await.map(|d| d.rows_affected()))?;
    Ok(gone == 1)
}
