//! Gate 5: whether the caller may call the action. Depends on the action only and not on the arguments, so
//! that a denial does not reveal anything about them. With it a call has passed gates 3 to 5 ([`Permitted`]).

use toolcrib_access::{AccessFacts, Caller, Rule, WorkspacePolicy, decide};
use toolcrib_model::AuditDecision;
use toolcrib_registry::Spec;
use toolcrib_store::AccessRow;

use super::{early_exit::EarlyExit, lookup::FoundCall};
use crate::{base::ActionError, caller::CallerClaims, catalog::denial};

/// A call that a member of the workspace makes, of an action that they may call.
pub struct Permitted {
    call: FoundCall,
}

impl Permitted {
    pub(super) fn into_call(self) -> FoundCall {
        self.call
    }
}

/// Decides whether the caller may call the action: gate 5. Refuses a call that [`decide`] denies.
pub fn permit(call: FoundCall) -> Result<Permitted, EarlyExit> {
    let decision = decide(&call.facts().caller, call.spec(), call.policy());
    if decision.allowed {
        return Ok(Permitted { call });
    }
    let error = denial::denial(&call.tools(), call.spec(), &decision);
    Err(call.refuse(error, AuditDecision::Denied, decision.reason.map_or("denied", Rule::as_str)))
}

/// Repeats the access decision with what the transaction of a write, or of a page of an export, reads.
pub fn recheck(caller: &Caller, spec: &Spec, policy: &WorkspacePolicy) -> Result<(), ActionError> {
    let facts = AccessFacts::of(caller, policy);
    let decision = facts.decide(spec);
    if decision.allowed { Ok(()) } else { Err(denial::plain_denial(&facts, spec, &decision)) }
}

impl CallerClaims {
    /// Repeats gates 3 and 5 with what the writing transaction reads.
    pub(crate) fn recheck_access(
        &self,
        access: Option<&AccessRow>,
        call: &FoundCall,
    ) -> Result<(), EarlyExit> {
        let (caller, policy) = self.caller(access)?;
        let is_declared = call.catalog().declared(&call.spec().name).is_some();
        if is_declared && policy.toolset_version != call.policy().toolset_version {
            return Err(EarlyExit::Retry);
        }
        recheck(&caller, call.spec(), &policy)
            .map_err(|error| call.refuse(error, AuditDecision::Denied, "role"))
    }
}

#[cfg(test)]
mod tests;
