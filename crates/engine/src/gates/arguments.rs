//! Gate 6: validates the arguments against the published schema, replaces references with ids and finds the target. With it
//! a call has passed gates 6 and 7 ([`Resolved`]).

use std::sync::Arc;

use serde_json::Value;
use toolcrib_access::{Caller, WorkspacePolicy, decide};
use toolcrib_model::{AuditDecision, ErrorCode};
use toolcrib_registry::{ActionKind, Condition, Spec};
use toolcrib_store::Tx;

use super::{
    GateDependencies,
    access::Permitted,
    early_exit::EarlyExit,
    idempotency::{self, Key},
    lookup::KnownAction,
    repair,
};
use crate::{
    base::{ActionError, AlreadyTrue, CallContext, large},
    catalog::{
        ReadCx,
        action::{ActionRunner, Target},
    },
    upstream_requests::{self, Runner},
};

/// A call whose arguments are valid and resolved, and that has no stored response.
#[derive(Clone)]
pub struct Resolved {
    action: KnownAction,
    target: Target,
    key: Option<Key>,
    runner: Option<Arc<dyn Runner>>,
    upstream_target: Option<String>,
}

impl Resolved {
    /// Returns the call, with resolved arguments.
    pub fn action(&self) -> &KnownAction {
        &self.action
    }

    pub(super) fn action_mut(&mut self) -> &mut KnownAction {
        &mut self.action
    }

    /// Returns the target of the call.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Returns the idempotency key of the call, bound to the arguments as received.
    pub fn key(&self) -> Option<&Key> {
        self.key.as_ref()
    }

    /// Returns who runs a call that runs elsewhere.
    pub fn runner(&self) -> Option<&Arc<dyn Runner>> {
        self.runner.as_ref()
    }

    pub(super) fn runner_mut(&mut self) -> &mut Option<Arc<dyn Runner>> {
        &mut self.runner
    }

    /// Returns the output of an effect that is there already.
    pub fn already(&self) -> Option<&AlreadyTrue> {
        self.runner.as_ref()?.effect()?.resolution.as_ref()?.already.as_ref()
    }

    /// Returns the target that the upstream gave, with its version.
    pub fn upstream_target(&self) -> Option<&str> {
        self.upstream_target.as_deref()
    }
}

/// Validates the arguments against the published schema, then replaces references with ids and finds the target. Gate 7 runs
/// in between, so that a repeated call gets its stored response even if its target was created or deleted since.
pub async fn resolve(
    dependencies: GateDependencies<'_>,
    context: &CallContext,
    tx: &mut Tx,
    permitted: Permitted,
) -> Result<Resolved, EarlyExit> {
    let mut action = permitted.into_action();
    let key = idempotency::key(context, &action);
    check(&mut action)?;
    if let Some(key) = &key {
        idempotency::check(context, tx, &action, key).await?;
    }
    let target = find_target(dependencies, context, tx, &mut action).await?;
    let runner = runner(tx, &action).await?.map(|runner| match &context.upstream_target {
        Some(target) => runner.with_target(target),
        None => runner,
    });
    let upstream_target = context.upstream_target.as_ref().map(|target| target.binding.clone());
    Ok(Resolved { action, target, key, runner, upstream_target })
}

/// Validates the arguments and checks the permissions of parameters.
fn check(action: &mut KnownAction) -> Result<(), EarlyExit> {
    let bytes = large::weight(&action.subject().arguments);
    if let Err(error) = large::compute_large(bytes, || repair::validate(action)) {
        let reason = if error.code == ErrorCode::UnknownAction { "unknown_action" } else { "arguments" };
        return Err(action.refuse(error, AuditDecision::Invalid, reason));
    }
    parameter_permissions(&action.subject().caller, action.spec(), &action.subject().arguments)
        .map_err(|error| action.refuse(error, AuditDecision::Denied, "parameter"))
}

