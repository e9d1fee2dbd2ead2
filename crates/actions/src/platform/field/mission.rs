//! Which mission's field is meant.

use toolcrib_access::{Caller, Principal};
use toolcrib_engine::ActionError;
use toolcrib_model::{ErrorCode, Id};
use toolcrib_store::{Tx, missions};

/// The mission that was named, else the caller's own; never a guess. An agent that works in a mission reaches no
/// other one's field. 404 where the workspace has no such mission.
pub async fn mission(tx: &mut Tx, caller: &Caller, named: Option<Id>) -> Result<Id, ActionError> {
    let mission = meant(caller, named)?;
    if missions::get(tx, mission).await?.is_some() {
        return Ok(mission);
    }
    Err(ActionError::not_found("mission", &mission.to_string()).hint("`platform_list_missions` lists them"))
}

fn meant(caller: &Caller, named: Option<Id>) -> Result<Id, ActionError> {
    match (caller.principal, named, caller.mission) {
        (Principal::Agent { .. }, Some(named), Some(own)) if named != own => Err(ActionError::new(
            ErrorCode::PermissionDenied,
            "the parameter `mission` names another mission than the one this agent works in",
        )
        .hint("leave `mission` out")),
        (_, Some(mission), _) | (_, None, Some(mission)) => Ok(mission),
        (_, None, None) => {
            Err(ActionError::invalid("/mission", "required", "is required: this caller works in no mission")
                .hint("`platform_list_missions` lists them"))
        }
    }
}
