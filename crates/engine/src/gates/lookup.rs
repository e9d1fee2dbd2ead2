//! Gate 4: finds the action, also inside a call of the dispatcher. [`find_caller_and_action`] runs
//! gate 3 before it.

use std::{borrow::Cow, sync::Arc};

use serde_json::Value;
use toolcrib_access::{Caller, WorkspacePolicy};
use toolcrib_model::{AuditDecision, Via};
use toolcrib_registry::ActionMeta;
use toolcrib_store::Tx;

use super::{
    GateDependencies,
    dispatch::{self, Dispatch, DispatchedCall, Guess},
    early_exit::{EarlyExit, Refusal},
    membership,
    parse::Parsed,
};
use crate::{
    base::{ActionError, CallContext, CallFacts},
    caller::ClaimsWithAccess,
    catalog::{CallerTools, Catalog, denial},
    upstream_requests::{CallOfUpstream, NoSession},
};

/// A call whose caller and action were found.
#[derive(Clone)]
pub struct FoundCall {
    facts: CallFacts,
    meta: Arc<ActionMeta>,
    catalog: Arc<Catalog>,
    policy: WorkspacePolicy,
    /// See [`Self::guess`].
    guess: Option<Guess>,
    /// See [`Self::is_lenient`].
    lenient: bool,
}

/// Finds caller and action: gates 3 and 4.
pub async fn find_caller_and_action(
    dependencies: GateDependencies<'_>,
    context: &CallContext,
    tx: &mut Tx,
    parsed: Parsed,
    claimed: ClaimsWithAccess<'_>,
) -> Result<FoundCall, EarlyExit> {
    let (caller, policy) = membership::authorize(claimed, tx).await?;
    if context.names_mission {
        membership::check_mission(tx, &caller).await?;
    }
    let catalog = dependencies.catalogs.of(tx, policy.toolset_version).await?;
    find_action(catalog.for_surface(context.surface), context, &parsed, caller, policy)
}

/// Finds the action. The error for an unknown name suggests similar names that the caller may call. A name that is only
/// similar to that of an action which the caller may not call is unknown.
fn find_action(
    catalog: Arc<Catalog>,
    context: &CallContext,
    parsed: &Parsed,
    caller: Caller,
    policy: WorkspacePolicy,
) -> Result<FoundCall, EarlyExit> {
    let dispatch = dispatch::resolve_dispatch(&catalog, context, parsed);
    let via = context.confirmation.as_ref().map_or(dispatch.via(), |_| Via::Confirmation);
    let tools = CallerTools::new(&catalog, &caller, &policy);
    let refuse = |name: &str, error: ActionError, reason| {
        let facts = CallFacts::new(caller.clone(), name, None);
        let facts = CallFacts { via, arguments: parsed.arguments().clone(), ..facts };
        let refusal = Refusal::not_run(error, AuditDecision::Invalid, reason, facts);
        Err(EarlyExit::Refused(Box::new(refusal)))
    };
    let unknown = |name: &str, arguments: &Value| {
        let error = denial::unknown(&tools, name, Some((arguments, via)));
        let start: String = name.chars().take(120).collect();
        refuse(&start, error, "unknown_action")
    };
    let DispatchedCall { meta, arguments, repaired, guess, .. } = match dispatch {
        Dispatch::Action(call) => call,
        Dispatch::Unknown { name, arguments, .. } => return unknown(&name, &arguments),
        Dispatch::Malformed(dispatcher, error) => return refuse(dispatcher.as_str(), *error, "dispatcher"),
    };
    if let Some(Guess::Name(name)) = &guess
        && !tools.decide(&meta).allowed
    {
        return unknown(name, &arguments);
    }
    // The empty pointer is the whole text.
    let repaired = Vec::from_iter(repaired.then(String::new));
    let facts = CallFacts::new(caller, &meta.spec.name, Some(&meta));
    let facts = CallFacts { via, arguments, repaired, ..facts };
    let lenient = context.is_from_model() || via == Via::Dispatcher;
    Ok(FoundCall { facts, meta, catalog, policy, guess, lenient })
}

impl NoSession {
    /// Ends the call, or has it looked up again.
    pub fn exit(self, call: &FoundCall) -> EarlyExit {
        match self {
            Self::Changed => EarlyExit::Retry,
            Self::Drifted(error) => call.refuse(error, AuditDecision::Denied, "enabled"),
            Self::Failed(error) => call.refuse(error, AuditDecision::Invalid, "session"),
        }
    }
}

impl FoundCall {
    /// Returns caller, name, arguments and target of the call.
    pub fn facts(&self) -> &CallFacts {
        &self.facts
    }

    /// Returns the same for the gates that change it: they coerce and resolve the arguments and find the
    /// target.
    pub(super) fn facts_mut(&mut self) -> &mut CallFacts {
        &mut self.facts
    }

    /// Returns the part of the call that was guessed.
    pub(super) fn guess(&self) -> Option<&Guess> {
        self.guess.as_ref()
    }

    /// Returns whether the arguments are repaired where their meaning is certain: in calls of models, and in calls
    /// through the dispatcher.
    pub(super) fn is_lenient(&self) -> bool {
        self.lenient
    }

    /// Returns the declaration of the action.
    pub fn spec(&self) -> &toolcrib_registry::Spec {
        &self.meta.spec
    }

    /// Returns what confirmations and grants are bound to; see [`definition`].
    pub fn definition(&self) -> Cow<'_, str> {
        definition(&self.meta, &self.policy)
    }

    /// Returns the catalogue of the workspace in which the action was found.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Returns what the request to an upstream needs of the call.
    pub fn of_upstream(&self) -> CallOfUpstream<'_> {
        let CallFacts { caller, arguments, .. } = &self.facts;
        CallOfUpstream { catalog: &self.catalog, caller, meta: &self.meta, arguments }
    }

    pub fn tools(&self) -> CallerTools<'_> {
        CallerTools::new(&self.catalog, &self.facts.caller, &self.policy)
    }

    pub fn policy(&self) -> &WorkspacePolicy {
        &self.policy
    }

    pub fn meta(&self) -> &Arc<ActionMeta> {
        &self.meta
    }

    /// Ends the call with an audited refusal.
    pub(crate) fn refuse(
        &self,
        error: ActionError,
        decision: AuditDecision,
        reason: &'static str,
    ) -> EarlyExit {
        EarlyExit::Refused(Box::new(self.refusal(error, decision, reason)))
    }

    pub(super) fn refusal(
        &self,
        error: ActionError,
        decision: AuditDecision,
        reason: &'static str,
    ) -> Refusal {
        Refusal::not_run(error, decision, reason, self.facts.clone())
    }
}

/// Returns what confirmations and grants are bound to: the action's definition, and for an action of a pack since when the
/// pack is on, so that nothing which was open when it was switched off comes back.
pub(crate) fn definition<'m>(meta: &'m ActionMeta, policy: &WorkspacePolicy) -> Cow<'m, str> {
    let definition = meta.definition();
    match meta.spec.category.pack().and_then(|pack| policy.packs.since(pack.slug)) {
        Some(version) => format!("{definition}@{version}").into(),
        None => definition.into(),
    }
}
