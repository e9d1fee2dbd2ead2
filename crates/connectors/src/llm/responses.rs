//! OpenAI's Responses.

use aws_lc_rs::digest;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};

use super::{
    Finish, MAX_CALLS, ModelCall, ModelError, ModelFormat, ModelRequest, StepTurn, Turn, Usage,
    decoder::{Decoded, Decoder, Progress, mend_arguments, text, unused_id},
    error::Fault,
    event_sink::EventSink,
};

/// Makes the body of a request. Nothing is stored at the provider, so that reasoning comes encrypted and goes back.
pub fn body(request: &ModelRequest, keep_reasoning: bool) -> Value {
    let mut input = Vec::new();
    for (at, turn) in request.turns.iter().enumerate() {
        match turn {
            Turn::User(text) => input.push(json!({ "type": "message", "role": "user", "content": text })),
            Turn::Step(step) => push_step(&mut input, at, step, &request.model, keep_reasoning),
        }
    }
    let thread = digest::digest(&digest::SHA256, request.thread.as_bytes());
    let thread = URL_SAFE_NO_PAD.encode(thread);
    let mut body = json!({
        "model": request.model, "input": input, "stream": true, "store": false,
        "include": ["reasoning.encrypted_content"], "prompt_cache_key": thread,
    });
    if !request.system.is_empty() {
        body["instructions"] = request.system.as_str().into();
    }
    request.add_options(&mut body, "none".into());
    body
}

fn push_step(input: &mut Vec<Value>, at: usize, step: &StepTurn, model: &str, keep_reasoning: bool) {
    let native = step.native_for(ModelFormat::OpenAiResponses, model).and_then(Value::as_array);
    if let Some(items) = native {
        let kept = items.iter().filter(|item| keep_reasoning || item["type"] != "reasoning");
        input.extend(kept.cloned().map(|mut item| {
            if let Some(members) = item.as_object_mut() {
                // They name what the provider did not store.
                members.retain(|name, _| name != "id" && name != "status");
            }
            let repaired = step.arguments_of(&item["call_id"]);
            mend_arguments(&mut item, repaired);
            item
        }));
    } else {
        if !step.text.is_empty() {
            input.push(message(&step.text));
        }
        input.extend(step.calls.iter().map(|call| {
            let id = step.neutral_id(at, &call.id);
            let mut item =
                json!({ "type": "function_call", "call_id": id, "name": call.name, "arguments": call.arguments });
            mend_arguments(&mut item, None);
            item
        }));
    }
    for answer in &step.answers {
        let id = if native.is_some() { answer.id.clone() } else { step.neutral_id(at, &answer.id) };
        input.push(json!({ "type": "function_call_output", "call_id": id, "output": answer.text }));
    }
}

fn message(text: &str) -> Value {
    let content = json!([{ "type": "output_text", "text": text, "annotations": [] }]);
    json!({ "type": "message", "role": "assistant", "content": content })
}

/// Reads the events of an answer.
#[derive(Default)]
pub struct ResponsesDecoder {
    text: String,
    has_reasoning: bool,
    /// The bytes of arguments whose item has not come.
    pending: usize,
    /// The output items, each with its place.
    items: Vec<(u64, Value)>,
    finish: Option<Finish>,
    usage: Option<Usage>,
    kept: usize,
}

