//! What the page shows of a response, and what of it must be the same in each run.

use serde_json::{Value, json};

/// Longer texts are cut after this many characters.
const TEXT: usize = 160;

/// Description and data of a response, shortened.
pub fn shown(whole: &Value) -> Value {
    json!({ "description": whole["description"], "data": short(&whole["data"]) })
}

fn short(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().take(2).map(short).collect(),
        Value::Object(fields) => fields.iter().map(|(name, value)| (name.clone(), short(value))).collect(),
        Value::String(text) if text.chars().count() > TEXT => {
            json!(text.chars().take(TEXT).chain(['…']).collect::<String>())
        }
        other => other.clone(),
    }
}

/// The first difference between two pages, apart from values that differ between runs.
pub fn difference(held: &str, made: &str) -> Option<String> {
    let (held, made) = (parts(held), parts(made));
    if held.len() != made.len() {
        return Some(format!("{} parts instead of {}", held.len(), made.len()));
    }
    held.iter().zip(&made).find_map(|(held, made)| match (held, made) {
        (Part::Text(held), Part::Text(made)) if held == made => None,
        (Part::Answer(held), Part::Answer(made)) => unlike("", held, made),
        (held, made) => Some(format!("{held:?} is now {made:?}")),
    })
}

#[derive(Debug)]
enum Part {
    Text(String),
    Answer(Value),
}

fn parts(page: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    for (n, piece) in page.split("```json\n").enumerate() {
        let (answer, text) =
            if n == 0 { ("", piece) } else { piece.split_once("\n```\n").unwrap_or((piece, "")) };
        if n > 0 {
            parts.push(Part::Answer(serde_json::from_str(answer).unwrap_or_default()));
        }
        parts.push(Part::Text(text.to_owned()));
    }
    parts
}

/// The first difference in fields or kinds of values between two responses. Null matches anything, because it
/// stands for an unknown value.
fn unlike(path: &str, held: &Value, made: &Value) -> Option<String> {
    match (held, made) {
        (Value::Object(left), Value::Object(right)) => {
            let names = |fields: &serde_json::Map<String, Value>| fields.keys().cloned().collect::<Vec<_>>();
            if names(left) != names(right) {
                return Some(format!("{path} has {:?} instead of {:?}", names(right), names(left)));
            }
            left.iter().find_map(|(name, value)| unlike(&format!("{path}/{name}"), value, &right[name]))
        }
        (Value::Array(left), Value::Array(right)) => match (left.first(), right.first()) {
            (Some(left), Some(right)) => unlike(&format!("{path}/0"), left, right),
            _ => None,
        },
        (Value::Null, _)
        | (_, Value::Null)
        | (Value::String(_), Value::String(_))
        | (Value::Number(_), Value::Number(_))
        | (Value::Bool(_), Value::Bool(_)) => None,
        (held, made) => Some(format!("{path} was {held} and is {made}")),
    }
}
