//! The tables `game_systems` and `game_system_changes`.

use sqlx::FromRow;
use toolcrib_engine::prelude::*;
use toolcrib_store::{JsonText, StoreError, Tx, WriteTx, filtered, folded, json, per_backend, with_backend};

use crate::{
    graph::SystemName,
    system::{Criticality, SystemStatus, Texts},
};

/// A system without its texts.
#[derive(Clone, Debug, FromRow, Serialize, Deserialize, JsonSchema)]
pub struct SystemRow {
    /// ID.
    pub id: Id,
    /// Name.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub name: String,
    /// Slug, unique in the project.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub slug: String,
    /// Status.
    #[sqlx(try_from = "String")]
    #[schemars(extend("x-plain-words" = true))]
    pub status: SystemStatus,
    /// How much the first playable version needs it.
    #[sqlx(try_from = "String")]
    #[schemars(extend("x-plain-words" = true))]
    pub mvp_criticality: Criticality,
    /// ID of the brainstorm that it was made from.
    #[serde(rename = "from_brainstorm")]
    pub brainstorm_id: Option<Id>,
    /// ID of the user, agent or key that created it.
    pub created_by: Id,
    /// Time of creation.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// Time of the last change.
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
    #[serde(skip)]
    pub version: i64,
}

impl From<&SystemRow> for SystemName {
    fn from(row: &SystemRow) -> Self {
        Self { id: row.id, slug: row.slug.clone(), name: row.name.clone() }
    }
}

/// A system.
#[derive(Clone, Debug, FromRow, Serialize, Deserialize, JsonSchema)]
pub struct System {
    #[serde(flatten)]
    #[sqlx(flatten)]
    pub row: SystemRow,
    #[serde(flatten)]
    #[sqlx(flatten)]
    pub texts: Texts,
}

/// What a system is for.
#[derive(Clone, Debug, FromRow)]
pub struct Purpose {
    pub slug: String,
    pub name: String,
    pub purpose: Option<String>,
}

toolcrib_model::closed_set! {
    "a kind of change",
    /// What happened to a system.
    ChangeKind {
        Created = "created",
        Imported = "imported",
        Updated = "updated",
        Deleted = "deleted",
        DependencyAdded = "dependency_added",
        DependencyRemoved = "dependency_removed",
    }
}

/// A change of a system.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct ChangeRow {
    /// What happened.
    #[sqlx(try_from = "String")]
    pub kind: ChangeKind,
    /// What the caller said about it.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub summary: Option<String>,
    /// Names of the changed fields.
    #[sqlx(try_from = "JsonText")]
    #[schemars(extend("x-ours" = true))]
    pub fields: Vec<String>,
    /// ID of the user, agent or key that made it.
    pub changed_by: Id,
    /// Time of the change.
    #[sqlx(try_from = "i64")]
    pub changed_at: Ts,
    #[serde(skip)]
    pub id: Id,
    #[serde(skip)]
    pub system_id: Id,
    #[serde(skip)]
    pub system_name: String,
}

/// Conditions for [`list`]; an absent field sets none.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub status: Option<SystemStatus>,
    pub mvp_criticality: Option<Criticality>,
    /// A part of the name or slug, compared regardless of case.
    pub search: Option<String>,
}

macro_rules! columns {
    ($rest:literal) => {
        concat!(
            "SELECT id, name, slug, status, mvp_criticality, brainstorm_id, version, created_by, created_at, updated_at ",
            $rest
        )
    };
}

/// Lists at most `limit` systems after `cursor`, newest first. Compares names here and not in SQL, because the
/// databases fold case differently: with a search it reads up to all systems of the project, whose number is limited.
pub async fn list(
    tx: &mut Tx,
    project: Id,
    filter: &Filter,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<SystemRow>, StoreError> {
    let sql = filtered!(
        columns!("FROM game_systems WHERE workspace_id = $1 AND project_id = $2 AND "),
        [filter.status => "status = $3" or "$3 IS NULL", filter.mvp_criticality => "mvp_criticality = $4" or "$4 IS NULL"],
        " AND (created_at, id) < ($5, $6) ORDER BY created_at DESC, id DESC LIMIT $7"
    );
    let (status, mvp) =
        (filter.status.map(SystemStatus::as_str), filter.mvp_criticality.map(Criticality::as_str));
    let read = if filter.search.is_some() { i64::MAX } else { limit };
    let mut rows: Vec<SystemRow> = with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(project)
        .bind(status).bind(mvp).bind(cursor.at.as_micros()).bind(cursor.id).bind(read).fetch_all(c).await)?;
    if let Some(part) = filter.search.as_deref().map(folded) {
        rows.retain(|row| folded(&row.name).contains(&part) || row.slug.contains(&part));
        rows.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    }
    Ok(rows)
}

