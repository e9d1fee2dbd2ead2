//! The tables `game_plans` and `game_plan_systems`.

use sqlx::FromRow;
use toolcrib_engine::prelude::*;
use toolcrib_model::name_key;
use toolcrib_store::{OptionalTime, StoreError, Tx, WriteTx, filtered, json, per_backend, with_backend};

toolcrib_model::closed_set! {
    "a status of a plan",
    /// Status of a version plan.
    PlanStatus {
        /// Its systems may still change.
        Draft = "draft",
        /// It holds its systems as they were.
        Finalized = "finalized",
    }
}

/// A version plan without its systems.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct PlanRow {
    /// ID.
    pub id: Id,
    /// Label of the version, unique in the project.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub version_label: String,
    /// Title.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub title: String,
    /// Description.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub description: Option<String>,
    /// Status.
    #[sqlx(try_from = "String")]
    #[schemars(extend("x-plain-words" = true))]
    pub status: PlanStatus,
    /// ID of the user, agent or key that created it.
    pub created_by: Id,
    /// Time of creation.
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    /// ID of the user, agent or key that finalized it; null for a draft.
    pub finalized_by: Option<Id>,
    /// Time of the finalization; null for a draft.
    #[sqlx(try_from = "OptionalTime")]
    pub finalized_at: Option<Ts>,
    /// SHA-256 of the snapshot, in hexadecimal digits; null for a draft.
    #[schemars(extend("x-ours" = true))]
    pub sha256: Option<String>,
    /// The snapshot as JSON text; lists leave it out.
    #[serde(skip)]
    #[sqlx(default)]
    pub snapshot: Option<String>,
}

/// A plan that holds a system.
#[derive(Clone, Debug, FromRow, Serialize, JsonSchema)]
pub struct PlanOfSystem {
    /// ID of the plan.
    pub id: Id,
    /// Label of the version.
    #[schemars(extend("x-untrusted" = "game designs"))]
    pub version_label: String,
    /// Status of the plan.
    #[sqlx(try_from = "String")]
    #[schemars(extend("x-plain-words" = true))]
    pub status: PlanStatus,
}

/// Lists at most `limit` plans after `cursor`, newest first.
pub async fn list(
    tx: &mut Tx,
    project: Id,
    status: Option<PlanStatus>,
    cursor: Cursor,
    limit: i64,
) -> Result<Vec<PlanRow>, StoreError> {
    let sql = filtered!(
        "SELECT id, version_label, title, description, status, created_by, created_at, finalized_by, finalized_at, sha256 \
         FROM game_plans WHERE workspace_id = $1 AND project_id = $2 AND ",
        [status => "status = $3" or "$3 IS NULL"],
        " AND (created_at, id) < ($4, $5) ORDER BY created_at DESC, id DESC LIMIT $6"
    );
    let status = status.map(PlanStatus::as_str);
    with_backend!(tx, workspace, c => sqlx::query_as(sql).bind(workspace).bind(project).bind(status)
        .bind(cursor.at.as_micros()).bind(cursor.id).bind(limit).fetch_all(c).await)
}

pub async fn get(tx: &mut Tx, project: Id, id: Id) -> Result<Option<PlanRow>, StoreError> {
    const SQL: &str = select_of!(game_plans
        " FROM game_plans WHERE workspace_id = $1 AND project_id = $2 AND id = $3");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project).bind(id)
        .fetch_optional(c).await)
}

/// Returns the phases in the snapshot of a finalized plan, as JSON text; an empty text for a draft.
pub async fn phases(tx: &mut Tx, project: Id, id: Id) -> Result<String, StoreError> {
    const SQLITE: &str = "SELECT json_extract(snapshot, '$.phases') FROM game_plans \
        WHERE workspace_id = $1 AND project_id = $2 AND id = $3";
    const PG: &str = "SELECT CAST(CAST(snapshot AS json)->'phases' AS TEXT) FROM game_plans \
        WHERE workspace_id = $1 AND project_id = $2 AND id = $3";
    let sql = tx.sql(SQLITE, PG);
    let phases: Option<Option<String>> = with_backend!(tx, workspace, c => sqlx::query_scalar(sql).bind(workspace)
        .bind(project).bind(id).fetch_optional(c).await)?;
    Ok(phases.flatten().unwrap_or_default())
}

/// Returns the number of bytes of all snapshots. Reads none of them.
pub async fn snapshot_bytes(tx: &mut Tx, project: Id) -> Result<i64, StoreError> {
    const SQL: &str = "SELECT CAST(coalesce(SUM(octet_length(snapshot)), 0) AS BIGINT) FROM game_plans \
        WHERE workspace_id = $1 AND project_id = $2";
    Ok(
        with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(project).fetch_one(c).await)?,
    )
}

/// Returns the plan with this label, compared regardless of case.
pub async fn by_label(tx: &mut Tx, project: Id, label: &str) -> Result<Option<PlanRow>, StoreError> {
    const SQL: &str = select_of!(game_plans
        " FROM game_plans WHERE workspace_id = $1 AND project_id = $2 AND label_key = $3");
    let key = name_key(label);
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project).bind(&key)
        .fetch_optional(c).await)
}

