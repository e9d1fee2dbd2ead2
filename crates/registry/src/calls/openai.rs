//! Chat Completions: `{id, type: function, function: {name, arguments}}`, answered by a message of the role `tool`.

use serde_json::{Value, json};

use super::{
    Answer, Item,
    fields::{FieldError, Fields},
};

pub fn parse(item: &Fields<'_>) -> Result<Item, FieldError> {
    // Some servers that speak this format leave the type out.
    if item.kind().is_some_and(|kind| kind != "function") {
        return Ok(Item::Other);
    }
    let function = item.object("function")?;
    Ok(Item::Call {
        id: item.text("id")?,
        name: function.text("name")?,
        arguments: function.arguments("arguments"),
    })
}

pub fn message(answer: &Answer) -> Value {
    json!({ "role": "tool", "tool_call_id": answer.id, "content": answer.content })
}