pub async fn get(tx: &mut Tx, project: Id, id: Id) -> Result<Option<SystemRow>, StoreError> {
    const SQL: &str = columns!("FROM game_systems WHERE workspace_id = $1 AND project_id = $2 AND id = $3");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project).bind(id)
        .fetch_optional(c).await)
}

pub async fn by_slug(tx: &mut Tx, project: Id, slug: &str) -> Result<Option<SystemRow>, StoreError> {
    const SQL: &str = columns!("FROM game_systems WHERE workspace_id = $1 AND project_id = $2 AND slug = $3");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project).bind(slug)
        .fetch_optional(c).await)
}

/// Returns the systems that were made from a brainstorm, oldest first.
pub async fn of_brainstorm(tx: &mut Tx, project: Id, brainstorm: Id) -> Result<Vec<SystemRow>, StoreError> {
    const SQL: &str = columns!(
        "FROM game_systems WHERE workspace_id = $1 AND project_id = $2 AND brainstorm_id = $3 ORDER BY created_at, id"
    );
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project).bind(brainstorm)
        .fetch_all(c).await)
}

/// Returns all systems of a project as nodes of its graph.
pub async fn nodes(tx: &mut Tx, project: Id) -> Result<Vec<SystemName>, StoreError> {
    const SQL: &str = "SELECT id, slug, name FROM game_systems WHERE workspace_id = $1 AND project_id = $2";
    Ok(
        with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project).fetch_all(c).await)?,
    )
}

/// Returns these systems with their texts, in no order.
pub async fn whole(tx: &mut Tx, project: Id, ids: &[Id]) -> Result<Vec<System>, StoreError> {
    const SQLITE: &str = select_of!(game_systems
        " FROM game_systems WHERE workspace_id = $1 AND project_id = $2 \
        AND id IN (SELECT unhex(value) FROM json_each($3))");
    const PG: &str = select_of!(game_systems
        " FROM game_systems WHERE workspace_id = $1 AND project_id = $2 AND id = ANY($3)");
    let hex = json(&ids.iter().map(|id| id.simple().to_string()).collect::<Vec<_>>())?;
    per_backend!(tx, workspace,
        sqlite c => sqlx::query_as(SQLITE).bind(workspace).bind(project).bind(hex).fetch_all(c).await,
        pg c => sqlx::query_as(PG).bind(workspace).bind(project).bind(ids).fetch_all(c).await,
    )
}

/// Returns what these systems are for, in no order.
pub async fn purposes(tx: &mut Tx, project: Id, ids: &[Id]) -> Result<Vec<Purpose>, StoreError> {
    const SQLITE: &str = "SELECT slug, name, purpose FROM game_systems WHERE workspace_id = $1 AND project_id = $2 \
        AND id IN (SELECT unhex(value) FROM json_each($3))";
    const PG: &str = "SELECT slug, name, purpose FROM game_systems \
        WHERE workspace_id = $1 AND project_id = $2 AND id = ANY($3)";
    let hex = json(&ids.iter().map(|id| id.simple().to_string()).collect::<Vec<_>>())?;
    per_backend!(tx, workspace,
        sqlite c => sqlx::query_as(SQLITE).bind(workspace).bind(project).bind(hex).fetch_all(c).await,
        pg c => sqlx::query_as(PG).bind(workspace).bind(project).bind(ids).fetch_all(c).await,
    )
}

/// Inserts a system. Fails with [`StoreError::Duplicate`] if its slug is taken.
pub async fn insert(tx: &mut WriteTx, project: Id, system: &System) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO game_systems (workspace_id, project_id, id, name, slug, status, mvp_criticality, \
        brainstorm_id, version, created_by, created_at, updated_at, purpose, current_state, target_state, core_mechanics, \
        inputs, outputs, failure_states, scaling_behavior, implementation_notes, open_questions) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)";
    let (row, texts) = (&system.row, &system.texts);
    Ok(
        with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(project).bind(row.id).bind(&row.name)
        .bind(&row.slug).bind(row.status.as_str()).bind(row.mvp_criticality.as_str()).bind(row.brainstorm_id)
        .bind(row.version).bind(row.created_by).bind(row.created_at.as_micros()).bind(row.updated_at.as_micros())
        .bind(&texts.purpose).bind(&texts.current_state).bind(&texts.target_state).bind(&texts.core_mechanics)
        .bind(&texts.inputs).bind(&texts.outputs).bind(&texts.failure_states).bind(&texts.scaling_behavior)
        .bind(&texts.implementation_notes).bind(&texts.open_questions).execute(c).await.map(|_| ()))?,
    )
}

