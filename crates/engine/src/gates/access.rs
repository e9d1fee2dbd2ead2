//! Gate 5: whether the caller may call the action. Depends on the action only and not on the arguments, so
//! that a denial does not reveal anything about them.

use toolcrib_access::{Caller, Rule, WorkspacePolicy, decide};
use toolcrib_model::AuditDecision;
use toolcrib_registry::Spec;

use super::{early_exit::EarlyExit, lookup::KnownAction};
use crate::{
    base::ActionError,
    catalog::{CallerTools, Catalog, denial},
};

/// A call that the caller is allowed to make.
pub struct Permitted {
    action: KnownAction,
}

impl Permitted {
    /// Returns the call.
    pub(super) fn into_action(self) -> KnownAction {
        self.action
    }
}

/// Refuses a call that [`decide`] denies. Then refuses a promoted action that was called through the
/// dispatcher, with the direct call as hint.
pub fn permit(catalog: &Catalog, found: KnownAction) -> Result<Permitted, EarlyExit> {
    let decision = decide(&found.subject().caller, found.spec(), found.policy());
    if !decision.allowed {
        let tools = CallerTools::new(catalog, &found.subject().caller, found.policy());
        let error = denial::denial(&tools, &found.subject().caller, found.spec(), &decision);
        return Err(found.refuse(
            error,
            AuditDecision::Denied,
            decision.reason.map_or("denied", Rule::as_str),
        ));
    }
    if found.is_misdirected() {
        let name = found.spec().name;
        let mut error = ActionError::invalid(
            "/action",
            "promoted",
            format!("`{name}` has a tool of its own; call it directly"),
        )
        .hint(format!("call the tool `{name}` with these parameters"));
        error.call = Some(found.direct_call());
        return Err(found.refuse(error, AuditDecision::Invalid, "promoted"));
    }
    Ok(Permitted { action: found })
}

/// Repeats the access decision with what the writing transaction reads.
pub fn still(caller: &Caller, spec: &Spec, policy: &WorkspacePolicy) -> Result<(), ActionError> {
    let decision = decide(caller, spec, policy);
    if decision.allowed { Ok(()) } else { Err(denial::plain_denial(caller, spec, &decision)) }
}

#[cfg(test)]
mod tests;
