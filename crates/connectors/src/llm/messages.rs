//! Anthropic's Messages.

use serde_json::{Map, Value, json};

use super::{
    Finish, MAX_CALLS, ModelCall, ModelError, ModelFormat, ModelRequest, StepTurn, Turn, Usage,
    decoder::{Decoded, Decoder, Progress, text, unused_id},
    error::Fault,
    event_sink::EventSink,
};

/// The most tokens of an answer, which the format requires.
const MAX_TOKENS: u32 = 16_000;

/// Makes the body of a request. The mark at the top moves along with the last block; the mark of the system text
/// still hits when a step added more blocks than the provider looks back.
pub fn body(request: &ModelRequest, keep_reasoning: bool) -> Value {
    let cache = json!({ "type": "ephemeral" });
    let mut messages = Vec::new();
    for (at, turn) in request.turns.iter().enumerate() {
        match turn {
            Turn::User(text) => messages.push(user(text)),
            Turn::Step(step) => push_step(&mut messages, at, step, &request.model, keep_reasoning),
        }
    }
    if messages.last().is_some_and(|message| message["role"] == "assistant") {
        messages.push(user("Go on."));
    }
    let mut body = json!({
        "model": request.model, "max_tokens": MAX_TOKENS, "messages": messages, "stream": true, "cache_control": cache,
    });
    if !request.system.is_empty() {
        body["system"] = json!([{ "type": "text", "text": request.system, "cache_control": cache }]);
    }
    request.add_options(&mut body, json!({ "type": "none" }));
    body
}

/// Lets the model go on with a message that it paused.
pub fn go_on(body: &mut Value, message: &Value) {
    if let Some(messages) = body["messages"].as_array_mut() {
        messages.push(message.clone());
    }
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": [{ "type": "text", "text": text }] })
}

fn push_step(messages: &mut Vec<Value>, at: usize, step: &StepTurn, model: &str, keep_reasoning: bool) {
    let native = step.native_for(ModelFormat::Anthropic, model);
    let content = match native {
        Some(message) => message["content"].as_array().cloned().unwrap_or_default(),
        None => neutral(at, step),
    };
    let kept = content.into_iter().filter(|block| keep_reasoning || !is_thinking(block));
    let content: Vec<Value> = kept.map(|block| with_arguments(block, step)).collect();
    // A message of thinking alone says nothing.
    if !content.iter().all(is_thinking) {
        messages.push(json!({ "role": "assistant", "content": content }));
    }
    let results = step.answers.iter().map(|answer| {
        let id = if native.is_some() { answer.id.clone() } else { step.neutral_id(at, &answer.id) };
        let mut result = json!({ "type": "tool_result", "tool_use_id": id, "content": answer.text });
        if answer.is_error {
            result["is_error"] = true.into();
        }
        result
    });
    let results: Vec<Value> = results.collect();
    if !results.is_empty() {
        messages.push(json!({ "role": "user", "content": results }));
    }
}

fn neutral(at: usize, step: &StepTurn) -> Vec<Value> {
    let text = Some(&step.text).filter(|text| !text.trim().is_empty());
    let text = text.map(|text| json!({ "type": "text", "text": text }));
    let calls = step.calls.iter().map(|call| {
        let id = step.neutral_id(at, &call.id);
        json!({ "type": "tool_use", "id": id, "name": call.name, "input": input(&call.arguments) })
    });
    text.into_iter().chain(calls).collect()
}

/// Returns a block with the arguments of its call where it has none, because they came as no JSON object.
fn with_arguments(mut block: Value, step: &StepTurn) -> Value {
    if block["type"] == "tool_use"
        && block["input"].as_object().is_some_and(Map::is_empty)
        && let Some(arguments) = step.arguments_of(&block["id"])
    {
        block["input"] = input(arguments);
    }
    block
}

/// The arguments as the object that the format wants; an empty one where they are none.
fn input(arguments: &str) -> Value {
    serde_json::from_str(arguments).ok().filter(Value::is_object).unwrap_or_else(|| json!({}))
}

fn is_thinking(block: &Value) -> bool {
    matches!(block["type"].as_str(), Some("thinking" | "redacted_thinking"))
}

/// Returns whether a block is a text that the provider sends and does not take back.
fn is_blank(block: &Value) -> bool {
    block["type"] == "text" && block["text"].as_str().unwrap_or_default().trim().is_empty()
}

/// Reads the events of an answer.
#[derive(Default)]
pub struct MessagesDecoder {
    blocks: Vec<Block>,
    stop_reason: Option<String>,
    is_complete: bool,
    usage: Option<Usage>,
    kept: usize,
}

/// A block of the content, and the JSON of its input.
struct Block {
    index: Value,
    content: Value,
    input: String,
}

