//! The errors for unknown and denied actions, with what the caller can do instead.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_access::{AccessFacts, Decision, PrincipalKind, Rule, least_role};
use toolcrib_model::{ErrorCode, Role, Via, WorkRunner};
use toolcrib_registry::{ActionKind, Category, FIND_TOOLS, Level, Spec, ToolState, correct};

use super::CallerTools;
use crate::base::ActionError;

/// Number of search results among which an alternative to a denied action is searched.
const NEAR: usize = 5;

/// Makes the error for an unknown action. Suggests similar names that this caller may call. If one action has a similar
/// name, the error has its call with the arguments of `call`, corrected.
pub fn unknown(tools: &CallerTools<'_>, name: &str, call: Option<(&Value, Via)>) -> ActionError {
    let shown: String = name.chars().take(80).collect();
    let error = ActionError::new(ErrorCode::UnknownAction, format!("there is no action `{shown}`"));
    let (near, is_only) = tools.near(name);
    if near.is_empty() {
        return error.hint(format!("`{FIND_TOOLS}` finds actions by what you want to do"));
    }
    let names: Vec<String> = near.iter().map(|meta| format!("`{}`", meta.spec.name)).collect();
    let error = error.hint(format!("did you mean {}", names.join(", ")));
    let ([meta], true, Some((arguments, via))) = (near.as_slice(), is_only, call) else { return error };
    match correct(meta, arguments) {
        Some(right) => error.corrected(meta, &right.arguments, via == Via::Dispatcher),
        None => error,
    }
}

/// Makes the error for a denied action: what is missing, and what the caller can do instead. Contains no
/// parameter names.
pub fn denial(tools: &CallerTools<'_>, spec: &Spec, decision: &Decision) -> ActionError {
    let error = plain_denial(tools.access(), spec, decision);
    let by_key = spec.special_scope.map(|scope| format!("use a service key with the scope `{scope}`"));
    let by_switch = how_to_switch_on(spec);
    let who = match decision.reason {
        Some(Rule::Enabled) => by_switch.as_str(),
        Some(Rule::ApprovalMode) => "ask the owner of the workspace to end read-only mode",
        Some(Rule::Background) => "ask a person to do it",
        Some(Rule::Scopes) if !needs_system_admin(tools.access(), spec) => "use a credential with that scope",
        Some(Rule::PrincipalKind) => by_key.as_deref().unwrap_or_else(|| who_may(tools.access(), spec)),
        _ if spec.system_scope.is_some() => "ask the operator of this service",
        Some(Rule::Role | Rule::AdminOnly) if tools.access().principal == PrincipalKind::Agent => {
            "an agent has at most the role `editor`, unless an owner switches `agents_inherit_admin` on; a person may \
             do it"
        }
        Some(Rule::Role) if needed_role(spec) == Role::Owner => "ask the workspace's owner",
        _ => "ask a workspace admin",
    };
    // Nothing serves in place of an action that is off, and a search may first build indexes of other packs.
    let other = if decision.reason == Some(Rule::Enabled) { None } else { instead(tools, spec) };
    match other {
        Some(name) => error.hint(format!("{who}, or use `{name}`")),
        None => error.hint(who),
    }
}

/// Says who makes an action callable that is off, and how.
fn how_to_switch_on(spec: &Spec) -> String {
    let slug = spec.permission.resource.as_str();
    match (spec.state, spec.category.pack()) {
        (ToolState::NotOffered, _) => "ask the operator of this service to offer it".to_owned(),
        (_, Some(pack)) => format!(
            "ask a workspace admin to switch the pack on: `PATCH /v1/packs/{}` with `enabled`",
            pack.slug
        ),
        (ToolState::Drifted, _) => {
            "ask a workspace admin to compare the definitions with `GET /v1/upstreams/{name}/tools` and to accept the \
             new one, by storing the toolset with its digest as `pin`"
                .to_owned()
        }
        (ToolState::Draft, _) => {
            format!("ask whoever writes the toolset `{slug}` to check the tool, and to store it without `draft`")
        }
        (ToolState::Disabled, _) => format!(
            "ask a workspace admin to take it out of `disabled_tools`, with `PATCH /v1/toolsets/{slug}`"
        ),
        (ToolState::On | ToolState::ToolsetOff, _) => format!(
            "ask a workspace admin to switch the toolset on: `PATCH /v1/toolsets/{slug}` with `enabled`"
        ),
    }
}

/// Says which credentials may call an operation that others may not. What starts the assistant's work refuses keys
/// itself, and a service key that acts for nobody is at most editor.
fn who_may(caller: &AccessFacts, spec: &Spec) -> &'static str {
    if spec.system_scope.is_some() {
        return "ask the operator of this service";
    }
    if spec.standing_work && caller.runner == WorkRunner::Internal {
        return "only a person with their own token can do this";
    }
    match needed_role(spec) {
        Role::Owner => "an owner with their own token, or a service key that acts for one, can do this",
        Role::Admin => {
            "an admin or owner with their own token, or a service key that acts for one, can do this"
        }
        Role::Viewer | Role::Member | Role::Editor => {
            "a person with their own token, or a service key, can do this"
        }
    }
}

