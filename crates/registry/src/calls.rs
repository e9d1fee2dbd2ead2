//! A model's tool calls in a provider's shape, read; and the answers to them in the same shape, written.
//!
//! To add a provider: a module with `parse` and `messages`, and a row in the two matches here.

use serde_json::Value;

use crate::{ArgError, Format};

mod anthropic;
mod fields;
mod gemini;
mod openai;
mod openai_responses;

/// One item of what the provider returned.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// A call of a tool.
    Call {
        /// The provider's id of the call; empty where it gives none (Gemini).
        id: String,
        /// The tool's name.
        name: String,
        /// Scopes of the key.
        arguments: RawArguments,
    },
    /// Anything else: text, thinking, reasoning, a server's own tools. It is not answered.
    Other,
}

/// Arguments as they came. Whether they can be read is that call's matter, never the request's.
#[derive(Clone, Debug, PartialEq)]
pub enum RawArguments {
    /// JSON as text, not read yet.
    Text(String),
    /// JSON.
    Json(Value),
}

/// The answer to one call.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The call's id.
    pub id: String,
    /// The tool's name as it was called.
    pub name: String,
    /// What the model reads, as compact JSON text.
    pub content: String,
    /// The same as JSON.
    pub value: Value,
    /// It was refused or failed.
    pub is_error: bool,
}

/// Reads the items, one answer each in order; every call that is malformed is an error with a pointer into the
/// request, such as `/tool_calls/0/function`.
pub fn parse_calls(format: Format, items: &[Value]) -> Result<Vec<Item>, Vec<ArgError>> {
    let parse = match format {
        Format::Openai => openai::parse,
        Format::OpenaiResponses => openai_responses::parse,
        Format::Anthropic => anthropic::parse,
        Format::Gemini => gemini::parse,
        Format::Mcp => {
            let message =
                "must be one of openai, openai_responses, anthropic, gemini; MCP calls go to `/mcp`";
            return Err(vec![ArgError::new("/format", "enum", message)]);
        }
    };
    let mut read = Vec::with_capacity(items.len());
    let mut errors = Vec::new();
    for (index, item) in items.iter().enumerate() {
        match fields::Fields::new(item, format!("/tool_calls/{index}")).and_then(|fields| parse(&fields)) {
            Ok(item) => read.push(item),
            Err(error) => errors.push(*error),
        }
    }
    if errors.is_empty() { Ok(read) } else { Err(errors) }
}

/// The messages to append to the conversation, with an answer for each call in order. `openai` and
/// `openai_responses`: one a call; `anthropic` and `gemini`: one for all, none where there is no call.
pub fn render_messages(format: Format, answers: &[Answer]) -> Vec<Value> {
    match format {
        Format::Openai => answers.iter().map(openai::message).collect(),
        Format::OpenaiResponses => answers.iter().map(openai_responses::message).collect(),
        Format::Anthropic => anthropic::messages(answers),
        Format::Gemini => gemini::messages(answers),
        // Its results go back over its own protocol.
        Format::Mcp => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
