//! Reads who is to be answered from an item that can't be parsed as a whole.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

use super::{Item, pointer};
use crate::{ArgError, Format};

type Fields<'t> = BTreeMap<String, &'t RawValue>;

/// Returns the item at `index` of a turn whose text is no strict JSON, for `reason`. Only calls are answered, so an
/// item that is no call is [`Item::Other`].
pub fn parse_broken(format: Format, index: usize, text: &str, reason: &str) -> Item {
    match identity(format, text) {
        Some((id, name)) => Item::Invalid { id, name, error: unreadable(index, reason) },
        None => Item::Other,
    }
}

fn unreadable(index: usize, reason: &str) -> ArgError {
    ArgError::new(&pointer(index), "json", format!("can't be read: {reason}"))
}

/// Returns id and name of a call, each empty if it can't be read; `None` if the item is no call.
pub(super) fn identity(format: Format, text: &str) -> Option<(String, String)> {
    let item = fields(text)?;
    let kind = string(&item, "type");
    match format {
        Format::Openai => {
            let function = item.get("function").and_then(|function| fields(function.get()));
            let is_call = item.contains_key("function") || matches!(&*kind, "" | "function");
            is_call.then(|| (string(&item, "id"), string(&function.unwrap_or_default(), "name")))
        }
        Format::OpenaiResponses => {
            matches!(&*kind, "" | "function_call").then(|| (string(&item, "call_id"), string(&item, "name")))
        }
        Format::Anthropic => {
            matches!(&*kind, "" | "tool_use").then(|| (string(&item, "id"), string(&item, "name")))
        }
        Format::Gemini => {
            let call = item.get("functionCall").or(item.get("function_call"));
            let call = call.and_then(|call| fields(call.get()));
            let is_call = call.is_some() || item.contains_key("name");
            is_call.then(|| call.unwrap_or(item)).map(|call| (string(&call, "id"), string(&call, "name")))
        }
        Format::Mcp => None,
    }
}

fn fields(text: &str) -> Option<Fields<'_>> {
    serde_json::from_str(text).ok()
}

fn string(fields: &Fields<'_>, key: &str) -> String {
    fields.get(key).and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}
