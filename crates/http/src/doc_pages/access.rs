//! Who may call an operation, what a call waits for, and what limits it: sentences in HTML.

use std::sync::Arc;

use toolcrib_access::least_role;
use toolcrib_model::Role;
use toolcrib_registry::{AccessibleBy, ActionKind, Condition, ConfirmationLevel, Level, Spec};

use super::html::{code, code_words};

pub(super) fn rules(spec: &Spec) -> Vec<String> {
    let mut rules = vec![callers(spec)];
    rules.extend(spec.also_system.map(|scope| {
        format!("Also system admins who are not members, and operator keys with the scope {}.", code(scope))
    }));
    if let Some(AccessibleBy::Only { types, names }) = &spec.accessible_by {
        rules.push(format!("Only callers of these types or names: {}.", words(types.iter().chain(&**names))));
    }
    for rule in &*spec.param_permissions {
        let (parameter, permission) = (given(&rule.parameter, &rule.when), rule.permission.to_string());
        rules.push(format!("With {parameter} it also needs the permission {}.", code(&permission)));
    }
    // No operation for programs asks a person.
    if spec.kind == ActionKind::Tool {
        rules.extend(confirmations(spec));
    }
    rules.extend(spec.category.pack().map(|pack| {
        format!(
            "Part of the pack {} ({}), which is switched on for a workspace.",
            code_words(pack.title),
            code(pack.slug)
        )
    }));
    let (level, limit) = (code(spec.level.as_str()), code(spec.limit_class.as_str()));
    let seconds = spec.timeout_seconds;
    rules.push(format!(
        "Level {level}. Counts against the rate limit {limit}. A call may take {seconds} seconds."
    ));
    rules
}

fn callers(spec: &Spec) -> String {
    match (spec.open, spec.system_scope, spec.special_scope) {
        (true, ..) => "Every caller with a valid credential.".to_owned(),
        (_, Some(scope), _) => format!("System admins, and operator keys with the scope {}.", code(scope)),
        (.., Some(scope)) => format!("Keys with the scope {}.", code(scope)),
        _ => {
            let least = spec.min_role.or_else(|| least_role(&spec.permission)).unwrap_or(Role::Owner);
            let least = if spec.admin_only { least.max(Role::Admin) } else { least };
            let role = code(least.as_str());
            let above = if least == Role::Owner { "" } else { " or above" };
            let permission = code(&spec.permission.to_string());
            format!(
                "Users with the role {role}{above}, who have the permission {permission}. A key needs a scope that covers \
                 it, such as {permission}."
            )
        }
    }
}

fn confirmations(spec: &Spec) -> Vec<String> {
    let person = |words: &str| format!("<a href=\"/docs/guides/confirmations\">{words}</a>");
    let warning = spec.warning.as_deref().map(code_words).unwrap_or_default();
    let mut rules = match spec.confirmation {
        ConfirmationLevel::None if spec.level == Level::Read => Vec::new(),
        ConfirmationLevel::None => {
            let waits = person("a person confirms every write");
            vec![format!("A call runs at once, except in a workspace in which {waits}.")]
        }
        ConfirmationLevel::Simple => {
            vec![format!("A call waits for {}. {warning}", person("a person who confirms it"))]
        }
        ConfirmationLevel::Typed => {
            vec![format!(
                "A call waits for {} by typing a phrase. {warning}",
                person("a person who confirms it")
            )]
        }
    };
    for rule in &*spec.escalations {
        let (parameter, level) = (given(&rule.parameter, &rule.when), code(rule.level.as_str()));
        rules.push(format!("With {parameter} the confirmation is {level}."));
    }
    if spec.standing_work {
        rules.push(format!(
            "Where this service carries out such work, {} each call.",
            person("a person confirms")
        ));
    }
    rules
}

fn given(parameter: &str, when: &Condition) -> String {
    match when {
        Condition::Present => code(parameter),
        Condition::IsTrue => code(&format!("{parameter}: true")),
        Condition::Equals(word) => code(&format!("{parameter}: {word}")),
    }
}

fn words<'a>(words: impl Iterator<Item = &'a Arc<str>>) -> String {
    words.map(|word| code(word)).collect::<Vec<_>>().join(", ")
}
