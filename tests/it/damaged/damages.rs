//! The ways in which models damage calls.

mod nested;
mod values;

use serde_json::{Map, Value, json};

use super::transports::{Sent, SentArguments};

/// A kind of damage.
pub struct Damage {
    pub name: &'static str,
    /// Whether the damaged call has one meaning, so that it runs if a model makes it.
    pub certain: bool,
    how: How,
}

enum How {
    Name(fn(&str) -> Option<String>),
    Text(fn(&str) -> Option<String>),
    Fields(fn(&mut Map<String, Value>) -> Option<()>),
    Whole(fn(Value) -> Value),
    /// The name and the arguments become arguments.
    Call(fn(&str, Value) -> Value),
}

impl Damage {
    /// Returns the damaged call, or `None` if the call has nothing to damage in this way.
    pub fn apply(&self, mut sent: Sent) -> Option<Sent> {
        let SentArguments::Json(mut value) = sent.arguments.clone() else { return None };
        match self.how {
            How::Name(damage) => sent.name = damage(&sent.name)?,
            How::Text(damage) => sent.arguments = SentArguments::Text(damage(&value.to_string())?),
            How::Fields(damage) => {
                damage(value.as_object_mut()?)?;
                sent.arguments = SentArguments::Json(value);
            }
            How::Whole(damage) => sent.arguments = SentArguments::Json(damage(value)),
            How::Call(damage) => sent.arguments = SentArguments::Json(damage(&sent.name, value)),
        }
        Some(sent)
    }
}

const fn certain(name: &'static str, how: How) -> Damage {
    Damage { name, certain: true, how }
}

const fn unclear(name: &'static str, how: How) -> Damage {
    Damage { name, certain: false, how }
}

pub fn damages() -> Vec<Damage> {
    let of_values = [values::numbers(), values::values(), values::others(), values::wrapped()];
    let others = [names(), texts(), keys(), wholes(), nested::calls()];
    others.into_iter().chain(of_values).flatten().collect()
}

fn names() -> Vec<Damage> {
    vec![
        certain("name without prefix", How::Name(|name| Some(name.replace("platform_", "")))),
        certain("name in kebab case", How::Name(|name| Some(name.replace('_', "-")))),
        certain("name in upper case", How::Name(|name| Some(name.to_uppercase()))),
        certain("name in camel case", How::Name(|name| Some(camel(name)))),
        certain("name with namespace", How::Name(|name| Some(format!("functions.{name}")))),
        certain("name with index", How::Name(|name| Some(format!("{name}:0")))),
        unclear("name without a letter", How::Name(|name| Some(without(name, name.len() - 2)))),
        unclear("name with swapped letters", How::Name(|name| Some(swapped(name, name.len() - 3)))),
        unclear("name with another letter", How::Name(|name| Some(replaced(name, name.len() - 2)))),
        unclear("name of nothing", How::Name(|_| Some("make_coffee".into()))),
    ]
}

fn texts() -> Vec<Damage> {
    vec![
        certain("trailing comma", How::Text(|text| Some(format!("{},}}", text.strip_suffix('}')?)))),
        certain("single quotes", How::Text(|text| Some(text.replace('"', "'")))),
        certain(
            "Python literals",
            How::Text(|text| Some(text.replace("false", "False").replace("true", "True"))),
        ),
        certain("code fence", How::Text(|text| Some(format!("```json\n{text}\n```")))),
        certain("comment", How::Text(|text| Some(text.replacen(',', ", // more\n", 1)))),
        certain("a brace too many", How::Text(|text| Some(format!("{text}}}")))),
        certain("typographic quotes", How::Text(|text| Some(text.replace('"', "”")))),
        certain("JSON in JSON", How::Text(|text| Some(json!(text).to_string()))),
        certain("keys without quotes", How::Text(unquoted)),
        unclear("prose before", How::Text(|text| Some(format!("Here is the call: {text}")))),
        unclear("prose after", How::Text(|text| Some(format!("{text} I will not send this.")))),
        unclear("cut off", How::Text(|text| Some(text.strip_suffix('}')?.to_owned()))),
        unclear("two objects", How::Text(|text| Some(format!("{text} {text}")))),
        unclear(
            "a key twice",
            How::Text(|text| Some(text.replacen('{', "{\"limit\": 1, \"limit\": 2, ", 1))),
        ),
    ]
}