impl Decoder for MessagesDecoder {
    fn push(&mut self, mut event: Value, sink: &mut EventSink<'_>) -> Result<Progress, Fault> {
        match event["type"].as_str() {
            Some("message_start") => self.count(&event["message"]["usage"]),
            Some("content_block_start") => {
                let (index, content) = (event["index"].take(), event["content_block"].take());
                self.start(Block { index, content, input: String::new() }, sink)?;
            }
            Some("content_block_delta") => {
                let delta = event["delta"].take();
                self.delta(&event["index"], delta, sink);
            }
            Some("message_delta") => {
                self.count(&event["usage"]);
                self.stop_reason =
                    event["delta"]["stop_reason"].as_str().map(str::to_owned).or(self.stop_reason.take());
            }
            Some("message_stop") => {
                self.is_complete = true;
                return Ok(Progress::Complete);
            }
            _ => {}
        }
        Ok(Progress::Open)
    }

    fn kept(&self) -> usize {
        self.kept
    }

    fn usage(&self) -> Option<Usage> {
        // The output is counted at the end.
        self.usage.map(|usage| Usage { estimated: self.stop_reason.is_none(), ..usage })
    }

    fn end(self: Box<Self>, _: bool) -> Option<Decoded> {
        let reason = self.stop_reason.filter(|_| self.is_complete)?;
        let finish = match reason.as_str() {
            "max_tokens" | "model_context_window_exceeded" => Finish::Length,
            "refusal" => Finish::Refusal,
            _ => Finish::Stop,
        };
        let (mut calls, mut content) = (Vec::new(), Vec::new());
        for Block { content: mut block, input: json, .. } in self.blocks {
            if block["type"] == "tool_use" {
                let call = call(&block, json, &calls)?;
                block["input"] = input(&call.arguments);
                block["id"] = call.id.as_str().into();
                calls.push(call);
            }
            if !is_blank(&block) {
                content.push(block);
            }
        }
        Some(Decoded {
            calls,
            message: json!({ "role": "assistant", "content": content }),
            finish,
            usage: self.usage,
            is_paused: reason == "pause_turn",
        })
    }
}

impl MessagesDecoder {
    fn start(&mut self, block: Block, sink: &mut EventSink<'_>) -> Result<(), Fault> {
        let is_call = |block: &Block| block.content["type"] == "tool_use";
        let calls = self.blocks.iter().chain([&block]).filter(|block| is_call(block)).count();
        if calls > MAX_CALLS || self.blocks.len() == 4 * MAX_CALLS {
            return Err(Fault::lasting(ModelError::TooLarge("more than 256 calls, or 1,024 blocks")));
        }
        self.kept += block.content.to_string().len();
        if let Some(piece) = block.content["text"].as_str().filter(|piece| !piece.is_empty()) {
            sink.text(piece);
        }
        sink.token();
        self.blocks.push(block);
        Ok(())
    }

    fn delta(&mut self, index: &Value, mut delta: Value, sink: &mut EventSink<'_>) {
        let Some(at) = self.blocks.iter().rposition(|block| block.index == *index) else { return };
        let (member, name) = match delta["type"].as_str() {
            Some("text_delta") => ("text", "text"),
            Some("thinking_delta") => ("thinking", "thinking"),
            Some("signature_delta") => ("signature", "signature"),
            Some("input_json_delta") => ("", "partial_json"),
            _ => return,
        };
        let piece = text(delta.get_mut(name).map(Value::take));
        self.kept += piece.len();
        if let Some(block) = self.blocks.get_mut(at) {
            match block.content.get_mut(member) {
                _ if member.is_empty() => block.input.push_str(&piece),
                Some(Value::String(text)) => text.push_str(&piece),
                _ => block.content[member] = piece.as_str().into(),
            }
        }
        match member {
            "text" if !piece.is_empty() => sink.text(&piece),
            "thinking" if !piece.is_empty() => sink.reasoning(&piece),
            _ => sink.token(),
        }
    }

    /// The counts of the last event are those of the whole answer.
    fn count(&mut self, usage: &Value) {
        let tokens = |name: &str| usage[name].as_u64();
        if let Some(input) = tokens("input_tokens") {
            let cached = tokens("cache_read_input_tokens").unwrap_or_default();
            let created = tokens("cache_creation_input_tokens").unwrap_or_default();
            let counted = self.usage.get_or_insert_default();
            counted.input_tokens = input.saturating_add(cached).saturating_add(created);
            counted.cached_input_tokens = cached;
        }
        if let (Some(counted), Some(output)) = (&mut self.usage, tokens("output_tokens")) {
            counted.output_tokens = output;
        }
    }
}

/// Reads a call; `None` where it has no ID or no name.
fn call(block: &Value, json: String, calls: &[ModelCall]) -> Option<ModelCall> {
    let member = |name: &str| block[name].as_str().filter(|text| !text.is_empty());
    // The input of the beginning counts where no JSON follows it.
    let inputs = [json, text(block.get("input").cloned())];
    let arguments =
        inputs.into_iter().find(|json| !json.trim().is_empty()).unwrap_or_else(|| "{}".to_owned());
    Some(ModelCall { id: unused_id(member("id")?, calls), name: member("name")?.to_owned(), arguments })
}
