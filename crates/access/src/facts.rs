//! What the access decision reads of the caller and the workspace policy.

use std::sync::Arc;

use toolcrib_model::{CallerType, Role, WorkRunner};

use crate::{
    caller::Caller,
    policy::{ApprovalMode, EnabledPacks, WorkspacePolicy},
    principal::PrincipalKind,
    scope::Scopes,
};

/// Everything that the access decision reads beside the declaration of an action. Callers with equal facts may call the
/// same actions. Cheap to clone.
///
/// The rules get these facts and neither the caller nor the policy. So a cache whose key has the facts can't miss
/// anything on which a decision depends.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AccessFacts {
    /// The kind of the credential.
    pub principal: PrincipalKind,
    /// The role, after all caps.
    pub role: Option<Role>,
    pub system_admin: bool,
    /// The kind of application.
    pub caller_type: CallerType,
    /// The agent's slug.
    pub caller_name: Option<Arc<str>>,
    pub scopes: Scopes,
    /// Whether the workspace refuses writes.
    pub approval_mode: ApprovalMode,
    /// Whether no person is beside the caller.
    pub background: bool,
    /// Who carries out what is due in the workspace.
    pub runner: WorkRunner,
    /// Whether the workspace was deleted.
    pub deleted: bool,
    pub packs: EnabledPacks,
}

impl AccessFacts {
    pub fn of(caller: &Caller, policy: &WorkspacePolicy) -> Self {
        Self {
            principal: caller.principal.kind(),
            role: caller.role,
            system_admin: caller.system_admin,
            caller_type: caller.caller_type.clone(),
            caller_name: caller.caller_name.clone(),
            scopes: caller.scopes.clone(),
            approval_mode: policy.approval_mode,
            background: caller.provenance.background,
            runner: policy.runner,
            deleted: policy.deleted,
            packs: policy.packs.clone(),
        }
    }
}
