//! The table `game_dependencies`, and the graph of a project.

use sqlx::FromRow;
use toolcrib_engine::prelude::*;
use toolcrib_store::{StoreError, Tx, WriteTx, hex_id, json, with_backend};

use super::systems;
use crate::graph::{DependencyType, Graph};

#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow, Serialize)]
pub struct DependencyRow {
    #[serde(serialize_with = "hex_id")]
    pub source_id: Id,
    #[serde(serialize_with = "hex_id")]
    pub target_id: Id,
    #[sqlx(try_from = "String")]
    pub kind: DependencyType,
}

/// A system at the other end of a dependency.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct OtherEnd {
    /// ID of the system.
    pub id: Id,
    /// Slug of the system.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub slug: String,
    /// Name of the system.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub name: String,
    /// Type of the dependency.
    #[serde(rename = "type")]
    #[sqlx(try_from = "String")]
    #[schemars(extend("x-plain-words" = true))]
    pub kind: DependencyType,
}

pub async fn graph(tx: &mut Tx, project: Id) -> Result<Graph, StoreError> {
    let nodes = systems::nodes(tx, project).await?;
    let edges = all(tx, project).await?;
    Ok(Graph::new(nodes, edges.into_iter().map(|row| (row.source_id, row.target_id, row.kind))))
}

async fn all(tx: &mut Tx, project: Id) -> Result<Vec<DependencyRow>, StoreError> {
    const SQL: &str = "SELECT source_id, target_id, kind FROM game_dependencies WHERE workspace_id = $1 AND project_id = $2";
    Ok(
        with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project).fetch_all(c).await)?,
    )
}

/// Returns what a system depends on, by slug.
pub async fn targets(tx: &mut Tx, project: Id, source: Id) -> Result<Vec<OtherEnd>, StoreError> {
    const SQL: &str = "SELECT s.id, s.slug, s.name, d.kind FROM game_dependencies d JOIN game_systems s \
        ON s.workspace_id = d.workspace_id AND s.project_id = d.project_id AND s.id = d.target_id \
        WHERE d.workspace_id = $1 AND d.project_id = $2 AND d.source_id = $3 ORDER BY s.slug";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project).bind(source)
        .fetch_all(c).await)
}

/// Returns what depends on a system, by slug.
pub async fn sources(tx: &mut Tx, project: Id, target: Id) -> Result<Vec<OtherEnd>, StoreError> {
    const SQL: &str = "SELECT s.id, s.slug, s.name, d.kind FROM game_dependencies d JOIN game_systems s \
        ON s.workspace_id = d.workspace_id AND s.project_id = d.project_id AND s.id = d.source_id \
        WHERE d.workspace_id = $1 AND d.project_id = $2 AND d.target_id = $3 ORDER BY s.slug";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project).bind(target)
        .fetch_all(c).await)
}

/// Inserts dependencies. Fails with [`StoreError::Duplicate`] if one of the pairs has one.
pub async fn insert(tx: &mut WriteTx, project: Id, rows: &[DependencyRow]) -> Result<(), StoreError> {
    const SQLITE: &str = "INSERT INTO game_dependencies (workspace_id, project_id, source_id, target_id, kind) \
        SELECT $1, $2, unhex(v->>'source_id'), unhex(v->>'target_id'), v->>'kind' \
        FROM (SELECT value AS v FROM json_each($3))";
    const PG: &str = "INSERT INTO game_dependencies (workspace_id, project_id, source_id, target_id, kind) \
        SELECT $1, $2, v.source_id, v.target_id, v.kind \
        FROM json_to_recordset(CAST($3 AS json)) AS v(source_id UUID, target_id UUID, kind TEXT)";
    if rows.is_empty() {
        return Ok(());
    }
    let (sql, rows) = (tx.sql(SQLITE, PG), json(rows)?);
    with_backend!(tx, workspace, c => sqlx::query(sql).bind(workspace).bind(project).bind(&rows)
        .execute(c).await.map(|_| ()))
}

/// Removes a dependency; returns `false` if there is none.
pub async fn remove(tx: &mut WriteTx, project: Id, source: Id, target: Id) -> Result<bool, StoreError> {
    const SQL: &str = "DELETE FROM game_dependencies \
        WHERE workspace_id = $1 AND project_id = $2 AND source_id = $3 AND target_id = $4";
    Ok(
        with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(project).bind(source).bind(target)
        .execute(c).await.map(|done| done.rows_affected()))?
            == 1,
    )
}
