//! Asks language models and reads their answers as they are written, in three formats: OpenAI's Chat Completions,
//! which most others speak too, OpenAI's Responses, and Anthropic's Messages.
//!
//! [`LlmClient`] knows no database, runs no tools and repairs nothing: a call's arguments are the text that came.
//! A request is made of neutral parts, and the model's own message ([`NativeMessage`]) is sent back as it came.
//! Only a stream with a proper end is an answer; another one is asked for again. What a provider repeats of its
//! key is replaced by `•••`.

mod adjust;
mod attempt;
mod chat_calls;
mod chat_completions;
mod client;
mod decoder;
mod error;
mod event_sink;
mod messages;
mod responses;

use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use adjust::Learned;
pub use client::{LlmClient, LlmSettings, Provider};
pub use error::{ModelError, ProviderText};
pub use toolcrib_model::ModelFormat;

/// The most calls of an answer. A loop runs fewer, and answers each of the others: an answer with more is
/// [`ModelError::TooLarge`].
pub const MAX_CALLS: usize = 256;
/// The most bytes of the arguments of a call.
pub const MAX_ARGUMENTS: usize = 256 * 1024;
/// The most bytes of an answer that are kept: texts, arguments, and what is sent back to the model.
pub const MAX_ANSWER: usize = 4 * 1024 * 1024;

#[derive(Clone, Debug)]
pub struct ModelRequest {
    pub model: String,
    /// The system text; may be empty.
    pub system: String,
    /// In the shape of the format. Shared, because they are large.
    pub tools: Arc<[Value]>,
    /// From the oldest to the newest, at least one.
    pub turns: Vec<Turn>,
    /// The model sees the tools and may call none (`tool_choice: none`).
    pub no_calls: bool,
    pub temperature: Option<f64>,
    /// Names the conversation. Only a hash of it is sent, so that requests of a thread find the same cache.
    pub thread: String,
    /// `false` leaves the reasoning of all turns out.
    pub keep_reasoning: bool,
}

#[derive(Clone, Debug)]
pub enum Turn {
    User(String),
    Step(StepTurn),
}

/// What the model said before, and the answers to its calls.
#[derive(Clone, Debug, Default)]
pub struct StepTurn {
    pub text: String,
    pub calls: Vec<ModelCall>,
    /// One for each call.
    pub answers: Vec<ToolAnswer>,
    /// Sent instead of `text` and `calls` where its format and its model are those of the request.
    pub native: Option<NativeMessage>,
}

/// A message of a model as it came.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NativeMessage {
    pub format: ModelFormat,
    /// The model that was asked.
    pub model: String,
    /// Chat Completions and Messages: the assistant's message. Responses: the list of output items.
    pub message: Value,
}

/// A call of a tool that the model asks for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelCall {
    /// The provider's. Unique in an answer, but not in a thread.
    pub id: String,
    pub name: String,
    /// The text as it came, which may be no JSON. `{}` where nothing came. In a turn it stands for arguments of the
    /// model's own message that are no JSON object, which some providers refuse.
    pub arguments: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolAnswer {
    /// The [`ModelCall::id`].
    pub id: String,
    pub text: String,
    pub is_error: bool,
}

/// What is shown while an answer is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelEvent {
    /// The next piece of the text.
    Text(String),
    /// The next piece of the reasoning.
    Reasoning(String),
    /// What was shown is void: the stream broke, and the model is asked again.
    Restarted,
    /// The tokens of a request whose answer is broken or refused. They are in no [`ModelAnswer::usage`].
    Used(Usage),
}

#[derive(Clone, Debug, PartialEq)]
pub struct ModelAnswer {
    pub text: String,
    pub reasoning: String,
    /// To be run only after [`Finish::Calls`]. After another finish they may be cut.
    pub calls: Vec<ModelCall>,
    pub native: NativeMessage,
    pub finish: Finish,
    pub usage: Usage,
    /// From the request on which the answer came to the first piece of text, reasoning or call.
    pub first_token_ms: Option<u64>,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    Stop,
    Calls,
    Length,
    ContentFilter,
    Refusal,
}

/// The tokens of an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// All of the prompt, cached or not.
    pub input_tokens: u64,
    pub cached_input_tokens: u64,
    pub output_tokens: u64,
    /// The provider did not say it: a quarter of the bytes.
    pub estimated: bool,
}

impl Usage {
    /// Returns the sum of both.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            cached_input_tokens: self.cached_input_tokens.saturating_add(other.cached_input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            estimated: self.estimated || other.estimated,
        }
    }

    /// Returns an estimate for so many bytes that were sent and written.
    fn of_bytes(sent: usize, written: usize) -> Self {
        let quarter = |bytes: usize| u64::try_from(bytes.div_ceil(4)).unwrap_or(u64::MAX);
        let (input_tokens, output_tokens) = (quarter(sent), quarter(written));
        Self { input_tokens, cached_input_tokens: 0, output_tokens, estimated: true }
    }
}

/// Something that answers as a language model.
pub trait Model: Send + Sync {
    fn format(&self) -> ModelFormat;

    /// Asks for an answer. Dropping the future closes the connection to the provider.
    fn ask<'a>(
        &'a self,
        request: &'a ModelRequest,
        on_event: &'a mut (dyn FnMut(ModelEvent) + Send),
    ) -> BoxFuture<'a, Result<ModelAnswer, ModelError>>;
}

impl ModelRequest {
    /// Adds the tools and the temperature to a body. `none` is the tool choice with which the model calls none.
    fn add_options(&self, body: &mut Value, none: Value) {
        if !self.tools.is_empty() {
            body["tools"] = self.tools.to_vec().into();
            if self.no_calls {
                body["tool_choice"] = none;
            }
        }
        if let Some(temperature) = self.temperature {
            body["temperature"] = temperature.into();
        }
    }
}

impl StepTurn {
    /// The model's own message, if this request may send it back.
    fn native_for(&self, format: ModelFormat, model: &str) -> Option<&Value> {
        let native = self.native.as_ref()?;
        (native.format == format && native.model == model).then_some(&native.message)
    }

    /// The arguments of the call with an ID.
    fn arguments_of(&self, id: &Value) -> Option<&str> {
        let call = self.calls.iter().find(|call| id.as_str() == Some(call.id.as_str()));
        call.map(|call| call.arguments.as_str())
    }

    /// The ID of a call in a request that doesn't send the model's own message. Providers repeat theirs in a
    /// thread, which some refuse; some want nine letters and digits.
    fn neutral_id(&self, turn: usize, id: &str) -> String {
        let call = self.calls.iter().position(|call| call.id == id).unwrap_or(self.calls.len());
        format!("c{:04}{:04}", turn % 10_000, call % 10_000)
    }
}
