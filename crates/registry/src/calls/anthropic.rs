//! Anthropic's Messages: `tool_use` blocks, answered by `tool_result` blocks in one user message.

use serde_json::{Value, json};

use super::{
    Answer, Item,
    fields::{FieldError, Fields},
};

pub fn parse(item: &Fields<'_>) -> Result<Item, FieldError> {
    match item.kind() {
        Some("tool_use") => Ok(Item::Call {
            id: item.text("id")?,
            name: item.text("name")?,
            arguments: item.arguments("input"),
        }),
        Some(_) => Ok(Item::Other),
        None => Err(item.missing("type")),
    }
}

pub fn messages(answers: &[Answer]) -> Vec<Value> {
    if answers.is_empty() {
        return Vec::new();
    }
    let blocks: Vec<Value> = answers.iter().map(block).collect();
    vec![json!({ "role": "user", "content": blocks })]
}

fn block(answer: &Answer) -> Value {
    let mut block = json!({ "type": "tool_result", "tool_use_id": answer.id, "content": answer.content });
    if answer.is_error {
        block["is_error"] = json!(true);
    }
    block
}
