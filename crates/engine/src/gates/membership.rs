//! Gate 3: who calls, and where they stand in the workspace now.

use toolcrib_access::{Caller, WorkspacePolicy};
use toolcrib_store::Standing;

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
