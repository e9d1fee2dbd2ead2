//! Gate 3: who calls, and where they stand in the workspace now.

use toolcrib_access::{Caller, WorkspacePolicy};
use toolcrib_store::{AccessRow, Tx, missions, workspaces};

use super::parse::Parsed;
use crate::{
    base::ActionError,
    caller::{CallerClaims, unavailable},
};

/// A caller whose rights were read from the database for this call.
pub struct Admitted {
    parsed: Parsed,
    caller: Caller,
    policy: WorkspacePolicy,
}

impl Admitted {
    /// The call, who makes it, and what the workspace decided.
    pub(super) fn into_parts(self) -> (Parsed, Caller, WorkspacePolicy) {
        (self.parsed, self.caller, self.policy)
    }
}

/// Joins the claim with what the database says. No such workspace and no membership answer alike.
pub fn authorize_member(
    parsed: Parsed,
    claims: &CallerClaims,
    access: Option<&AccessRow>,
) -> Result<Admitted, ActionError> {
    Ok(joined(parsed, claims.caller(access)?))
}

/// The same for a read, which a system admin may make in a workspace that was deleted.
pub async fn authorize_reader(
    parsed: Parsed,
    claims: &CallerClaims,
    access: Option<&AccessRow>,
    tx: &mut Tx,
) -> Result<Admitted, ActionError> {
    let deleted = access.is_none()
        && claims.system_admin
        && workspaces::is_deleted(tx).await.map_err(unavailable)? == Some(true);
    Ok(joined(parsed, claims.caller_in(access, deleted)?))
}

fn joined(parsed: Parsed, (caller, policy): (Caller, WorkspacePolicy)) -> Admitted {
    // From here on the call's log lines are this workspace's: not before, or anybody could write into anybody's log.
    crate::base::call_span::admitted(caller.workspace);
    Admitted { parsed, caller, policy }
}

/// A mission that the request names is one of this workspace; another workspace's answers like none.
pub async fn know_mission(tx: &mut Tx, admitted: &Admitted) -> Result<(), ActionError> {
    let Some(mission) = admitted.caller.mission else { return Ok(()) };
    if missions::get(tx, mission).await?.is_some() {
        return Ok(());
    }
    Err(ActionError::not_found("mission", &mission.to_string())
        .hint("omit `X-Mission-Id`, or give the id of a mission of this workspace"))
}
