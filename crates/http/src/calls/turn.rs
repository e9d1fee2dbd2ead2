//! Reads the body of a turn. What is wrong with one of its calls is the matter of that call.

use std::{collections::HashMap, fmt};

use axum::extract::Request;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::{Value, value::RawValue};
use toolcrib_engine::{ActionError, compute_large};
use toolcrib_model::parse_strict;

use crate::{body, problem::malformed, query};

pub(super) struct Turn {
    /// The body. In the list of calls, null stands for those of `broken`.
    pub value: Value,
    /// The calls that are no strict JSON, by their position.
    pub broken: HashMap<usize, BrokenCall>,
}

/// A call that is no strict JSON.
pub(super) struct BrokenCall {
    pub text: Box<RawValue>,
    pub reason: String,
}

/// Reads the body of a request.
pub(super) async fn of_request(request: Request) -> Result<Turn, ActionError> {
    query::none(request.uri())?;
    let (head, body) = request.into_parts();
    let bytes = body::bytes(&head.headers, body, body::USUAL).await?;
    let turn = compute_large(bytes.len(), || match parse_strict(&bytes) {
        Ok(value) => Ok(Turn { value, broken: HashMap::new() }),
        Err(error) => read_each(&bytes).ok_or_else(|| malformed(error.to_string())),
    })?;
    if turn.value.is_object() { Ok(turn) } else { Err(malformed("the body must be a JSON object")) }
}

/// Reads each call by itself. Returns `None` if something else in the body is no strict JSON.
fn read_each(bytes: &[u8]) -> Option<Turn> {
    let Fields(fields) = serde_json::from_slice(bytes).ok()?;
    let (lists, others): (Vec<_>, Vec<_>) = fields.into_iter().partition(|(key, _)| key == "tool_calls");
    let [(_, list)] = lists.as_slice() else { return None };
    let others = others.iter().map(|(key, value)| format!("{}:{}", Value::from(&**key), value.get()));
    let others = format!("{{{}}}", others.collect::<Vec<_>>().join(","));
    let Ok(Value::Object(mut value)) = parse_strict(others.as_bytes()) else { return None };
    let (mut items, mut broken) = (Vec::new(), HashMap::new());
    for (index, text) in serde_json::from_str::<Vec<Box<RawValue>>>(list.get()).ok()?.into_iter().enumerate()
    {
        match parse_strict(text.get().as_bytes()) {
            Ok(item) => items.push(item),
            Err(error) => {
                items.push(Value::Null);
                broken.insert(index, BrokenCall { text, reason: error.to_string() });
            }
        }
    }
    value.insert("tool_calls".to_owned(), Value::Array(items));
    Some(Turn { value: Value::Object(value), broken })
}

/// The fields of an object as text, also those with the same key.
struct Fields(Vec<(String, Box<RawValue>)>);

impl<'de> serde::Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Each;
        impl<'de> Visitor<'de> for Each {
            type Value = Fields;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }
        deserializer.deserialize_map(Each)
    }
}
