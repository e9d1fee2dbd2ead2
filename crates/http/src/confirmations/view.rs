//! A confirmation with the messages that report its outcome to the model.

use serde::Serialize;
use serde_json::Value;
use toolcrib_engine::ConfirmationView;
use toolcrib_model::Via;
use toolcrib_registry::{ActionRegistry, Dispatcher, render_messages};

use crate::tool_result;

/// The JSON representation of a confirmation.
#[derive(Serialize)]
pub(crate) struct ConfirmationResponse<'v> {
    #[serde(flatten)]
    view: &'v ConfirmationView,
    /// The final tool result in the provider's shape. It replaces the result that said that the call waits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    messages: Vec<Value>,
}

impl<'v> ConfirmationResponse<'v> {
    pub fn of(registry: &ActionRegistry, view: &'v ConfirmationView) -> Self {
        Self { view, messages: messages(registry, view) }
    }
}

/// Returns the final tool result for the conversation. Empty until the confirmation has ended, or if no model
/// made the call.
pub(crate) fn messages(registry: &ActionRegistry, view: &ConfirmationView) -> Vec<Value> {
    let (Some(format), Some(id), true) = (view.tool_format, &view.tool_call_id, view.status.has_ended())
    else {
        return Vec::new();
    };
    let name =
        if view.via == Via::Dispatcher { Dispatcher::of_action(&view.action).as_str() } else { &view.action };
    render_messages(format, &[tool_result::answer(registry, &view.outcome(), id, name)])
}
