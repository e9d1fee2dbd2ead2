//! Gate 3: the caller, with the role and scopes that the database gives now.

use toolcrib_access::{Caller, WorkspacePolicy};
use toolcrib_store::{AccessRow, Tx, missions, workspaces};

use crate::{
    base::ActionError,
    caller::{CallerClaims, ClaimsWithAccess, unavailable},
};

/// Joins the claims with the access row. A missing workspace and a missing membership give the same error.
pub(super) async fn authorize(
    ClaimsWithAccess { claims, access, is_read }: ClaimsWithAccess<'_>,
    tx: &mut Tx,
) -> Result<(Caller, WorkspacePolicy), ActionError> {
    let joined = if is_read { reading_caller(claims, access, tx).await? } else { claims.caller(access)? };
    // Only now do the call's log lines name the workspace. Otherwise any caller could write lines into any
    // workspace's log.
    crate::base::call::admitted(joined.0.workspace);
    Ok(joined)
}

/// Returns the caller of a read, with the workspace policy. A system admin may read a deleted workspace.
pub async fn reading_caller(
    claims: &CallerClaims,
    access: Option<&AccessRow>,
    tx: &mut Tx,
) -> Result<(Caller, WorkspacePolicy), ActionError> {
    let deleted = access.is_none()
        && claims.system_admin
        && workspaces::is_deleted(tx).await.map_err(unavailable)? == Some(true);
    claims.caller_in(access, deleted)
}

/// Checks that the mission of the request belongs to the workspace. A mission of another workspace gives the
/// same error as a missing one.
pub(super) async fn check_mission(tx: &mut Tx, caller: &Caller) -> Result<(), ActionError> {
    let Some(mission) = caller.mission else { return Ok(()) };
    if missions::get(tx, mission).await?.is_some() {
        return Ok(());
    }
    Err(ActionError::not_found("mission", &mission.to_string())
        .hint("omit `X-Mission-Id`, or give the id of a mission of this workspace"))
}
