//! Who may call an operation, what a call waits for, and what limits it: sentences in HTML.

use serde_json::Value;
use toolcrib_registry::{ActionKind, ActionMeta, Condition, ConfirmationLevel, Level, Spec};

use super::html::{code, code_words};
use crate::callers;

pub(super) fn rules(meta: &ActionMeta) -> Vec<String> {
    let spec = &meta.spec;
    let mut rules: Vec<String> = callers::sentences(spec).iter().map(|text| code_words(text)).collect();
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
    let wait = meta.input.read().pointer("/properties/wait/maximum").and_then(Value::as_u64);
    let more = wait.map(|most| format!(", and up to {most} more with {}", code("wait"))).unwrap_or_default();
    rules.push(format!(
        "Level {level}. Counts against the rate limit {limit}. A call may take {seconds} seconds{more}."
    ));
    rules
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