/// Replaces references with ids and finds the target.
async fn find_target(
    dependencies: GateDependencies<'_>,
    context: &CallContext,
    tx: &mut Tx,
    action: &mut KnownAction,
) -> Result<Target, EarlyExit> {
    let found = loop {
        match target(dependencies, context, tx, action).await {
            Err(error) if repair::respell(action, &error) => {}
            found => break found,
        }
    };
    let (arguments, target) = found.map_err(|error| not_found(action, error))?;
    let creates = target.id.is_none() && action.spec().kind == ActionKind::Operation;
    let subject = action.subject_mut();
    subject.target = (!target.label.is_empty()).then(|| target.label.clone());
    subject.creates = creates;
    subject.arguments = arguments;
    Ok(target)
}

/// Ends a call whose arguments can't be resolved.
fn not_found(action: &KnownAction, error: ActionError) -> EarlyExit {
    let error = repair::without_nothing(action, error);
    let (decision, reason) = match error.code {
        code if code.status() >= 500 => return EarlyExit::Unaudited(error),
        ErrorCode::NotFound => (AuditDecision::Invalid, "not_found"),
        ErrorCode::PermissionDenied | ErrorCode::InsufficientScope => (AuditDecision::Denied, "rights"),
        _ => (AuditDecision::Invalid, "arguments"),
    };
    action.refuse(error, decision, reason)
}

async fn target(
    dependencies: GateDependencies<'_>,
    context: &CallContext,
    tx: &mut Tx,
    action: &KnownAction,
) -> Result<(Value, Target), ActionError> {
    let mut arguments = action.subject().arguments.clone();
    if let Some(tool) = action.catalog().declared(&action.spec().name) {
        let target = tool.target(action.meta(), &mut arguments, context.upstream_target.as_ref());
        return Ok((arguments, target));
    }
    let runner = match action.catalog().runner(&action.spec().name) {
        Some(ActionRunner::Write(runner)) => runner,
        Some(ActionRunner::Effect(_)) => return Ok((arguments, effect_target(context))),
        _ => return Ok((arguments, Target::default())),
    };
    let (caller, policy) = (&action.subject().caller, action.policy());
    let (tools, GateDependencies { limiter, grants, .. }) = (action.tools(), dependencies);
    let mut cx = ReadCx { caller, policy, now: context.now, tx, tools, limiter, grants };
    runner.resolve(&mut cx, arguments).await
}

/// Returns the target of an effect, as its service gave it; empty before it was asked.
fn effect_target(context: &CallContext) -> Target {
    let Some(found) = &context.upstream_target else { return Target::default() };
    let detail = found.effect.as_ref().and_then(|effect| effect.detail.clone());
    Target { label: found.label.clone(), detail, ..Target::default() }
}

/// Returns who runs a call that runs elsewhere, before a person is asked.
async fn runner(tx: &mut Tx, action: &KnownAction) -> Result<Option<Arc<dyn Runner>>, EarlyExit> {
    upstream_requests::prepare(tx, action.of_upstream()).await.map_err(|error| match error.code {
        ErrorCode::ConnectorNotConfigured => action.refuse(error, AuditDecision::Invalid, "not_configured"),
        code if code.status() >= 500 => EarlyExit::Unaudited(error),
        _ => action.refuse(error, AuditDecision::Invalid, "arguments"),
    })
}

fn parameter_permissions(caller: &Caller, spec: &Spec, arguments: &Value) -> Result<(), ActionError> {
    for rule in spec.param_permissions.iter() {
        let as_needed = Spec { permission: rule.permission.clone(), ..spec.clone() };
        if holds(&rule.when, arguments.get(&*rule.parameter))
            && !decide(caller, &as_needed, &WorkspacePolicy::default()).allowed
        {
            let detail =
                format!("the parameter `{}` needs the permission `{}`", rule.parameter, rule.permission);
            return Err(ActionError::new(ErrorCode::PermissionDenied, detail)
                .hint(format!("omit `{}`, or ask a workspace admin", rule.parameter)));
        }
    }
    Ok(())
}

/// Returns whether the value of a parameter meets a condition.
pub fn holds(when: &Condition, value: Option<&Value>) -> bool {
    match when {
        Condition::Present => value.is_some(),
        Condition::IsTrue => value == Some(&Value::Bool(true)),
        Condition::Equals(word) => value.and_then(Value::as_str) == Some(word),
    }
}
