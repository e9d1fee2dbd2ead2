//! The table `game_exports`.

use sqlx::FromRow;
use toolcrib_engine::prelude::*;
use toolcrib_store::{StoreError, Tx, WriteTx, with_backend};

toolcrib_model::closed_set! {
    "a type of export",
    /// Type of an export.
    ExportType {
        /// The whole design, in the order of dependencies.
        Gdd = "gdd",
        /// One version plan with its systems.
        VersionPrd = "version_prd",
        /// Systems, as an import takes them.
        SystemDoc = "system_doc",
        /// All version plans.
        Roadmap = "roadmap",
        /// A prompt for each system, with what it builds on.
        PromptBundle = "prompt_bundle",
    }
}

impl ExportType {
    /// The title of the documents, before the name of their project.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Gdd => "Game design document",
            Self::VersionPrd => "Version plan",
            Self::SystemDoc => "Systems",
            Self::Roadmap => "Roadmap",
            Self::PromptBundle => "Prompts",
        }
    }
}

toolcrib_model::closed_set! {
    "a format of exports",
    /// Format of an export.
    ExportFormat {
        Markdown = "markdown",
        Json = "json",
    }
}

/// An export without its content.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct ExportRow {
    /// ID.
    pub id: Id,
    /// Type.
    #[serde(rename = "type")]
    #[sqlx(try_from = "String")]
    #[schemars(extend("x-plain-words" = true))]
    pub kind: ExportType,
    /// Format.
    #[sqlx(try_from = "String")]
    pub format: ExportFormat,
    /// Title.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub title: String,
    /// Size of the content in bytes.
    pub bytes: i64,
    /// ID of the user, agent or key that made it.
    pub created_by: Id,
    /// Time of creation.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
}

/// Lists at most `limit` exports after `cursor`, newest first.
pub async fn list(
    tx: &mut Tx,
    project: Id,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<ExportRow>, StoreError> {
    const SQL: &str = "SELECT id, kind, format, title, bytes, created_by, created_at FROM game_exports \
        WHERE workspace_id = $1 AND project_id = $2 AND (created_at, id) < ($3, $4) \
        ORDER BY created_at DESC, id DESC LIMIT $5";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, project: Id, id: Id) -> Result<Option<ExportRow>, StoreError> {
    const SQL: &str = "SELECT id, kind, format, title, bytes, created_by, created_at FROM game_exports \
        WHERE workspace_id = $1 AND project_id = $2 AND id = $3";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project).bind(id)
        .fetch_optional(c).await)
}

pub async fn content(tx: &mut Tx, project: Id, id: Id) -> Result<Option<String>, StoreError> {
    const SQL: &str =
        "SELECT content FROM game_exports WHERE workspace_id = $1 AND project_id = $2 AND id = $3";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(project).bind(id)
        .fetch_optional(c).await)
}

/// Deletes all but the newest exports: at most this number, of at most this many bytes together. A project has few, so
/// that all are read.
pub async fn keep_newest(tx: &mut WriteTx, project: Id, most: i64, bytes: i64) -> Result<(), StoreError> {
    const SQL: &str = "DELETE FROM game_exports WHERE workspace_id = $1 AND project_id = $2 AND id IN (SELECT id FROM \
        (SELECT id, ROW_NUMBER() OVER newest AS place, SUM(bytes) OVER newest AS sum FROM game_exports \
        WHERE workspace_id = $1 AND project_id = $2 WINDOW newest AS (ORDER BY created_at DESC, id DESC)) AS e \
        WHERE place > $3 OR sum > $4)";
    Ok(
        with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(project).bind(most).bind(bytes)
        .execute(c).await.map(|_| ()))?,
    )
}

pub async fn insert(tx: &mut WriteTx, project: Id, row: &ExportRow, content: &str) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO game_exports (workspace_id, project_id, id, kind, format, title, bytes, created_by, \
        created_at, content) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(project).bind(row.id)
        .bind(row.kind.as_str()).bind(row.format.as_str()).bind(&row.title).bind(row.bytes).bind(row.created_by)
        .bind(row.created_at.as_micros()).bind(content).execute(c).await.map(|_| ()))
}
