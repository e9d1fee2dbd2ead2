//! Gate 3: who calls, and where they stand in the workspace now.

use toolcrib_access::{Caller, WorkspacePolicy};
use toolcrib_store::{Standing, Tx, missions};

use super::parse::Parsed;
use crate::{ActionError, claimant::Claimant};

/// A caller whose rights were read from the database for this call.
pub struct Admitted {
    pub(super) parsed: Parsed,
    pub(super) caller: Caller,
    pub(super) policy: WorkspacePolicy,
}

/// Joins the claim with what the database says. No such workspace and no membership answer alike.
pub fn admit(
    parsed: Parsed,
    claimant: &Claimant,
    standing: Option<&Standing>,
) -> Result<Admitted, ActionError> {
    let (caller, policy) = claimant.caller(standing)?;
    // From here on the call's log lines are this workspace's: not before, or anybody could write into anybody's log.
    crate::trace::admitted(caller.workspace);
    Ok(Admitted { parsed, caller, policy })
}

/// A mission that the request names is one of this workspace; another workspace's answers like none.
pub async fn know_mission(tx: &mut Tx, admitted: &Admitted) -> Result<(), ActionError> {
    let Some(mission) = admitted.caller.mission else { return Ok(()) };
    if missions::get(tx, mission).await?.is_some() {
        return Ok(());
    }
    Err(ActionError::not_found("mission", &mission.to_string()).hint(
        "leave `X-Mission-Id` out, or name a mission of this workspace; `platform_list_missions` lists them",
    ))
}
