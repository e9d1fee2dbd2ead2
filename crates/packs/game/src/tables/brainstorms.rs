//! The table `game_brainstorms`.

use sqlx::FromRow;
use toolcrib_engine::prelude::*;
use toolcrib_store::{JsonText, StoreError, Tx, WriteTx, filtered, json, with_backend};

toolcrib_model::closed_set! {
    "a source of a brainstorm",
    /// Where a brainstorm comes from.
    BrainstormSource {
        /// It was written for the project.
        Manual = "manual",
        /// A conversation on Discord.
        Discord = "discord",
        /// A file.
        Upload = "upload",
        /// Threads of ideas.
        IdeaStream = "idea-stream",
    }
}

/// A brainstorm without its content.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct BrainstormRow {
    /// ID.
    pub id: Id,
    /// Title.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub title: String,
    /// Who wrote it, as the caller said.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub author: Option<String>,
    /// Where it comes from.
    #[sqlx(try_from = "String")]
    #[schemars(extend("x-plain-words" = true))]
    pub source: BrainstormSource,
    /// Tags.
    #[sqlx(try_from = "JsonText")]
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub tags: Vec<String>,
    /// Size of the content in bytes.
    pub bytes: i64,
    /// ID of the user, agent or key that stored it.
    pub created_by: Id,
    /// Time of creation.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
}

/// A brainstorm.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct Brainstorm {
    #[serde(flatten)]
    #[sqlx(flatten)]
    pub row: BrainstormRow,
    /// Content.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub content: String,
}

/// Lists at most `limit` brainstorms after `cursor`, newest first.
pub async fn list(
    tx: &mut Tx,
    project: Id,
    source: Option<BrainstormSource>,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<BrainstormRow>, StoreError> {
    let sql = filtered!(
        "SELECT id, title, author, source, tags, bytes, created_by, created_at FROM game_brainstorms \
         WHERE workspace_id = $1 AND project_id = $2 AND ",
        [source => "source = $3" or "$3 IS NULL"],
        " AND (created_at, id) < ($4, $5) ORDER BY created_at DESC, id DESC LIMIT $6"
    );
    let source = source.map(BrainstormSource::as_str);
    with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(project).bind(source)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, project: Id, id: Id) -> Result<Option<Brainstorm>, StoreError> {
    const SQL: &str = select_of!(game_brainstorms
        " FROM game_brainstorms WHERE workspace_id = $1 AND project_id = $2 AND id = $3");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project).bind(id)
        .fetch_optional(c).await)
}

pub async fn insert(tx: &mut WriteTx, project: Id, brainstorm: &Brainstorm) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO game_brainstorms (workspace_id, project_id, id, title, author, source, tags, bytes, \
        created_by, created_at, content) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";
    let (row, tags) = (&brainstorm.row, json(&brainstorm.row.tags)?);
    Ok(
        with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(project).bind(row.id).bind(&row.title)
        .bind(&row.author).bind(row.source.as_str()).bind(&tags).bind(row.bytes).bind(row.created_by)
        .bind(row.created_at.as_micros()).bind(&brainstorm.content).execute(c).await.map(|_| ()))?,
    )
}

/// Deletes a brainstorm, and its id from the systems that were made from it and from its threads. Returns `false` if
/// there is none.
pub async fn delete(tx: &mut WriteTx, project: Id, id: Id) -> Result<bool, StoreError> {
    const ALL: [&str; 3] = [
        "UPDATE game_systems SET brainstorm_id = NULL WHERE workspace_id = $1 AND project_id = $2 AND brainstorm_id = $3",
        "UPDATE game_threads SET brainstorm_id = NULL WHERE workspace_id = $1 AND project_id = $2 AND brainstorm_id = $3",
        "DELETE FROM game_brainstorms WHERE workspace_id = $1 AND project_id = $2 AND id = $3",
    ];
    let mut deleted = 0;
    for sql in ALL {
        deleted = with_backend!(tx, workspace, c => sqlx::query(sql).bind(workspace).bind(project).bind(id)
            .execute(c).await.map(|done| done.rows_affected()))?;
    }
    Ok(deleted == 1)
}
