//! How an action is called, and the categories of the catalogue.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use serde_json::Value;
use toolcrib_engine::CallerTools;
use toolcrib_registry::{ActionMeta, Category};

/// A category of the catalogue, by its word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CategoryWord(pub Category);

impl CategoryWord {
    fn all() -> impl Iterator<Item = Category> {
        Category::ALL.iter().copied().filter(|category| *category != Category::Administration)
    }
}

impl Serialize for CategoryWord {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_str())
    }
}

impl<'de> Deserialize<'de> for CategoryWord {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        let found = Self::all().find(|category| category.as_str() == word);
        found.map(Self).ok_or_else(|| D::Error::custom(format!("there is no category `{word}`")))
    }
}

impl JsonSchema for CategoryWord {
    fn schema_name() -> Cow<'static, str> {
        "Category".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let words: Vec<&str> = Self::all().map(Category::as_str).collect();
        json_schema!({ "type": "string", "enum": words })
    }
}

/// How an action is called: a call, as in `call` of errors.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct HowToCall {
    /// Name of the tool: the action's own name or `platform_execute`.
    #[schemars(extend("x-ours" = true))]
    pub name: String,
    /// Arguments, with placeholders in angle brackets for required values.
    #[schemars(extend("x-ours" = true))]
    pub arguments: Value,
}

impl HowToCall {
    pub fn of(tools: &CallerTools<'_>, meta: &ActionMeta) -> Self {
        let mut call = tools.how_to_call(meta);
        Self {
            name: call["name"].as_str().unwrap_or(&meta.spec.name).to_owned(),
            arguments: call["arguments"].take(),
        }
    }
}