/// Returns the labels of all plans, newest first. Their number is limited.
pub async fn labels(tx: &mut Tx, project: Id) -> Result<Vec<String>, StoreError> {
    const SQL: &str = "SELECT version_label FROM game_plans WHERE workspace_id = $1 AND project_id = $2 \
        ORDER BY created_at DESC, id DESC";
    Ok(
        with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(project).fetch_all(c).await)?,
    )
}

/// Returns the ids of the systems of a plan.
pub async fn systems(tx: &mut Tx, project: Id, plan: Id) -> Result<Vec<Id>, StoreError> {
    const SQL: &str = "SELECT system_id FROM game_plan_systems WHERE workspace_id = $1 AND project_id = $2 AND plan_id = $3";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).bind(project).bind(plan)
        .fetch_all(c).await)
}

/// Returns the ids of all plans and of their systems.
pub async fn all_systems(tx: &mut Tx, project: Id) -> Result<Vec<(Id, Id)>, StoreError> {
    const SQL: &str =
        "SELECT plan_id, system_id FROM game_plan_systems WHERE workspace_id = $1 AND project_id = $2";
    Ok(
        with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project).fetch_all(c).await)?,
    )
}

/// Returns the plans that hold a system, oldest first.
pub async fn of_system(tx: &mut Tx, project: Id, system: Id) -> Result<Vec<PlanOfSystem>, StoreError> {
    const SQL: &str = "SELECT p.id, p.version_label, p.status FROM game_plan_systems h JOIN game_plans p \
        ON p.workspace_id = h.workspace_id AND p.project_id = h.project_id AND p.id = h.plan_id \
        WHERE h.workspace_id = $1 AND h.project_id = $2 AND h.system_id = $3 ORDER BY p.created_at, p.id";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).bind(project).bind(system)
        .fetch_all(c).await)
}

/// Inserts a draft with its systems. Fails with [`StoreError::Duplicate`] if its label is taken.
pub async fn insert(tx: &mut WriteTx, project: Id, row: &PlanRow, systems: &[Id]) -> Result<(), StoreError> {
    const PLAN: &str = "INSERT INTO game_plans (workspace_id, project_id, id, version_label, label_key, title, description, \
        status, created_by, created_at) VALUES ($1, $2, $3, $4, $5, $6, $7, 'draft', $8, $9)";
    const SQLITE: &str = "INSERT INTO game_plan_systems (workspace_id, project_id, plan_id, system_id) \
        SELECT $1, $2, $3, unhex(value) FROM json_each($4)";
    const PG: &str = "INSERT INTO game_plan_systems (workspace_id, project_id, plan_id, system_id) \
        SELECT $1, $2, $3, id FROM unnest(CAST($4 AS UUID[])) AS s (id)";
    let key = name_key(&row.version_label);
    with_backend!(tx, workspace, c => sqlx::query(PLAN).bind(workspace).bind(project).bind(row.id)
        .bind(&row.version_label).bind(&key).bind(&row.title).bind(&row.description).bind(row.created_by)
        .bind(row.created_at.as_micros()).execute(c).await.map(|_| ()))?;
    let hex = json(&systems.iter().map(|id| id.simple().to_string()).collect::<Vec<_>>())?;
    per_backend!(tx, workspace,
        sqlite c => sqlx::query(SQLITE).bind(workspace).bind(project).bind(row.id).bind(hex).execute(c).await.map(|_| ()),
        pg c => sqlx::query(PG).bind(workspace).bind(project).bind(row.id).bind(systems).execute(c).await.map(|_| ()),
    )
}

/// Finalizes a draft with the snapshot and the other columns of `row`; returns `false` if it is none.
pub async fn finalize(tx: &mut WriteTx, project: Id, row: &PlanRow) -> Result<bool, StoreError> {
    const SQL: &str = "UPDATE game_plans SET status = 'finalized', finalized_by = $4, finalized_at = $5, sha256 = $6, \
        snapshot = $7 WHERE workspace_id = $1 AND project_id = $2 AND id = $3 AND status = 'draft'";
    Ok(with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(project).bind(row.id)
        .bind(row.finalized_by).bind(row.finalized_at.map(Ts::as_micros)).bind(&row.sha256).bind(&row.snapshot)
        .execute(c).await.map(|done| done.rows_affected()))?
        == 1)
}

/// Deletes a plan, whose project this transaction has locked.
pub async fn delete(tx: &mut WriteTx, project: Id, id: Id) -> Result<(), StoreError> {
    const ALL: [&str; 2] = [
        "DELETE FROM game_plan_systems WHERE workspace_id = $1 AND project_id = $2 AND plan_id = $3",
        "DELETE FROM game_plans WHERE workspace_id = $1 AND project_id = $2 AND id = $3",
    ];
    for sql in ALL {
        with_backend!(tx, workspace, c => sqlx::query(sql).bind(workspace).bind(project).bind(id)
            .execute(c).await.map(|_| ()))?;
    }
    Ok(())
}
