//! Parses calls of the dispatcher and repairs common mistakes of models. Repairs a mistake if its meaning is
//! unambiguous; otherwise returns an error with a hint.
//!
//! To repair another mistake: a step in `unwrap_dispatch`, its word in `Repairs`, and a row in the table of
//! tests.

use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::{ActionMeta, ActionRegistry, Dispatcher, PREFIX, TextRepair, parse_lenient};

mod call;
mod name;
mod nested;
mod params;
mod synonyms;

pub use call::{Correction, call_of, correct, example_call};
pub use name::{NamedTool, ToolName, has_prefix, named_tool};

#[derive(Clone, Debug, PartialEq)]
pub struct DispatcherCall {
    /// The name as it was given.
    pub given: String,
    /// The full name of the action. An unknown name stays for the error message; as that of a platform action it gets
    /// the prefix.
    pub action: String,
    /// The action's parameters. Always an object.
    pub params: Value,
    pub repairs: Repairs,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Repairs {
    /// One word for each kind of repair, in order. Empty if the call was right.
    pub kinds: Vec<&'static str>,
    /// How the arguments or parameters were read if they were text.
    pub text: TextRepair,
    /// Whether the action's name is only similar to the one that was given: see [`NamedTool::likely`].
    pub likely_name: bool,
}

impl Repairs {
    fn note(&mut self, kind: &'static str) {
        if !self.kinds.contains(&kind) {
            self.kinds.push(kind);
        }
    }
}

/// Why a dispatcher call can't be parsed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("{message}; {hint}")]
pub struct DispatchError {
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

/// What a call of the dispatcher looks like.
fn call_shape(dispatcher: Dispatcher) -> String {
    let name = match dispatcher {
        Dispatcher::Platform => format!("{PREFIX}…"),
        Dispatcher::Declared => "<toolset>__…".to_owned(),
    };
    format!("send {{\"action\": \"{name}\", \"params\": {{…}}}}")
}

/// The maximum number of calls inside a call.
const MAX_NESTED_CALLS: usize = 3;
/// Other words under which models name the action.
const ACTION_WORDS: [&str; 6] = ["action", "action_name", "name", "tool", "tool_name", "function"];

/// Reads a dispatcher's arguments. A dispatcher also takes the tools of the other one. Whether this caller may run the
/// action is for the caller of this function to decide.
pub fn unwrap_dispatch(
    dispatcher: Dispatcher,
    arguments: Value,
    registry: &ActionRegistry,
) -> Result<DispatcherCall, DispatchError> {
    let mut repairs = Repairs::default();
    let frame = params::object(arguments, "", "arguments_as_text", &mut repairs)?;
    let nested = without_nesting(dispatcher, Value::Object(frame), registry, &mut repairs);
    let mut frame = params::object(nested, "", "arguments_as_text", &mut repairs)?;
    unwrap_action(&mut frame, registry, &mut repairs);
    let given = take_action(dispatcher, &mut frame, registry, &mut repairs)?;
    let named = named_tool(registry, &given, Some(dispatcher));
    let Some(NamedTool { tool: ToolName::Action(meta), likely }) = named else {
        let params = params::of_unknown(frame);
        let action = match dispatcher {
            Dispatcher::Platform
                if !registry.declared().has_slug_of(&given) && registry.bare(&given) == given =>
            {
                name::prefixed(&given)
            }
            _ => given.clone(),
        };
        return Ok(DispatcherCall { given, action, params, repairs });
    };
    repairs.likely_name = likely;
    if *meta.spec.name != *given {
        repairs.note("action_name");
    }
    let params = Value::Object(params::collect(frame, meta, registry, &mut repairs)?);
    let action = meta.spec.name.to_string();
    let params = match direct_nested(&params, meta, registry) {
        Some((inner, nested)) => {
            nested.kinds.into_iter().for_each(|kind| repairs.note(kind));
            repairs.text = repairs.text.max(nested.text);
            inner
        }
        None => params,
    };
    Ok(DispatcherCall { given, action, params, repairs })
}

/// Reads the arguments of a direct call: also if the parameters are wrapped as in a call of the dispatcher. What can't
/// be read like this stays as it is.
pub fn unwrap_direct(arguments: &Value, meta: &ActionMeta, registry: &ActionRegistry) -> (Value, Repairs) {
    if let Some(unwrapped) = direct_nested(arguments, meta, registry) {
        return unwrapped;
    }
    let mut repairs = Repairs::default();
    let fields = arguments.as_object().cloned().unwrap_or_default();
    match params::unwrap_again(fields, meta, registry, &mut repairs) {
        Ok(params) => (Value::Object(params), repairs),
        Err(_) => (arguments.clone(), Repairs::default()),
    }
}

/// Reads arguments that are a call of the same action.
fn direct_nested(
    arguments: &Value,
    meta: &ActionMeta,
    registry: &ActionRegistry,
) -> Option<(Value, Repairs)> {
    let fields = arguments.as_object()?;
    if fields.keys().all(|key| params::takes(meta, key)) {
        return None;
    }
    let nested = nested::call(registry, arguments)?;
    let mut repairs = Repairs::default();
    repairs.note("call_in_call");
    let inner = nested.arguments.unwrap_or_else(|| Value::Object(Map::new()));
    match nested.tool {
        ToolName::Action(same) if same.spec.name == meta.spec.name => {
            let params = params::object(inner, "", "params_as_text", &mut repairs).ok()?;
            Some((Value::Object(params), repairs))
        }
        ToolName::Action(_) => None,
        ToolName::Dispatcher(dispatcher) => {
            let call = unwrap_dispatch(dispatcher, inner, registry).ok()?;
            repairs.text = call.repairs.text;
            (call.action == *meta.spec.name && !call.repairs.likely_name).then_some((call.params, repairs))
        }
    }
}

/// Returns the arguments of the innermost dispatcher, if they are a call of a dispatcher, or of an action in other
/// words than a dispatcher's.
fn without_nesting(
    dispatcher: Dispatcher,
    mut arguments: Value,
    registry: &ActionRegistry,
    repairs: &mut Repairs,
) -> Value {
    for _ in 0..MAX_NESTED_CALLS {
        let names_action = arguments
            .as_object()
            .is_some_and(|frame| frame.keys().any(|key| is_action(dispatcher, key, frame, registry)));
        if names_action {
            break;
        }
        let Some(nested) = nested::call(registry, &arguments) else { break };
        arguments = match (nested.tool, nested.arguments) {
            (ToolName::Action(_), inner) => json!({"action": nested.given, "params": inner}),
            (ToolName::Dispatcher(_), Some(inner)) if holds_call(&inner, registry) => inner,
            (ToolName::Dispatcher(_), _) => break,
        };
        repairs.note("call_in_call");
    }
    arguments
}

/// Returns whether a value has the arguments of a dispatcher.
fn holds_call(value: &Value, registry: &ActionRegistry) -> bool {
    let is_frame = |value: &Value| value.as_object().is_some_and(|frame| frame.contains_key("action"));
    let text = value.as_str().and_then(|text| parse_lenient(text).ok());
    is_frame(value)
        || text.is_some_and(|(value, _)| is_frame(&value))
        || nested::call(registry, value).is_some()
}

/// Unwraps an `action` that is a call or a list with a name, unless there are parameters beside those in it.
fn unwrap_action(frame: &mut Map<String, Value>, registry: &ActionRegistry, repairs: &mut Repairs) {
    let Some(value) = frame.get("action") else { return };
    if value.as_str().is_some_and(|given| name::spelled_tool(registry, given).is_some()) {
        return;
    }
    // A list with a name is one only beside parameters.
    let listed = || match value.as_array().map(Vec::as_slice) {
        Some([name]) if frame.contains_key("params") => nested::bare(registry, name),
        _ => None,
    };
    let Some(nested) = nested::call(registry, value).or_else(listed) else { return };
    let is_empty = |params: &Value| params.is_null() || params.as_object().is_some_and(Map::is_empty);
    let beside = frame.get("params").is_some_and(|params| !is_empty(params));
    if nested.arguments.is_some() && beside {
        return;
    }
    repairs.note("call_in_call");
    frame.insert("action".into(), nested.given.into());
    if let Some(arguments) = nested.arguments {
        frame.insert("params".into(), arguments);
    }
}

/// Removes the action's name from the dispatcher's arguments, whatever its key is.
fn take_action(
    dispatcher: Dispatcher,
    frame: &mut Map<String, Value>,
    registry: &ActionRegistry,
    repairs: &mut Repairs,
) -> Result<String, DispatchError> {
    if let Some(value) = frame.shift_remove("action") {
        return check_name(dispatcher, &value, registry);
    }
    // Under another key or inside the parameters, the value must be the name of an action.
    let key = frame.keys().find(|key| is_action(dispatcher, key, frame, registry)).cloned();
    if let Some(key) = key
        && let Some(Value::String(given)) = frame.shift_remove(&key)
    {
        repairs.note("action_key");
        return Ok(given);
    }
    let inner = frame.get_mut("params").and_then(Value::as_object_mut);
    if let Some(inner) = inner
        && is_action(dispatcher, "action", inner, registry)
        && let Some(Value::String(given)) = inner.shift_remove("action")
    {
        repairs.note("action_inside_params");
        return Ok(given);
    }
    Err(DispatchError::new("/action", "`action` is required", call_shape(dispatcher)))
}

fn is_action(
    dispatcher: Dispatcher,
    key: &str,
    frame: &Map<String, Value>,
    registry: &ActionRegistry,
) -> bool {
    let word = key.to_ascii_lowercase();
    ACTION_WORDS.contains(&word.as_str())
        && frame
            .get(key)
            .and_then(Value::as_str)
            .is_some_and(|text| name::spelled_action(registry, text, Some(dispatcher)).is_some())
}

fn check_name(
    dispatcher: Dispatcher,
    value: &Value,
    registry: &ActionRegistry,
) -> Result<String, DispatchError> {
    let error = |message: String| DispatchError::new("/action", message, call_shape(dispatcher));
    let Value::String(given) = value else {
        return Err(error("`action` must be a string, the name of one action".into()));
    };
    if given.trim().is_empty() {
        return Err(error("`action` must not be empty".into()));
    }
    if given.len() > name::MAX_NAME_LEN {
        return Err(error("`action` is too long for the name of an action".into()));
    }
    let named = named_tool(registry, given, Some(dispatcher));
    if let Some(NamedTool { tool: ToolName::Dispatcher(named), .. }) = named {
        let hint = "put the name of the action in `action` and its parameters in `params`";
        let message = if named == dispatcher {
            format!("`{}` can't call itself", named.as_str())
        } else {
            format!("`{}` can't call `{}`", dispatcher.as_str(), named.as_str())
        };
        return Err(DispatchError::new("/action", message, hint));
    }
    Ok(given.clone())
}

#[cfg(test)]
pub(crate) use tests::anything;

#[cfg(test)]
mod tests;
