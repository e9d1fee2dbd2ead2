//! OpenAI's Chat Completions, and what others made of it.

use serde_json::{Map, Value, json};

use super::{
    Finish, ModelFormat, ModelRequest, StepTurn, Turn, Usage,
    chat_calls::{Calls, extend, merge, size},
    decoder::{Decoded, Decoder, Progress, mend_arguments},
    error::Fault,
    event_sink::EventSink,
};

/// The members of a message that hold reasoning.
const REASONING: [&str; 3] = ["reasoning_content", "reasoning", "reasoning_details"];

/// Makes the body of a request. `fill` adds a blank `reasoning_content` to calls that have none.
pub fn body(request: &ModelRequest, keep_reasoning: bool, fill: bool) -> Value {
    let mut messages = Vec::new();
    if !request.system.is_empty() {
        messages.push(json!({ "role": "system", "content": request.system }));
    }
    for (at, turn) in request.turns.iter().enumerate() {
        match turn {
            Turn::User(text) => messages.push(json!({ "role": "user", "content": text })),
            Turn::Step(step) => push_step(&mut messages, at, step, &request.model, keep_reasoning, fill),
        }
    }
    let mut body = json!({
        "model": request.model, "messages": messages, "stream": true, "stream_options": { "include_usage": true },
    });
    request.add_options(&mut body, "none".into());
    body
}

fn push_step(
    messages: &mut Vec<Value>,
    at: usize,
    step: &StepTurn,
    model: &str,
    keep_reasoning: bool,
    fill_reasoning: bool,
) {
    let native = step.native_for(ModelFormat::OpenAi, model);
    let mut message = native.cloned().unwrap_or_else(|| neutral(at, step));
    if let Some(members) = message.as_object_mut() {
        let calls = members.get_mut("tool_calls").and_then(Value::as_array_mut);
        for call in calls.into_iter().flatten() {
            let repaired = step.arguments_of(&call["id"]);
            if let Some(function) = call.get_mut("function") {
                mend_arguments(function, repaired);
            }
        }
        // Some refuse a message that says nothing.
        let is_blank =
            |name: &str| members.get(name).is_none_or(|value| value.as_str().unwrap_or_default().is_empty());
        if !members.contains_key("tool_calls") && is_blank("content") && is_blank("refusal") {
            return;
        }
        if !keep_reasoning {
            members.retain(|name, _| !REASONING.contains(&name.as_str()));
        }
        if fill_reasoning && members.contains_key("tool_calls") && !members.contains_key(REASONING[0]) {
            members.insert(REASONING[0].to_owned(), " ".into());
        }
    }
    messages.push(message);
    for answer in &step.answers {
        let id = if native.is_some() { answer.id.clone() } else { step.neutral_id(at, &answer.id) };
        messages.push(json!({ "role": "tool", "tool_call_id": id, "content": answer.text }));
    }
}

fn neutral(at: usize, step: &StepTurn) -> Value {
    let mut message = json!({ "role": "assistant", "content": step.text });
    let call = |call: &super::ModelCall| {
        json!({
            "id": step.neutral_id(at, &call.id), "type": "function",
            "function": { "name": call.name, "arguments": call.arguments },
        })
    };
    if !step.calls.is_empty() {
        message["tool_calls"] = step.calls.iter().map(call).collect();
    }
    message
}

/// Reads the chunks of an answer.
#[derive(Default)]
pub struct ChatDecoder {
    content: String,
    refusal: String,
    /// Members that are not ours, which are sent back.
    further: Map<String, Value>,
    calls: Calls,
    finish: Option<String>,
    usage: Option<Usage>,
    kept: usize,
}

impl Decoder for ChatDecoder {
    fn push(&mut self, mut event: Value, sink: &mut EventSink<'_>) -> Result<Progress, Fault> {
        self.usage = [&event["usage"], &event["x_groq"]["usage"]].into_iter().find_map(usage).or(self.usage);
        let choice = event.pointer_mut("/choices/0").map(Value::take).unwrap_or_default();
        if let Some(finish) = choice["finish_reason"].as_str().filter(|finish| !finish.is_empty()) {
            self.finish = Some(finish.to_owned());
        }
        if let Value::Object(mut choice) = choice {
            // A server that does not stream sends a whole message.
            let delta = choice.remove("delta").or_else(|| choice.remove("message"));
            if let Some(Value::Object(delta)) = delta {
                self.delta(delta, sink)?;
            }
        }
        match self.finish.as_deref() {
            None => Ok(Progress::Open),
            Some("error") => Err(Fault::broken()),
            Some(_) => Ok(Progress::Ended),
        }
    }

