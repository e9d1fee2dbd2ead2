//! Parses the workspace policy from its stored form.

use toolcrib_access::{Limits, OpenConfirmations, WorkspacePolicy};
use toolcrib_model::ErrorCode;
use toolcrib_store::AccessRow;

use crate::base::ActionError;

/// Returns the policy. An unknown approval mode is refused with 503, because a default might allow too much.
pub fn of(access: &AccessRow) -> Result<WorkspacePolicy, ActionError> {
    let approval_mode = access.approval_mode.parse().map_err(|_| {
        let mut error =
            ActionError::new(ErrorCode::AuthorizationUnavailable, "the workspace's policy can't be read");
        error.internal = Some(format!("approval mode `{}`", access.approval_mode));
        error
    })?;
    let per_minute = |stored: i64| u32::try_from(stored).unwrap_or(1).max(1);
    Ok(WorkspacePolicy {
        approval_mode,
        four_eyes: access.four_eyes,
        agents_inherit_admin: access.agents_inherit_admin,
        approve_url_template: access.approve_url_template.clone(),
        limits: Limits {
            write_per_minute: per_minute(access.write_per_minute),
            read_per_minute: per_minute(access.read_per_minute),
            external_per_minute: per_minute(access.external_per_minute),
            client_per_minute: per_minute(access.client_per_minute),
            write_share_percent: per_minute(access.write_share_percent).min(100),
        },
        open_confirmations: OpenConfirmations {
            per_workspace: per_minute(access.open_confirmations),
            per_caller: per_minute(access.open_confirmations_per_caller),
        },
        deleted: false,
        access_version: access.access_version,
        toolset_version: access.toolset_version,
        promoted: None,
    })
}
