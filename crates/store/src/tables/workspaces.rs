//! The table `workspaces`: the tenants and their settings.

use schemars::JsonSchema;
use serde::Serialize;
use sqlx::FromRow;
use toolcrib_model::{Id, Ts, WorkRunner};

use crate::backend::{Db, StoreError, Tx, WriteTx};

/// The settings of a workspace that decide what its callers may do.
#[derive(Clone, Debug, FromRow)]
pub struct Settings {
    /// `standard`, `confirm_writes` or `read_only`.
    pub approval_mode: String,
    /// Whether a confirmation must be approved by a person other than the requester.
    pub four_eyes: bool,
    /// Whether an agent gets the whole role of the member for whom it runs. Otherwise it gets at most the
    /// role editor.
    pub agents_inherit_admin: bool,
    /// Who carries out what is due.
    #[sqlx(try_from = "String")]
    pub runner: WorkRunner,
    /// The URL template of the page that shows a confirmation.
    pub approve_url_template: Option<String>,
    pub write_per_minute: i64,
    pub read_per_minute: i64,
    pub external_per_minute: i64,
    /// The limit of calls per minute of tools that their callers run.
    pub client_per_minute: i64,
    /// The percentage of the write limit that one person may use while another person is active.
    pub write_share_percent: i64,
    pub open_confirmations: i64,
    pub open_confirmations_per_caller: i64,
}

/// A row of `workspaces` that is not deleted.
#[derive(Clone, Debug, FromRow)]
pub struct WorkspaceRow {
    pub id: Id,
    pub name: String,
    /// The workspace's id at the identity provider.
    pub external_id: Option<String>,
    pub plan: String,
    #[sqlx(flatten)]
    pub settings: Settings,
    /// The model of agents for which the caller names none.
    pub default_model: Option<String>,
    /// What a run of the assistant may cost, in millionths of a dollar. `None` for what the operator allows.
    pub assistant_run_microusd: Option<i64>,
    /// What the assistant's runs of a day may cost together. `None` for what the operator allows.
    pub assistant_day_microusd: Option<i64>,
    /// What those of a day may cost that no person is beside. `None` for what the operator allows.
    pub assistant_background_microusd: Option<i64>,
    /// Incremented by every change of access: of memberships, keys or settings.
    pub access_version: i64,
    #[sqlx(try_from = "i64")]
    pub created_at: Ts,
    #[sqlx(try_from = "i64")]
    pub updated_at: Ts,
}

impl WorkspaceRow {
    /// Returns a new workspace on the standard plan.
    pub fn new(id: Id, name: String, external_id: Option<String>, settings: Settings, now: Ts) -> Self {
        Self {
            id,
            name,
            external_id,
            plan: "standard".to_owned(),
            settings,
            default_model: None,
            assistant_run_microusd: None,
            assistant_day_microusd: None,
            assistant_background_microusd: None,
            access_version: 1,
            created_at: now,
            updated_at: now,
        }
    }
}

/// How much is in a workspace.
#[derive(Clone, Copy, Debug, FromRow, Serialize, JsonSchema)]
pub struct Counts {
    /// Active members.
    pub members: i64,
    /// Agents, inactive ones included.
    pub agents: i64,
    /// Agents that are active.
    pub active_agents: i64,
}

/// A workspace as operators see it; it may be deleted.
#[derive(Clone, Debug, FromRow)]
pub struct Listed {
    pub id: Id,
    pub name: String,
    /// The workspace's id at the identity provider; absent after the deletion.
    pub external_id: Option<String>,
    /// When the workspace was created, in microseconds.
    pub created_at: i64,
    /// When the workspace was deleted, in microseconds.
    pub deleted_at: Option<i64>,
}

/// Returns all workspaces, deleted ones included, oldest first.
pub async fn list(db: &Db) -> Result<Vec<Listed>, StoreError> {
    const SQL: &str =
        "SELECT id, name, external_id, created_at, deleted_at FROM workspaces ORDER BY created_at, id";
    let mut tx = db.read_as_worker().await?;
    let found = with_backend!(tx, c => sqlx::query_as(SQL).fetch_all(c).await);
    tx.finish(found).await
}

/// Whether the transaction's workspace was deleted; `None` if it never existed.
pub async fn is_deleted(tx: &mut Tx) -> Result<Option<bool>, StoreError> {
    const SQL: &str = "SELECT deleted_at FROM workspaces WHERE id = $1";
    let found: Option<Option<i64>> =
        with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).fetch_optional(c).await)?;
    Ok(found.map(|deleted| deleted.is_some()))
}

/// Returns the transaction's workspace, unless it was deleted.
pub async fn get(tx: &mut Tx) -> Result<Option<WorkspaceRow>, StoreError> {
    const SQL: &str = select!(workspaces " FROM workspaces WHERE id = $1 AND deleted_at IS NULL");
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_optional(c).await)
}

