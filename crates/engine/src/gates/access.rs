//! Gate 5: whether the caller may call the action. Depends on the action only and not on the arguments, so
//! that a denial does not reveal anything about them.

use toolcrib_access::{AccessFacts, Caller, Rule, WorkspacePolicy, decide};
use toolcrib_model::AuditDecision;
use toolcrib_registry::Spec;

use super::{early_exit::EarlyExit, lookup::KnownAction};
use crate::{base::ActionError, catalog::denial};

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

/// Refuses a call that [`decide`] denies.
pub fn permit(action: KnownAction) -> Result<Permitted, EarlyExit> {
    let decision = decide(&action.subject().caller, action.spec(), action.policy());
    if !decision.allowed {
        let error = denial::denial(&action.tools(), action.spec(), &decision);
        return Err(action.refuse(
            error,
            AuditDecision::Denied,
            decision.reason.map_or("denied", Rule::as_str),
        ));
    }
    Ok(Permitted { action })
}

/// Repeats the access decision with what the transaction of a write, or of a page of an export, reads.
pub fn recheck(caller: &Caller, spec: &Spec, policy: &WorkspacePolicy) -> Result<(), ActionError> {
    let facts = AccessFacts::of(caller, policy);
    let decision = facts.decide(spec);
    if decision.allowed { Ok(()) } else { Err(denial::plain_denial(&facts, spec, &decision)) }
}

#[cfg(test)]
mod tests;
