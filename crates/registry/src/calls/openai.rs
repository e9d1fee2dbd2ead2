//! OpenAI's Chat Completions: `{id, type: function, function: {name, arguments}}`, answered by messages of
//! the role `tool`.

use serde_json::{Value, json};

use super::{
    Answer, Item,
    fields::{FieldError, Fields},
};

pub fn parse(item: &Fields<'_>) -> Result<Item, FieldError> {
    // Some servers with this format omit `type`.
    if let Some(kind) = item.kind().filter(|kind| *kind != "function") {
        // Another kind of call, such as that of a custom tool, has its name in a field of that kind.
        let (Ok(id), Ok(call)) = (item.text("id"), item.object(kind)) else { return Ok(Item::Other) };
        return Ok(Item::Foreign { id, name: call.text("name").unwrap_or_else(|_| kind.to_owned()) });
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
