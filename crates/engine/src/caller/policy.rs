//! The policy and the limits of a workspace, and the form in which they are stored.

use toolcrib_access::{ApprovalMode, EnabledPacks, Limits, OpenConfirmations, WorkspacePolicy};
use toolcrib_model::{ErrorCode, WorkRunner};
use toolcrib_store::{AccessRow, workspaces::Settings};

use crate::base::ActionError;

/// Returns the policy. An unknown approval mode is refused with 503, because a default might allow too much.
pub(crate) fn of(access: &AccessRow) -> Result<WorkspacePolicy, ActionError> {
    let settings = &access.settings;
    let approval_mode = settings.approval_mode.parse().map_err(|_| {
        ActionError::new(ErrorCode::AuthorizationUnavailable, "the workspace's policy can't be read")
            .caused_by(format!("approval mode `{}`", settings.approval_mode))
    })?;
    let (limits, open_confirmations) = limits(settings);
    Ok(WorkspacePolicy {
        approval_mode,
        four_eyes: settings.four_eyes,
        agents_inherit_admin: settings.agents_inherit_admin,
        runner: settings.runner,
        approve_url_template: settings.approve_url_template.clone(),
        limits,
        open_confirmations,
        deleted: false,
        access_version: access.access_version,
        toolset_version: access.toolset_version,
        packs: EnabledPacks::of_stored(&access.packs),
        promoted: None,
    })
}

/// Returns the limits that are stored. A number that no limit may be is read as the nearest that one may be.
pub fn limits(settings: &Settings) -> (Limits, OpenConfirmations) {
    let at_least_one = |stored: i64| u32::try_from(stored).unwrap_or(1).max(1);
    let limits = Limits {
        write_per_minute: at_least_one(settings.write_per_minute),
        read_per_minute: at_least_one(settings.read_per_minute),
        external_per_minute: at_least_one(settings.external_per_minute),
        client_per_minute: at_least_one(settings.client_per_minute),
        write_share_percent: at_least_one(settings.write_share_percent).min(100),
    };
    let open = OpenConfirmations {
        per_workspace: at_least_one(settings.open_confirmations),
        per_caller: at_least_one(settings.open_confirmations_per_caller),
    };
    (limits, open)
}

/// Returns the settings of a new workspace.
pub fn default_settings() -> Settings {
    new_settings(Limits::default(), OpenConfirmations::default())
}

/// Returns the settings of a new workspace, with these limits.
pub fn new_settings(limits: Limits, open: OpenConfirmations) -> Settings {
    Settings {
        approval_mode: ApprovalMode::Standard.as_str().to_owned(),
        four_eyes: false,
        agents_inherit_admin: false,
        runner: WorkRunner::External,
        approve_url_template: None,
        write_per_minute: limits.write_per_minute.into(),
        read_per_minute: limits.read_per_minute.into(),
        external_per_minute: limits.external_per_minute.into(),
        client_per_minute: limits.client_per_minute.into(),
        write_share_percent: limits.write_share_percent.into(),
        open_confirmations: open.per_workspace.into(),
        open_confirmations_per_caller: open.per_caller.into(),
    }
}
