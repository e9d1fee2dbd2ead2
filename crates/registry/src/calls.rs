//! Parses a model's tool calls in a provider's format, and renders the answers in the same format.
//!
//! To add a provider: a module with `parse` and `messages`, and an arm in the two matches here.

use serde_json::Value;

use crate::{ArgError, Format};

mod anthropic;
mod fields;
mod gemini;
mod openai;
mod openai_responses;
mod unparsed;

pub use unparsed::parse_broken;

/// One item of a provider's response.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    Call {
        /// The provider's id of the call. Empty if the provider sent none (Gemini).
        id: String,
        /// The tool's name.
        name: String,
        /// The arguments, as the provider sent them.
        arguments: RawArguments,
    },
    /// A call that can't be made, and why. It is answered if `id` or, for Gemini, `name` is not empty.
    Invalid {
        /// The provider's id of the call.
        id: String,
        /// The tool's name.
        name: String,
        error: ArgError,
    },
    /// A call of another kind, such as a custom tool's. The application answers it.
    Foreign {
        /// The provider's id of the call.
        id: String,
        /// The tool's name, or the kind of the call.
        name: String,
    },
    /// Any other item, such as text, reasoning or a call of the provider's own tools. Needs no answer.
    Other,
}

/// Arguments as the provider sent them. Arguments that can't be parsed fail their call, not the whole
/// request.
#[derive(Clone, Debug, PartialEq)]
pub enum RawArguments {
    /// JSON as text, not parsed yet.
    Text(String),
    Json(Value),
}

#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub id: String,
    /// The tool's name as it was called.
    pub name: String,
    /// What the model reads: compact JSON as text.
    pub content: String,
    /// The content as a JSON value.
    pub value: Value,
    /// The call was refused or failed.
    pub is_error: bool,
}

/// Parses the item at `index` of a turn. An error has a JSON pointer into the request, such as
/// `/tool_calls/0/function`, and is the matter of this item alone.
pub fn parse_item(format: Format, index: usize, item: &Value) -> Item {
    let parse = match format {
        Format::Openai => openai::parse,
        Format::OpenaiResponses => openai_responses::parse,
        Format::Anthropic => anthropic::parse,
        Format::Gemini => gemini::parse,
        // MCP calls go to `/mcp`.
        Format::Mcp => return Item::Other,
    };
    let fields = fields::Fields::new(item, pointer(index));
    fields.and_then(|fields| parse(&fields)).unwrap_or_else(|error| {
        let (id, name) = unparsed::identity(format, &item.to_string()).unwrap_or_default();
        Item::Invalid { id, name, error: *error }
    })
}

fn pointer(index: usize) -> String {
    format!("/tool_calls/{index}")
}

/// Renders the messages to append to the conversation, with the answers in order. `openai` and
/// `openai_responses` have one message per answer. `anthropic` and `gemini` have one message for all answers,
/// or none without answers.
pub fn render_messages(format: Format, answers: &[Answer]) -> Vec<Value> {
    match format {
        Format::Openai => answers.iter().map(openai::message).collect(),
        Format::OpenaiResponses => answers.iter().map(openai_responses::message).collect(),
        Format::Anthropic => anthropic::messages(answers),
        Format::Gemini => gemini::messages(answers),
        // MCP returns results over its own protocol.
        Format::Mcp => Vec::new(),
    }
}

#[cfg(test)]
mod tests;