/// Counts the members and agents of the transaction's workspace.
pub async fn counts(tx: &mut Tx) -> Result<Counts, StoreError> {
    const SQL: &str = "SELECT \
        CAST((SELECT COUNT(*) FROM members WHERE workspace_id = $1 AND active) AS BIGINT) AS members, \
        CAST(COUNT(*) AS BIGINT) AS agents, CAST(COUNT(*) FILTER (WHERE status = 'active') AS BIGINT) AS active_agents \
        FROM agents WHERE workspace_id = $1";
    with_backend!(tx, workspace, c => sqlx::query_as(SQL).bind(workspace).fetch_one(c).await)
}

/// Inserts a workspace. The transaction must be bound to its id. Fails with [`StoreError::Duplicate`] if the
/// external id is taken.
pub async fn insert(tx: &mut WriteTx, row: &WorkspaceRow) -> Result<(), StoreError> {
    const SQL: &str = "INSERT INTO workspaces (id, name, external_id, plan, approval_mode, four_eyes, \
        agents_inherit_admin, approve_url_template, write_per_minute, read_per_minute, external_per_minute, \
        default_model, access_version, created_at, updated_at, write_share_percent, open_confirmations, \
        open_confirmations_per_caller, client_per_minute, assistant_run_microusd, assistant_day_microusd, assistant_background_microusd, runner) \
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1, $13, $13, $14, $15, $16, $17, $18, $19, $20, $21)";
    let settings = &row.settings;
    with_backend!(tx, c => sqlx::query(SQL).bind(row.id).bind(&row.name).bind(&row.external_id)
        .bind(&row.plan).bind(&settings.approval_mode).bind(settings.four_eyes)
        .bind(settings.agents_inherit_admin).bind(&settings.approve_url_template)
        .bind(settings.write_per_minute).bind(settings.read_per_minute).bind(settings.external_per_minute)
        .bind(&row.default_model).bind(row.created_at.as_micros()).bind(settings.write_share_percent)
        .bind(settings.open_confirmations).bind(settings.open_confirmations_per_caller)
        .bind(settings.client_per_minute).bind(row.assistant_run_microusd)
        .bind(row.assistant_day_microusd).bind(row.assistant_background_microusd).bind(settings.runner.as_str())
        .execute(c).await.map(|_| ()))
}

/// Updates name, settings and limits, and increments the access version.
pub async fn update(tx: &mut WriteTx, row: &WorkspaceRow, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE workspaces SET name = $2, approval_mode = $3, four_eyes = $4, agents_inherit_admin = $5, \
        approve_url_template = $6, write_per_minute = $7, read_per_minute = $8, external_per_minute = $9, \
        default_model = $10, access_version = access_version + 1, updated_at = $11, write_share_percent = $12, \
        open_confirmations = $13, open_confirmations_per_caller = $14, client_per_minute = $15, \
        assistant_run_microusd = $16, assistant_day_microusd = $17, assistant_background_microusd = $18, runner = $19 WHERE id = $1";
    let settings = &row.settings;
    with_backend!(tx, c => sqlx::query(SQL).bind(row.id).bind(&row.name).bind(&settings.approval_mode)
        .bind(settings.four_eyes).bind(settings.agents_inherit_admin).bind(&settings.approve_url_template)
        .bind(settings.write_per_minute).bind(settings.read_per_minute).bind(settings.external_per_minute)
        .bind(&row.default_model).bind(at.as_micros()).bind(settings.write_share_percent)
        .bind(settings.open_confirmations).bind(settings.open_confirmations_per_caller).bind(settings.client_per_minute)
        .bind(row.assistant_run_microusd).bind(row.assistant_day_microusd)
        .bind(row.assistant_background_microusd).bind(settings.runner.as_str()).execute(c).await.map(|_| ()))
}

/// Increments the access version, so that values derived from memberships, keys or settings become stale.
/// Returns the new version. On PostgreSQL the workspace's row stays locked until the transaction ends, which
/// serializes changes of access.
pub async fn bump_access(tx: &mut WriteTx) -> Result<i64, StoreError> {
    const SQL: &str =
        "UPDATE workspaces SET access_version = access_version + 1 WHERE id = $1 RETURNING access_version";
    with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).fetch_one(c).await)
}

/// Marks the workspace as deleted, so that no caller can reach it. Its audit log remains.
pub async fn delete(tx: &mut WriteTx, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE workspaces SET deleted_at = $2, external_id = NULL, access_version = access_version + 1 \
        WHERE id = $1";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(at.as_micros())
        .execute(c).await.map(|_| ()))
}

/// Returns the actions that the workspace promotes for caller types and agents, as JSON text.
pub async fn promotions(tx: &mut Tx) -> Result<Option<String>, StoreError> {
    const SQL: &str = "SELECT promotions FROM workspaces WHERE id = $1 AND deleted_at IS NULL";
    let text: Option<Option<String>> =
        with_backend!(tx, workspace, c => sqlx::query_scalar(SQL).bind(workspace).fetch_optional(c).await)?;
    Ok(text.flatten())
}

pub async fn set_promotions(tx: &mut WriteTx, text: Option<&str>, at: Ts) -> Result<(), StoreError> {
    const SQL: &str = "UPDATE workspaces SET promotions = $2, updated_at = $3 WHERE id = $1";
    with_backend!(tx, workspace, c => sqlx::query(SQL).bind(workspace).bind(text).bind(at.as_micros())
        .execute(c).await.map(|_| ()))
}
