//! The shapes in which providers take tools, and what each of them can't carry of a schema.
//!
//! To add a provider: a variant of [`Format`], a module with its `tool` and its `carry`, a row in each match here.

use std::{borrow::Cow, fmt};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{ActionMeta, DISPATCHER, Detail, Level, dispatcher_tool};

mod anthropic;
mod gemini;
mod mcp;
mod openai;
mod openai_responses;
mod rewrite;
mod strict;
mod words;

pub use anthropic::strict_anthropic;
pub use openai::strict_openai;
pub use rewrite::DroppedKeyword;
pub use strict::{Allocation, NotStrict, StrictUsage, allocate_strict};

/// A provider's shape of tools, calls and answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Format {
    /// OpenAI's Chat Completions.
    #[default]
    Openai,
    /// OpenAI's Responses.
    OpenaiResponses,
    /// Anthropic's Messages.
    Anthropic,
    /// Google's Gemini.
    Gemini,
    /// The Model Context Protocol.
    Mcp,
}

impl Format {
    /// Every format, in the order of the documentation.
    pub const ALL: &'static [Self] =
        &[Self::Openai, Self::OpenaiResponses, Self::Anthropic, Self::Gemini, Self::Mcp];

    /// The wire word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::OpenaiResponses => "openai_responses",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Mcp => "mcp",
        }
    }

    /// The format of a wire word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|format| format.as_str() == word)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One tool, before it takes a provider's shape.
#[derive(Clone, Debug)]
pub struct Tool<'a> {
    /// The full name.
    pub name: &'a str,
    /// A title for people.
    pub title: Cow<'a, str>,
    /// Description.
    pub description: Cow<'a, str>,
    /// The schema of its parameters.
    pub input: Cow<'a, Value>,
    /// The schema of its result, where there is one to show.
    pub output: Option<&'a Value>,
    /// What it may do; none for the dispatcher, which may do anything.
    pub level: Option<Level>,
    /// It asks services outside the platform.
    pub open_world: bool,
    /// The provider holds the model to the schema. Set it by [`allocate_strict`].
    pub strict: bool,
    /// Left to the provider's own tool search, where it has one.
    pub defer: bool,
}

impl<'a> Tool<'a> {
    /// An action with its own schema.
    pub fn of(meta: &'a ActionMeta) -> Self {
        Self {
            name: meta.spec.name,
            title: Cow::Owned(title(meta.spec.short_name())),
            description: Cow::Borrowed(meta.spec.description),
            input: Cow::Borrowed(meta.input.value()),
            output: Some(&meta.output),
            level: Some(meta.spec.level),
            open_world: meta.spec.external,
            strict: false,
            defer: false,
        }
    }

    /// The dispatcher over these actions; `None` where there are none.
    pub fn dispatcher(metas: &[&ActionMeta], detail: Detail) -> Option<Self> {
        if metas.is_empty() {
            return None;
        }
        let (description, input) = dispatcher_tool(metas, detail);
        Some(Self {
            name: DISPATCHER,
            title: Cow::Borrowed("Run a platform action"),
            description: Cow::Owned(description),
            input: Cow::Owned(input),
            output: None,
            level: None,
            open_world: metas.iter().any(|meta| meta.spec.external),
            strict: false,
            defer: false,
        })
    }
}

/// `create_task` → `Create task`.
fn title(short_name: &str) -> String {
    let words = short_name.replace('_', " ");
    let mut chars = words.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The `tools` of a model request. An array, except that Gemini takes an array of one object which holds all.
pub fn render(format: Format, tools: &[Tool<'_>]) -> Value {
    match format {
        Format::Openai => tools.iter().map(openai::tool).collect(),
        Format::OpenaiResponses => openai_responses::tools(tools),
        Format::Anthropic => anthropic::tools(tools),
        Format::Gemini => gemini::tools(tools),
        Format::Mcp => tools.iter().map(mcp::tool).collect(),
    }
}

/// The `tool_choice` of a model request, in the provider's shape: the model decides, or with `none` it must not
/// call. Gemini's is its `toolConfig`; MCP has none.
pub fn tool_choice(format: Format, none: bool) -> Option<Value> {
    let word = if none { "none" } else { "auto" };
    match format {
        Format::Openai | Format::OpenaiResponses => Some(json!(word)),
        Format::Anthropic => Some(json!({ "type": word })),
        Format::Gemini => Some(json!({ "functionCallingConfig": { "mode": word.to_uppercase() } })),
        Format::Mcp => None,
    }
}

/// The same of a format's strict tools; `None` where it has none, or can't say this schema strictly.
pub fn strict_dropped_keywords(format: Format, input: &Value) -> Option<Vec<DroppedKeyword>> {
    let mut dropped_keywords = Vec::new();
    let carried = match format {
        Format::Openai | Format::OpenaiResponses => openai::carry_strict(input, &mut dropped_keywords),
        Format::Anthropic => anthropic::carry_strict(input, &mut dropped_keywords),
        Format::Gemini | Format::Mcp => None,
    };
    carried.map(|_| dropped_keywords)
}

/// The schema of an action's parameters as a format carries it, without strict.
pub fn carried(format: Format, input: &Value) -> Value {
    match format {
        Format::Openai | Format::OpenaiResponses => openai::carry(input, &mut Vec::new()),
        Format::Anthropic => anthropic::carry(input, &mut Vec::new()),
        Format::Gemini => gemini::carry(input, &mut Vec::new()),
        Format::Mcp => mcp::carry(input),
    }
}

/// What a format can't carry of an input schema, and where each constraint went. The server checks the whole
/// schema whatever a provider was shown.
pub fn dropped_keywords(format: Format, input: &Value) -> Vec<DroppedKeyword> {
    let mut dropped_keywords = Vec::new();
    match format {
        Format::Openai | Format::OpenaiResponses => drop(openai::carry(input, &mut dropped_keywords)),
        Format::Anthropic => drop(anthropic::carry(input, &mut dropped_keywords)),
        Format::Gemini => drop(gemini::carry(input, &mut dropped_keywords)),
        Format::Mcp => drop(mcp::carry(input)),
    }
    dropped_keywords
}

#[cfg(test)]
mod tests;
