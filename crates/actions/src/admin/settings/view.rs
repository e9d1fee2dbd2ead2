//! Settings as callers see them, and their version for optimistic locking.

use toolcrib_access::{ApprovalMode, Limits, OpenConfirmations};
use toolcrib_engine::{policy, prelude::*};
use toolcrib_model::WorkRunner;
use toolcrib_registry::digest;
use toolcrib_store::{Tx, workspaces, workspaces::WorkspaceRow};

/// What the assistant may cost, in millionths of a dollar; null for what the operator allows, which is the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct AssistantBudget {
    /// One run.
    pub run_microusd: Option<i64>,
    /// All runs in 24 hours.
    pub day_microusd: Option<i64>,
    /// Those of these with no person beside them.
    pub background_microusd: Option<i64>,
}

/// A workspace's settings.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SettingsView {
    /// Which calls a person must confirm.
    pub approval_mode: ApprovalMode,
    /// Whether the approver must be another person than the requester.
    pub four_eyes: bool,
    /// Whether agents of admins keep the role `admin`; otherwise they have at most `editor`.
    pub agents_inherit_admin: bool,
    /// Who carries out heartbeats, scheduled tasks, playbooks and missions: programs that read their events (`external`), or the
    /// assistant (`internal`).
    pub runner: WorkRunner,
    /// URL template of the page on which a person decides, with `{id}` for the confirmation; null for the page of
    /// this service.
    pub approve_url_template: Option<String>,
    /// Calls per minute.
    pub limits: Limits,
    /// Maximum number of open confirmations; beyond it calls fail with 429 `too_many_pending`.
    pub open_confirmations: OpenConfirmations,
    /// Default model of agents.
    pub default_model: Option<String>,
    /// What the assistant may cost.
    pub assistant_budget: AssistantBudget,
    /// Version of the settings: the value of `ETag` and of `If-Match`.
    pub version: String,
}

impl SettingsView {
    /// Returns the settings of a stored workspace. Fails if the stored approval mode is unknown.
    pub fn of(row: &WorkspaceRow) -> Result<Self, ActionError> {
        let settings = &row.settings;
        let approval_mode = settings
            .approval_mode
            .parse()
            .map_err(|_| ActionError::internal(format!("approval mode `{}`", settings.approval_mode)))?;
        let (limits, open_confirmations) = policy::limits(settings);
        let mut view = Self {
            approval_mode,
            four_eyes: settings.four_eyes,
            agents_inherit_admin: settings.agents_inherit_admin,
            runner: settings.runner,
            approve_url_template: settings.approve_url_template.clone(),
            limits,
            open_confirmations,
            default_model: row.default_model.clone(),
            assistant_budget: AssistantBudget {
                run_microusd: row.assistant_run_microusd,
                day_microusd: row.assistant_day_microusd,
                background_microusd: row.assistant_background_microusd,
            },
            version: String::new(),
        };
        // The version is a hash of the settings, so equal settings have equal versions, also after a change
        // and its reversal.
        view.version = digest(&json!(view)).chars().take(32).collect();
        Ok(view)
    }
}

/// Returns the transaction's workspace with its settings.
pub async fn stored(tx: &mut Tx) -> Result<(WorkspaceRow, SettingsView), ActionError> {
    let row = workspaces::get(tx).await?;
    let row = row.ok_or_else(|| ActionError::new(ErrorCode::NotFound, "there is no such workspace"))?;
    let view = SettingsView::of(&row)?;
    Ok((row, view))
}
