//! Renders tools in the formats of the providers, and lists the schema keywords that each format can't
//! express.
//!
//! To add a provider: a variant of [`Format`], a module with its `tool` and, if `rewrite::carry` is not enough, its
//! `carry`, an arm in each match here.
#![deny(missing_docs)]

use std::borrow::Cow;

use serde_json::{Value, json};

use crate::{ActionMeta, Detail, Dispatcher, Level, dispatcher_tool};

mod anthropic;
mod gemini;
mod mcp;
mod openai;
mod openai_responses;
mod rewrite;
mod strict;
mod words;

pub use anthropic::strict_anthropic;
pub use gemini::read_json_texts;
pub use openai::strict_openai;
pub use rewrite::DroppedKeyword;
pub use strict::{Allocation, NotStrict, StrictUsage, allocate_strict};

toolcrib_model::closed_set! {
    "a format",
    /// A provider's shape of tools, calls and answers.
    #[derive(Default)]
    Format {
        /// OpenAI's Chat Completions.
        #[default]
        Openai = "openai",
        /// OpenAI's Responses.
        OpenaiResponses = "openai_responses",
        /// Anthropic's Messages.
        Anthropic = "anthropic",
        /// Google's Gemini.
        Gemini = "gemini",
        /// The Model Context Protocol.
        Mcp = "mcp",
    }
}

impl Format {
    /// Returns the maximum number of tools that the provider takes in one request.
    pub const fn max_tools(self) -> Option<usize> {
        match self {
            Self::Openai | Self::OpenaiResponses => Some(128),
            Self::Anthropic | Self::Gemini | Self::Mcp => None,
        }
    }
}

/// A tool, independent of the provider's format.
#[derive(Clone, Debug)]
pub struct Tool<'a> {
    /// The full name.
    pub name: &'a str,
    /// A title for people.
    pub title: Cow<'a, str>,
    /// What the tool does.
    pub description: Cow<'a, str>,
    /// The schema of the parameters.
    pub input: Cow<'a, Value>,
    /// What the tool may do to data. `None` for the dispatcher, whose actions have different levels.
    pub level: Option<Level>,
    /// The tool calls services outside the platform.
    pub open_world: bool,
    /// The provider constrains the model's output to the schema. Set by [`allocate_strict`].
    pub strict: bool,
    /// The provider's tool search loads the tool on demand, if the provider has one.
    pub defer: bool,
}

impl<'a> Tool<'a> {
    /// Creates the tool of one action.
    pub fn of(meta: &'a ActionMeta) -> Self {
        Self {
            name: &meta.spec.name,
            title: Cow::Owned(title(meta.spec.short_name())),
            description: Cow::Borrowed(&meta.spec.description),
            input: meta.input.read(),
            level: Some(meta.spec.level),
            open_world: meta.spec.external,
            strict: false,
            defer: false,
        }
    }

    /// Creates a dispatcher for these actions. Returns `None` without actions.
    pub fn dispatcher(which: Dispatcher, metas: &[&ActionMeta], shown: Option<Detail>) -> Option<Self> {
        if metas.is_empty() {
            return None;
        }
        let (description, input) = dispatcher_tool(which, metas, shown);
        Some(Self {
            name: which.as_str(),
            title: Cow::Borrowed(which.title()),
            description: Cow::Owned(description),
            input: Cow::Owned(input),
            level: None,
            open_world: metas.iter().any(|meta| meta.spec.external),
            strict: false,
            defer: false,
        })
    }
}

/// Converts `create_task` to `Create task`, and `desk__get_ticket` to `Desk: get ticket`.
fn title(short_name: &str) -> String {
    let words = short_name.replace("__", ": ").replace('_', " ");
    let mut chars = words.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// Renders the `tools` of a model request: an array of tools, or for Gemini an array with one object that
/// contains all.
pub fn render(format: Format, tools: &[Tool<'_>]) -> Value {
    match format {
        Format::Openai => tools.iter().map(openai::tool).collect(),
        Format::OpenaiResponses => openai_responses::tools(tools),
        Format::Anthropic => anthropic::tools(tools),
        Format::Gemini => gemini::tools(tools),
        Format::Mcp => tools.iter().map(mcp::tool).collect(),
    }
}

/// Estimates how many tokens rendered tools cost: one for every four characters of JSON, and none without tools.
pub fn estimated_tokens(tools: &Value) -> usize {
    if tools.as_array().is_some_and(Vec::is_empty) {
        0
    } else {
        tools.to_string().chars().count().div_ceil(4)
    }
}

/// Renders the `tool_choice` of a model request: the model decides, or with `none` it must not call a tool.
/// For Gemini this is its `toolConfig`. Returns `None` for MCP, which has no such field.
pub fn tool_choice(format: Format, none: bool) -> Option<Value> {
    let word = if none { "none" } else { "auto" };
    match format {
        Format::Openai | Format::OpenaiResponses => Some(json!(word)),
        Format::Anthropic => Some(json!({ "type": word })),
        Format::Gemini => Some(json!({ "functionCallingConfig": { "mode": word.to_uppercase() } })),
        Format::Mcp => None,
    }
}

/// Like [`dropped_keywords`], for the strict form. Returns `None` if the format has no strict tools or the
/// schema has no strict form.
pub fn strict_dropped_keywords(format: Format, input: &Value) -> Option<Vec<DroppedKeyword>> {
    let mut dropped_keywords = Vec::new();
    let carried = match format {
        Format::Openai | Format::OpenaiResponses => openai::carry_strict(input, &mut dropped_keywords),
        Format::Anthropic => anthropic::carry_strict(input, &mut dropped_keywords),
        Format::Gemini | Format::Mcp => return None,
    };
    carried.ok().map(|_| dropped_keywords)
}

/// Converts the schema of an action's parameters to the format's form that is not strict.
pub fn carried(format: Format, input: &Value) -> Value {
    carry(format, input, &mut Vec::new())
}

/// Returns the keywords of an input schema that a format can't express, and where each constraint went. The
/// server always validates against the whole schema.
pub fn dropped_keywords(format: Format, input: &Value) -> Vec<DroppedKeyword> {
    let mut dropped_keywords = Vec::new();
    carry(format, input, &mut dropped_keywords);
    dropped_keywords
}

fn carry(format: Format, input: &Value, dropped_keywords: &mut Vec<DroppedKeyword>) -> Value {
    match format {
        Format::Openai | Format::OpenaiResponses | Format::Anthropic => {
            rewrite::carry(input, dropped_keywords)
        }
        Format::Gemini => gemini::carry(input, dropped_keywords),
        Format::Mcp => rewrite::plain(input),
    }
}

#[cfg(test)]
mod tests;
