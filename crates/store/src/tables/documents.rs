//! Documents, and the passages by which documents are searched.

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Cursor, Id, Ts};

use crate::backend::{
    JsonText, StoreError, Tx, WriteTx, hex_id, json, like,
    text::{self, Ranked},
};

/// A document, without its text.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct DocumentRow {
    /// ID of the document.
    pub id: Id,
    /// Title; several documents can have the same title.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub title: String,
    /// URL of the source.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub source_url: Option<String>,
    /// Keywords to find the document by.
    #[schemars(extend("x-untrusted" = "documents"))]
    #[sqlx(try_from = "JsonText")]
    pub tags: Vec<String>,
    /// Status of the index: `processing`, `indexed` or `failed`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// Reason of a failed indexing.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub error: Option<String>,
    /// Size of the text in bytes.
    pub bytes: i64,
    /// Number of indexed passages.
    pub passages: i64,
    /// When it was added.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// Time of the last change.
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
    /// The version of the row; each update increments it.
    #[serde(skip)]
    pub version: i64,
    /// The user who added the document.
    #[serde(skip)]
    pub created_by: Option<Id>,
}

#[derive(Clone, Debug, Serialize)]
pub struct Passage {
    #[serde(serialize_with = "hex_id")]
    pub id: Id,
    /// The position in the document, from 0.
    pub position: i64,
    pub content: String,
    /// The words of the passage, from [`text::tokens`].
    pub tokens: String,
}

/// A row of `chunks` with its document's title: a passage that shares a word with a query.
#[derive(Clone, Debug, FromRow)]
pub struct PassageRow {
    pub id: Id,
    pub document_id: Id,
    pub title: String,
    /// The position in the document, from 0.
    pub position: i64,
    pub content: String,
    /// The words of the passage.
    pub tokens: String,
    /// When the passage was indexed.
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

/// Lists at most `limit` documents after `cursor`, newest first. With `status`, only documents with this
/// status; with `search`, only those whose title contains this text, regardless of case.
pub async fn list(
    tx: &mut Tx,
    status: Option<&str>,
    search: Option<&str>,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<DocumentRow>, StoreError> {
    let sql = filtered!(
        "SELECT id, title, source_url, tags, status, error, bytes, passages, version, created_by, \
         created_at, updated_at FROM documents WHERE workspace_id = $1 AND ",
        [status => "status = $2" or "$2 IS NULL"],
        " AND ($3 IS NULL OR title_key LIKE $3 ESCAPE '\\') AND (created_at, id) < ($4, $5) \
         ORDER BY created_at DESC, id DESC LIMIT $6"
    );
    let pattern = search.map(like);
    with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(status).bind(&pattern)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

pub async fn count(tx: &mut Tx) -> Result<i64, StoreError> {
    const SQL: &str = "SELECT CAST(COUNT(*) AS BIGINT) FROM documents WHERE workspace_id = $1";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).fetch_one(c).await)
}

/// Returns the document whose id is `reference`. If there is none, returns the documents whose whole title it is,
/// regardless of case; at most three.
pub async fn find(tx: &mut Tx, reference: &str) -> Result<Vec<DocumentRow>, StoreError> {
    // One condition for both would be answered by reading all documents.
    const SQL: &str = "SELECT id, title, source_url, tags, status, error, bytes, passages, version, created_by, \
        created_at, updated_at FROM documents WHERE workspace_id = $1 AND title_key = $2 \
        ORDER BY created_at DESC, id DESC LIMIT 3";
    if let Ok(id) = Id::try_parse(reference)
        && let Some(row) = get(tx, id).await?
    {
        return Ok(vec![row]);
    }
    let (workspace, key) = (tx.workspace, reference.to_lowercase());
    with_backend!(tx, c => sqlx::query_as(SQL).bind(workspace).bind(&key).fetch_all(c).await)
}

async fn get(tx: &mut Tx, id: Id) -> Result<Option<DocumentRow>, StoreError> {
    const SQL: &str = "SELECT id, title, source_url, tags, status, error, bytes, passages, version, created_by, \
        created_at, updated_at FROM documents WHERE workspace_id = $1 AND id = $2";
    tx.find(SQL, id).await
}

/// Returns the titles of the newest 500 documents, for suggestions of similar titles.
pub async fn titles(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    const SQL: &str =
        "SELECT title FROM documents WHERE workspace_id = $1 ORDER BY created_at DESC LIMIT 500";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).fetch_all(c).await)
}

/// Returns the whole text of a document.
pub async fn content(tx: &mut Tx, id: Id) -> Result<Option<String>, StoreError> {
    const SQL: &str = "SELECT content FROM documents WHERE workspace_id = $1 AND id = $2";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(id).fetch_optional(c)
        .await)
}

/// Returns the newest passages that share a word with `words`, to be ranked by [`text::rank`].
pub async fn candidates(tx: &mut Tx, words: &[String]) -> Result<Vec<PassageRow>, StoreError> {
    const SQLITE: &str = select!(chunks "c."
        ", d.title FROM chunks_text CROSS JOIN chunks c ON c.seq = chunks_text.rowid \
        JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id \
        WHERE chunks_text MATCH $2 AND c.workspace_id = $1 ORDER BY chunks_text.rowid DESC LIMIT $3");
    const PG: &str = select!(chunks "c." ", d.title FROM chunk_candidates($2, $3) c \
        JOIN documents d ON d.workspace_id = c.workspace_id AND d.id = c.document_id WHERE c.workspace_id = $1");
    if words.is_empty() {
        return Ok(Vec::new());
    }
    per_backend!(tx, workspace,
        sqlite c => sqlx::query_as(SQLITE).bind(workspace).bind(text::fts5(workspace, words))
            .bind(text::CANDIDATES).fetch_all(c).await,
        pg c => sqlx::query_as(PG).bind(workspace).bind(words.join(" ")).bind(text::CANDIDATES).fetch_all(c).await,
    )
}

