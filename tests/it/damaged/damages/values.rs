//! Values of another type or form.

use serde_json::{Value, json};

use super::{Damage, How, certain, each, put, unclear, without, word};

pub(super) fn numbers() -> Vec<Damage> {
    vec![
        certain(
            "number in text",
            How::Fields(|fields| each(fields, |value| value.as_i64().map(|n| json!(n.to_string())))),
        ),
        certain(
            "integer with a zero fraction",
            How::Fields(|fields| {
                each(fields, |value| value.as_i64().map(|n| json!(f64::from(i32::try_from(n).unwrap()))))
            }),
        ),
        certain(
            "boolean in text",
            How::Fields(|fields| each(fields, |value| value.as_bool().map(|b| json!(b.to_string())))),
        ),
        certain(
            "boolean as a word",
            How::Fields(|fields| {
                each(fields, |value| value.as_bool().map(|on| json!(if on { "Yes" } else { "off" })))
            }),
        ),
        certain(
            "boolean as a number",
            How::Fields(|fields| each(fields, |value| value.as_bool().map(|on| json!(i32::from(on))))),
        ),
    ]
}

pub(super) fn values() -> Vec<Damage> {
    vec![
        certain(
            "one value for a list",
            How::Fields(|fields| {
                each(fields, |value| match value.as_array().map(Vec::as_slice) {
                    Some([one]) => Some(one.clone()),
                    _ => None,
                })
            }),
        ),
        certain(
            "a list for one value",
            How::Fields(|fields| {
                each(fields, |value| (value.is_string() || value.is_number()).then(|| json!([value])))
            }),
        ),
        certain("word in upper case", How::Fields(|fields| word(fields, str::to_uppercase))),
        certain("word with a space", How::Fields(|fields| word(fields, |text| text.replace('_', " ")))),
        certain(
            "object in text",
            How::Fields(|fields| each(fields, |value| value.is_object().then(|| json!(value.to_string())))),
        ),
        certain(
            "list in text",
            How::Fields(|fields| each(fields, |value| value.is_array().then(|| json!(value.to_string())))),
        ),
    ]
}

pub(super) fn others() -> Vec<Damage> {
    vec![
        certain(
            "date for a time",
            How::Fields(|fields| {
                let date = fields.get("due_at")?.as_str()?.get(..10)?.to_owned();
                put(fields, "due_at", json!(date))
            }),
        ),
        certain(
            "time without zone",
            How::Fields(|fields| {
                let time = fields.get("due_at")?.as_str()?.strip_suffix('Z')?.to_owned();
                put(fields, "due_at", json!(time))
            }),
        ),
        certain(
            "empty text for an id",
            How::Fields(|fields| {
                fields.contains_key("title").then_some(())?;
                put(fields, "parent_task_id", json!(""))
            }),
        ),
        certain(
            "null for an optional value",
            How::Fields(|fields| {
                fields.contains_key("title").then_some(())?;
                put(fields, "parent_task_id", Value::Null)
            }),
        ),
        unclear("word with a slip", How::Fields(|fields| word(fields, |text| without(text, 1)))),
        unclear("unknown word", How::Fields(|fields| word(fields, |_| "enormous".into()))),
        unclear(
            "number in words",
            How::Fields(|fields| each(fields, |value| value.is_i64().then(|| json!("a few")))),
        ),
        unclear(
            "boolean in other words",
            How::Fields(|fields| each(fields, |value| value.is_boolean().then(|| json!("maybe")))),
        ),
        unclear(
            "time in words",
            How::Fields(|fields| {
                fields.contains_key("due_at").then_some(())?;
                put(fields, "due_at", json!("tomorrow"))
            }),
        ),
    ]
}

pub(super) fn wrapped() -> Vec<Damage> {
    vec![
        certain(
            "object around a value",
            How::Fields(|fields| {
                each(fields, |value| (value.is_string() || value.is_i64()).then(|| json!({"value": value})))
            }),
        ),
        certain(
            "object around a name",
            How::Fields(|fields| {
                let agent = fields.get("agent")?.clone();
                put(fields, "agent", json!({"name": agent}))
            }),
        ),
        certain(
            "name as a slug in quotes",
            How::Fields(|fields| {
                let agent = fields.get("agent")?.as_str()?.to_lowercase();
                put(fields, "agent", json!(format!("`{agent}`")))
            }),
        ),
        certain(
            "word for nothing",
            How::Fields(|fields| {
                fields.contains_key("title").then_some(())?;
                put(fields, "parent_task_id", json!("None"))
            }),
        ),
        certain(
            "empty object for an optional value",
            How::Fields(|fields| {
                fields.contains_key("title").then_some(())?;
                put(fields, "parent_task_id", json!({}))
            }),
        ),
        certain(
            "number with its unit",
            How::Fields(|fields| {
                let key = ["days", "minutes", "interval_minutes"]
                    .into_iter()
                    .find(|key| fields.contains_key(*key))?;
                let number = fields.get(key)?.as_i64()?;
                let unit = if key == "days" { "days" } else { "min" };
                put(fields, key, json!(format!("{number} {unit}")))
            }),
        ),
        unclear(
            "list in words",
            How::Fields(|fields| {
                each(fields, |value| {
                    let words: Option<Vec<&str>> = value.as_array()?.iter().map(Value::as_str).collect();
                    words.filter(|words| words.len() > 1).map(|words| json!(words.join(", ")))
                })
            }),
        ),
    ]
}
