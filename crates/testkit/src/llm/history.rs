//! What a provider refuses in a history.

use std::collections::HashSet;

use serde_json::Value;
use toolcrib_connectors::llm::ModelFormat;

/// Returns why a real provider would refuse a request; `None` where it would not.
pub fn wrong(format: ModelFormat, body: &Value) -> Option<String> {
    if body["stream"] != true || !body["model"].is_string() {
        return Some("a model and a stream must be asked for".to_owned());
    }
    match format {
        ModelFormat::OpenAi => chat(list(body, "messages")),
        ModelFormat::OpenAiResponses => responses(list(body, "input")),
        ModelFormat::Anthropic if !body["max_tokens"].is_number() => {
            Some("max_tokens: Field required".to_owned())
        }
        ModelFormat::Anthropic => messages(list(body, "messages")),
    }
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn texts<'v>(values: &'v [Value], name: &str) -> Vec<&'v str> {
    values.iter().filter_map(|value| value[name].as_str()).collect()
}

/// Each call is answered before anything else is said.
fn chat(messages: &[Value]) -> Option<String> {
    let mut open: Vec<&str> = Vec::new();
    for (at, message) in messages.iter().enumerate() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or_default();
            let Some(found) = open.iter().position(|call| *call == id) else {
                return Some(format!("messages.{at}: no call has the tool_call_id {id}"));
            };
            open.remove(found);
        } else if !open.is_empty() {
            return Some(format!("messages.{at}: calls without an answer: {open:?}"));
        }
        open.extend(texts(list(message, "tool_calls"), "id"));
    }
    match messages.last() {
        _ if !open.is_empty() => Some(format!("calls without an answer: {open:?}")),
        None => Some("messages: must not be empty".to_owned()),
        Some(_) => None,
    }
}

/// Each call has an answer, nothing is stored, and reasoning stands before what followed it.
fn responses(items: &[Value]) -> Option<String> {
    let of = |kind: &'static str| {
        items.iter().filter(move |item| item["type"] == kind).cloned().collect::<Vec<_>>()
    };
    let (calls, answers) = (of("function_call"), of("function_call_output"));
    let (calls, answers) = (texts(&calls, "call_id").len(), texts(&answers, "call_id").len());
    if calls != answers {
        return Some(format!("No tool output found: {calls} calls, {answers} answers"));
    }
    if let Some(item) = items.iter().find(|item| item["id"].is_string()) {
        return Some(format!("Item with id {} not found: store is false", item["id"]));
    }
    let follows = |pair: &[Value]| pair[0]["type"] == "reasoning" && !is_output(&pair[1]);
    if items.windows(2).any(follows) || items.last().is_some_and(|item| item["type"] == "reasoning") {
        return Some("Item of type reasoning was provided without its required following item".to_owned());
    }
    items.is_empty().then(|| "input: must not be empty".to_owned())
}

fn is_output(item: &Value) -> bool {
    item["type"] == "function_call" || item["type"] == "reasoning" || item["role"] == "assistant"
}

/// The results of all calls stand first in the next message, which is the user's; IDs are unique; no text is blank.
fn messages(messages: &[Value]) -> Option<String> {
    let mut ids = HashSet::new();
    for (at, message) in messages.iter().enumerate() {
        let blocks = list(message, "content");
        let mut texts = blocks.iter().filter(|block| block["type"] == "text");
        if texts.any(|block| block["text"].as_str().unwrap_or_default().trim().is_empty()) {
            return Some(format!("messages.{at}: text content blocks must contain non-whitespace text"));
        }
        let calls: Vec<&str> = blocks
            .iter()
            .filter(|block| block["type"] == "tool_use")
            .filter_map(|block| block["id"].as_str())
            .collect();
        if calls.iter().any(|id| !ids.insert((*id).to_owned())) {
            return Some(format!("messages.{at}: `tool_use` ids must be unique"));
        }
        let next = messages.get(at + 1).map(|message| list(message, "content")).unwrap_or_default();
        let answered = next.iter().take_while(|block| block["type"] == "tool_result");
        let answered: HashSet<&str> = answered.filter_map(|block| block["tool_use_id"].as_str()).collect();
        if calls.iter().any(|id| !answered.contains(id)) {
            return Some(format!("messages.{at}: `tool_use` ids were found without `tool_result` blocks"));
        }
    }
    match messages.last() {
        None => Some("messages: at least one message is required".to_owned()),
        // A pause is gone on with, and ends with no text.
        Some(last) if last["role"] == "assistant" && !is_paused(last) => {
            Some("This model does not support assistant message prefill".to_owned())
        }
        Some(_) => None,
    }
}

fn is_paused(message: &Value) -> bool {
    list(message, "content").last().is_some_and(|block| block["type"] == "server_tool_use")
}
