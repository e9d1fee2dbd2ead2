//! Who may call an operation, what a call waits for, and what limits it: sentences in HTML.

use toolcrib_access::role_holds;
use toolcrib_model::Role;
use toolcrib_registry::{AccessibleBy, ActionMeta, Condition, ConfirmationLevel, Level, Spec};

use super::html::{code, code_words};

/// Returns the rules of an operation.
pub(super) fn rules(meta: &ActionMeta) -> Vec<String> {
    let spec = &meta.spec;
    let mut rules = callers(spec);
    rules.extend(confirmations(spec));
    let pack = spec.category.pack().map(|pack| {
        format!(
            "Part of the pack {} ({}), which an admin switches on for a workspace.",
            code_words(pack.title),
            code(pack.slug)
        )
    });
    rules.extend(pack);
    rules.push(format!(
        "Level {}. Counts against the limit {} of the workspace. A call has {} seconds.",
        code(spec.level.as_str()),
        code(spec.limit_class.as_str()),
        spec.timeout_seconds
    ));
    rules
}

fn callers(spec: &Spec) -> Vec<String> {
    let mut rules = vec![match (spec.system_scope, spec.special_scope) {
        _ if spec.open => "Every caller with a valid credential.".to_owned(),
        (Some(scope), _) => format!("System admins, and operator keys with the scope {}.", code(scope)),
        (_, Some(scope)) => format!("Keys with the scope {}.", code(scope)),
        _ => with_permission(spec),
    }];
    if let Some(scope) = spec.also_system {
        rules.push(format!(
            "Also system admins who are not members, and operator keys with the scope {}.",
            code(scope)
        ));
    }
    if let Some(AccessibleBy::Only { types, names }) = &spec.accessible_by {
        let list = |words: &[_]| {
            words.iter().map(|word: &std::sync::Arc<str>| code(word)).collect::<Vec<_>>().join(", ")
        };
        let types = (!types.is_empty()).then(|| format!("of the type {}", list(types)));
        let names = (!names.is_empty()).then(|| format!("with the name {}", list(names)));
        let who: Vec<String> = types.into_iter().chain(names).collect();
        rules.push(format!("Only callers {}.", who.join(" or ")));
    }
    rules.extend(spec.param_permissions.iter().map(|rule| {
        format!(
            "With {} it also needs the permission {}.",
            given(&rule.parameter, &rule.when),
            code(&rule.permission.to_string())
        )
    }));
    rules
}

fn with_permission(spec: &Spec) -> String {
    let least =
        spec.min_role.or_else(|| Role::ALL.into_iter().find(|role| role_holds(*role, &spec.permission)));
    // Nobody has a lower role than the owner for what no role holds.
    let least = least.unwrap_or(Role::Owner);
    let least = if spec.admin_only { least.max(Role::Admin) } else { least };
    let permission = code(&spec.permission.to_string());
    let above = if least == Role::Owner { "" } else { " or above" };
    format!(
        "Users with the role {}{above}, who have the permission {permission}. A key needs a scope that covers it, such as \
         {permission}.",
        code(least.as_str())
    )
}

fn confirmations(spec: &Spec) -> Vec<String> {
    let warning =
        spec.warning.as_deref().map(|warning| format!(" {}", code_words(warning))).unwrap_or_default();
    let waits = "A call waits for <a href=\"/docs/guides/confirmations\">a person who confirms it</a>";
    let mut rules = match spec.confirmation {
        ConfirmationLevel::None if spec.level == Level::Read => Vec::new(),
        ConfirmationLevel::None => vec![
            "A call runs at once, except in a workspace in which <a href=\"/docs/guides/confirmations\">a person confirms every \
             write</a>."
                .to_owned(),
        ],
        ConfirmationLevel::Simple => vec![format!("{waits}.{warning}")],
        ConfirmationLevel::Typed => vec![format!("{waits} by typing a phrase.{warning}")],
    };
    rules.extend(spec.escalations.iter().map(|rule| {
        format!(
            "With {} the confirmation is {}.",
            given(&rule.parameter, &rule.when),
            code(rule.level.as_str())
        )
    }));
    rules
}

fn given(parameter: &str, when: &Condition) -> String {
    match when {
        Condition::Present => code(parameter),
        Condition::IsTrue => code(&format!("{parameter}: true")),
        Condition::Equals(word) => code(&format!("{parameter}: {word}")),
    }
}
