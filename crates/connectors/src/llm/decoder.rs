//! What reads the events of a format, and what it makes of them.

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::{Finish, ModelCall, Usage, error::Fault, shown::Shown};

/// Reads the events of a format.
pub trait Decoder: Send {
    /// Takes the next event, and shows what is new in it.
    fn push(&mut self, event: Value, shown: &mut Shown<'_>) -> Result<Progress, Fault>;

    /// How many bytes are kept.
    fn kept(&self) -> usize;

    /// Returns the answer; `None` where the stream had no proper end. `is_done` says that `[DONE]` came.
    fn end(self: Box<Self>, is_done: bool) -> Option<Decoded>;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Progress {
    /// The answer goes on.
    Open,
    /// The answer has its end. The usage may follow.
    Ended,
    /// Nothing follows.
    Complete,
}

/// An answer as a format's decoder gives it.
#[derive(Debug)]
pub struct Decoded {
    pub text: String,
    pub reasoning: String,
    pub calls: Vec<ModelCall>,
    /// See [`super::NativeMessage::message`].
    pub message: Value,
    pub finish: Finish,
    pub usage: Option<Usage>,
    /// The model wants to get its message back and go on.
    pub is_paused: bool,
}

pub fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// Has the arguments of a call be `{}` where they are no JSON object: some servers parse those of all earlier calls.
pub fn mend_arguments(call: &mut Value) {
    let Some(arguments) = call.get_mut("arguments") else { return };
    let text = arguments.as_str().unwrap_or_default();
    if serde_json::from_str::<Map<String, Value>>(text).is_err() {
        *arguments = "{}".into();
    }
}

impl Decoded {
    /// Adds what the model said before it paused. Both messages have lists as content.
    pub fn after(self, mut earlier: Self) -> Self {
        if let (Some(content), Some(more)) =
            (earlier.message["content"].as_array_mut(), self.message["content"].as_array())
        {
            content.extend(more.iter().cloned());
        }
        earlier.calls.extend(self.calls);
        let usage = earlier.usage.zip(self.usage).map(|(earlier, usage)| Usage {
            input_tokens: earlier.input_tokens.saturating_add(usage.input_tokens),
            cached_input_tokens: earlier.cached_input_tokens.saturating_add(usage.cached_input_tokens),
            output_tokens: earlier.output_tokens.saturating_add(usage.output_tokens),
            estimated: earlier.estimated || usage.estimated,
        });
        Self {
            text: earlier.text + &self.text,
            reasoning: earlier.reasoning + &self.reasoning,
            calls: earlier.calls,
            message: earlier.message,
            usage,
            ..self
        }
    }
}
