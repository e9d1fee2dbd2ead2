//! The table `game_projects`, and what belongs to a project.

use sqlx::FromRow;
use toolcrib_engine::prelude::*;
use toolcrib_model::name_key;
use toolcrib_store::{StoreError, Tx, WriteTx, filtered, with_backend};

toolcrib_model::closed_set! {
    "a status of a project",
    /// Status of a project.
    ProjectStatus {
        /// Ideas are collected.
        Ideation = "ideation",
        /// It is designed.
        PreProduction = "pre_production",
        /// It is built.
        Production = "production",
        /// It is played.
        Live = "live",
        /// It is read only.
        Archived = "archived",
    }
}

/// A project.
#[derive(Clone, Debug, PartialEq, Eq, FromRow, Serialize, JsonSchema)]
pub struct ProjectRow {
    /// ID.
    pub id: Id,
    /// Name, unique in the workspace.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub name: String,
    /// What the game is.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub description: Option<String>,
    /// Genre.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub genre: Option<String>,
    /// Platform.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub platform: Option<String>,
    /// Status.
    #[sqlx(try_from = "String")]
    #[schemars(extend("x-plain-words" = true))]
    pub status: ProjectStatus,
    /// ID of the user, agent or key that created it.
    pub created_by: Id,
    /// Time of creation.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// Time of the last change of the project itself.
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
    #[serde(skip)]
    pub version: i64,
}

/// How much belongs to a project.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow, Serialize, JsonSchema)]
pub struct Counts {
    /// Number of systems.
    pub systems: i64,
    /// Number of dependencies.
    pub dependencies: i64,
    /// Number of brainstorms.
    pub brainstorms: i64,
    /// Number of version plans.
    pub plans: i64,
    /// Number of idea threads.
    pub threads: i64,
    /// Number of exports.
    pub exports: i64,
    #[serde(skip)]
    pub brainstorm_bytes: i64,
    #[serde(skip)]
    pub export_bytes: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lock {
    /// To add what others may add at the same time: the project must not vanish.
    Add,
    /// To change its graph, its plans or itself: one after another.
    Change,
    /// To delete it, when all others are done.
    Delete,
}

/// Lists at most `limit` projects after `cursor`, newest first; only one of them with `only`.
pub async fn list(
    tx: &mut Tx,
    only: Option<Id>,
    status: Option<ProjectStatus>,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<ProjectRow>, StoreError> {
    let sql = filtered!(
        select_of!(game_projects " FROM game_projects WHERE workspace_id = $1 AND "),
        [only => "id = $2" or "$2 IS NULL", status => "status = $3" or "$3 IS NULL"],
        " AND (created_at, id) < ($4, $5) ORDER BY created_at DESC, id DESC LIMIT $6"
    );
    let status = status.map(ProjectStatus::as_str);
    with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(only).bind(status)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, id: Id) -> Result<Option<ProjectRow>, StoreError> {
    const SQL: &str = select_of!(game_projects " FROM game_projects WHERE workspace_id = $1 AND id = $2");
    Ok(
        with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(id).fetch_optional(c).await)?,
    )
}

/// Returns the project with this name, compared regardless of case.
pub async fn by_name(tx: &mut Tx, name: &str) -> Result<Option<ProjectRow>, StoreError> {
    const SQL: &str = select_of!(game_projects
        " FROM game_projects WHERE workspace_id = $1 AND name_key = $2");
    let key = name_key(name);
    Ok(
        with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(&key).fetch_optional(c).await)?,
    )
}

/// Returns the names of all projects, newest first. Their number is limited.
pub async fn names(tx: &mut Tx) -> Result<Vec<String>, StoreError> {
    const SQL: &str =
        "SELECT name FROM game_projects WHERE workspace_id = $1 ORDER BY created_at DESC, id DESC";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).fetch_all(c).await)
}

/// Returns the project and locks its row until the transaction ends. SQLite has one writer anyway.
pub async fn lock(tx: &mut WriteTx, id: Id, lock: Lock) -> Result<Option<ProjectRow>, StoreError> {
    const SQLITE: &str = select_of!(game_projects " FROM game_projects WHERE workspace_id = $1 AND id = $2");
    const ADD: &str = select_of!(game_projects
        " FROM game_projects WHERE workspace_id = $1 AND id = $2 FOR KEY SHARE");
    const CHANGE: &str = select_of!(game_projects
        " FROM game_projects WHERE workspace_id = $1 AND id = $2 FOR NO KEY UPDATE");
    const DELETE: &str = select_of!(game_projects
        " FROM game_projects WHERE workspace_id = $1 AND id = $2 FOR UPDATE");
    let pg = match lock {
        Lock::Add => ADD,
        Lock::Change => CHANGE,
        Lock::Delete => DELETE,
    };
    let sql = tx.sql(SQLITE, pg);
    Ok(
        with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(id).fetch_optional(c).await)?,
    )
}

