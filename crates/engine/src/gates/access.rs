//! Gate 5: whether the caller may call the action. Depends on the action only and not on the arguments, so
//! that a denial does not reveal anything about them. With it a call has passed gates 3 to 5 ([`Permitted`]).

use toolcrib_access::{AccessFacts, Caller, Rule, WorkspacePolicy, decide};
use toolcrib_model::AuditDecision;
use toolcrib_registry::Spec;
use toolcrib_store::Tx;

use super::{
    GateDependencies,
    early_exit::EarlyExit,
    lookup::{self, KnownAction},
    membership,
    parse::Parsed,
};
use crate::{
    base::{ActionError, CallContext},
    caller::ClaimedCaller,
    catalog::denial,
};

/// A call that a member of the workspace makes, of an action that they may call.
pub struct Permitted {
    action: KnownAction,
}

impl Permitted {
    /// Returns the call.
    pub(super) fn into_action(self) -> KnownAction {
        self.action
    }
}

/// Finds caller and action: gates 3 and 4.
pub async fn find(
    dependencies: GateDependencies<'_>,
    context: &CallContext,
    tx: &mut Tx,
    parsed: Parsed,
    claimed: ClaimedCaller<'_>,
) -> Result<KnownAction, EarlyExit> {
    let (caller, policy) = membership::authorize(claimed, tx).await?;
    if context.names_mission {
        membership::check_mission(tx, &caller).await?;
    }
    let catalog = dependencies.catalogs.of(tx, policy.toolset_version).await?;
    lookup::find(catalog.for_surface(context.surface), context, &parsed, (caller, policy))
}

/// Decides whether the caller may call the action: gate 5.
pub fn permit(action: KnownAction) -> Result<Permitted, EarlyExit> {
    check(&action)?;
    Ok(Permitted { action })
}

/// Refuses a call that [`decide`] denies.
fn check(action: &KnownAction) -> Result<(), EarlyExit> {
    let decision = decide(&action.subject().caller, action.spec(), action.policy());
    if decision.allowed {
        return Ok(());
    }
    let error = denial::denial(&action.tools(), action.spec(), &decision);
    Err(action.refuse(error, AuditDecision::Denied, decision.reason.map_or("denied", Rule::as_str)))
}

/// Repeats the access decision with what the transaction of a write, or of a page of an export, reads.
pub fn recheck(caller: &Caller, spec: &Spec, policy: &WorkspacePolicy) -> Result<(), ActionError> {
    let facts = AccessFacts::of(caller, policy);
    let decision = facts.decide(spec);
    if decision.allowed { Ok(()) } else { Err(denial::plain_denial(&facts, spec, &decision)) }
}

#[cfg(test)]
mod tests;
