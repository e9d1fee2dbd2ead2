//! Calls inside calls: models paste a whole call where its arguments belong, or the name and the arguments into one
//! text.

use serde_json::{Map, Value};

use super::{ACTION_WORDS, name::spelled_tool, params::is_params_word};
use crate::{ActionRegistry, TextRepair, ToolName, parse_lenient};

/// The keys under which models and their clients put a call.
const CALL_WORDS: [&str; 9] = [
    "action",
    "call",
    "function",
    "function_call",
    "how_to_call",
    "request",
    "tool_call",
    "tool_calls",
    "tool_use",
];
/// What a call has beside its name and its arguments in the chat formats.
const CALL_FIELDS: [&str; 6] = ["call_id", "description", "id", "index", "status", "type"];
/// The maximum number of calls, lists and texts around a call.
const MAX_LAYERS: usize = 4;

/// A call that was found in a value.
pub struct NestedCall<'r> {
    pub tool: ToolName<'r>,
    /// Its name as it was given.
    pub given: String,
    /// Its arguments, as they were given; `None` if it has none.
    pub arguments: Option<Value>,
}

/// Reads a value that is a call: `{"name": …, "arguments": …}` in the words of any chat format,
/// `{"platform_list_tasks": …}`, `platform_list_tasks(limit=5)`, any of them as JSON text, in a list of one or under a
/// word such as `how_to_call`. The name must be another spelling of a known one.
pub fn call<'r>(registry: &'r ActionRegistry, value: &Value) -> Option<NestedCall<'r>> {
    layer(registry, value, MAX_LAYERS)
}

fn layer<'r>(registry: &'r ActionRegistry, value: &Value, layers: usize) -> Option<NestedCall<'r>> {
    let layers = layers.checked_sub(1)?;
    match value {
        Value::Array(items) => match items.as_slice() {
            [only] => layer(registry, only, layers),
            _ => None,
        },
        Value::String(text) => match parse_lenient(text) {
            Ok((value, repair)) if repair < TextRepair::Prose => layer(registry, &value, layers),
            _ => written(registry, text),
        },
        Value::Object(fields) => object(registry, fields, layers),
        _ => None,
    }
}

fn object<'r>(
    registry: &'r ActionRegistry,
    fields: &Map<String, Value>,
    layers: usize,
) -> Option<NestedCall<'r>> {
    let mut rest: Vec<_> = fields.iter().collect();
    if rest.len() > 1 {
        rest.retain(|(key, _)| !CALL_FIELDS.contains(&key.as_str()));
    }
    if let [(key, inner)] = rest.as_slice() {
        if ACTION_WORDS.contains(&key.as_str())
            && let Some(call) = bare(registry, inner)
        {
            return Some(call);
        }
        if CALL_WORDS.contains(&key.as_str())
            && let Some(call) = layer(registry, inner, layers)
        {
            return Some(call);
        }
        let tool = spelled_tool(registry, key).filter(|_| inner.is_object())?;
        return Some(NestedCall { tool, given: (*key).clone(), arguments: Some((*inner).clone()) });
    }
    let [one, other] = rest.as_slice() else { return None };
    let (name, arguments) = if is_params_word(other.0) { (one, other) } else { (other, one) };
    if !is_params_word(arguments.0) || !ACTION_WORDS.contains(&name.0.to_ascii_lowercase().as_str()) {
        return None;
    }
    let call = bare(registry, name.1)?;
    Some(NestedCall { arguments: Some(arguments.1.clone()), ..call })
}

/// Reads a name.
pub fn bare<'r>(registry: &'r ActionRegistry, value: &Value) -> Option<NestedCall<'r>> {
    let given = value.as_str()?;
    Some(NestedCall { tool: spelled_tool(registry, given)?, given: given.to_owned(), arguments: None })
}

/// Reads `platform_list_tasks(limit=5)` and `platform_list_tasks({"limit": 5})`.
fn written<'r>(registry: &'r ActionRegistry, text: &str) -> Option<NestedCall<'r>> {
    let (name, inside) = text.trim().trim_matches('`').strip_suffix(')')?.split_once('(')?;
    let tool = spelled_tool(registry, name)?;
    let inside = inside.trim();
    let arguments = if inside.is_empty() || inside.starts_with('{') {
        inside.to_owned()
    } else {
        format!("{{{}}}", with_colons(inside)?)
    };
    let (arguments, repair) = parse_lenient(&arguments).ok()?;
    (repair < TextRepair::Prose).then(|| NestedCall {
        tool,
        given: name.to_owned(),
        arguments: Some(arguments),
    })
}

/// Replaces the `=` of keyword arguments by `:`. `None` if there is none, or if it is part of another operator.
fn with_colons(text: &str) -> Option<String> {
    let (mut out, mut quote, mut escaped, mut depth) = (String::with_capacity(text.len()), None, false, 0);
    let mut expects_key = true;
    for c in text.chars() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '[' | '{') => depth += 1,
            (None, ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => expects_key = true,
            (None, '=') if depth == 0 => {
                if !std::mem::take(&mut expects_key) {
                    return None;
                }
                out.push(':');
                continue;
            }
            _ => {}
        }
        out.push(c);
    }
    (!expects_key).then_some(out)
}
