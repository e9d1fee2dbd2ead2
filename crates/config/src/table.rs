//! The table of settings, `settings.toml`. Flags, environment variables, the file's keys, the help and the schema are
//! generated from it.

use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The type of a setting's value.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SettingKind {
    /// Any text.
    Text,
    /// The URL of another service. A login in it is never shown.
    Url,
    /// A text that is never shown.
    Secret,
    /// An integer from 1.
    Number,
    /// A list of texts: separated by commas in a flag or variable, an array in the file.
    List,
    /// One of these words.
    Word(Vec<String>),
}

impl SettingKind {
    /// Returns the JSON type of the value in the file.
    const fn json_type(&self) -> &'static str {
        match self {
            Self::Number => "integer",
            Self::List => "array",
            Self::Text | Self::Url | Self::Secret | Self::Word(_) => "string",
        }
    }
}

/// One setting.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Setting {
    /// The key in the file. The flag has `-` instead of `_`; the variable is in upper case with the prefix
    /// `TOOLCRIB_`.
    pub key: String,
    /// The placeholder of the value in the help.
    pub value: String,
    /// The type of the value.
    pub kind: SettingKind,
    /// The default, if there is one.
    pub default: Option<String>,
    /// The help text.
    pub help: String,
}

impl Setting {
    /// Returns the flag, such as `--data-dir`.
    pub fn flag(&self) -> String {
        format!("--{}", self.key.replace('_', "-"))
    }

    /// Returns the environment variable, such as `TOOLCRIB_DATA_DIR`.
    pub fn variable(&self) -> String {
        format!("{VARIABLES}{}", self.key.to_uppercase())
    }
}

/// The prefix of every environment variable.
pub const VARIABLES: &str = "TOOLCRIB_";

/// Every setting, in the order of the help. The tests of this crate read it.
pub static TABLE: LazyLock<Vec<Setting>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct File {
        settings: Vec<Setting>,
    }
    toml::from_str::<File>(include_str!("settings.toml")).map(|file| file.settings).unwrap_or_default()
});

/// Returns the JSON Schema of the settings file, for editors.
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

fn property(setting: &Setting) -> Value {
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
