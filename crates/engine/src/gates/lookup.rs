//! Gate 4: finds the action, also inside a call of the dispatcher.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_access::{Caller, WorkspacePolicy};
use toolcrib_model::{AuditDecision, Via};
use toolcrib_registry::ActionMeta;

use super::{
    dispatch::{self, Dispatch, DispatchedCall, Guess},
    early_exit::{EarlyExit, Refusal},
    parse::Parsed,
};
use crate::{
    audit::AuditSubject,
    base::{ActionError, CallContext},
    catalog::{CallerTools, Catalog, denial},
    upstream_requests::CallOfUpstream,
};

/// A call whose action is known.
#[derive(Clone)]
pub struct KnownAction {
    subject: AuditSubject,
    meta: Arc<ActionMeta>,
    catalog: Arc<Catalog>,
    policy: WorkspacePolicy,
    /// See [`Self::guess`].
    guess: Option<Guess>,
    /// See [`Self::is_lenient`].
    lenient: bool,
}

/// Finds the action. The error for an unknown name suggests similar names that the caller may call. A name that is only
/// similar to that of an action which the caller may not call is unknown.
pub(super) fn find(
    catalog: Arc<Catalog>,
    context: &CallContext,
    parsed: Parsed,
    (caller, policy): (Caller, WorkspacePolicy),
) -> Result<KnownAction, EarlyExit> {
    let dispatch = dispatch::resolve_dispatch(&catalog, context, &parsed);
    let (_, given) = parsed.into_parts();
    let via = context.confirmation.as_ref().map_or(dispatch.via(), |_| Via::Confirmation);
    let subject = |action: &str, meta: Option<Arc<ActionMeta>>, arguments: Value| AuditSubject {
        caller: caller.clone(),
        action: action.to_owned(),
        meta,
        via,
        arguments,
        target: None,
        creates: false,
        repaired: Vec::new(),
    };
    let tools = CallerTools::new(&catalog, &caller, &policy);
    let unknown = |name: &str, arguments: &Value| {
        let error = denial::unknown(&tools, name, Some((arguments, via)));
        let start: String = name.chars().take(120).collect();
        refuse(subject(&start, None, given.clone()), error, "unknown_action")
    };
    match dispatch {
        Dispatch::Action(DispatchedCall { meta, guess: Some(Guess::Name(name)), arguments, .. })
            if !tools.decide(&meta).allowed =>
        {
            Err(unknown(&name, &arguments))
        }
        Dispatch::Action(DispatchedCall { meta, arguments, repaired, guess, .. }) => Ok(KnownAction {
            subject: AuditSubject {
                repaired: Vec::from_iter(repaired.then(String::new)),
                ..subject(&meta.spec.name, Some(meta.clone()), arguments)
            },
            meta,
            catalog: catalog.clone(),
            guess,
            lenient: context.is_from_model() || via == Via::Dispatcher,
            policy,
        }),
        Dispatch::Unknown { name, arguments, .. } => Err(unknown(&name, &arguments)),
        Dispatch::Malformed(dispatcher, error) => {
            Err(refuse(subject(dispatcher.as_str(), None, given), *error, "dispatcher"))
        }
    }
}

fn refuse(subject: AuditSubject, error: ActionError, reason: &'static str) -> EarlyExit {
    EarlyExit::Refused(Box::new(Refusal::not_run(error, AuditDecision::Invalid, reason, subject)))
}

impl KnownAction {
    /// Returns the caller, action and target of the call.
    pub fn subject(&self) -> &AuditSubject {
        &self.subject
    }

    /// Returns the same for the gates that change it: they coerce and resolve the arguments and find the
    /// target.
    pub(super) fn subject_mut(&mut self) -> &mut AuditSubject {
        &mut self.subject
    }

    /// Returns what of the call is only likely.
    pub(super) fn guess(&self) -> Option<&Guess> {
        self.guess.as_ref()
    }

    /// Returns whether a model made the call. Its arguments are then repaired if their meaning is certain.
    pub(super) fn is_lenient(&self) -> bool {
        self.lenient
    }

    /// Returns the declaration of the action.
    pub fn spec(&self) -> &toolcrib_registry::Spec {
        &self.meta.spec
    }

    /// Returns the catalogue of the workspace in which the action was found.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// Returns what the request to an upstream needs of the call.
    pub fn of_upstream(&self) -> CallOfUpstream<'_> {
        CallOfUpstream::new(&self.catalog, &self.subject, &self.meta)
    }

    pub fn tools(&self) -> CallerTools<'_> {
        CallerTools::new(&self.catalog, &self.subject.caller, &self.policy)
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

    /// Makes the refusal of the call.
    pub(super) fn refusal(
        &self,
        error: ActionError,
        decision: AuditDecision,
        reason: &'static str,
    ) -> Refusal {
        Refusal::not_run(error, decision, reason, self.subject.clone())
    }
}
