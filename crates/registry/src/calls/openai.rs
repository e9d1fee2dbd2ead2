//! OpenAI's Chat Completions: `{id, type: function, function: {name, arguments}}`, answered by messages of
//! the role `tool`.

use serde_json::{Value, json};

use super::{
    Answer, Item,
    fields::{FieldError, Fields},
};

pub fn parse(item: &Fields<'_>) -> Result<Item, FieldError> {
    // Some servers with this format omit `type`.
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