fn keys() -> Vec<Damage> {
    vec![
        certain(
            "keys in camel case",
            How::Fields(|fields| rekey(fields, |key| key.contains('_').then(|| camel(key)))),
        ),
        certain(
            "keys in kebab case",
            How::Fields(|fields| rekey(fields, |key| key.contains('_').then(|| key.replace('_', "-")))),
        ),
        certain(
            "singular for plural",
            How::Fields(|fields| rekey(fields, |key| (key == "tags").then(|| "tag".into()))),
        ),
        certain(
            "id suffix",
            How::Fields(|fields| rekey(fields, |key| (key == "agent").then(|| "agent_id".into()))),
        ),
        unclear(
            "key without a letter",
            How::Fields(|fields| rekey(fields, |key| (key.len() > 5).then(|| without(key, 2)))),
        ),
        unclear(
            "key with swapped letters",
            How::Fields(|fields| rekey(fields, |key| (key.len() > 5).then(|| swapped(key, 2)))),
        ),
        unclear(
            "another word for a key",
            How::Fields(|fields| {
                rekey(fields, |key| match key {
                    "limit" => Some("max_results".into()),
                    "due_at" => Some("deadline".into()),
                    "title" => Some("subject".into()),
                    _ => None,
                })
            }),
        ),
        unclear("key that does not exist", How::Fields(|fields| put(fields, "colour", json!("red")))),
        unclear(
            "another word for the only key",
            How::Fields(|fields| {
                (fields.len() == 1).then_some(())?;
                rekey(fields, |_| Some("name".into()))
            }),
        ),
        unclear(
            "required key missing",
            How::Fields(|fields| {
                let key = ["title", "name", "agent"].into_iter().find(|key| fields.contains_key(*key))?;
                fields.shift_remove(key).map(|_| ())
            }),
        ),
        unclear(
            "a key in two spellings",
            How::Fields(|fields| {
                fields.contains_key("interval_minutes").then_some(())?;
                put(fields, "intervalMinutes", json!(30))
            }),
        ),
    ]
}

fn wholes() -> Vec<Damage> {
    vec![
        certain("object in a list", How::Text(|text| Some(format!("[{text}]")))),
        certain("wrapped in params", How::Whole(|value| json!({"params": value}))),
        certain("wrapped in arguments as text", How::Whole(|value| json!({"arguments": value.to_string()}))),
        unclear("two objects in a list", How::Whole(|value| json!([value, value]))),
    ]
}

fn camel(text: &str) -> String {
    let mut words = text.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |text, word| text + &word[..1].to_uppercase() + &word[1..])
}

fn without(text: &str, at: usize) -> String {
    text.chars().enumerate().filter(|(index, _)| *index != at).map(|(_, c)| c).collect()
}

fn swapped(text: &str, at: usize) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    chars.swap(at, at + 1);
    chars.into_iter().collect()
}

fn replaced(text: &str, at: usize) -> String {
    text.chars().enumerate().map(|(index, c)| if index == at { 'q' } else { c }).collect()
}

fn unquoted(text: &str) -> Option<String> {
    let fields: Map<String, Value> = serde_json::from_str(text).ok()?;
    let parts: Vec<String> = fields.iter().map(|(key, value)| format!("{key}: {value}")).collect();
    Some(format!("{{{}}}", parts.join(", ")))
}

/// Renames every key for which there is another one. `None` if there is none.
fn rekey(fields: &mut Map<String, Value>, other: impl Fn(&str) -> Option<String>) -> Option<()> {
    let mut changed = false;
    let renamed = std::mem::take(fields).into_iter().map(|(key, value)| match other(&key) {
        Some(key) => {
            changed = true;
            (key, value)
        }
        None => (key, value),
    });
    *fields = renamed.collect();
    changed.then_some(())
}

fn each(fields: &mut Map<String, Value>, other: impl Fn(&Value) -> Option<Value>) -> Option<()> {
    let mut changed = false;
    for value in fields.values_mut() {
        if let Some(other) = other(value) {
            *value = other;
            changed = true;
        }
    }
    changed.then_some(())
}

/// Replaces the words of enums.
fn word(fields: &mut Map<String, Value>, other: impl Fn(&str) -> String) -> Option<()> {
    let key = ["status", "priority", "level", "mode"].into_iter().find(|key| fields.contains_key(*key))?;
    let text = other(fields.get(key)?.as_str()?);
    put(fields, key, json!(text))
}

/// Sets a value. `None` if it had that value.
fn put(fields: &mut Map<String, Value>, key: &str, value: Value) -> Option<()> {
    let before = fields.insert(key.to_owned(), value.clone());
    (before.as_ref() != Some(&value)).then_some(())
}
