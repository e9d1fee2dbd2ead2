//! What a provider refuses, so that it is left out of further requests.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
};

use parking_lot::Mutex;
use serde_json::Value;

use super::{ModelFormat, ModelRequest};

/// The members that a request can do without, and what an error about them says.
const OPTIONAL: [(&str, &str); 5] = [
    ("stream_options", "stream_options"),
    ("temperature", "temperature"),
    ("tool_choice", "tool_choice"),
    ("max_tokens", "max_tokens"),
    ("include", "Encrypted content is not supported"),
];
/// The limit where a model refuses a larger one, and the format requires one.
const SMALL_MAX_TOKENS: u32 = 4_096;
/// Words of errors about the reasoning that was sent back, or was not.
const REASONING: [&str; 5] = ["reasoning", "thinking", "signature", "encrypted_content", "encrypted content"];
/// The most models and threads that are remembered. Then it is learned anew.
const MAX_REMEMBERED: usize = 2_000;

/// How a request differs from what was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Adjustments {
    omitted: Vec<&'static str>,
    reasoning: ReasoningSent,
    /// Whether the provider refused the value of a member, and may take another one.
    is_for_once: bool,
}

/// Which reasoning is sent back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ReasoningSent {
    #[default]
    AsAsked,
    LeftOut,
    /// As asked, and a blank one where a call has none: some refuse a call without.
    Filled,
}

impl Adjustments {
    pub fn keeps_reasoning(&self, request: &ModelRequest) -> bool {
        request.keep_reasoning && self.reasoning != ReasoningSent::LeftOut
    }

    pub fn fills_reasoning(&self) -> bool {
        self.reasoning == ReasoningSent::Filled
    }

    /// Leaves out what the provider refuses.
    pub fn apply(&self, format: ModelFormat, body: &mut Value) {
        let Some(body) = body.as_object_mut() else { return };
        for name in &self.omitted {
            if format == ModelFormat::Anthropic && *name == "max_tokens" {
                body.insert((*name).to_owned(), SMALL_MAX_TOKENS.into());
            } else {
                body.shift_remove(*name);
            }
        }
    }

    /// Returns how to ask once more after an error, if it names something that was sent. `sent_reasoning` tells
    /// whether the request would differ without the reasoning.
    pub fn after(
        &self,
        format: ModelFormat,
        body: &Value,
        status: u16,
        text: &str,
        sent_reasoning: impl Fn() -> bool,
    ) -> Option<Self> {
        if !matches!(status, 400 | 422) {
            return None;
        }
        let is_refused = |(name, says): &&(&'static str, &str)| {
            text.contains(*says) && body.get(*name).is_some() && !self.omitted.contains(name)
        };
        if let Some((name, _)) = OPTIONAL.iter().find(is_refused) {
            let omitted = self.omitted.iter().chain([name]).copied().collect();
            let is_for_once = *name == "temperature" && !text.contains("upport") && !text.contains("eprecat");
            return Some(Self { omitted, is_for_once, ..self.clone() });
        }
        let text = text.to_lowercase();
        if !REASONING.iter().any(|word| text.contains(word)) || self.fills_reasoning() {
            return None;
        }
        let reasoning = if self.reasoning == ReasoningSent::AsAsked && sent_reasoning() {
            ReasoningSent::LeftOut
        } else if format == ModelFormat::OpenAi && text.contains("reasoning_content") {
            ReasoningSent::Filled
        } else {
            return None;
        };
        Some(Self { reasoning, ..self.clone() })
    }
}

/// What was learned about the models of each upstream. Cheap to clone; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Learned(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    models: HashMap<String, Adjustments>,
    /// The threads whose reasoning is refused, because its signatures belong to another prefix or account.
    threads: HashSet<String>,
}

impl Learned {
    pub(super) fn get(&self, upstream: &str, request: &ModelRequest) -> Adjustments {
        let (model, thread) = keys(upstream, request);
        let known = self.0.lock();
        let mut adjustments = known.models.get(&model).cloned().unwrap_or_default();
        if known.threads.contains(&thread) {
            adjustments.reasoning = ReasoningSent::LeftOut;
        }
        adjustments
    }

    /// Remembers what was refused. Signed reasoning is a matter of the thread, other members one of the model.
    pub(super) fn put(
        &self,
        upstream: &str,
        format: ModelFormat,
        request: &ModelRequest,
        found: &Adjustments,
    ) {
        if found.is_for_once {
            return;
        }
        let (model, thread) = keys(upstream, request);
        let mut of_model = found.clone();
        let mut known = self.0.lock();
        if known.models.len() + known.threads.len() >= MAX_REMEMBERED {
            *known = Known::default();
        }
        if format != ModelFormat::OpenAi && found.reasoning == ReasoningSent::LeftOut {
            of_model.reasoning = ReasoningSent::AsAsked;
            known.threads.insert(thread);
        }
        known.models.insert(model, of_model);
    }
}

fn keys(upstream: &str, request: &ModelRequest) -> (String, String) {
    let model = format!("{upstream}\n{}", request.model);
    let thread = format!("{model}\n{}", request.thread);
    (model, thread)
}
