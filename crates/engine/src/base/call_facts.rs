//! The facts of one call.

use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib_access::Caller;
use toolcrib_model::Via;
use toolcrib_registry::ActionMeta;

/// Who calls what with which arguments. Gates 4 to 6 complete it, and audit row, events and responses are made of it.
#[derive(Clone)]
pub struct CallFacts {
    pub caller: Caller,
    /// The name of the action, or the unknown name that was called.
    pub action: String,
    /// The action, if the name is known.
    pub meta: Option<Arc<ActionMeta>>,
    /// How the call was made.
    pub via: Via,
    /// The arguments. They are masked before they are stored.
    pub arguments: Value,
    pub target: Option<String>,
    /// Whether the operation creates its target, which then has no id yet.
    pub creates: bool,
    /// JSON pointers to the arguments that were read differently from how they were written.
    pub repaired: Vec<String>,
}

impl CallFacts {
    /// Returns the facts of a direct call without arguments and target.
    pub fn new(caller: Caller, action: &str, meta: Option<&Arc<ActionMeta>>) -> Self {
        Self {
            caller,
            action: action.to_owned(),
            meta: meta.cloned(),
            via: Via::Direct,
            arguments: json!({}),
            target: None,
            creates: false,
            repaired: Vec::new(),
        }
    }
}
