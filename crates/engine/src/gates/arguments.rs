//! Gate 6: validates the arguments against the published schema ([`check`]), replaces references with ids and
//! finds the target ([`resolve`]). Gate 7 runs in between, so that a repeated call gets its stored response
//! even if its target was created or deleted since.

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
    idempotency::{self, Key, NotReplayed},
    lookup::KnownAction,
    repair,
};
use crate::{
    base::{ActionError, CallContext, large},
    catalog::{
        ReadCx,
        action::{ActionRunner, Target},
    },
    upstream_requests::{self, Runner},
};

/// A call whose arguments are valid and resolved.
pub struct Resolved {
    action: KnownAction,
    target: Target,
    /// The idempotency key of the call.
    key: Option<Key>,
    /// Who runs a call that runs elsewhere.
    runner: Option<Arc<dyn Runner>>,
    /// The target that the upstream gave, with its version.
    upstream_target: Option<String>,
}

/// A call whose arguments match the schema.
pub struct SchemaChecked {
    action: KnownAction,
    /// The idempotency key of the call, bound to the arguments as received.
    key: Option<Key>,
}

impl SchemaChecked {
    /// Returns the call and its idempotency key, if it has one.
    pub(super) fn key(&self) -> Option<(&KnownAction, &Key)> {
        Some((&self.action, self.key.as_ref()?))
    }

    /// Returns the call.
    pub(super) fn into_action(self) -> KnownAction {
        self.action
    }
}

impl Resolved {
    /// Returns the call, with resolved arguments.
    pub fn action(&self) -> &KnownAction {
        &self.action
    }

    /// Returns the target of the call.
    pub fn target(&self) -> &Target {
        &self.target
    }

    /// Returns who runs a call that runs elsewhere.
    pub(super) fn runner(&self) -> Option<&Arc<dyn Runner>> {
        self.runner.as_ref()
    }

    /// Returns the target that the upstream gave, with its version.
    pub(super) fn upstream_target(&self) -> Option<&str> {
        self.upstream_target.as_deref()
    }

    /// Returns the idempotency key of the call.
    pub(super) fn key(&self) -> Option<&Key> {
        self.key.as_ref()
    }

    /// Returns the call, its idempotency key, and who runs it elsewhere.
    pub(super) fn into_parts(self) -> (KnownAction, Option<Key>, Option<Arc<dyn Runner>>) {
        (self.action, self.key, self.runner)
    }
}

/// Validates the arguments and checks the permissions of parameters.
pub fn check(context: &CallContext, permitted: Permitted) -> Result<SchemaChecked, EarlyExit> {
    let mut action = permitted.into_action();
    let key = idempotency::key(context, &action);
    let bytes = large::weight(&action.subject().arguments);
    if let Err(error) = large::compute_large(bytes, || repair::validate(&mut action)) {
        let reason = if error.code == ErrorCode::UnknownAction { "unknown_action" } else { "arguments" };
        return Err(action.refuse(error, AuditDecision::Invalid, reason));
    }
    if let Err(error) =
        parameter_permissions(&action.subject().caller, action.spec(), &action.subject().arguments)
    {
        return Err(action.refuse(error, AuditDecision::Denied, "parameter"));
    }
    Ok(SchemaChecked { action, key })
}

/// Resolves the arguments of a call that has no stored response.
pub async fn resolve(
    dependencies: GateDependencies<'_>,
    context: &CallContext,
    tx: &mut Tx,
    not_replayed: NotReplayed,
) -> Result<Resolved, EarlyExit> {
    let SchemaChecked { mut action, key } = not_replayed.into_checked();
    let found = loop {
        match target(dependencies, context, tx, &action).await {
            Err(error) if repair::respell(&mut action, &error) => {}
            Err(error) => break Err(repair::without_nothing(&action, error)),
            found => break found,
        }
    };
    match found {
        Ok((arguments, target)) => {
            let creates = target.id.is_none() && action.spec().kind == ActionKind::Operation;
            let subject = action.subject_mut();
            subject.target = (!target.label.is_empty()).then(|| target.label.clone());
            subject.creates = creates;
            subject.arguments = arguments;
            let upstream_target = context.upstream_target.as_ref().map(|target| target.binding.clone());
            let runner = runner(tx, &action).await?;
            Ok(Resolved { action, target, key, runner, upstream_target })
        }
        Err(error) if error.code.status() >= 500 => Err(EarlyExit::Unaudited(error)),
        Err(error) => {
            let (decision, reason) = match error.code {
                ErrorCode::NotFound => (AuditDecision::Invalid, "not_found"),
                ErrorCode::PermissionDenied | ErrorCode::InsufficientScope => {
                    (AuditDecision::Denied, "rights")
                }
                _ => (AuditDecision::Invalid, "arguments"),
            };
            Err(action.refuse(error, decision, reason))
        }
    }
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
    let Some(ActionRunner::Write(runner)) = action.catalog().runner(&action.spec().name) else {
        return Ok((arguments, Target::default()));
    };
    let (caller, policy) = (&action.subject().caller, action.policy());
    let (tools, GateDependencies { limiter, grants, .. }) = (action.tools(), dependencies);
    let mut cx = ReadCx { caller, policy, now: context.now, tx, tools, limiter, grants };
    runner.resolve(&mut cx, arguments).await
}

/// Returns who runs a call that runs elsewhere, before a person is asked.
async fn runner(tx: &mut Tx, action: &KnownAction) -> Result<Option<Arc<dyn Runner>>, EarlyExit> {
    match upstream_requests::prepare(tx, action.of_upstream()).await {
        Ok(runner) => Ok(runner),
        Err(error) if error.code == ErrorCode::ConnectorNotConfigured => {
            Err(action.clone().refuse(error, AuditDecision::Invalid, "not_configured"))
        }
        Err(error) if error.code.status() >= 500 => Err(EarlyExit::Unaudited(error)),
        Err(error) => Err(action.clone().refuse(error, AuditDecision::Invalid, "arguments")),
    }
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
