//! OpenAI's Responses: `{type: function_call, call_id, name, arguments}`, answered by `function_call_output`
//! items.

use serde_json::{Value, json};

use super::{
    Answer, Item,
    fields::{FieldError, Fields},
};

pub fn parse(item: &Fields<'_>) -> Result<Item, FieldError> {
    match item.kind() {
        Some("function_call") => Ok(Item::Call {
            id: item.text("call_id")?,
            name: item.text("name")?,
            arguments: item.arguments("arguments"),
        }),
        Some(_) => Ok(Item::Other),
        None => Err(item.missing("type")),
    }
}

pub fn message(answer: &Answer) -> Value {
    json!({ "type": "function_call_output", "call_id": answer.id, "output": answer.content })
}
