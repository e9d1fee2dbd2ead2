//! Gate 8: whether a person must confirm the call first.

use toolcrib_access::{ApprovalMode, WorkspacePolicy};
use toolcrib_model::{AuditDecision, ErrorCode, GrantedBy};
use toolcrib_registry::{ActionKind, ConfirmationLevel, Level, Spec, sorted_and_digest};
use toolcrib_store::{Tx, confirmations::RequestedCall};

use super::{
    arguments::{Resolved, holds},
    early_exit::EarlyExit,
    lookup::FoundCall,
    session_grant,
};
use crate::{
    base::{ActionError, ApprovalBinding, CallContext, CallFacts, Stage},
    events::emit::AwaitingCall,
    grants::Grants,
};

/// A call that waits for a confirmation.
pub struct ConfirmationRequest {
    pub resolved: Resolved,
    arguments: String,
    digest: String,
    pub level: ConfirmationLevel,
}

impl ConfirmationRequest {
    fn exit(resolved: &Resolved, level: ConfirmationLevel) -> EarlyExit {
        let (arguments, digest) = sorted_and_digest(&resolved.call().facts().arguments);
        EarlyExit::Confirm(Box::new(Self { resolved: resolved.clone(), arguments, digest, level }))
    }

    pub fn call(&self) -> &FoundCall {
        self.resolved.call()
    }

    /// Returns whether an approval of this record of the same call could run it.
    pub fn is_recorded_by(&self, record: &RequestedCall) -> bool {
        is_same_definition(&self.resolved, record) && is_same_target(&self.resolved, record)
    }

    /// Returns the caller, action and target of the call.
    pub fn facts(&self) -> &CallFacts {
        self.resolved.call().facts()
    }

    /// Returns the call with what its events and notifications need.
    pub fn for_events<'q>(&'q self, approve_url: &'q str) -> AwaitingCall<'q> {
        let (policy, permission) = (self.call().policy(), &self.call().spec().permission);
        AwaitingCall { facts: self.facts(), policy, permission, approve_url }
    }

    /// Returns the resolved arguments: their JSON with sorted keys, and its digest.
    pub fn arguments(&self) -> (&str, &str) {
        (&self.arguments, &self.digest)
    }
}

/// Returns what permits the call: `auto`, `session` or `user`. Ends a call that needs a confirmation. Determines the
/// level before it reads the session grants, so that no grant replaces a confirmation that is required each time.
pub(super) async fn check(
    context: &CallContext,
    grants: &dyn Grants,
    tx: &mut Tx,
    resolved: &Resolved,
) -> Result<GrantedBy, EarlyExit> {
    let call = resolved.call();
    let level = level(call.spec(), call.policy(), &call.facts().arguments);
    if let Some(approval) = &context.confirmation {
        return check_approval(approval, level, resolved);
    }
    // A call that has nothing to do asks nobody.
    if level == ConfirmationLevel::None || resolved.already().is_some() {
        return Ok(GrantedBy::Auto);
    }
    if session_grant::passes(grants, tx, context.now, call, level).await {
        return Ok(GrantedBy::Session);
    }
    Err(ConfirmationRequest::exit(resolved, level))
}

/// Why a confirmation of an action that has another definition now is void.
pub(crate) const ACTION_CHANGED: &str =
    "the action's definition changed meanwhile, or its pack or toolset was switched off";

fn is_same_definition(resolved: &Resolved, shown: &RequestedCall) -> bool {
    resolved.call().definition() == shown.schema_digest
}

fn is_same_target(resolved: &Resolved, shown: &RequestedCall) -> bool {
    let target = resolved.target();
    target.id == shown.target_id
        && target.shown_label() == shown.target_label.as_deref()
        && target.version == shown.target_version
        && resolved.upstream_target() == shown.upstream_target.as_deref()
}

/// Checks that an approved confirmation still matches the call. An edited call becomes a new confirmation
/// request.
fn check_approval(
    approval: &ApprovalBinding,
    level: ConfirmationLevel,
    resolved: &Resolved,
) -> Result<GrantedBy, EarlyExit> {
    if approval.stage == Stage::Edit {
        return Err(ConfirmationRequest::exit(resolved, level));
    }
    let same_schema = is_same_definition(resolved, &approval.call);
    let same_target = is_same_target(resolved, &approval.call);
    let enough = level <= approval.level;
    if same_schema && same_target && enough {
        return Ok(GrantedBy::User);
    }
    let what = match (same_schema, same_target) {
        (false, _) => ACTION_CHANGED,
        (_, false) => "the target changed",
        _ => "the call now needs a stricter confirmation",
    };
    let error = ActionError::new(ErrorCode::Void, what);
    Err(resolved.call().refuse(error, AuditDecision::Denied, "void"))
}

/// Returns the effective level: the maximum of the action's own level, the workspace's approval mode, the parameters
/// that raise it, and `simple` for standing work that this service runs.
pub fn level(spec: &Spec, policy: &WorkspacePolicy, arguments: &serde_json::Value) -> ConfirmationLevel {
    if spec.kind == ActionKind::Operation {
        return ConfirmationLevel::None;
    }
    let mode = match policy.approval_mode {
        ApprovalMode::ConfirmWrites if spec.level >= Level::Write => ConfirmationLevel::Simple,
        _ => ConfirmationLevel::None,
    };
    let standing =
        if policy.runs_standing_work(spec) { ConfirmationLevel::Simple } else { ConfirmationLevel::None };
    let floor =
        if spec.level == Level::Destructive { ConfirmationLevel::Simple } else { ConfirmationLevel::None };
    let raised =
        spec.escalations.iter().filter(|e| holds(&e.when, arguments.get(&*e.parameter))).map(|e| e.level);
    raised.chain([spec.confirmation, mode, standing, floor]).max().unwrap_or(ConfirmationLevel::Typed)
}

#[cfg(test)]
mod tests;
