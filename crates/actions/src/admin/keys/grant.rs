//! Checks what a caller may give to a key: nothing that the caller does not hold.

use toolcrib_access::{Caller, Scope, Special, scope_within};
use toolcrib_engine::ActionError;
use toolcrib_model::{Id, Role};
use toolcrib_registry::{ActionRegistry, ArgError, Permission};
use toolcrib_store::{Tx, keys::KeyRow};

use super::view::KeyKind;
use crate::admin::{guard::forbidden, members::rules};

/// What is wrong with a scope that agents never have.
const FOR_SERVICES: &str =
    "is for service keys: an agent acts for no member, relays no decision and writes no records of runtimes";

/// Returns the scopes in canonical form, without duplicates. Unknown scopes and operator scopes are 422, each
/// with its pointer, and so are scopes of a pack that this build lacks and of a toolset that is not among `toolsets`,
/// and scopes that a key of this kind never has. Scopes that the creator does not hold are 403.
pub fn scopes(
    caller: Option<&Caller>,
    kind: KeyKind,
    words: &[String],
    registry: &ActionRegistry,
    toolsets: &[String],
) -> Result<Vec<String>, ActionError> {
    let mut errors = Vec::new();
    let mut scopes: Vec<Scope> = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let pointer = format!("/scopes/{at}");
        match word.parse::<Scope>() {
            Err(unknown) => errors.push(ArgError::new(&pointer, "unknown_scope", unknown.to_string())),
            Ok(Scope::Special(special)) if special.operator_only() => errors.push(ArgError::new(
                &pointer,
                "operator_scope",
                format!("`{word}` is for operator keys, which are made on the command line"),
            )),
            Ok(Scope::Special(special)) if kind == KeyKind::Agent && is_for_services(special) => {
                errors.push(ArgError::new(&pointer, "service_scope", format!("`{word}` {FOR_SERVICES}")));
            }
            Ok(scope) if !is_known(&scope, registry, toolsets) => errors.push(ArgError::new(
                &pointer,
                "unknown_toolset",
                format!("`{word}` names no resource, no pack and no toolset of this workspace"),
            )),
            Ok(scope) if scopes.contains(&scope) => {}
            Ok(scope) => scopes.push(scope),
        }
    }
    if !errors.is_empty() {
        return Err(ActionError::invalid_all(errors));
    }
    let permissions: Vec<Permission> = registry.permissions().collect();
    let lacks = |scope: &&Scope| caller.is_some_and(|caller| !scope_within(caller, scope, &permissions));
    if let Some(scope) = scopes.iter().find(lacks) {
        return Err(cannot_give(scope));
    }
    Ok(scopes.iter().map(Scope::to_string).collect())
}

/// Returns whether agents never have the scope.
const fn is_for_services(special: Special) -> bool {
    matches!(special, Special::ActAs | Special::ApprovalsRelay | Special::RecordsWrite)
}

/// Returns whether a scope names a resource, a pack or a toolset that there is.
fn is_known(scope: &Scope, registry: &ActionRegistry, toolsets: &[String]) -> bool {
    if scope.is_for_all_toolsets() || scope.is_for_all_packs() {
        return true;
    }
    match (scope.pack(), scope.toolset()) {
        (None, None) => true,
        (Some(slug), _) if registry.packs().any(|pack| pack.slug == slug) => true,
        (_, slug) => slug.is_some_and(|slug| toolsets.iter().any(|known| known == slug)),
    }
}

/// Returns the 403 error of a scope that the caller can't give. Only owners may give the scopes with which a
/// key acts for other people. All other scopes may be given by callers that hold them.
pub fn cannot_give(scope: &Scope) -> ActionError {
    if let Scope::Special(Special::ActAs | Special::ApprovalsRelay) = scope {
        let needed = Permission::MEMBERS_IMPERSONATE;
        return forbidden(format!("giving `{scope}` needs the permission `{needed}`, which owners hold"))
            .hint("ask an owner to make the key, or to adopt it: `POST /v1/keys/{id}/adopt`");
    }
    forbidden(format!("you can't give `{scope}`: you don't hold all of it yourself"))
        .hint("give narrower scopes; `GET /v1/me` lists what you hold")
}

