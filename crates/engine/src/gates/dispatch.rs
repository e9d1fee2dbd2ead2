//! Finds the action of a name and its arguments. Pure, so that it can run before a transaction begins.

use std::{borrow::Cow, sync::Arc};

use serde_json::{Value, json};
use toolcrib_model::Via;
use toolcrib_registry::{
    ActionKind, ActionMeta, ActionRegistry, Dispatcher, DispatcherCall, Format, TextRepair, ToolName,
    named_tool, read_json_texts, unwrap_direct, unwrap_dispatch,
};

use super::parse::Parsed;
use crate::{
    base::{ActionError, CallContext},
    catalog::Catalog,
};

/// What a call names.
pub enum Dispatch {
    /// An existing action.
    Action(DispatchedCall),
    /// A name without an action.
    Unknown { name: String, via: Via, arguments: Value },
    /// A dispatcher was called with arguments that are not a valid call.
    Malformed(Dispatcher, Box<ActionError>),
}

/// A call of an existing action.
pub struct DispatchedCall {
    pub meta: Arc<ActionMeta>,
    pub arguments: Value,
    pub via: Via,
    /// Whether the text or the shape of the arguments was repaired.
    pub repaired: bool,
    pub guess: Option<Guess>,
}

/// A part of a call whose reading is likely but not certain. A read runs; a write is answered with the corrected call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Guess {
    /// The name that was given. It is similar to the action's.
    Name(String),
    /// Prose around the arguments was left out.
    Prose,
}

impl Dispatch {
    pub fn via(&self) -> Via {
        match self {
            Self::Action(DispatchedCall { via, .. }) | Self::Unknown { via, .. } => *via,
            Self::Malformed(..) => Via::Dispatcher,
        }
    }
}

/// Finds the action among those that the call's transport offers. A transport for models has no operations,
/// and the route of an operation has no tools. A program names an action exactly; a model may spell it differently.
pub fn resolve_dispatch(catalog: &Catalog, context: &CallContext, parsed: &Parsed) -> Dispatch {
    let (registry, name) = (catalog.registry(), parsed.name());
    let parsed = &*without_json_texts(registry, context, parsed);
    let unknown = || Dispatch::Unknown {
        name: name.to_owned(),
        via: Via::Direct,
        arguments: parsed.arguments().clone(),
    };
    if let Some(meta) = registry.get(name).filter(|meta| meta.spec.kind == context.offers) {
        return if context.is_from_model() {
            direct(registry, meta, parsed, None)
        } else {
            exact(meta, parsed)
        };
    }
    if context.offers == ActionKind::Operation {
        return unknown();
    }
    if let Some(dispatcher) = dispatcher(registry, name) {
        return through_dispatcher(dispatcher, registry, parsed, None);
    }
    let Some(named) = named_tool(registry, name, None).filter(|_| context.is_from_model()) else {
        return unknown();
    };
    let guess = named.likely.then(|| Guess::Name(name.to_owned()));
    match named.tool {
        ToolName::Dispatcher(dispatcher) => through_dispatcher(dispatcher, registry, parsed, guess),
        ToolName::Action(meta) => direct(registry, meta, parsed, guess),
    }
}

/// Returns the call with objects where the lists of its format have texts with JSON.
fn without_json_texts<'p>(
    registry: &ActionRegistry,
    context: &CallContext,
    parsed: &'p Parsed,
) -> Cow<'p, Parsed> {
    let is_gemini = context.tool_call.as_ref().is_some_and(|call| call.format == Format::Gemini);
    if !is_gemini || context.confirmation.is_some() {
        return Cow::Borrowed(parsed);
    }
    let mut arguments = parsed.arguments().clone();
    match registry.get(parsed.name()) {
        Some(meta) => read_json_texts(meta.input.value(), &mut arguments),
        None if dispatcher(registry, parsed.name()).is_some() => {
            read_json_texts(&json!({ "properties": { "params": { "type": "object" } } }), &mut arguments);
        }
        None => {}
    }
    Cow::Owned(parsed.with_arguments(arguments))
}

/// Returns the dispatcher with this name. Without declared tools there is only the platform's.
fn dispatcher(registry: &ActionRegistry, name: &str) -> Option<Dispatcher> {
    let exists = |which: &Dispatcher| *which == Dispatcher::Platform || !registry.declared().is_empty();
    Dispatcher::parse(name).filter(exists)
}

/// Makes the direct call of a program.
fn exact(meta: &Arc<ActionMeta>, parsed: &Parsed) -> Dispatch {
    let (meta, arguments) = (meta.clone(), parsed.arguments().clone());
    Dispatch::Action(DispatchedCall { meta, arguments, via: Via::Direct, repaired: false, guess: None })
}

/// Makes the direct call of a model.
fn direct(
    registry: &ActionRegistry,
    meta: &Arc<ActionMeta>,
    parsed: &Parsed,
    guess: Option<Guess>,
) -> Dispatch {
    let (arguments, repairs) = unwrap_direct(parsed.arguments(), meta, registry);
    let text = repairs.text.max(parsed.text_repair());
    Dispatch::Action(DispatchedCall {
        meta: meta.clone(),
        arguments,
        via: Via::Direct,
        repaired: text > TextRepair::None || !repairs.kinds.is_empty(),
        guess: guess.or_else(|| prose(text)),
    })
}

fn through_dispatcher(
    dispatcher: Dispatcher,
    registry: &ActionRegistry,
    parsed: &Parsed,
    guess: Option<Guess>,
) -> Dispatch {
    let call = match unwrap_dispatch(dispatcher, parsed.arguments().clone(), registry) {
        Ok(call) => call,
        Err(cause) => {
            let error = ActionError::invalid(&cause.pointer, "dispatcher", cause.message).hint(cause.hint);
            return Dispatch::Malformed(dispatcher, Box::new(error));
        }
    };
    let DispatcherCall { given, action, params: arguments, repairs } = call;
    let via = Via::Dispatcher;
    let Some(meta) = registry.get(&action).filter(|meta| meta.spec.kind == ActionKind::Tool) else {
        return Dispatch::Unknown { name: action, via, arguments };
    };
    let text = repairs.text.max(parsed.text_repair());
    let likely_name = repairs.likely_name.then_some(Guess::Name(given));
    Dispatch::Action(DispatchedCall {
        meta: meta.clone(),
        arguments,
        via,
        repaired: text > TextRepair::None || repairs.kinds.iter().any(|kind| *kind != "action_name"),
        guess: guess.or(likely_name).or_else(|| prose(text)),
    })
}

fn prose(text: TextRepair) -> Option<Guess> {
    (text == TextRepair::Prose).then_some(Guess::Prose)
}
