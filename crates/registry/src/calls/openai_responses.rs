//! OpenAI's Responses: `{type: function_call, call_id, name, arguments}`, answered by `function_call_output`
//! items.

use serde_json::{Value, json};

use super::{
    Answer, Item,
    fields::{FieldError, Fields},
};

pub fn parse(item: &Fields<'_>) -> Result<Item, FieldError> {
    match item.kind() {
        Some("function_call") if is_cut_off(item) => Err(item.error(
            "status",
            "incomplete",
            "says that the model's call was cut off; let the model make the call again",
        )),
        Some("function_call") => Ok(Item::Call {
            id: item.text("call_id")?,
            name: item.text("name")?,
            arguments: item.arguments("arguments"),
        }),
        // What the application answers has a `call_id`. The provider's own tools have none.
        Some(kind) if kind.ends_with("_call") => Ok(match item.text("call_id") {
            Ok(id) => Item::Foreign { id, name: item.text("name").unwrap_or_else(|_| kind.to_owned()) },
            Err(_) => Item::Other,
        }),
        Some(_) => Ok(Item::Other),
        None => Err(item.missing("type")),
    }
}

/// Whether the provider ended its response within the call, so that its arguments may be a part of the model's.
fn is_cut_off(item: &Fields<'_>) -> bool {
    matches!(item.get("status").and_then(Value::as_str), Some("incomplete" | "in_progress"))
}

pub fn message(answer: &Answer) -> Value {
    json!({ "type": "function_call_output", "call_id": answer.id, "output": answer.content })
}
