//! Gate 6: validates the arguments against the published schema, replaces references with ids and finds the target.
//! With it a call has passed gates 6 and 7 ([`Resolved`]).

use std::sync::Arc;

use serde_json::Value;
use toolcrib_access::decide;
use toolcrib_model::{AuditDecision, ErrorCode};
use toolcrib_registry::{ActionKind, ArgError, Condition, Spec};
use toolcrib_store::Tx;

use super::{
    GateDependencies,
    access::Permitted,
    early_exit::EarlyExit,
    idempotency::{self, Key},
    lookup::FoundCall,
    repair,
};
use crate::{
    base::{ActionError, CallContext, Done, large},
    catalog::{
        ReadCx,
        action::{ActionRunner, Target},
    },
    upstream_requests::{self, Runner},
};

/// A call whose arguments are valid and resolved, and that has no stored response.
#[derive(Clone)]
pub struct Resolved {
    call: FoundCall,
    target: Target,
    key: Option<Key>,
    upstream_runner: Option<Arc<dyn Runner>>,
    upstream_target: Option<String>,
}

impl Resolved {
    /// Returns the call, with resolved arguments.
    pub fn call(&self) -> &FoundCall {
        &self.call
    }

    pub(super) fn call_mut(&mut self) -> &mut FoundCall {
        &mut self.call
    }

    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Returns the idempotency key of the call, bound to the arguments as received.
    pub fn key(&self) -> Option<&Key> {
        self.key.as_ref()
    }

    /// Returns who runs a call that runs elsewhere.
    pub fn upstream_runner(&self) -> Option<&Arc<dyn Runner>> {
        self.upstream_runner.as_ref()
    }

    pub(super) fn upstream_runner_mut(&mut self) -> &mut Option<Arc<dyn Runner>> {
        &mut self.upstream_runner
    }

    /// Returns the output of an effect that is there already.
    pub fn already(&self) -> Option<&Done> {
        self.upstream_runner.as_ref()?.effect()?.resolution.as_ref()?.already.as_ref()
    }

    /// Returns the target that the upstream gave, with its version.
    pub fn upstream_target(&self) -> Option<&str> {
        self.upstream_target.as_deref()
    }
}

/// Validates the arguments against the published schema, then replaces references with ids and finds the target. Gate 7
/// runs in between, so that a repeated call gets its stored response even if its target was created or deleted since.
pub async fn resolve(
    dependencies: GateDependencies<'_>,
    context: &CallContext,
    tx: &mut Tx,
    permitted: Permitted,
) -> Result<Resolved, EarlyExit> {
    let mut call = permitted.into_call();
    let key = idempotency::key(context, &call);
    check(&mut call)?;
    if let Some(key) = &key {
        idempotency::check(context, tx, &call, key).await?;
    }
    let target = find_target(dependencies, context, tx, &mut call).await?;
    let upstream_runner = upstream_runner(tx, &call).await?.map(|runner| match &context.upstream_target {
        Some(target) => runner.with_target(target),
        None => runner,
    });
    let upstream_target = context.upstream_target.as_ref().map(|target| target.binding.clone());
    Ok(Resolved { call, target, key, upstream_runner, upstream_target })
}

/// Validates the arguments and checks the permissions of parameters.
fn check(call: &mut FoundCall) -> Result<(), EarlyExit> {
    let bytes = large::weight(&call.facts().arguments);
    if let Err(error) = large::compute_large(bytes, || repair::validate(call)) {
        let reason = if error.code == ErrorCode::UnknownAction { "unknown_action" } else { "arguments" };
        return Err(call.refuse(error, AuditDecision::Invalid, reason));
    }
    parameter_permissions(call).map_err(|error| call.refuse(error, AuditDecision::Denied, "parameter"))
}

/// Replaces references with ids and finds the target.
async fn find_target(
    dependencies: GateDependencies<'_>,
    context: &CallContext,
    tx: &mut Tx,
    call: &mut FoundCall,
) -> Result<Target, EarlyExit> {
    let found = loop {
        match target(dependencies, context, tx, call).await {
            Err(error) if repair::respell(call, &error) => {}
            found => break found,
        }
    };
    let (arguments, target) = found.map_err(|error| not_found(call, error))?;
    let appends_created_id = target.id.is_none() && call.spec().kind == ActionKind::Operation;
    let facts = call.facts_mut();
    facts.target = (!target.label.is_empty()).then(|| target.label.clone());
    facts.appends_created_id = appends_created_id;
    facts.arguments = arguments;
    Ok(target)
}

/// Ends a call whose arguments can't be resolved.
fn not_found(call: &FoundCall, error: ActionError) -> EarlyExit {
    let error = repair::with_call_without_reference(call, error);
    let (decision, reason) = match error.code {
        code if code.status() >= 500 => return EarlyExit::Failed(error),
        ErrorCode::NotFound => (AuditDecision::Invalid, "not_found"),
        ErrorCode::PermissionDenied | ErrorCode::InsufficientScope => (AuditDecision::Denied, "rights"),
        _ => (AuditDecision::Invalid, "arguments"),
    };
    call.refuse(error, decision, reason)
}

async fn target(
    dependencies: GateDependencies<'_>,
    context: &CallContext,
    tx: &mut Tx,
    call: &FoundCall,
) -> Result<(Value, Target), ActionError> {
    let mut arguments = call.facts().arguments.clone();
    if let Some(tool) = call.catalog().declared(&call.spec().name) {
        let target = tool.target(call.meta(), &mut arguments, context.upstream_target.as_ref());
        return Ok((arguments, target));
    }
    let runner = match call.catalog().runner(&call.spec().name) {
        Some(ActionRunner::Write(runner)) => runner,
        Some(ActionRunner::Effect(_)) => return Ok((arguments, effect_target(context))),
        _ => return Ok((arguments, Target::default())),
    };
    let (caller, policy) = (&call.facts().caller, call.policy());
    let (tools, GateDependencies { limiter, grants, .. }) = (call.tools(), dependencies);
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
async fn upstream_runner(tx: &mut Tx, call: &FoundCall) -> Result<Option<Arc<dyn Runner>>, EarlyExit> {
    upstream_requests::prepare(tx, call.of_upstream()).await.map_err(|error| match error.code {
        ErrorCode::ConnectorNotConfigured => call.refuse(error, AuditDecision::Invalid, "not_configured"),
        code if code.status() >= 500 => EarlyExit::Failed(error),
        _ => call.refuse(error, AuditDecision::Invalid, "arguments"),
    })
}

fn parameter_permissions(call: &FoundCall) -> Result<(), ActionError> {
    let (spec, facts) = (call.spec(), call.facts());
    for rule in spec.param_permissions.iter() {
        let as_needed = Spec { permission: rule.permission.clone(), ..spec.clone() };
        if holds(&rule.when, facts.arguments.get(&*rule.parameter))
            && !decide(&facts.caller, &as_needed, call.policy()).allowed
        {
            let detail =
                format!("the parameter `{}` needs the permission `{}`", rule.parameter, rule.permission);
            let code = ErrorCode::PermissionDenied;
            let errors = vec![ArgError::new(&format!("/{}", rule.parameter), code.as_str(), &*detail)];
            let error = ActionError::new(code, detail);
            let hint = format!("omit `{}`, or ask a workspace admin", rule.parameter);
            return Err(ActionError { errors, ..error.hint(hint) });
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
