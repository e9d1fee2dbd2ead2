//! Resolves the mission of a field.

use toolcrib_access::{Caller, Principal};
use toolcrib_engine::prelude::*;
use toolcrib_store::{Tx, missions};

/// Returns the given mission, or else the caller's own. An agent that works in a mission may not use the
/// field of another mission. 404 if the workspace has no such mission.
pub async fn mission(tx: &mut Tx, caller: &Caller, named: Option<Id>) -> Result<Id, ActionError> {
    let mission = resolve(caller, named)?;
    if missions::get(tx, mission).await?.is_some() {
        return Ok(mission);
    }
    Err(ActionError::not_found("mission", &mission.to_string())
        .hint("list missions with `platform_list_missions`"))
}

fn resolve(caller: &Caller, named: Option<Id>) -> Result<Id, ActionError> {
    match (caller.principal, named, caller.mission) {
        (Principal::Agent { .. }, Some(named), Some(own)) if named != own => Err(ActionError::new(
            ErrorCode::PermissionDenied,
            "`mission` is not the mission that this agent works in",
        )
        .hint("omit `mission`")),
        (_, Some(mission), _) | (_, None, Some(mission)) => Ok(mission),
        (_, None, None) => Err(ActionError::invalid(
            "/mission",
            "required",
            "is required, because this caller works in no mission",
        )
        .hint("list missions with `platform_list_missions`")),
    }
}
