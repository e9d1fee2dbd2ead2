//! The access decision.

use serde::Serialize;
use toolcrib_model::Role;
use toolcrib_registry::{ActionKind, Level, Spec};

use crate::{ApprovalMode, Caller, Principal, Special, WorkspacePolicy, role_holds};

/// What was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// The action names the callers it is for.
    AccessibleBy,
    /// The kind of credential may do this at all.
    PrincipalKind,
    /// The credential's scopes cover the permission.
    Scopes,
    /// The role holds the permission.
    Role,
    /// Only admins, owners and system admins.
    AdminOnly,
    /// The workspace does not refuse writes.
    ApprovalMode,
}

impl Rule {
    /// The wire word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AccessibleBy => "accessible_by",
            Self::PrincipalKind => "principal_kind",
            Self::Scopes => "scopes",
            Self::Role => "role",
            Self::AdminOnly => "admin_only",
            Self::ApprovalMode => "approval_mode",
        }
    }
}

/// A rule and its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Factor {
    /// The rule.
    pub rule: Rule,
    /// Whether the rule allows the call.
    pub passed: bool,
}

/// The answer, with everything that decided it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// Every rule passed.
    pub allowed: bool,
    /// The first rule that did not; absent when allowed.
    pub reason: Option<Rule>,
    /// Every rule's verdict, in a fixed order.
    pub factors: [Factor; 6],
}

/// Whether `caller` may call the action. Pure and total: the same for lists, checks and execution. Default deny; any
/// failed rule denies; the order of the rules matters for the reason alone.
pub fn decide(caller: &Caller, spec: &Spec, policy: &WorkspacePolicy) -> Decision {
    let factor = |rule, passed| Factor { rule, passed };
    let factors = [
        factor(Rule::AccessibleBy, named(caller, spec)),
        factor(Rule::PrincipalKind, principal_may(caller, spec)),
        factor(Rule::Scopes, scoped(caller, spec)),
        factor(Rule::Role, held(caller, spec, policy)),
        factor(Rule::AdminOnly, !spec.admin_only || caller.system_admin || caller.role >= Some(Role::Admin)),
        factor(Rule::ApprovalMode, writable(spec, policy)),
    ];
    let reason = factors.iter().find(|factor| !factor.passed).map(|factor| factor.rule);
    Decision { allowed: reason.is_none(), reason, factors }
}

fn named(caller: &Caller, spec: &Spec) -> bool {
    spec.accessible_by
        .is_some_and(|rule| rule.admits(caller.caller_type.as_str(), caller.caller_name.as_deref()))
}

/// An agent changes nothing about who may do what, and an operator key holds no tenant rights.
fn principal_may(caller: &Caller, spec: &Spec) -> bool {
    let administration = spec.kind == ActionKind::Operation;
    match caller.principal {
        Principal::User { .. } => spec.special_scope.is_none(),
        Principal::Service { .. } => true,
        Principal::Agent { .. } => {
            !administration || (spec.level == Level::Read && spec.special_scope.is_none())
        }
        Principal::Operator { .. } => {
            administration && (spec.system_scope.is_some() || spec.also_system.is_some() || spec.open)
        }
    }
}

fn scoped(caller: &Caller, spec: &Spec) -> bool {
    if let Some(special) = spec.special_scope {
        return caller.scopes.special_word(special);
    }
    if let Some(scope) = spec.system_scope {
        return caller.system_admin || caller.scopes.special_word(scope);
    }
    let operator = matches!(caller.principal, Principal::Operator { .. });
    if let Some(scope) = spec.also_system.filter(|_| operator) {
        return caller.scopes.special_word(scope);
    }
    spec.open || caller.scopes.cover(spec.permission)
}

fn held(caller: &Caller, spec: &Spec, policy: &WorkspacePolicy) -> bool {
    // A deleted workspace has no members any more. Its log, and nothing else of it, is open to system admins.
    if policy.deleted {
        return caller.system_admin && spec.deleted_workspaces && spec.level == Level::Read;
    }
    if spec.open || spec.special_scope.is_some() {
        return true;
    }
    if spec.system_scope.is_some() {
        return caller.system_admin || matches!(caller.principal, Principal::Operator { .. });
    }
    if spec.also_system.is_some()
        && (caller.system_admin || matches!(caller.principal, Principal::Operator { .. }))
    {
        return true;
    }
    // A system admin without a membership reaches the platform's own health and nothing of a tenant's.
    let platform = spec.admin_only && spec.permission == toolcrib_registry::Permission::INFRASTRUCTURE_READ;
    (caller.system_admin && platform) || caller.role.is_some_and(|role| role_holds(role, spec.permission))
}

fn writable(spec: &Spec, policy: &WorkspacePolicy) -> bool {
    spec.level == Level::Read
        || spec.kind == ActionKind::Operation
        || policy.approval_mode != ApprovalMode::ReadOnly
}

impl Caller {
    /// Whether it may name another member to act for.
    pub fn may_act_as(&self) -> bool {
        self.scopes.special(Special::ActAs)
    }
}