pub async fn insert(
    tx: &mut WriteTx,
    row: &DocumentRow,
    content: &str,
    passages: &[Passage],
) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO documents (workspace_id, id, title, title_key, content, source_url, tags, status, \
        error, bytes, passages, version, created_by, created_at, updated_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)";
    let key = row.title.to_lowercase();
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.title).bind(&key)
        .bind(content).bind(&row.source_url).bind(json(&row.tags)?).bind(&row.status).bind(&row.error)
        .bind(row.bytes).bind(row.passages).bind(row.version).bind(row.created_by)
        .bind(row.created_at.as_micros()).bind(row.updated_at.as_micros()).execute(c).await.map(|_| ()))?;
    insert_passages(tx, row.id, passages, row.created_at).await
}

/// Replaces the document's passages, which are inserted with one statement, and sets the status to `indexed`.
/// Returns `false` if the document does not exist.
pub async fn index(tx: &mut WriteTx, id: Id, passages: &[Passage], at: Ts) -> Result<bool, StoreError> {
    const MARK: &str = "UPDATE documents SET status = 'indexed', error = NULL, passages = $3, version = version + 1, \
        updated_at = $4 WHERE workspace_id = $1 AND id = $2";
    const CLEAR: &str = "DELETE FROM chunks WHERE workspace_id = $1 AND document_id = $2";
    let count = i64::try_from(passages.len()).unwrap_or(i64::MAX);
    let changed = with_backend!(tx, workspace, c => sqlx::query(MARK).bind(workspace).bind(id).bind(count)
        .bind(at.as_micros()).execute(c).await.map(|done| done.rows_affected()))?;
    if changed != 1 {
        return Ok(false);
    }
    tx.execute(CLEAR, id).await?;
    insert_passages(tx, id, passages, at).await?;
    Ok(true)
}

/// Inserts the passages of a document that has none, with one statement.
async fn insert_passages(
    tx: &mut WriteTx,
    document: Id,
    passages: &[Passage],
    at: Ts,
) -> Result<(), StoreError> {
    const SQLITE: &str = "INSERT INTO chunks (workspace_id, id, document_id, position, content, tokens, created_at) \
        SELECT $1, unhex(v->>'id'), $2, v->>'position', v->>'content', v->>'tokens', $4 \
        FROM (SELECT value AS v FROM json_each($3))";
    const PG: &str = "INSERT INTO chunks (workspace_id, id, document_id, position, content, tokens, created_at) \
        SELECT $1, v.id, $2, v.position, v.content, v.tokens, $4 FROM json_to_recordset(CAST($3 AS json)) \
        AS v(id UUID, position BIGINT, content TEXT, tokens TEXT)";
    if passages.is_empty() {
        return Ok(());
    }
    let (workspace, rows, sql) = (tx.workspace, json(passages)?, tx.sql(SQLITE, PG));
    with_backend!(tx, c => sqlx::query(sql).bind(workspace).bind(document).bind(rows).bind(at.as_micros())
        .execute(c).await.map(|_| ()))
}

/// Replaces the passage at one position of a document.
pub async fn put_passage(
    tx: &mut WriteTx,
    document: Id,
    passage: &Passage,
    at: Ts,
) -> Result<(), StoreError> {
    const CLEAR: &str = "DELETE FROM chunks WHERE workspace_id = $1 AND document_id = $2 AND position = $3";
    const SQL: &str = "INSERT INTO chunks (workspace_id, id, document_id, position, content, tokens, created_at) \
        VALUES ($1, $2, $3, $4, $5, $6, $7)";
    with_backend!(tx, workspace, c => sqlx::query(CLEAR).bind(workspace).bind(document).bind(passage.position)
        .execute(c).await.map(|_| ()))?;
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(passage.id).bind(document)
        .bind(passage.position).bind(&passage.content).bind(&passage.tokens).bind(at.as_micros())
        .execute(c).await.map(|_| ()))
}

/// Updates the document's number of passages and increments its version.
pub async fn recount(tx: &mut WriteTx, id: Id, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE documents SET passages = (SELECT COUNT(*) FROM chunks \
        WHERE chunks.workspace_id = $1 AND chunks.document_id = $2), version = version + 1, updated_at = $3 \
        WHERE workspace_id = $1 AND id = $2";
    tx.execute_at(SQL, id, at).await?;
    Ok(())
}

/// Stores the status that an external indexer reported. Returns `false` if the document does not exist.
pub async fn set_status(
    tx: &mut WriteTx,
    id: Id,
    status: &str,
    error: Option<&str>,
    at: Ts,
) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE documents SET status = $3, error = $4, version = version + 1, updated_at = $5 \
        WHERE workspace_id = $1 AND id = $2";
    let changed = with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(id).bind(status)
        .bind(error).bind(at.as_micros()).execute(c).await.map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}

/// Deletes a document and its passages. Returns `false` if the document does not exist.
pub async fn delete(tx: &mut WriteTx, id: Id) -> Result<bool, StoreError> {
    const CHUNKS: &str = "DELETE FROM chunks WHERE workspace_id = $1 AND document_id = $2";
    const SQL: &str = "DELETE FROM documents WHERE workspace_id = $1 AND id = $2";
    tx.execute(CHUNKS, id).await?;
    Ok(tx.execute(SQL, id).await? == 1)
}
