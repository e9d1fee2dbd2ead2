//! The document as people write it. Every field is optional here, so that a document with defects can be read
//! too; the schema says which fields are required.
#![deny(missing_docs)]

mod http;
mod tool;
mod upstream;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer, ser::Error as _};
use serde_json::Value;
use toolcrib_model::Role;

pub use http::{HttpMapping, HttpMethod, ResponseMapping, TargetMapping};
pub use tool::{ClientExecution, DeclaredEscalation, DeclaredTool, EscalationCondition, McpMapping};
pub use upstream::{AuthKind, DeclaredUpstream, SecretOwner, UpstreamAuth, UpstreamKind};

use crate::grammar::SLUG_PATTERN;

/// The version of the document's form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum DocumentForm {
    /// The only version.
    #[serde(rename = "toolcrib.toolset/1")]
    V1,
}

/// A document of declared tools under one slug.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Toolset {
    /// The version of the form: `toolcrib.toolset/1`.
    #[schemars(required, extend("x-plain-words" = true))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<DocumentForm>,
    /// Prefix of the tools' full names, such as `desk` in `desk__get_ticket`.
    #[schemars(required, regex(pattern = SLUG_PATTERN))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// Title for people.
    #[schemars(required, length(min = 1, max = 80))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Only in an operator's file: whether the toolset is on in every workspace. Default: `false`; each
    /// workspace's admin switches it on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// Only in an operator's file: caller types that are added to the configured ones.
    #[schemars(length(max = 100), inner(length(min = 1, max = 40)))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller_types: Option<Vec<String>>,
    /// Values for the tools that do not have their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub defaults: Option<ToolsetDefaults>,
    /// Only in an operator's file: the services that the tools call.
    #[schemars(length(max = 50))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstreams: Option<Vec<DeclaredUpstream>>,
    /// The tools, in the order in which they are listed.
    #[schemars(required, length(min = 1, max = 500))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<DeclaredTool>>,
}

impl Toolset {
    /// Returns the document as TOML. The error says which value TOML can't express, such as a null.
    pub fn to_toml(&self) -> Result<String, String> {
        let document = serde_json::to_value(self).map_err(|error| error.to_string())?;
        toml::to_string_pretty(&AsToml(&document)).map_err(|error| error.to_string())
    }
}

/// Values for the tools that do not have their own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct ToolsetDefaults {
    /// The lowest role that may call a tool.
    #[schemars(extend("x-plain-words" = true))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_role: Option<Role>,
    /// The callers that may call a tool.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accessible_by: Option<DeclaredAccess>,
}

/// The callers that may call a tool: `"everyone"`, or lists of types and names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
#[schemars(inline)]
pub enum DeclaredAccess {
    /// No restriction by caller.
    Word(EveryoneWord),
    /// Callers with one of the types or one of the names. Two empty lists admit no caller.
    Lists(AccessLists),
}

/// The word for callers of every type and name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum EveryoneWord {
    /// No restriction by caller.
    Everyone,
}

/// Callers by type and name.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct AccessLists {
    /// Caller types, such as `mission`.
    #[schemars(length(max = 100), inner(length(min = 1, max = 40)))]
    #[serde(default)]
    pub types: Vec<String>,
    /// Names of agents. Compared with agents' slugs in lower case, with `-` for `_` and spaces.
    #[schemars(length(max = 100), inner(length(min = 1, max = 200)))]
    #[serde(default)]
    pub names: Vec<String>,
}

/// Serializes numbers as numbers. `serde_json` keeps the text of a number, and gives other formats a map with it.
struct AsToml<'v>(&'v Value);

impl Serialize for AsToml<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::Null => serializer.serialize_unit(),
            Value::Bool(value) => serializer.serialize_bool(*value),
            Value::String(text) => serializer.serialize_str(text),
            Value::Array(items) => serializer.collect_seq(items.iter().map(AsToml)),
            Value::Object(fields) => {
                serializer.collect_map(fields.iter().map(|(name, value)| (name, AsToml(value))))
            }
            Value::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(number), _) => serializer.serialize_i64(number),
                (None, Some(_)) if number.as_u64().is_some() => {
                    Err(S::Error::custom(format!("`{number}` is larger than an integer of TOML")))
                }
                (None, Some(number)) => serializer.serialize_f64(number),
                (None, None) => Err(S::Error::custom(format!("`{number}` is no number of TOML"))),
            },
        }
    }
}
