//! Inputs that break one rule of a schema, for each of its rules.

use serde_json::{Value, json};

use super::{Chance, sound};

/// Sound inputs with one mistake, each with the name of the mistake.
pub fn broken(schema: &Value, chance: &mut Chance) -> Vec<(String, Value)> {
    let start = sound(schema, chance);
    let mut ways = vec![("an unknown key".to_owned(), with(&start, "no_such_parameter", json!(1)))];
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        let mut less = start.clone();
        less.as_object_mut().unwrap().remove(name);
        ways.push((format!("`{name}` is missing"), less));
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        for (what, value) in wrong(property) {
            ways.push((format!("`{name}` {what}"), with(&start, name, value)));
        }
        if name == "cursor" {
            ways.push(("`cursor` is none".to_owned(), with(&start, name, json!("rubbish"))));
        }
    }
    ways
}

fn with(start: &Value, name: &str, value: Value) -> Value {
    let mut changed = start.clone();
    changed.as_object_mut().unwrap().insert(name.to_owned(), value);
    changed
}

/// Values that the property's schema refuses.
fn wrong(schema: &Value) -> Vec<(&'static str, Value)> {
    let mut ways = vec![("is a list of lists", json!([[[]]]))];
    let kind = schema.get("type").map(Value::to_string).unwrap_or_default();
    if !kind.contains("boolean") {
        ways.push(("is true", json!(true)));
    }
    if schema.get("enum").is_some() || schema.get("oneOf").is_some() {
        ways.push(("is no such word", json!("no such word")));
    }
    if let Some(most) = schema.get("maxLength").and_then(Value::as_u64) {
        ways.push(("is too long", json!("x".repeat(usize::try_from(most).unwrap() + 1))));
    }
    if schema.get("minLength").is_some() {
        ways.push(("is empty", json!("")));
    }
    if let Some(most) = schema.get("maximum").and_then(Value::as_f64) {
        ways.push(("is too large", json!(most + 1.0)));
        ways.push(("is a text", json!("no number")));
    }
    if let Some(least) = schema.get("minimum").and_then(Value::as_f64) {
        ways.push(("is too small", json!(least - 1.0)));
    }
    if let Some(most) = schema.get("maxItems").and_then(Value::as_u64) {
        let one = sound(&schema["items"], &mut Chance::new(1));
        ways.push(("has too many items", Value::Array(vec![one; usize::try_from(most).unwrap() + 1])));
    }
    if kind.contains("integer") {
        ways.push(("is a fraction", json!(1.5)));
    }
    if schema.get("minItems").is_some() {
        ways.push(("has no item", json!([])));
    }
    if schema.get("format").is_some() || schema.get("pattern").is_some() {
        ways.push(("has another form", json!("neither an id nor a time nor an address")));
    }
    ways
}
