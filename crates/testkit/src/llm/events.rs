//! The event streams of the three formats.

use axum::body::Bytes;
use serde_json::{Value, json};
use toolcrib_connectors::llm::ModelFormat;

use super::LlmAnswer;

pub fn of(format: ModelFormat, answer: &LlmAnswer) -> Vec<Bytes> {
    let named = |event: &Value| {
        Bytes::from(format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap_or_default()))
    };
    match format {
        ModelFormat::OpenAi => {
            let chunks = chat(answer).into_iter().map(|chunk| format!("data: {chunk}\n\n").into());
            chunks.chain([Bytes::from_static(b"data: [DONE]\n\n")]).collect()
        }
        ModelFormat::OpenAiResponses => responses(answer).iter().map(named).collect(),
        ModelFormat::Anthropic => messages(answer).iter().map(named).collect(),
    }
}

fn chat(answer: &LlmAnswer) -> Vec<Value> {
    let mut deltas = vec![json!({ "role": "assistant", "content": "" })];
    if !answer.reasoning.is_empty() {
        deltas.push(json!({ "reasoning_content": answer.reasoning }));
    }
    deltas.extend(answer.text.iter().map(|piece| json!({ "content": piece })));
    for (index, (id, name, arguments)) in answer.calls.iter().enumerate() {
        let begin = json!({ "name": name, "arguments": "" });
        deltas.push(
            json!({ "tool_calls": [{ "index": index, "id": id, "type": "function", "function": begin }] }),
        );
        deltas.push(json!({ "tool_calls": [{ "index": index, "function": { "arguments": arguments } }] }));
    }
    let chunk = |choices: Value| json!({ "id": "c1", "object": "chat.completion.chunk", "choices": choices });
    let choice =
        |delta: Value, finish: Value| json!([{ "index": 0, "delta": delta, "finish_reason": finish }]);
    let mut chunks: Vec<Value> = deltas.into_iter().map(|delta| chunk(choice(delta, Value::Null))).collect();
    let finish = answer.finish.unwrap_or(if answer.calls.is_empty() { "stop" } else { "tool_calls" });
    chunks.push(chunk(choice(json!({}), finish.into())));
    let [input, cached, output] = answer.usage;
    let mut last = chunk(json!([]));
    last["usage"] = json!({
        "prompt_tokens": input, "completion_tokens": output, "prompt_tokens_details": { "cached_tokens": cached },
    });
    chunks.push(last);
    chunks
}

fn responses(answer: &LlmAnswer) -> Vec<Value> {
    let mut events =
        vec![json!({ "type": "response.created", "response": { "id": "resp_1", "error": null } })];
    let mut items = Vec::new();
    if !answer.reasoning.is_empty() {
        let delta = "response.reasoning_summary_text.delta";
        events.push(json!({ "type": delta, "item_id": "rs_1", "delta": answer.reasoning }));
        items.push(json!({
            "type": "reasoning", "id": "rs_1", "encrypted_content": "gAAAA-1",
            "summary": [{ "type": "summary_text", "text": answer.reasoning }],
        }));
        events.push(json!({ "type": "response.output_item.done", "item": items.last() }));
    }
    for piece in &answer.text {
        events.push(json!({ "type": "response.output_text.delta", "item_id": "msg_1", "delta": piece }));
    }
    if !answer.text.is_empty() {
        let content = json!([{ "type": "output_text", "text": answer.text.concat(), "annotations": [] }]);
        let item = json!({ "type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content });
        events.push(json!({ "type": "response.output_item.done", "item": item }));
        items.push(item);
    }
    for (id, name, arguments) in &answer.calls {
        let item = json!({
            "type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": name,
            "arguments": arguments, "status": "completed",
        });
        events.push(json!({ "type": "response.function_call_arguments.delta", "delta": arguments }));
        events.push(json!({ "type": "response.output_item.done", "item": item }));
        items.push(item);
    }
    let [input, cached, output] = answer.usage;
    let usage = json!({
        "input_tokens": input, "input_tokens_details": { "cached_tokens": cached }, "output_tokens": output,
    });
    events.push(match answer.finish {
        None => json!({ "type": "response.completed", "response": { "error": null, "output": items, "usage": usage } }),
        Some(reason) => json!({
            "type": "response.incomplete",
            "response": { "error": null, "incomplete_details": { "reason": reason }, "usage": usage },
        }),
    });
    events
}

fn messages(answer: &LlmAnswer) -> Vec<Value> {
    let [input, cached, output] = answer.usage;
    let usage = json!({
        "input_tokens": input - cached, "cache_read_input_tokens": cached, "cache_creation_input_tokens": 0,
        "output_tokens": 1,
    });
    let mut events =
        vec![json!({ "type": "message_start", "message": { "role": "assistant", "usage": usage } })];
    let mut blocks = Vec::new();
    if !answer.reasoning.is_empty() {
        let thought = json!({ "type": "thinking_delta", "thinking": answer.reasoning });
        let signature = json!({ "type": "signature_delta", "signature": "sig-1" });
        blocks
            .push((json!({ "type": "thinking", "thinking": "", "signature": "" }), vec![thought, signature]));
    }
    if !answer.text.is_empty() {
        let pieces = answer.text.iter().map(|piece| json!({ "type": "text_delta", "text": piece }));
        blocks.push((json!({ "type": "text", "text": "" }), pieces.collect()));
    }
    for (id, name, arguments) in &answer.calls {
        let begin = json!({ "type": "tool_use", "id": id, "name": name, "input": {} });
        blocks.push((begin, vec![json!({ "type": "input_json_delta", "partial_json": arguments })]));
    }
    for (index, (begin, deltas)) in blocks.into_iter().enumerate() {
        events.push(json!({ "type": "content_block_start", "index": index, "content_block": begin }));
        events.push(json!({ "type": "ping" }));
        for delta in deltas {
            events.push(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        }
        events.push(json!({ "type": "content_block_stop", "index": index }));
    }
    let stop = answer.finish.unwrap_or(if answer.calls.is_empty() { "end_turn" } else { "tool_use" });
    events.push(json!({ "type": "message_delta", "delta": { "stop_reason": stop }, "usage": { "output_tokens": output } }));
    events.push(json!({ "type": "message_stop" }));
    events
}
