//! Which action a name and its arguments mean: pure, so that it can be asked before a transaction is begun.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_registry::{ActionMeta, DISPATCHER, Surface, unwrap_dispatch};

use crate::{ActionError, Catalog, ToolCall, Via};

/// What was meant.
pub enum Meant {
    /// An action that exists.
    /// `anywhere`: it is well called by this way, whatever is promoted.
    Action { meta: Arc<ActionMeta>, arguments: Value, via: Via, anywhere: bool },
    /// A name that nothing has.
    Unknown { name: String, via: Via },
    /// The dispatcher was called with something that can't be read as a call.
    Malformed(Box<ActionError>),
}

impl Meant {
    pub fn via(&self) -> Via {
        match self {
            Self::Action { via, .. } | Self::Unknown { via, .. } => *via,
            Self::Malformed(_) => Via::Dispatcher,
        }
    }
}

/// Finds out what was meant. From a model only the catalogue's actions can be called.
pub fn meant(catalog: &Catalog, name: &str, arguments: &Value, tool_call: Option<&ToolCall>) -> Meant {
    let registry = catalog.registry();
    if name == DISPATCHER {
        return through_dispatcher(catalog, arguments, tool_call.is_some_and(|call| call.dispatcher_only));
    }
    match registry.get(name) {
        Some(meta) if tool_call.is_none() || meta.spec.surface == Surface::Tool => Meant::Action {
            meta: meta.clone(),
            arguments: arguments.clone(),
            via: Via::Direct,
            anywhere: true,
        },
        _ => Meant::Unknown { name: name.to_owned(), via: Via::Direct },
    }
}

fn through_dispatcher(catalog: &Catalog, arguments: &Value, any: bool) -> Meant {
    let registry = catalog.registry();
    let tool =
        |name: &str| registry.get(name).filter(|meta| meta.spec.surface == Surface::Tool).map(AsRef::as_ref);
    match unwrap_dispatch(arguments.clone(), &tool) {
        Ok(call) => match registry.get(&call.action).filter(|meta| meta.spec.surface == Surface::Tool) {
            Some(meta) => Meant::Action {
                meta: meta.clone(),
                arguments: call.params,
                via: Via::Dispatcher,
                anywhere: any,
            },
            None => Meant::Unknown { name: call.action, via: Via::Dispatcher },
        },
        Err(fault) => {
            let mut error = ActionError::invalid(&fault.pointer, "dispatcher", fault.message);
            error.hint = Some(fault.hint);
            Meant::Malformed(Box::new(error))
        }
    }
}
