//! Gemini: `{functionCall: {id?, name, args}}` parts, answered by `functionResponse` parts in one content.

use serde_json::{Map, Value, json};

use super::{
    Answer, Item,
    fields::{FieldError, Fields},
};

pub fn parse(item: &Fields<'_>) -> Result<Item, FieldError> {
    // Gemini's client libraries use both spellings.
    let Some(key) = ["functionCall", "function_call"].into_iter().find(|key| item.get(key).is_some()) else {
        // The client sent the inner object of `functionCall` without its part.
        let bare = item.get("name").is_some() || item.get("args").is_some();
        return if bare { Err(item.missing("functionCall")) } else { Ok(Item::Other) };
    };
    let call = item.object(key)?;
    let id = match call.get("id") {
        None | Some(Value::Null) => String::new(),
        Some(_) => call.text("id")?,
    };
    Ok(Item::Call { id, name: call.text("name")?, arguments: call.arguments("args") })
}

pub fn messages(answers: &[Answer]) -> Vec<Value> {
    if answers.is_empty() {
        return Vec::new();
    }
    let parts: Vec<Value> = answers.iter().map(part).collect();
    vec![json!({ "role": "user", "parts": parts })]
}

fn part(answer: &Answer) -> Value {
    let mut response = Map::new();
    if !answer.id.is_empty() {
        response.insert("id".into(), json!(answer.id));
    }
    response.insert("name".into(), json!(answer.name));
    let value =
        if answer.value.is_object() { answer.value.clone() } else { json!({ "result": answer.value }) };
    response.insert("response".into(), value);
    json!({ "functionResponse": response })
}
