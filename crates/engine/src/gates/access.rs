//! Gate 5: may this caller call it. By name only, before the arguments are looked at, so that a denial is the same
//! whatever they are.

use toolcrib_access::{Caller, Rule, WorkspacePolicy, decide};
use toolcrib_model::AuditDecision;
use toolcrib_registry::Spec;

use super::{early_exit::EarlyExit, lookup::KnownAction};
use crate::{
    base::ActionError,
    catalog::{CallerTools, Catalog, denial},
};

/// A call that this caller may make.
pub struct Permitted {
    action: KnownAction,
}

impl Permitted {
    /// The call.
    pub(super) fn into_action(self) -> KnownAction {
        self.action
    }
}

/// Asks [`decide`]; then a promoted action that was named in the dispatcher is shown the direct way.
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

/// The same decision inside the transaction that changes rows, from what that transaction reads.
pub fn still(caller: &Caller, spec: &Spec, policy: &WorkspacePolicy) -> Result<(), ActionError> {
    let decision = decide(caller, spec, policy);
    if decision.allowed { Ok(()) } else { Err(denial::plain_denial(caller, spec, &decision)) }
}

#[cfg(test)]
mod tests;
