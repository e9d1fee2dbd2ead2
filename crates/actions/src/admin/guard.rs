//! What every change of access has in common: refusals in words, and one change at a time.

use toolcrib_engine::{ActionError, ReadCx, WriteCx};
use toolcrib_model::ErrorCode;
use toolcrib_store::{users, workspaces};

/// 403, for what this caller may not do.
pub fn forbidden(detail: impl Into<String>) -> ActionError {
    ActionError::new(ErrorCode::PermissionDenied, detail)
}

/// Moves the workspace's access version and lets changes of access happen one after the other, so that what is counted
/// afterwards (owners, approvers) stays true until the commit. Whoever lost their role meanwhile is refused.
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

/// The issuer of the caller's own user: whom new people are assumed to come from. 422 at `pointer` where there is none.
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
