//! Gate 5: may this caller call it. By name only, before the arguments are looked at, so that a denial is the same
//! whatever they are.

use toolcrib_access::{Caller, Decision, Rule, WorkspacePolicy, decide, role_holds};
use toolcrib_model::{ErrorCode, Role};
use toolcrib_registry::{ActionKind, Level, Spec};

use super::lookup::KnownAction;
use crate::{ActionError, Catalog, caller_tools::CallerTools, early_exit::EarlyExit};

/// How many of the nearest actions are looked at for one that serves instead of a denied one.
const NEAR: usize = 5;

/// A call that this caller may make.
pub struct Permitted {
    pub(super) found: KnownAction,
}

/// Asks [`decide`]; then a promoted action that was named in the dispatcher is shown the direct way.
pub fn permit(catalog: &Catalog, found: KnownAction) -> Result<Permitted, EarlyExit> {
    let decision = decide(&found.subject.caller, &found.meta.spec, &found.policy);
    if !decision.allowed {
        let tools = CallerTools::new(catalog, &found.subject.caller, &found.policy);
        let error = denial(&tools, &found.subject.caller, &found.meta.spec, &decision);
        return Err(found.refuse(error, "denied", decision.reason.map_or("denied", word)));
    }
    if found.misdirected {
        let name = found.meta.spec.name;
        let mut error = ActionError::invalid(
            "/action",
            "promoted",
            format!("`{name}` has a tool of its own; call it directly"),
        )
        .hint(format!("call the tool `{name}` with these parameters"));
        error.call = Some(found.direct_call());
        return Err(found.refuse(error, "invalid", "promoted"));
    }
    Ok(Permitted { found })
}

/// The same decision inside the transaction that changes rows, from what that transaction reads.
pub fn still(caller: &Caller, spec: &Spec, policy: &WorkspacePolicy) -> Result<(), ActionError> {
    let decision = decide(caller, spec, policy);
    if decision.allowed { Ok(()) } else { Err(plain_denial(caller, spec, &decision)) }
}

/// The wire word of a rule.
pub fn word(rule: Rule) -> &'static str {
    match rule {
        Rule::AccessibleBy => "accessible_by",
        Rule::PrincipalKind => "principal_kind",
        Rule::Scopes => "scopes",
        Rule::Role => "role",
        Rule::AdminOnly => "admin_only",
        Rule::ApprovalMode => "approval_mode",
    }
}

/// Says what is missing and what the caller may do instead. Names no parameter.
pub fn denial(tools: &CallerTools<'_>, caller: &Caller, spec: &Spec, decision: &Decision) -> ActionError {
    let error = plain_denial(caller, spec, decision);
    let who = match decision.reason {
        Some(Rule::ApprovalMode) => "ask the workspace's owner to end read-only mode",
        Some(Rule::Scopes) => "use a credential with that scope",
        Some(Rule::PrincipalKind) => "a person has to do this with their own token",
        _ if spec.system_scope.is_some() => "ask who operates this service",
        Some(Rule::Role) if needed_role(spec) == Role::Owner => "ask the workspace's owner",
        _ => "ask a workspace admin",
    };
    match instead(tools, spec) {
        Some(name) => error.hint(format!("{who}, or use `{name}`")),
        None => error.hint(who),
    }
}

/// An action that this caller may call and that may serve them as well: for a read another read; for a change another
/// change of the same resource that does no more than the one they asked for. Nothing stands in for an operation.
fn instead(tools: &CallerTools<'_>, spec: &Spec) -> Option<&'static str> {
    if spec.kind == ActionKind::Operation {
        return None;
    }
    let serves = |other: &Spec| match spec.level {
        Level::Read => other.level == Level::Read,
        most => {
            other.level != Level::Read
                && other.level <= most
                && other.permission.resource == spec.permission.resource
        }
    };
    let found = tools.search(spec.description, None, NEAR).into_iter().map(|(meta, _)| &meta.spec);
    found.filter(|other| other.name != spec.name).find(|other| serves(other)).map(|other| other.name)
}

fn plain_denial(caller: &Caller, spec: &Spec, decision: &Decision) -> ActionError {
    let name = spec.name;
    let mut code = ErrorCode::PermissionDenied;
    let detail = match decision.reason {
        Some(Rule::ApprovalMode) => format!("`{name}` changes data, and this workspace is read-only"),
        Some(Rule::AdminOnly) => format!("`{name}` needs the role admin or owner"),
        Some(Rule::AccessibleBy) => {
            let named = caller.caller_name.as_ref().map(|own| format!(" named `{own}`")).unwrap_or_default();
            format!("`{name}` is not for callers of the type `{}`{named}", caller.caller_type)
        }
        Some(Rule::PrincipalKind) => format!("`{name}` is not for the credential of {}", kind(caller)),
        Some(Rule::Scopes) => match spec.special_scope {
            Some(scope) => {
                code = ErrorCode::InsufficientScope;
                format!("`{name}` needs a key with the scope `{scope}`")
            }
            None => {
                format!("`{name}` needs the scope `{}`, which this credential was not given", spec.permission)
            }
        },
        _ if spec.system_scope.is_some() => format!("`{name}` needs a system admin"),
        _ => needs_role(caller, spec),
    };
    ActionError::new(code, detail)
}

/// A service key may do everything that its scopes name: it is never refused as such.
fn kind(caller: &Caller) -> &'static str {
    match caller.principal.kind() {
        "agent" => "an agent",
        "operator" => "an operator",
        _ => "a user",
    }
}

fn needed_role(spec: &Spec) -> Role {
    Role::ALL.into_iter().find(|role| role_holds(*role, spec.permission)).unwrap_or(Role::Owner)
}

fn needs_role(caller: &Caller, spec: &Spec) -> String {
    let needed = needed_role(spec);
    let own = caller.role.map_or("none", Role::as_str);
    format!(
        "`{}` needs the permission `{}`, held from the role `{needed}` on; yours is `{own}`",
        spec.name, spec.permission
    )
}

#[cfg(test)]
mod tests;
