//! The JSON Schema of the TOML file, for editors.

use serde_json::{Map, Value, json};

use crate::{Kind, TABLE};

/// Returns the schema of the settings file.
pub fn schema() -> Value {
    let properties: Map<String, Value> = TABLE.iter().map(|s| (s.key.to_owned(), property(s))).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Settings of toolcrib",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
    })
}

fn property(setting: &crate::Setting) -> Value {
    let mut out = json!({ "description": setting.help, "type": setting.kind.json_type() });
    match setting.kind {
        Kind::Number => out["minimum"] = 1.into(),
        Kind::List => out["items"] = json!({ "type": "string" }),
        Kind::Word(words) => out["enum"] = words.into(),
        Kind::Secret => out["writeOnly"] = true.into(),
        Kind::Text | Kind::Url => {}
    }
    if let Some(default) = setting.default {
        out["default"] = match setting.kind {
            Kind::Number => default.parse::<u64>().map_or(Value::Null, Value::from),
            Kind::List => default.split(',').collect(),
            _ => default.into(),
        };
    }
    out
}
