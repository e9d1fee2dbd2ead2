//! Describes the rules of an access decision in words, and creates hypothetical callers for reports.

use std::sync::Arc;

use toolcrib_access::{Caller, Principal, Rule, Scopes, least_role};
use toolcrib_engine::ActionError;
use toolcrib_model::{CallerType, Id, Role};
use toolcrib_registry::{AccessibleBy, Spec, ToolState};

/// Returns a hypothetical caller with a user token and this role. A nil `user_id` stands for no particular
/// user.
pub fn imagined(
    workspace: Id,
    user_id: Id,
    role: Option<Role>,
    caller_type: &str,
    name: Option<&str>,
) -> Caller {
    Caller {
        workspace,
        principal: Principal::User { user_id },
        role,
        system_admin: false,
        caller_type: CallerType::new(caller_type),
        caller_name: name.map(Into::into),
        scopes: Scopes::All,
        session: None,
        mission: None,
        credential: None,
        provenance: toolcrib_access::Provenance::default(),
        pack_contexts: toolcrib_access::PackContexts::default(),
    }
}

/// Returns the caller type of an imagined call; `api` if none is given. An unknown one is 422.
pub fn known_caller_type<'t>(
    known: &[String],
    pointer: &str,
    given: Option<&'t str>,
) -> Result<&'t str, ActionError> {
    let caller_type = given.unwrap_or("api");
    if known.iter().any(|name| name == caller_type) {
        return Ok(caller_type);
    }
    let message = format!("`{caller_type}` is no caller type: use {}", known.join(", "));
    Err(ActionError::invalid(pointer, "unknown_caller_type", message))
}

/// Describes the result of a rule in one sentence without a full stop.
pub fn sentence(rule: Rule, passed: bool, caller: &Caller, spec: &Spec) -> String {
    match rule {
        Rule::Enabled if passed => "it is on in this workspace".to_owned(),
        Rule::Enabled => match spec.category.pack().filter(|_| spec.state == ToolState::On) {
            Some(pack) => format!("the pack `{}` is not switched on in this workspace", pack.slug),
            None => format!("it is not on in this workspace: {}", spec.state.as_str()),
        },
        Rule::AccessibleBy => named(passed, caller, spec),
        Rule::PrincipalKind => {
            let not = if passed { "may" } else { "may not" };
            format!(
                "the credential of a caller of the kind `{}` {not} do this at all",
                caller.principal.kind().as_str()
            )
        }
        Rule::Scopes => scoped(passed, caller, spec),
        Rule::Role => role_text(passed, caller, spec),
        Rule::AdminOnly if !spec.admin_only => "it is not reserved to admins".to_owned(),
        Rule::AdminOnly => {
            let is = if passed { "and the caller is one" } else { "and the caller is none" };
            format!("it is reserved to admins, owners and system admins, {is}")
        }
        Rule::ApprovalMode if passed => "the workspace's approval mode does not refuse it".to_owned(),
        Rule::ApprovalMode => {
            let what = if spec.sends_messages { "sends a message" } else { "changes data" };
            format!("it {what}, and the workspace is read-only")
        }
        Rule::Background if passed => "nothing keeps what runs by itself from it".to_owned(),
        Rule::Background => "it sets up standing work, which what runs by itself can't do".to_owned(),
    }
}

fn named(passed: bool, caller: &Caller, spec: &Spec) -> String {
    match &spec.accessible_by {
        Some(AccessibleBy::Everyone) => "it is for callers of every type".to_owned(),
        Some(AccessibleBy::Only { types, names }) => {
            let listed = |words: &[Arc<str>]| {
                words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
            };
            let whom = match (&**types, &**names) {
                ([], []) => "nobody".to_owned(),
                (types, []) => format!("callers of the type {}", listed(types)),
                ([], names) => format!("callers of the name {}", listed(names)),
                (types, names) => {
                    format!("callers of the type {} or the name {}", listed(types), listed(names))
                }
            };
            let is = if passed { "is" } else { "is not" };
            let own = match &caller.caller_name {
                Some(name) => format!("`{}` named `{name}`", caller.caller_type),
                None => format!("`{}`", caller.caller_type),
            };
            format!("it is for {whom}; a caller of the type {own} {is} among them")
        }
        None => "it does not say whom it is for".to_owned(),
    }
}

fn scoped(passed: bool, caller: &Caller, spec: &Spec) -> String {
    let needed = spec.special_scope.or(spec.system_scope);
    let needed = needed.map_or_else(|| spec.permission.to_string(), str::to_owned);
    match (&caller.scopes, passed) {
        (_, true) if spec.open => "any credential will do".to_owned(),
        (Scopes::All, true) => "a user token is bounded by the role alone".to_owned(),
        (Scopes::Only(_), true) => format!("the credential's scopes cover `{needed}`"),
        (_, false) => format!("the credential was not given `{needed}`"),
    }
}

fn role_text(passed: bool, caller: &Caller, spec: &Spec) -> String {
    let own = caller.role.map_or("none", Role::as_str);
    if passed && spec.open {
        return "it needs no role".to_owned();
    }
    if spec.system_scope.is_some() {
        return "it needs a system admin or an operator's key".to_owned();
    }
    let permission = &spec.permission;
    if let Some(lowest) = spec.min_role {
        let is = if passed { "is" } else { "is not" };
        return format!("it needs at least the role `{lowest}`, which the role `{own}` {is}");
    }
    if passed {
        return format!("the role `{own}` holds `{permission}`");
    }
    match least_role(permission) {
        Some(needed) => {
            format!(
                "it needs the permission `{permission}`, which roles from `{needed}` up have; the role is `{own}`"
            )
        }
        None => format!("it needs `{permission}`, which no role holds; the role is `{own}`"),
    }
}
