//! Finds the action of a name and its arguments. Pure, so that it can run before a transaction begins.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_model::Via;
use toolcrib_registry::{ActionKind, ActionMeta, DISPATCHER, unwrap_dispatch};

use crate::{
    base::{ActionError, CallContext},
    catalog::Catalog,
};

/// The action that a call names.
pub enum Dispatch {
    /// An existing action. With `anywhere`, a promoted action is accepted as well.
    Action { meta: Arc<ActionMeta>, arguments: Value, via: Via, anywhere: bool },
    /// A name without an action.
    Unknown { name: String, via: Via },
    /// The dispatcher was called with arguments that are not a valid call.
    Malformed(Box<ActionError>),
}

impl Dispatch {
    pub fn via(&self) -> Via {
        match self {
            Self::Action { via, .. } | Self::Unknown { via, .. } => *via,
            Self::Malformed(_) => Via::Dispatcher,
        }
    }
}

/// Finds the action among those that the call's transport offers. A transport for models has no operations,
/// and the route of an operation has no tools.
pub fn resolve_dispatch(catalog: &Catalog, context: &CallContext, name: &str, arguments: &Value) -> Dispatch {
    let registry = catalog.registry();
    if name == DISPATCHER && context.offers == ActionKind::Tool {
        let any = context.tool_call.as_ref().is_some_and(|call| call.dispatcher_only);
        return through_dispatcher(catalog, arguments, any);
    }
    match registry.get(name) {
        Some(meta) if meta.spec.kind == context.offers => Dispatch::Action {
            meta: meta.clone(),
            arguments: arguments.clone(),
            via: Via::Direct,
            anywhere: true,
        },
        _ => Dispatch::Unknown { name: name.to_owned(), via: Via::Direct },
    }
}

fn through_dispatcher(catalog: &Catalog, arguments: &Value, any: bool) -> Dispatch {
    let registry = catalog.registry();
    let tool =
        |name: &str| registry.get(name).filter(|meta| meta.spec.kind == ActionKind::Tool).map(AsRef::as_ref);
    match unwrap_dispatch(arguments.clone(), &tool) {
        Ok(call) => match registry.get(&call.action).filter(|meta| meta.spec.kind == ActionKind::Tool) {
            Some(meta) => Dispatch::Action {
                meta: meta.clone(),
                arguments: call.params,
                via: Via::Dispatcher,
                anywhere: any,
            },
            None => Dispatch::Unknown { name: call.action, via: Via::Dispatcher },
        },
        Err(fault) => {
            let mut error = ActionError::invalid(&fault.pointer, "dispatcher", fault.message);
            error.hint = Some(fault.hint);
            Dispatch::Malformed(Box::new(error))
        }
    }
}