pub async fn counts(tx: &mut Tx, id: Id) -> Result<Counts, StoreError> {
    const SQL: &str = "SELECT \
        (SELECT COUNT(*) FROM game_systems WHERE workspace_id = $1 AND project_id = $2) AS systems, \
        (SELECT COUNT(*) FROM game_dependencies WHERE workspace_id = $1 AND project_id = $2) AS dependencies, \
        (SELECT COUNT(*) FROM game_brainstorms WHERE workspace_id = $1 AND project_id = $2) AS brainstorms, \
        (SELECT COUNT(*) FROM game_plans WHERE workspace_id = $1 AND project_id = $2) AS plans, \
        (SELECT COUNT(*) FROM game_threads WHERE workspace_id = $1 AND project_id = $2) AS threads, \
        (SELECT COUNT(*) FROM game_exports WHERE workspace_id = $1 AND project_id = $2) AS exports, \
        (SELECT CAST(coalesce(SUM(bytes), 0) AS BIGINT) FROM game_brainstorms \
            WHERE workspace_id = $1 AND project_id = $2) AS brainstorm_bytes, \
        (SELECT CAST(coalesce(SUM(bytes), 0) AS BIGINT) FROM game_exports \
            WHERE workspace_id = $1 AND project_id = $2) AS export_bytes";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(id).fetch_one(c).await)
}

/// Inserts a project. Fails with [`StoreError::Duplicate`] if its name is taken.
pub async fn insert(tx: &mut WriteTx, row: &ProjectRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO game_projects (workspace_id, id, name, name_key, description, genre, platform, status, \
        version, created_by, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
    let key = name_key(&row.name);
    Ok(
        with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.name).bind(&key)
        .bind(&row.description).bind(&row.genre).bind(&row.platform).bind(row.status.as_str()).bind(row.version)
        .bind(row.created_by).bind(row.created_at.as_micros()).bind(row.updated_at.as_micros())
        .execute(c).await.map(|_| ()))?,
    )
}

/// Updates a project that this transaction has locked, and increments its version. Fails with [`StoreError::Duplicate`]
/// if its name is taken.
pub async fn update(tx: &mut WriteTx, row: &ProjectRow) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE game_projects SET name = $3, name_key = $4, description = $5, genre = $6, platform = $7, \
        status = $8, updated_at = $9, version = version + 1 WHERE workspace_id = $1 AND id = $2";
    let key = name_key(&row.name);
    Ok(
        with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(row.id).bind(&row.name).bind(&key)
        .bind(&row.description).bind(&row.genre).bind(&row.platform).bind(row.status.as_str())
        .bind(row.updated_at.as_micros()).execute(c).await.map(|_| ()))?,
    )
}

/// Deletes a project that this transaction has locked, with everything that belongs to it.
pub async fn delete(tx: &mut WriteTx, id: Id) -> Result<(), StoreError> {
    const ALL: [&str; 11] = [
        "DELETE FROM game_exports WHERE workspace_id = $1 AND project_id = $2",
        "DELETE FROM game_thread_reads WHERE workspace_id = $1 AND project_id = $2",
        "DELETE FROM game_messages WHERE workspace_id = $1 AND project_id = $2",
        "DELETE FROM game_threads WHERE workspace_id = $1 AND project_id = $2",
        "DELETE FROM game_plan_systems WHERE workspace_id = $1 AND project_id = $2",
        "DELETE FROM game_plans WHERE workspace_id = $1 AND project_id = $2",
        "DELETE FROM game_brainstorms WHERE workspace_id = $1 AND project_id = $2",
        "DELETE FROM game_dependencies WHERE workspace_id = $1 AND project_id = $2",
        "DELETE FROM game_system_changes WHERE workspace_id = $1 AND project_id = $2",
        "DELETE FROM game_systems WHERE workspace_id = $1 AND project_id = $2",
        "DELETE FROM game_projects WHERE workspace_id = $1 AND id = $2",
    ];
    for sql in ALL {
        with_backend!(tx, workspace, c => sqlx::query(sql).bind(workspace).bind(id).execute(c).await.map(|_| ()))?;
    }
    Ok(())
}