impl Decoder for ResponsesDecoder {
    fn push(&mut self, mut event: Value, sink: &mut EventSink<'_>) -> Result<Progress, Fault> {
        let kind = event["type"].as_str().unwrap_or_default().to_owned();
        let delta = event["delta"].as_str().unwrap_or_default();
        match kind.as_str() {
            "response.output_text.delta" | "response.refusal.delta" => self.text(delta, sink),
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                self.reason(delta, sink);
            }
            "response.reasoning_summary_part.added" if self.has_reasoning => {
                self.reason("\n\n", sink);
            }
            "response.function_call_arguments.delta" => {
                self.pending += delta.len();
                sink.token();
            }
            "response.output_item.done" => {
                let place = event["output_index"].as_u64().unwrap_or(u64::MAX);
                self.item(place, event["item"].take())?;
            }
            "response.completed" | "response.incomplete" => {
                let mut response = event["response"].take();
                if let Some(Value::Array(items)) = response.get_mut("output").map(Value::take)
                    && self.items.is_empty()
                {
                    items.into_iter().try_for_each(|item| self.item(u64::MAX, item))?;
                }
                if self.text.is_empty() {
                    let text: String = self.items.iter().map(|(_, item)| text_of(item)).collect();
                    self.text(&text, sink);
                }
                self.usage = usage(&response["usage"]);
                self.finish =
                    Some(match response.pointer("/incomplete_details/reason").and_then(Value::as_str) {
                        Some("content_filter") => Finish::ContentFilter,
                        _ if kind == "response.incomplete" => Finish::Length,
                        _ => Finish::Stop,
                    });
                return Ok(Progress::Complete);
            }
            _ => {}
        }
        Ok(Progress::Open)
    }

    fn kept(&self) -> usize {
        self.kept + self.pending
    }

    fn usage(&self) -> Option<Usage> {
        self.usage
    }

    fn end(mut self: Box<Self>, _: bool) -> Option<Decoded> {
        let finish = self.finish?;
        self.items.sort_by_key(|(place, _)| *place);
        let mut items: Vec<Value> = self.items.into_iter().map(|(_, item)| item).collect();
        let mut calls = Vec::new();
        for item in items.iter_mut().filter(|item| item["type"] == "function_call") {
            let call = call(item, &calls)?;
            item["call_id"] = call.id.as_str().into();
            calls.push(call);
        }
        if finish != Finish::Stop
            && !self.text.is_empty()
            && !items.iter().any(|item| item["type"] == "message")
        {
            items.push(message(&self.text));
        }
        // Reasoning that nothing follows is refused.
        while items.last().is_some_and(|item| item["type"] == "reasoning") {
            items.pop();
        }
        Some(Decoded { calls, message: items.into(), finish, usage: self.usage, is_paused: false })
    }
}

impl ResponsesDecoder {
    fn text(&mut self, piece: &str, sink: &mut EventSink<'_>) {
        if !piece.is_empty() {
            self.kept += piece.len();
            self.text.push_str(piece);
            sink.text(piece);
        }
    }

    fn reason(&mut self, piece: &str, sink: &mut EventSink<'_>) {
        self.kept += piece.len();
        self.has_reasoning |= !piece.is_empty();
        sink.reasoning(piece);
    }

    fn item(&mut self, place: u64, mut item: Value) -> Result<(), Fault> {
        if item["type"] == "function_call" {
            // Some send an object.
            let arguments = text(item.get_mut("arguments").map(Value::take));
            self.pending = self.pending.saturating_sub(arguments.len());
            item["arguments"] = arguments.into();
        }
        self.kept += item.to_string().len();
        if self.items.len() == 2 * MAX_CALLS {
            return Err(Fault::lasting(ModelError::TooLarge("more than 512 items")));
        }
        self.items.push((place, item));
        let calls = self.items.iter().filter(|(_, item)| item["type"] == "function_call").count();
        if calls > MAX_CALLS {
            return Err(Fault::lasting(ModelError::TooLarge("more than 256 calls")));
        }
        Ok(())
    }
}

/// Reads a call; `None` where it has no ID or no name.
fn call(item: &Value, calls: &[ModelCall]) -> Option<ModelCall> {
    let text = |name: &str| item[name].as_str().filter(|text| !text.trim().is_empty()).map(str::to_owned);
    let arguments = text("arguments").unwrap_or_else(|| "{}".to_owned());
    Some(ModelCall { id: unused_id(&text("call_id")?, calls), name: text("name")?, arguments })
}

fn text_of(item: &Value) -> String {
    let parts = item["content"].as_array().filter(|_| item["type"] == "message").into_iter().flatten();
    parts.filter_map(|part| part["text"].as_str().or(part["refusal"].as_str())).collect()
}

fn usage(usage: &Value) -> Option<Usage> {
    let cached = usage.pointer("/input_tokens_details/cached_tokens").and_then(Value::as_u64);
    Some(Usage {
        input_tokens: usage["input_tokens"].as_u64()?,
        cached_input_tokens: cached.unwrap_or_default(),
        output_tokens: usage["output_tokens"].as_u64().unwrap_or_default(),
        estimated: false,
    })
}