/// Returns an allowed action for the same purpose: for a read another read of the same category; for a write another
/// write of the same resource that also creates, updates or deletes, with at most the same level. Returns `None` for an
/// operation.
fn instead(tools: &CallerTools<'_>, spec: &Spec) -> Option<Arc<str>> {
    if spec.kind == ActionKind::Operation {
        return None;
    }
    let serves = |other: &Spec| match spec.level {
        Level::Read => {
            let same = match spec.category {
                Category::Toolset => other.permission.resource == spec.permission.resource,
                category => other.category == category,
            };
            same && other.level == Level::Read
        }
        most => {
            other.level != Level::Read
                && other.level <= most
                && other.permission.resource == spec.permission.resource
                && other.mutation == spec.mutation
        }
    };
    let found = tools.search(&spec.description, None, NEAR).into_iter().map(|(meta, _)| &meta.spec);
    found.filter(|other| other.name != spec.name).find(|other| serves(other)).map(|other| other.name.clone())
}

/// Like [`denial`], without an alternative.
pub fn plain_denial(caller: &AccessFacts, spec: &Spec, decision: &Decision) -> ActionError {
    let name = &spec.name;
    let mut code = ErrorCode::PermissionDenied;
    let detail = match decision.reason {
        Some(Rule::Enabled) => off(spec),
        Some(Rule::ApprovalMode) if spec.sends_messages => {
            format!("`{name}` sends a message, and this workspace is read-only")
        }
        Some(Rule::ApprovalMode) => format!("`{name}` changes data, and this workspace is read-only"),
        Some(Rule::Background) => {
            format!("`{name}` sets up standing work, which what runs by itself can't do in this workspace")
        }
        Some(Rule::AdminOnly) => format!("`{name}` needs the role admin or owner"),
        Some(Rule::AccessibleBy) => {
            let named = caller.caller_name.as_ref().map(|own| format!(" named `{own}`")).unwrap_or_default();
            format!("`{name}` is not available to callers of the type `{}`{named}", caller.caller_type)
        }
        Some(Rule::PrincipalKind) => {
            format!("`{name}` is not available to the credential of {}", kind(caller))
        }
        Some(Rule::Scopes) if !needs_system_admin(caller, spec) => {
            if let Some(scope) = spec.special_scope {
                code = ErrorCode::InsufficientScope;
                format!("`{name}` needs a key with the scope `{scope}`")
            } else {
                let scope = needed_scope(caller, spec);
                format!("`{name}` needs the scope `{scope}`, which this credential does not have")
            }
        }
        _ if spec.system_scope.is_some() => format!("`{name}` needs a system admin"),
        _ => needs_role(caller, spec),
    };
    ActionError::new(code, detail)
}

/// Returns the kind of the credential. A service key is never refused by its kind.
fn kind(caller: &AccessFacts) -> &'static str {
    match caller.principal {
        PrincipalKind::Agent => "an agent",
        PrincipalKind::Operator => "an operator",
        PrincipalKind::User | PrincipalKind::Service => "a user",
    }
}

/// Returns whether, of the callers with this kind of credential, only system admins may call the operation. No scope
/// helps them: those of operator keys count in operator keys alone.
fn needs_system_admin(caller: &AccessFacts, spec: &Spec) -> bool {
    spec.system_scope.is_some() && caller.principal != PrincipalKind::Operator
}

/// Returns the scope that a credential of this kind needs for an action without a special one.
fn needed_scope(caller: &AccessFacts, spec: &Spec) -> String {
    let is_operator = caller.principal == PrincipalKind::Operator;
    let of_operators = spec.system_scope.or(spec.also_system).filter(|_| is_operator);
    of_operators.map_or_else(|| spec.permission.to_string(), str::to_owned)
}

/// Says why nobody can call the tool.
pub fn off(spec: &Spec) -> String {
    let name = &spec.name;
    let pack = spec.category.pack().map_or("", |pack| pack.slug);
    match spec.state {
        ToolState::NotOffered => format!("`{name}` is off: the operator does not offer the pack `{pack}`"),
        ToolState::On if !pack.is_empty() => {
            format!("`{name}` is off: the pack `{pack}` is not switched on in this workspace")
        }
        ToolState::On | ToolState::ToolsetOff => {
            format!("`{name}` is off: its toolset is not enabled in this workspace")
        }
        ToolState::Disabled => format!("`{name}` is off: this workspace disabled it"),
        ToolState::Draft => format!("`{name}` is a draft: nobody has accepted it yet"),
        ToolState::Drifted => {
            format!("`{name}` is off: its server defines it otherwise than this workspace accepted it")
        }
    }
}

fn needed_role(spec: &Spec) -> Role {
    spec.min_role.or_else(|| least_role(&spec.permission)).unwrap_or(Role::Owner)
}

fn needs_role(caller: &AccessFacts, spec: &Spec) -> String {
    let needed = needed_role(spec);
    let own = caller.role.map_or("none", Role::as_str);
    format!(
        "`{}` needs the permission `{}`, which roles from `{needed}` up have; your role is `{own}`",
        spec.name, spec.permission
    )
}
