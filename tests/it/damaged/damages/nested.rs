//! Calls inside calls.

use serde_json::{Value, json};

use super::{Damage, How, certain};

pub(super) fn calls() -> Vec<Damage> {
    vec![
        certain("call inside the call", How::Call(|name, value| json!({"name": name, "arguments": value}))),
        certain(
            "call in an agent's words",
            How::Call(|name, value| json!({"tool_name": name, "tool_input": value.to_string()})),
        ),
        certain(
            "call in a chat format's words",
            How::Call(|name, value| {
                let function = json!({"name": name, "arguments": value.to_string()});
                json!({"tool_calls": [{"id": "call_0", "type": "function", "function": function}]})
            }),
        ),
        certain("dispatcher's call inside", How::Call(dispatched)),
        certain(
            "dispatcher inside the dispatcher",
            How::Call(|name, value| {
                let inner = dispatched(name, value);
                json!({"action": "platform_execute", "params": inner})
            }),
        ),
        certain(
            "whole answer of a search",
            How::Call(|name, value| json!({"how_to_call": {"name": name, "arguments": value}})),
        ),
        certain("own name around the arguments", How::Call(|name, value| json!({name: value}))),
        certain("body around the arguments", How::Whole(|value: Value| json!({"body": value}))),
        certain(
            "text of a body around the arguments",
            How::Whole(|value| json!({"data": value.to_string()})),
        ),
    ]
}

fn dispatched(name: &str, value: Value) -> Value {
    json!({"name": "platform_execute", "arguments": {"action": name, "params": value}})
}