    fn kept(&self) -> usize {
        self.kept + self.calls.kept
    }

    fn usage(&self) -> Option<Usage> {
        self.usage
    }

    fn end(self: Box<Self>, is_done: bool) -> Option<Decoded> {
        let is_text = self.calls.is_empty() && !self.content.is_empty();
        let finish = match self.finish.as_deref() {
            Some("length" | "max_tokens" | "model_length" | "MAX_TOKENS") => Finish::Length,
            Some("content_filter" | "safety" | "SAFETY") => Finish::ContentFilter,
            None if !(is_done && is_text) => return None,
            _ => Finish::Stop,
        };
        let (calls, tool_calls) = self.calls.end()?;
        let is_null = self.content.is_empty() && !tool_calls.is_empty();
        let content = if is_null { Value::Null } else { self.content.as_str().into() };
        let mut message = json!({ "role": "assistant", "content": content });
        if !self.refusal.is_empty() {
            message["refusal"] = self.refusal.as_str().into();
        }
        extend(&mut message, self.further);
        if !tool_calls.is_empty() {
            message["tool_calls"] = tool_calls.into();
        }
        Some(Decoded { calls, message, finish, usage: self.usage, is_paused: false })
    }
}

impl ChatDecoder {
    fn delta(&mut self, mut delta: Map<String, Value>, sink: &mut EventSink<'_>) -> Result<(), Fault> {
        let reasoning =
            REASONING.iter().find_map(|name| delta.get(*name)?.as_str().filter(|text| !text.is_empty()));
        if let Some(piece) = reasoning {
            sink.reasoning(piece);
        }
        match delta.remove("content") {
            Some(Value::Array(parts)) => parts.iter().for_each(|part| self.part(part, sink)),
            Some(Value::String(piece)) => self.text(&piece, sink),
            _ => {}
        }
        if let Some(piece) = delta.get("refusal").and_then(Value::as_str).filter(|piece| !piece.is_empty()) {
            self.kept += piece.len();
            self.refusal.push_str(piece);
            sink.text(piece);
        }
        if let Some(Value::Array(pieces)) = delta.remove("tool_calls") {
            sink.token();
            pieces.into_iter().try_for_each(|piece| self.calls.push(piece))?;
        }
        delta.retain(|name, _| !matches!(name.as_str(), "role" | "refusal" | "function_call"));
        self.kept += size(&delta);
        delta.into_iter().for_each(|(name, piece)| merge(&mut self.further, name, piece));
        Ok(())
    }

    fn text(&mut self, piece: &str, sink: &mut EventSink<'_>) {
        if !piece.is_empty() {
            self.kept += piece.len();
            self.content.push_str(piece);
            sink.text(piece);
        }
    }

    /// A part of a content that is a list, as Mistral sends it.
    fn part(&mut self, part: &Value, sink: &mut EventSink<'_>) {
        if let Some(piece) = part["text"].as_str() {
            self.text(piece, sink);
        }
        for thought in part["thinking"].as_array().into_iter().flatten() {
            let piece = thought["text"].as_str().unwrap_or_default();
            self.kept += piece.len();
            sink.reasoning(piece);
        }
    }
}

fn usage(usage: &Value) -> Option<Usage> {
    let cached = usage.pointer("/prompt_tokens_details/cached_tokens");
    let cached =
        cached.or_else(|| usage.get("prompt_cache_hit_tokens")).or_else(|| usage.get("cached_tokens"));
    Some(Usage {
        input_tokens: usage["prompt_tokens"].as_u64()?,
        cached_input_tokens: cached.and_then(Value::as_u64).unwrap_or_default(),
        output_tokens: usage["completion_tokens"].as_u64().unwrap_or_default(),
        estimated: false,
    })
}
