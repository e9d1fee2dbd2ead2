//! Checks the actions for defects. The process refuses to start if there is one.

use std::{collections::HashSet, fmt};

use serde_json::Value;

use crate::{
    AccessibleBy, ActionKind, ActionMeta, Category, ConfirmationLevel, DISPATCHER, Level, PREFIX, PackInfo,
    PermissionResource, Spec, caller_default, names::SEPARATOR, schema::properties_of,
};

/// The maximum length of an action's description, in characters. Every tool list contains it.
pub const MAX_DESCRIPTION_CHARS: usize = 160;
/// The maximum length of a parameter's description, in characters. Includes the texts of an enum's words.
pub const MAX_PARAMETER_TEXT_CHARS: usize = 320;

/// Phrases that a text may not contain. A text names its action or value instead.
const REFUSED_PHRASES: &[&str] = &["What it takes", "What it gives", "unless said"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defect {
    /// The action's name.
    pub action: String,
    /// What is wrong and how to correct it.
    pub message: String,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`: {}", self.action, self.message)
    }
}

impl std::error::Error for Defect {}

pub fn lint(metas: &[ActionMeta]) -> Vec<Defect> {
    let mut seen = HashSet::new();
    let mut defects = Vec::new();
    let mut packs: Vec<&PackInfo> = metas.iter().filter_map(|meta| meta.spec.category.pack()).collect();
    packs.dedup();
    for pack in packs {
        let of_pack = |message| Defect { action: pack.slug.to_owned(), message };
        defects.extend(pack.defects().into_iter().map(of_pack));
    }
    for meta in metas {
        let mut say = |message: String| defects.push(Defect { action: meta.spec.name.to_string(), message });
        if !seen.insert(&*meta.spec.name) {
            say("registered twice; names are unique".into());
        }
        lint_name(meta, &mut say);
        lint_spec(meta, &mut say);
        lint_parameters(meta, &mut say);
        lint_schema(meta.input.value(), "", &mut say);
        if meta.spec.kind == ActionKind::Tool {
            lint_texts(meta.input.value(), "", &mut say);
            lint_phrases(meta, &mut say);
            lint_words(meta, &mut say);
        }
    }
    defects
}

fn lint_name(meta: &ActionMeta, say: &mut impl FnMut(String)) {
    let name = &*meta.spec.name;
    let word = |text: &str, also: &[u8]| {
        !text.is_empty()
            && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || also.contains(&b))
    };
    match meta.spec.kind {
        ActionKind::Tool => {
            let category = meta.spec.category;
            let rest = category.bare(name);
            let is_full = rest != name && word(rest, b"_") && !name.contains(SEPARATOR);
            if !is_full || name.len() > 64 || name == DISPATCHER {
                let prefix = category.pack().map_or(PREFIX.to_owned(), |pack| format!("{}_", pack.slug));
                say(format!(
                    "a tool's name is `{prefix}<verb>_<noun>`, at most 64 characters, and not the dispatcher's"
                ));
            }
        }
        ActionKind::Operation => {
            let parts = name.split_once('.');
            if !parts.is_some_and(|(a, b)| word(a, b"_") && word(b, b"_")) {
                say("an operation's name is `<resource>.<verb>`".into());
            }
        }
    }
}

fn lint_spec(meta: &ActionMeta, say: &mut impl FnMut(String)) {
    let spec = &meta.spec;
    match &spec.accessible_by {
        None => say("does not say which callers it is for; declare `accessible_by`".into()),
        Some(AccessibleBy::Only { types, names })
            if types.iter().chain(names.iter()).any(|word| word.is_empty()) =>
        {
            say("`accessible_by` holds an empty word".into());
        }
        Some(_) => {}
    }
    if spec.permission.resource.as_str().is_empty() {
        say("has no permission".into());
    }
    lint_pack(spec, say);
    if spec.description.is_empty() {
        say("has no description".into());
    }
    let length = spec.description.chars().count();
    if spec.kind == ActionKind::Tool && length > MAX_DESCRIPTION_CHARS {
        say(format!(
            "has a description of {length} characters; {MAX_DESCRIPTION_CHARS} is the most that a model should read"
        ));
    }
    if spec.level == Level::Destructive {
        if spec.warning.as_deref().is_none_or(str::is_empty) {
            say("is destructive and has no warning".into());
        }
        if spec.confirmation == ConfirmationLevel::None {
            say("is destructive and asks for no confirmation".into());
        }
        if spec.kind == ActionKind::Operation {
            say("an operation for programs is never destructive; check a typed name instead".into());
        }
    }
    if spec.confirmation != ConfirmationLevel::None && spec.warning.as_deref().is_none_or(str::is_empty) {
        say("asks for a confirmation and has no warning".into());
    }
    if spec.external && spec.level != Level::Read && spec.category.pack().is_none() {
        say("an external action of the platform can only read".into());
    }
    if (spec.category == Category::Administration) != (spec.kind == ActionKind::Operation) {
        say("the category `administration` is for operations, and operations are in no other".into());
    }
    if spec.kind == ActionKind::Operation && spec.promoted {
        say("an operation for programs can't be promoted".into());
    }
}

/// Checks that an action of a pack needs permissions of its pack alone, and that no other action needs one of a pack.
fn lint_pack(spec: &Spec, say: &mut impl FnMut(String)) {
    let own = spec.category.pack().map(PackInfo::permissions);
    let more = spec.param_permissions.iter().map(|rule| &rule.permission);
    for permission in [&spec.permission].into_iter().chain(more) {
        let fits = match &own {
            Some(own) => own.contains(permission),
            None => !matches!(permission.resource, PermissionResource::Pack(_)),
        };
        if !fits {
            say(format!("needs `{permission}`, which is not a permission of its own pack"));
        }
    }
    if own.is_some() && (spec.also_system.is_some() || spec.open || spec.special_scope.is_some()) {
        say("an action of a pack is for members of the workspace alone".into());
    }
}

fn lint_parameters(meta: &ActionMeta, say: &mut impl FnMut(String)) {
    let spec = &meta.spec;
    let known: HashSet<&str> = properties_of(meta.input.value()).map(|(name, _)| name).collect();
    let named = spec.danger.iter().chain(spec.escalations.iter().map(|e| &e.parameter));
    for parameter in named.chain(spec.param_permissions.iter().map(|p| &p.parameter)) {
        if !known.contains(&**parameter) {
            say(format!("names the parameter `{parameter}`, which it does not take"));
        }
    }
    if let Some(defect) = caller_default::defect(meta.input.value(), spec.caller_default) {
        say(defect);
    }
}

fn lint_schema(schema: &Value, at: &str, say: &mut impl FnMut(String)) {
    let Some(object) = schema.as_object() else { return };
    let at_text = if at.is_empty() { "the root" } else { at };
    if at.is_empty() && object.get("type").and_then(Value::as_str) != Some("object") {
        say("its input is not an object".into());
    }
    if object.contains_key("$ref") {
        say(format!("{at_text} refers elsewhere with `$ref`; schemas are inlined"));
    }
    let has = |key: &str| object.contains_key(key);
    match object.get("type").and_then(Value::as_str) {
        Some("string") if !["maxLength", "enum", "const", "format"].iter().any(|key| has(key)) => {
            say(format!("the string at {at_text} has no `maxLength`"));
        }
        Some("array") if !has("maxItems") => say(format!("the list at {at_text} has no `maxItems`")),
        Some("object") if !closed(object) => {
            say(format!("the object at {at_text} does not say `additionalProperties: false`"));
        }
        _ => {}
    }
    if let Some(properties) = object.get("properties").and_then(Value::as_object) {
        for (name, property) in properties {
            lint_schema(property, &format!("{at}/{name}"), say);
        }
    }
    if let Some(items) = object.get("items") {
        lint_schema(items, &format!("{at}/items"), say);
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        for option in object.get(key).and_then(Value::as_array).into_iter().flatten() {
            lint_schema(option, &format!("{at}/{key}"), say);
        }
    }
}

/// Checks that the description of a parameter is short and does not repeat the text of an enum word in
/// parentheses.
fn lint_texts(schema: &Value, at: &str, say: &mut impl FnMut(String)) {
    let Some(object) = schema.as_object() else { return };
    let text = object.get("description").and_then(Value::as_str).unwrap_or_default();
    let words = object.get("enum").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    for word in words.filter(|word| text.contains(&format!("({word}: "))) {
        say(format!(
            "describes `{word}` of `{at}` in parentheses; describe the words of an enum at the enum"
        ));
    }
    let length = text.chars().count();
    if length > MAX_PARAMETER_TEXT_CHARS {
        say(format!(
            "describes `{at}` in {length} characters; {MAX_PARAMETER_TEXT_CHARS} is the most that a model should read"
        ));
    }
    for (name, property) in object.get("properties").and_then(Value::as_object).into_iter().flatten() {
        lint_texts(property, &format!("{at}/{name}"), say);
    }
    if let Some(items) = object.get("items") {
        lint_texts(items, &format!("{at}/items"), say);
    }
}

/// Checks that no text contains a phrase of [`REFUSED_PHRASES`].
fn lint_phrases(meta: &ActionMeta, say: &mut impl FnMut(String)) {
    let mut texts =
        vec![meta.spec.description.to_string(), meta.spec.warning.as_deref().unwrap_or_default().to_owned()];
    collect_descriptions(meta.input.value(), &mut texts);
    collect_descriptions(meta.output.value(), &mut texts);
    for phrase in REFUSED_PHRASES {
        if let Some(text) = texts.iter().find(|text| text.contains(phrase)) {
            say(format!("says `{phrase}` in \"{text}\"; write what the value is"));
        }
    }
}

fn collect_descriptions(schema: &Value, texts: &mut Vec<String>) {
    match schema {
        Value::Object(object) => {
            for (key, value) in object {
                match value {
                    Value::String(text) if key == "description" => texts.push(text.clone()),
                    value => collect_descriptions(value, texts),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect_descriptions(value, texts)),
        _ => {}
    }
}

/// Checks that every text in an output declares who wrote it.
fn lint_words(meta: &ActionMeta, say: &mut impl FnMut(String)) {
    for at in &meta.undeclared {
        say(format!(
            "does not say whose words its output shows at `{at}`; extend that field's schema with `x-untrusted` and a known \
             source, or with `x-ours`"
        ));
    }
}

/// Returns whether an object is closed, or marked `x-free` and bounded by `maxProperties` (execution inputs,
/// metrics).
fn closed(object: &serde_json::Map<String, Value>) -> bool {
    object.get("additionalProperties") == Some(&Value::Bool(false))
        || (object.contains_key("x-free") && object.contains_key("maxProperties"))
}

#[cfg(test)]
mod tests;
