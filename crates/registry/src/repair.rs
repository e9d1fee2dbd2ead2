//! Parses calls of the dispatcher and repairs common mistakes of models. Repairs a mistake if its meaning is
//! unambiguous; otherwise returns an error with a hint.
//!
//! To repair another mistake: a step in `unwrap_dispatch`, its word in `repaired`, and a row in the table of
//! tests.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::{ActionMeta, DISPATCHER, PREFIX};

mod call;
mod name;
mod params;

pub use call::{corrected_call, direct_call_hint, dispatched_call, example_call};

/// A parsed call of the dispatcher.
#[derive(Clone, Debug, PartialEq)]
pub struct DispatcherCall {
    /// The full name of the action. An unknown name gets the prefix and stays for the error message.
    pub action: String,
    /// The action's parameters. Always an object.
    pub params: Value,
    /// What was repaired, in order. Empty if the call was right.
    pub repaired: Vec<&'static str>,
}

/// Why a dispatcher call can't be parsed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}; {hint}")]
pub struct DispatchError {
    /// What is wrong.
    pub message: String,
    /// JSON pointer into the dispatcher's arguments.
    pub pointer: String,
    /// What to send instead.
    pub hint: String,
}

impl DispatchError {
    fn new(pointer: impl Into<String>, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { message: message.into(), pointer: pointer.into(), hint: hint.into() }
    }
}

/// Finds an action by its full name.
pub type ActionLookup<'f, 'a> = &'f dyn Fn(&str) -> Option<&'a ActionMeta>;

/// What a call of the dispatcher looks like.
fn call_shape() -> String {
    format!("send {{\"action\": \"{PREFIX}…\", \"params\": {{…}}}}")
}
/// Other words under which models name the action.
const ACTION_WORDS: [&str; 6] = ["action", "action_name", "name", "tool", "tool_name", "function"];

/// Reads the dispatcher's arguments. `known` finds an action by its full name; whether this caller may run it, and
/// may run it through the dispatcher, is for the caller of this function to decide.
pub fn unwrap_dispatch(
    arguments: Value,
    known: ActionLookup<'_, '_>,
) -> Result<DispatcherCall, DispatchError> {
    let mut repaired = Vec::new();
    let mut frame = params::object(arguments, "", "arguments_as_text", &mut repaired)?;
    let (given, found) = take_action(&mut frame, known, &mut repaired)?;
    let Some((action, meta)) = found else {
        let params = params::of_unknown(frame);
        return Ok(DispatcherCall { action: name::prefixed(&given), params, repaired });
    };
    if action != given {
        repaired.push("action_name");
    }
    let params = params::collect(frame, meta, known, &mut repaired)?;
    Ok(DispatcherCall { action, params: Value::Object(params), repaired })
}

type Found<'a> = Option<(String, &'a ActionMeta)>;

/// Removes the action's name from the dispatcher's arguments, whatever its key is.
fn take_action<'a>(
    frame: &mut Map<String, Value>,
    known: ActionLookup<'_, 'a>,
    repaired: &mut Vec<&'static str>,
) -> Result<(String, Found<'a>), DispatchError> {
    if let Some(value) = frame.shift_remove("action") {
        let given = check_name(&value)?;
        let found = name::find(&given, known);
        return Ok((given, found));
    }
    // Under another key or inside the parameters, the value must be the name of an action.
    let key = frame.keys().find(|key| is_action(key, frame, known)).cloned();
    if let Some(key) = key
        && let Some(Value::String(given)) = frame.shift_remove(&key)
    {
        repaired.push("action_key");
        let found = name::find(&given, known);
        return Ok((given, found));
    }
    let inner = frame.get_mut("params").and_then(Value::as_object_mut);
    if let Some(inner) = inner
        && is_action("action", inner, known)
        && let Some(Value::String(given)) = inner.shift_remove("action")
    {
        repaired.push("action_inside_params");
        let found = name::find(&given, known);
        return Ok((given, found));
    }
    Err(DispatchError::new("/action", "`action` is required", call_shape()))
}

fn is_action(key: &str, frame: &Map<String, Value>, known: ActionLookup<'_, '_>) -> bool {
    let word = key.to_ascii_lowercase();
    ACTION_WORDS.contains(&word.as_str())
        && frame.get(key).and_then(Value::as_str).is_some_and(|text| name::find(text, known).is_some())
}

fn check_name(value: &Value) -> Result<String, DispatchError> {
    let fault = |message: String| DispatchError::new("/action", message, call_shape());
    let Value::String(given) = value else {
        return Err(fault("`action` must be a string, the name of one action".into()));
    };
    if given.trim().is_empty() {
        return Err(fault("`action` must not be empty".into()));
    }
    if given.len() > 128 {
        return Err(fault("`action` is too long for the name of an action".into()));
    }
    if name::candidates(given).any(|candidate| candidate == DISPATCHER) {
        let hint = "put the name of the action in `action` and its parameters in `params`";
        return Err(DispatchError::new("/action", format!("`{DISPATCHER}` can't call itself"), hint));
    }
    Ok(given.clone())
}

#[cfg(test)]
mod tests;
