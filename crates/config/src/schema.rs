//! The JSON Schema of the TOML file, for editors.

use serde_json::{Map, Value, json};

use crate::{SettingKind, TABLE};

/// Returns the schema of the settings file.
pub fn schema() -> Value {
    let properties: Map<String, Value> = TABLE.iter().map(|s| (s.key.clone(), property(s))).collect();
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
    match &setting.kind {
        SettingKind::Number => out["minimum"] = 1.into(),
        SettingKind::List => out["items"] = json!({ "type": "string" }),
        SettingKind::Word(words) => out["enum"] = json!(words),
        SettingKind::Secret => out["writeOnly"] = true.into(),
        SettingKind::Text | SettingKind::Url => {}
    }
    if let Some(default) = &setting.default {
        out["default"] = match &setting.kind {
            SettingKind::Number => default.parse::<u64>().map_or(Value::Null, Value::from),
            SettingKind::List => default.split(',').collect(),
            _ => default.as_str().into(),
        };
    }
    out
}
