//! Tool calls and their answers in the formats of the providers.

use serde_json::{Value, json};

pub const FORMATS: [&str; 4] = ["openai", "openai_responses", "anthropic", "gemini"];

/// Returns a tool call in a provider's format.
pub fn call(format: &str, id: &str, name: &str, arguments: &Value) -> Value {
    match format {
        "openai_responses" => {
            json!({"type": "function_call", "call_id": id, "name": name, "arguments": arguments.to_string()})
        }
        "anthropic" => json!({"type": "tool_use", "id": id, "name": name, "input": arguments}),
        "gemini" => json!({"functionCall": {"id": id, "name": name, "args": arguments}}),
        _ => crate::openai_call(id, name, arguments),
    }
}

/// Returns the id of the tool call that a message answers, and what the model reads. The id is empty if the message has
/// none.
///
/// # Panics
/// Panics if the message is not an answer in this format.
pub fn read(format: &str, message: &Value) -> (String, Value) {
    let text = |value: &Value| serde_json::from_str(value.as_str().expect("a text")).expect("JSON");
    let (kind, id, read) = match format {
        "openai_responses" => {
            assert_eq!(message["type"], "function_call_output");
            (Value::Null, &message["call_id"], text(&message["output"]))
        }
        "anthropic" => {
            let block = &message["content"][0];
            assert_eq!(block["type"], "tool_result");
            (json!("user"), &block["tool_use_id"], text(&block["content"]))
        }
        "gemini" => {
            let part = &message["parts"][0]["functionResponse"];
            (message["role"].clone(), &part["id"], part["response"].clone())
        }
        _ => (json!("tool"), &message["tool_call_id"], text(&message["content"])),
    };
    assert_eq!(message["role"], kind, "{message}");
    (id.as_str().unwrap_or_default().to_owned(), read)
}
