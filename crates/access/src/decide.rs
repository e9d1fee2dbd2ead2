//! The access decision.

use serde::Serialize;
use toolcrib_model::{Role, WorkRunner};
use toolcrib_registry::{ActionKind, Level, Spec, ToolState};

use crate::{AccessFacts, ApprovalMode, Caller, PrincipalKind, WorkspacePolicy, role_holds};

toolcrib_model::closed_set! {
    "a rule of the access decision",
    Rule {
        /// The tool or the pack is on in this workspace. The platform's actions always are.
        Enabled = "enabled",
        /// The action's `accessible_by` admits the caller.
        AccessibleBy = "accessible_by",
        /// The kind of credential may call actions of this kind.
        PrincipalKind = "principal_kind",
        /// The credential's scopes cover the permission.
        Scopes = "scopes",
        /// The role has the permission, or is at least the lowest role of a declared tool.
        Role = "role",
        /// The caller is an admin, owner or system admin, if the action requires it.
        AdminOnly = "admin_only",
        /// The workspace's approval mode does not refuse the write.
        ApprovalMode = "approval_mode",
        /// The caller is not of a background type, if the action sets up standing work that this service carries out itself.
        Background = "background",
    }
}

/// The result of one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Factor {
    pub rule: Rule,
    /// Whether the rule allows the call.
    pub passed: bool,
}

/// The access decision, with the result of every rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// Whether every rule passed.
    pub allowed: bool,
    /// The first rule that did not pass; `None` if allowed.
    pub reason: Option<Rule>,
    /// The result of every rule, in a fixed order.
    pub factors: [Factor; 8],
}

/// Decides whether `caller` may call the action. Pure; lists, checks and execution all use this function.
/// Every rule must pass. The order of the rules affects only the reason.
pub fn decide(caller: &Caller, spec: &Spec, policy: &WorkspacePolicy) -> Decision {
    AccessFacts::of(caller, policy).decide(spec)
}

impl AccessFacts {
    /// Like [`decide`], for decisions about many actions.
    pub fn decide(&self, spec: &Spec) -> Decision {
        let factor = |rule, passed| Factor { rule, passed };
        let factors = [
            factor(Rule::Enabled, is_on(self, spec)),
            factor(Rule::AccessibleBy, is_accessible_by(self, spec)),
            factor(Rule::PrincipalKind, principal_allows(self, spec)),
            factor(Rule::Scopes, scopes_allow(self, spec)),
            factor(Rule::Role, role_allows(self, spec)),
            factor(Rule::AdminOnly, !spec.admin_only || self.system_admin || self.role >= Some(Role::Admin)),
            factor(Rule::ApprovalMode, mode_allows(self, spec)),
            factor(Rule::Background, background_allows(self, spec)),
        ];
        let reason = factors.iter().find(|factor| !factor.passed).map(|factor| factor.rule);
        Decision { allowed: reason.is_none(), reason, factors }
    }
}

fn is_on(facts: &AccessFacts, spec: &Spec) -> bool {
    spec.state == ToolState::On && spec.category.pack().is_none_or(|pack| facts.packs.contains(pack.slug))
}

fn is_accessible_by(facts: &AccessFacts, spec: &Spec) -> bool {
    spec.accessible_by
        .as_ref()
        .is_some_and(|rule| rule.admits(facts.caller_type.as_str(), facts.caller_name.as_deref()))
}

/// Returns whether the kind of credential may call the action. An agent may not administer; an operator key
/// may not access the data of tenants.
fn principal_allows(facts: &AccessFacts, spec: &Spec) -> bool {
    let administration = spec.kind == ActionKind::Operation;
    match facts.principal {
        PrincipalKind::User => spec.special_scope.is_none(),
        PrincipalKind::Service => true,
        PrincipalKind::Agent => !administration || (!spec.has_effect() && spec.special_scope.is_none()),
        PrincipalKind::Operator => {
            administration && (spec.system_scope.is_some() || spec.also_system.is_some() || spec.open)
        }
    }
}

fn scopes_allow(facts: &AccessFacts, spec: &Spec) -> bool {
    if let Some(special) = spec.special_scope {
        return facts.scopes.special_word(special);
    }
    if let Some(scope) = spec.system_scope {
        return facts.system_admin || facts.scopes.special_word(scope);
    }
    let operator = facts.principal == PrincipalKind::Operator;
    if let Some(scope) = spec.also_system.filter(|_| operator) {
        return facts.scopes.special_word(scope);
    }
    spec.open || facts.scopes.cover(&spec.permission)
}

fn role_allows(facts: &AccessFacts, spec: &Spec) -> bool {
    // A deleted workspace has no members. System admins may still read its audit log.
    if facts.deleted {
        return facts.system_admin && spec.deleted_workspaces && spec.level == Level::Read;
    }
    if let Some(lowest) = spec.min_role {
        return facts.role >= Some(lowest);
    }
    if spec.open || spec.special_scope.is_some() {
        return true;
    }
    if spec.system_scope.is_some() {
        return facts.system_admin || facts.principal == PrincipalKind::Operator;
    }
    if spec.also_system.is_some() && (facts.system_admin || facts.principal == PrincipalKind::Operator) {
        return true;
    }
    // A system admin who is not a member may read the platform's health, but no data of the tenant.
    let platform = spec.admin_only && spec.permission == toolcrib_registry::Permission::INFRASTRUCTURE_READ;
    (facts.system_admin && platform) || facts.role.is_some_and(|role| role_holds(role, &spec.permission))
}

fn mode_allows(facts: &AccessFacts, spec: &Spec) -> bool {
    // Administration goes on in a read-only workspace, so that its owner can end that; messages to others don't.
    let is_administration = spec.kind == ActionKind::Operation && !spec.sends_messages;
    !spec.has_effect() || is_administration || facts.approval_mode != ApprovalMode::ReadOnly
}

/// Returns whether the caller may set up standing work. A background run may not, or a text that it reads could start
/// repeated runs.
fn background_allows(facts: &AccessFacts, spec: &Spec) -> bool {
    let is_ours = facts.runner == WorkRunner::Internal && facts.caller_type.is_background();
    !(spec.standing_work && (facts.background || is_ours))
}