/// Updates a system, whose project this transaction has locked, and increments its version.
pub async fn update(tx: &mut WriteTx, project: Id, system: &System) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE game_systems SET name = $4, status = $5, mvp_criticality = $6, brainstorm_id = $7, \
        updated_at = $8, purpose = $9, current_state = $10, target_state = $11, core_mechanics = $12, inputs = $13, \
        outputs = $14, failure_states = $15, scaling_behavior = $16, implementation_notes = $17, open_questions = $18, \
        version = version + 1 WHERE workspace_id = $1 AND project_id = $2 AND id = $3";
    let (row, texts) = (&system.row, &system.texts);
    Ok(
        with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(project).bind(row.id).bind(&row.name)
        .bind(row.status.as_str()).bind(row.mvp_criticality.as_str()).bind(row.brainstorm_id)
        .bind(row.updated_at.as_micros()).bind(&texts.purpose).bind(&texts.current_state).bind(&texts.target_state)
        .bind(&texts.core_mechanics).bind(&texts.inputs).bind(&texts.outputs).bind(&texts.failure_states)
        .bind(&texts.scaling_behavior).bind(&texts.implementation_notes).bind(&texts.open_questions)
        .execute(c).await.map(|_| ()))?,
    )
}

/// Deletes a system, whose project this transaction has locked, with its dependencies and its places in drafts.
pub async fn delete(tx: &mut WriteTx, project: Id, id: Id) -> Result<(), StoreError> {
    const ALL: [&str; 3] = [
        "DELETE FROM game_dependencies WHERE workspace_id = $1 AND project_id = $2 AND (source_id = $3 OR target_id = $3)",
        "DELETE FROM game_plan_systems WHERE workspace_id = $1 AND project_id = $2 AND system_id = $3",
        "DELETE FROM game_systems WHERE workspace_id = $1 AND project_id = $2 AND id = $3",
    ];
    for sql in ALL {
        with_backend!(tx, workspace, c => sqlx::query(sql).bind(workspace).bind(project).bind(id)
            .execute(c).await.map(|_| ()))?;
    }
    Ok(())
}

/// Returns the last changes of a system, newest first.
pub async fn changes(tx: &mut Tx, project: Id, system: Id, limit: i64) -> Result<Vec<ChangeRow>, StoreError> {
    const SQL: &str = select_of!(game_system_changes
        " FROM game_system_changes WHERE workspace_id = $1 AND project_id = $2 AND system_id = $3 \
        ORDER BY changed_at DESC, id DESC LIMIT $4");
    Ok(
        with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project).bind(system).bind(limit)
        .fetch_all(c).await)?,
    )
}

/// Returns the last changes of all systems of a project until a time, newest first.
pub async fn all_changes(
    tx: &mut Tx,
    project: Id,
    until: Option<Ts>,
    limit: i64,
) -> Result<Vec<ChangeRow>, StoreError> {
    const SQL: &str = select_of!(game_system_changes
        " FROM game_system_changes WHERE workspace_id = $1 AND project_id = $2 AND changed_at <= $3 \
        ORDER BY changed_at DESC, id DESC LIMIT $4");
    let until = until.map_or(i64::MAX, Ts::as_micros);
    Ok(
        with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project).bind(until).bind(limit)
        .fetch_all(c).await)?,
    )
}

pub async fn insert_change(tx: &mut WriteTx, project: Id, row: &ChangeRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO game_system_changes (workspace_id, project_id, id, system_id, system_name, kind, summary, \
        fields, changed_by, changed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
    let fields = json(&row.fields)?;
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(project).bind(row.id)
        .bind(row.system_id).bind(&row.system_name).bind(row.kind.as_str()).bind(&row.summary).bind(&fields)
        .bind(row.changed_by).bind(row.changed_at.as_micros()).execute(c).await.map(|_| ()))
}
