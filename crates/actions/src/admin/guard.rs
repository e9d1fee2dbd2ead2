//! What all changes of access share: errors, and a lock that serializes the changes.

use toolcrib_engine::prelude::*;
use toolcrib_store::{users, workspaces};

/// Returns 403 `permission_denied`.
pub fn forbidden(detail: impl Into<String>) -> ActionError {
    ActionError::new(ErrorCode::PermissionDenied, detail)
}

/// Increments the workspace's access version, which locks the workspace's row until the commit. So changes of
/// access run one after another, and counts that are read afterwards (owners, approvers) stay valid. Returns
/// 403 if another change took the caller's role in the meantime.
pub async fn lock(cx: &mut WriteCx<'_>) -> Result<(), ActionError> {
    let version = workspaces::bump_access(cx.tx).await?;
    if version == cx.policy.access_version.saturating_add(1) {
        return Ok(());
    }
    let own = cx.caller.role;
    if cx.current_role().await? == own {
        return Ok(());
    }
    Err(forbidden("your role in this workspace changed just now").hint("look at `GET /v1/me` and try again"))
}

/// Returns the issuer of the caller's user, or else the configured issuer. It is the default issuer of new
/// members. 422 at `pointer` if there is none.
pub async fn own_issuer(cx: &mut ReadCx<'_>, pointer: &str) -> Result<String, ActionError> {
    let own = match cx.caller.principal.user() {
        Some(user_id) => users::get(cx.tx, user_id).await?,
        None => None,
    };
    let usual = || cx.tools.catalog.rules().issuer.clone();
    own.map(|user| user.issuer).or_else(usual).ok_or_else(|| {
        ActionError::invalid(pointer, "required", "is required: this credential has no issuer of its own")
    })
}
