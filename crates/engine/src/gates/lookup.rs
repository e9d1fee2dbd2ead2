//! Gate 4: finds the action, also inside a call of the dispatcher.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_access::WorkspacePolicy;
use toolcrib_model::{AuditDecision, Surface, Via};
use toolcrib_registry::{ActionKind, ActionMeta, DISPATCHER, direct_call_hint};

use super::{
    dispatch::{self, Dispatch},
    early_exit::{EarlyExit, Refusal},
    membership::Admitted,
};
use crate::{
    audit::AuditSubject,
    base::{ActionError, CallContext},
    catalog::{CallerTools, Catalog, denial},
};

/// A call whose action is known.
#[derive(Clone)]
pub struct KnownAction {
    subject: AuditSubject,
    meta: Arc<ActionMeta>,
    policy: WorkspacePolicy,
    /// See [`Self::is_misdirected`].
    misdirected: bool,
    /// See [`Self::is_lenient`].
    lenient: bool,
}

/// Finds the action. The error for an unknown name suggests similar names that the caller may call.
pub fn find(catalog: &Catalog, context: &CallContext, admitted: Admitted) -> Result<KnownAction, EarlyExit> {
    let (parsed, caller, policy) = admitted.into_parts();
    let (name, given) = parsed.into_parts();
    let dispatch = dispatch::resolve_dispatch(catalog, context, &name, &given);
    let via = context.confirmation.as_ref().map_or(dispatch.via(), |_| Via::Confirmation);
    let subject = |action: &str, meta: Option<Arc<ActionMeta>>, arguments: Value| AuditSubject {
        caller: caller.clone(),
        action: action.to_owned(),
        meta,
        via,
        arguments,
        target: None,
        creates: false,
    };
    match dispatch {
        Dispatch::Action { meta, arguments, anywhere, .. } => Ok(KnownAction {
            subject: subject(meta.spec.name, Some(meta.clone()), arguments),
            misdirected: !anywhere && CallerTools::new(catalog, &caller, &policy).promoted(&meta),
            meta,
            policy,
            lenient: context.tool_call.is_some() || context.surface == Surface::Mcp,
        }),
        Dispatch::Unknown { name, .. } => {
            let error = denial::unknown(&CallerTools::new(catalog, &caller, &policy), &name);
            let name: String = name.chars().take(120).collect();
            Err(refuse(subject(&name, None, given), error, "unknown_action"))
        }
        Dispatch::Malformed(error) => Err(refuse(subject(DISPATCHER, None, given), *error, "dispatcher")),
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

    /// Returns the subject and the workspace policy.
    pub(super) fn into_parts(self) -> (AuditSubject, WorkspacePolicy) {
        (self.subject, self.policy)
    }

    /// Returns whether a promoted action was called through the dispatcher. Refused after the access
    /// decision, with the direct call as hint.
    pub(super) fn is_misdirected(&self) -> bool {
        self.misdirected
    }

    /// Returns whether the call came from a model. Arguments of a wrong type are then coerced if this is
    /// safe.
    pub(super) fn is_lenient(&self) -> bool {
        self.lenient
    }

    /// Returns the declaration of the action.
    pub fn spec(&self) -> &toolcrib_registry::Spec {
        &self.meta.spec
    }

    /// Returns the workspace policy.
    pub fn policy(&self) -> &WorkspacePolicy {
        &self.policy
    }

    /// Returns the action.
    pub fn meta(&self) -> &Arc<ActionMeta> {
        &self.meta
    }

    /// Ends the call with an audited refusal.
    pub(crate) fn refuse(
        self,
        error: ActionError,
        decision: AuditDecision,
        reason: &'static str,
    ) -> EarlyExit {
        EarlyExit::Refused(Box::new(Refusal::not_run(error, decision, reason, self.subject)))
    }

    /// Returns the equivalent direct call, for a hint.
    pub(super) fn direct_call(&self) -> Value {
        direct_call_hint(&self.meta, &self.subject.arguments)
    }

    /// Returns whether the action is a tool.
    pub(super) fn is_tool(&self) -> bool {
        self.meta.spec.kind == ActionKind::Tool
    }
}
