//! Gate 3: the caller, with the role and scopes that the database gives now.

use toolcrib_access::{Caller, WorkspacePolicy};
use toolcrib_store::{AccessRow, Tx, missions, workspaces};

use super::parse::Parsed;
use crate::{
    base::ActionError,
    caller::{CallerClaims, unavailable},
};

/// A caller whose permissions were read from the database for this call.
pub struct Admitted {
    parsed: Parsed,
    caller: Caller,
    policy: WorkspacePolicy,
}

impl Admitted {
    pub fn policy(&self) -> &WorkspacePolicy {
        &self.policy
    }

    pub(super) fn into_parts(self) -> (Parsed, Caller, WorkspacePolicy) {
        (self.parsed, self.caller, self.policy)
    }
}

/// Combines the claims with the access row. A missing workspace and a missing membership give the same error.
pub fn authorize_member(
    parsed: Parsed,
    claims: &CallerClaims,
    access: Option<&AccessRow>,
) -> Result<Admitted, ActionError> {
    Ok(joined(parsed, claims.caller(access)?))
}

/// Like [`authorize_member`], for a read. A system admin may read a deleted workspace.
pub async fn authorize_reader(
    parsed: Parsed,
    claims: &CallerClaims,
    access: Option<&AccessRow>,
    tx: &mut Tx,
) -> Result<Admitted, ActionError> {
    Ok(joined(parsed, reading_caller(claims, access, tx).await?))
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

fn joined(parsed: Parsed, (caller, policy): (Caller, WorkspacePolicy)) -> Admitted {
    // Only now do the call's log lines name the workspace. Otherwise any caller could write lines into any
    // workspace's log.
    crate::base::call_span::admitted(caller.workspace);
    Admitted { parsed, caller, policy }
}

/// Checks that the mission of the request belongs to the workspace. A mission of another workspace gives the
/// same error as a missing one.
pub async fn check_mission(tx: &mut Tx, admitted: &Admitted) -> Result<(), ActionError> {
    let Some(mission) = admitted.caller.mission else { return Ok(()) };
    if missions::get(tx, mission).await?.is_some() {
        return Ok(());
    }
    Err(ActionError::not_found("mission", &mission.to_string())
        .hint("omit `X-Mission-Id`, or give the id of a mission of this workspace"))
}
