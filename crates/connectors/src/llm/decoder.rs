//! What reads the events of a format, and what it makes of them.

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use super::{Finish, ModelCall, Usage, error::Fault, event_sink::EventSink};

/// Reads the events of a format.
pub trait Decoder: Send {
    /// Takes the next event, and shows what is new in it.
    fn push(&mut self, event: Value, sink: &mut EventSink<'_>) -> Result<Progress, Fault>;

    /// How many bytes are kept.
    fn kept(&self) -> usize;

    /// The tokens that the provider has counted until now; `estimated` where it will count more.
    fn usage(&self) -> Option<Usage>;

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

/// An answer as a format's decoder gives it. Its text and its reasoning are those that the [`EventSink`] has shown.
#[derive(Debug)]
pub struct Decoded {
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

/// Returns a text; an object, as which some send arguments, as JSON.
pub fn text(value: Option<Value>) -> String {
    match value {
        Some(Value::String(text)) => text,
        None | Some(Value::Null) => String::new(),
        Some(other) => other.to_string(),
    }
}

/// Replaces each text of a value. Names of members stay.
pub fn map_texts(value: &mut Value, map: &impl Fn(&str) -> String) {
    match value {
        Value::String(text) => *text = map(text),
        Value::Array(items) => items.iter_mut().for_each(|item| map_texts(item, map)),
        Value::Object(members) => members.values_mut().for_each(|member| map_texts(member, map)),
        _ => {}
    }
}

/// Returns an ID that none of the calls has: that of the provider, which may repeat one or give none.
pub fn unused_id(id: &str, calls: &[ModelCall]) -> String {
    let begin = if id.is_empty() { "call" } else { id };
    let numbered = (calls.len()..).map(|n| format!("{begin}_{n}"));
    let is_unused = |id: &String| !id.is_empty() && calls.iter().all(|call| call.id != *id);
    std::iter::once(id.to_owned()).chain(numbered).find(is_unused).unwrap_or_default()
}

/// Replaces arguments of a call that are no JSON object by the repaired ones, or else by `{}`: some servers parse
/// those of all earlier calls.
pub fn mend_arguments(call: &mut Value, repaired: Option<&str>) {
    let Some(arguments) = call.get_mut("arguments") else { return };
    let is_object = |text: &&str| serde_json::from_str::<Map<String, Value>>(text).is_ok();
    if !is_object(&arguments.as_str().unwrap_or_default()) {
        *arguments = repaired.filter(is_object).unwrap_or("{}").into();
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
        let usage = earlier.usage.zip(self.usage).map(|(earlier, usage)| earlier.plus(usage));
        Self { calls: earlier.calls, message: earlier.message, usage, ..self }
    }
}
