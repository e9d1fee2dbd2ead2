//! A call with the message that reports its outcome to the model.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toolcrib_engine::OpenCallView;
use toolcrib_registry::{ActionRegistry, Answer, render_messages};

use crate::tool_result;

/// The JSON representation of a call.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OpenCallResponse<'v> {
    #[serde(flatten)]
    view: &'v OpenCallView,
    /// The final tool result in the provider's shape. It replaces the result that said that the application runs the call.
    /// Absent until the call has ended, or if no model made it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    messages: Vec<Value>,
}

impl<'v> OpenCallResponse<'v> {
    pub fn of(registry: &ActionRegistry, view: &'v OpenCallView) -> Self {
        let messages = view.tool_format.zip(answer(registry, view));
        let messages = messages.map(|(format, answer)| render_messages(format, &[answer]));
        Self { view, messages: messages.unwrap_or_default() }
    }
}

/// Returns the final tool result of a call. `None` until the call has ended, or if no model made it.
pub(super) fn answer(registry: &ActionRegistry, view: &OpenCallView) -> Option<Answer> {
    let id = view.tool_call_id.as_deref()?;
    Some(tool_result::answer(registry, &view.outcome()?, id, &view.action))
}