/// Returns the caller types without duplicates, or `api` if none is given. Unknown types are 422, and so are
/// types that the creating key does not have.
pub fn caller_types(
    known: &[String],
    parent: Option<&KeyRow>,
    given: Option<&[String]>,
) -> Result<Vec<String>, ActionError> {
    let usual = || vec!["api".to_owned()];
    let held = parent.map(|parent| serde_json::from_str(&parent.caller_types).unwrap_or_default());
    let held = held.map(|held: Vec<String>| if held.is_empty() { usual() } else { held });
    let lacks = |word: &String| held.as_ref().is_some_and(|held| !held.contains(word));
    let mut types: Vec<String> = Vec::new();
    let mut errors = Vec::new();
    for (at, word) in given.unwrap_or_default().iter().enumerate() {
        let pointer = format!("/caller_types/{at}");
        if !known.contains(word) {
            let message = format!("`{word}` is no caller type: use {}", known.join(", "));
            errors.push(ArgError::new(&pointer, "unknown_caller_type", message));
        } else if lacks(word) {
            errors.push(ArgError::new(&pointer, "not_held", cannot_call_as(word)));
        } else if !types.contains(word) {
            types.push(word.clone());
        }
    }
    if !errors.is_empty() {
        return Err(ActionError::invalid_all(errors));
    }
    if !types.is_empty() {
        return Ok(types);
    }
    if usual().iter().any(lacks) {
        return Err(ActionError::invalid("/caller_types", "required", cannot_call_as("api")));
    }
    Ok(usual())
}

fn cannot_call_as(word: &str) -> String {
    format!("the key that makes this one may not call as `{word}` itself: name caller types that it has")
}

/// Returns the role of a service key. Default: the creator's role, but at most editor; viewer on the command line, which
/// has no creator.
pub fn service_role(caller: Option<&Caller>, given: Option<Role>) -> Result<Role, ActionError> {
    let (own, usual) = match caller {
        Some(caller) => {
            let own = caller.role.ok_or_else(|| forbidden("you have no role in this workspace"))?;
            (own, own.min(Role::Editor))
        }
        None => (Role::Owner, Role::Viewer),
    };
    match given.unwrap_or(usual) {
        role if role > Role::Editor => {
            Err(ActionError::invalid("/role", "maximum", "must be at most editor for a service key"))
        }
        role if role > own => {
            Err(forbidden(format!("you can't give the role `{role}`: your role is `{own}`")))
        }
        role => Ok(role),
    }
}

/// Returns the member as whom an agent runs. Default: the creator. Only admins may name another member, whose
/// role must not exceed theirs.
pub async fn runs_as(tx: &mut Tx, caller: Option<&Caller>, given: Option<Id>) -> Result<Id, ActionError> {
    let own = caller.and_then(|caller| caller.principal.user());
    let user_id = given.or(own).ok_or_else(|| {
        ActionError::invalid("/runs_as", "required", "is required: this credential acts for no member")
    })?;
    let member = rules::find(tx, user_id).await?;
    if !member.active {
        return Err(ActionError::invalid("/runs_as", "inactive", "must be an active member"));
    }
    let Some(caller) = caller else { return Ok(user_id) };
    if own != Some(user_id) && caller.role < Some(Role::Admin) {
        return Err(forbidden("only admins give keys to agents of others"));
    }
    // An unknown role counts as higher than every role.
    if member.role.parse::<Role>().is_ok_and(|role| Some(role) <= caller.role) {
        return Ok(user_id);
    }
    Err(forbidden(format!("an agent can't run as somebody above you: they are {}", member.role)))
}
