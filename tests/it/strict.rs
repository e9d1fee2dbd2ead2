//! Strict schemas say every constraint of the action: by the same keyword, or in words of the description.

use serde_json::{Map, Value};
use toolcrib_registry::{strict_anthropic, strict_openai};

use crate::formats::{all_places, catalog};

/// The words of a constraint that a strict schema says in its description.
fn words(keyword: &str, value: &Value) -> Option<String> {
    let count = |what: &str| format!("{value} {what}{}", if *value == 1 { "" } else { "s" });
    Some(match keyword {
        // Every text has at least one character, which the server checks.
        "minLength" if *value == 1 => String::new(),
        "minLength" => format!("in {}.", count("character")),
        "maxLength" => format!("ax {}.", count("character")),
        "minItems" => format!("in {}.", count("item")),
        "maxItems" => format!("ax {}.", count("item")),
        "minimum" => format!("in {value}."),
        "maximum" => format!("ax {value}."),
        "format" | "pattern" => value.as_str().unwrap_or_default().to_owned(),
        "uniqueItems" => "o item twice.".to_owned(),
        _ => return None,
    })
}

/// Whether a place of a strict schema has the keyword, with null as one more type or word, or says it.
fn says(strict: &Map<String, Value>, keyword: &str, value: &Value) -> bool {
    let text = strict.get("description").and_then(Value::as_str).unwrap_or_default();
    let nullable = |kept: &Value| match (kept, value) {
        (Value::Array(kept), Value::Array(words)) => words.iter().all(|word| kept.contains(word)),
        (Value::Array(kept), word) => kept.contains(word),
        (kept, value) => kept == value,
    };
    match (keyword, strict.get(keyword)) {
        ("description", _) => text.starts_with(value.as_str().unwrap_or_default()),
        ("properties" | "items" | "anyOf", kept) => kept.is_some(),
        ("type" | "enum" | "required", Some(kept)) => nullable(kept),
        (_, Some(kept)) if kept == value => true,
        _ => words(keyword, value).is_some_and(|words| text.contains(&words)),
    }
}

#[test]
fn strict_schemas_drop_no_constraint() {
    for meta in catalog().registry().tools() {
        let input = meta.input.value();
        for strict in [strict_openai(input), strict_anthropic(input)].into_iter().flatten() {
            let shown = all_places(&strict);
            for (at, object) in all_places(input) {
                let there = shown.iter().find(|(place, _)| *place == at);
                let (_, there) = there.unwrap_or_else(|| panic!("{} has no {at}", meta.spec.name));
                for (keyword, value) in object.iter().filter(|(keyword, _)| !keyword.starts_with("x-")) {
                    let root =
                        at.is_empty() && ["anyOf", "oneOf", "dependentRequired"].contains(&keyword.as_str());
                    let said = says(there, keyword, value) || root && there.contains_key("description");
                    assert!(said, "{}{at}: `{keyword}: {value}` went missing: {there:?}", meta.spec.name);
                }
            }
        }
    }
}
