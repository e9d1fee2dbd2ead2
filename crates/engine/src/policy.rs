//! The workspace's policy, from its stored form.

use toolcrib_access::{ApprovalMode, Limits, OpenConfirmations, WorkspacePolicy};
use toolcrib_model::ErrorCode;
use toolcrib_store::Standing;

use crate::ActionError;

/// Reads the policy; a stored word that is unknown is not guessed: 503.
pub fn of(standing: &Standing) -> Result<WorkspacePolicy, ActionError> {
    let approval_mode = ApprovalMode::parse(&standing.approval_mode).ok_or_else(|| {
        let mut error =
            ActionError::new(ErrorCode::AuthorizationUnavailable, "the workspace's policy can't be read");
        error.internal = Some(format!("approval mode `{}`", standing.approval_mode));
        error
    })?;
    let per_minute = |stored: i64| u32::try_from(stored).unwrap_or(1).max(1);
    Ok(WorkspacePolicy {
        approval_mode,
        four_eyes: standing.four_eyes,
        agents_inherit_admin: standing.agents_inherit_admin,
        approve_url_template: standing.approve_url_template.clone(),
        limits: Limits {
            write_per_minute: per_minute(standing.write_per_minute),
            read_per_minute: per_minute(standing.read_per_minute),
            external_per_minute: per_minute(standing.external_per_minute),
            write_share_percent: per_minute(standing.write_share_percent).min(100),
        },
        open_confirmations: OpenConfirmations {
            per_workspace: per_minute(standing.open_confirmations),
            per_caller: per_minute(standing.open_confirmations_per_caller),
        },
        deleted: false,
        access_version: standing.access_version,
        promoted: None,
    })
}
