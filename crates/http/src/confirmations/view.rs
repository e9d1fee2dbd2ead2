//! A confirmation with the messages that report its outcome to the model.

use serde::Serialize;
use serde_json::{Value, json};
use toolcrib_engine::ConfirmationView;
use toolcrib_model::{ConfirmationStatus, ErrorCode, Via};
use toolcrib_registry::{
    ActionRegistry, Answer, Dispatcher, Format, MODEL_TEXT_LIMIT, RefusalText, problem_message, refused,
    render_messages, untrusted_sentence,
};

use crate::call_text::read;

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
    let format = view.tool_format.as_deref().and_then(Format::parse);
    let (Some(format), Some(id), true) = (format, &view.tool_call_id, view.status.has_ended()) else {
        return Vec::new();
    };
    let (value, is_error) = outcome(registry, view);
    let name =
        if view.via == Via::Dispatcher { Dispatcher::of_action(&view.action).as_str() } else { &view.action };
    let content = value.to_string();
    render_messages(format, &[Answer { id: id.clone(), name: name.to_owned(), content, value, is_error }])
}

/// Returns what the model reads about the outcome of a confirmation, and whether it is an error.
pub fn outcome(registry: &ActionRegistry, view: &ConfirmationView) -> (Value, bool) {
    if let Some(result) = &view.result {
        // Only writes wait for a person, and no write returns a page.
        return read(registry, result, &[]);
    }
    let (code, detail) = ending(view);
    let message =
        problem_message(code, &detail, Some("do not repeat the call; ask the person what to do instead"));
    let untrusted = view.reason.as_ref().and_then(|_| untrusted_sentence(&["reasons"]));
    let refusal = RefusalText {
        status: "refused",
        code,
        message: &message,
        untrusted: untrusted.as_deref(),
        errors: &[],
        call: None,
    };
    (refused(&refusal, MODEL_TEXT_LIMIT), true)
}

/// Returns the problem of a call whose confirmation ended before the call ran.
pub(crate) fn unrun(view: &ConfirmationView) -> Value {
    let (code, detail) = ending(view);
    json!({
        "type": format!("/docs/errors/{}", code.as_str()), "title": code.title(), "status": code.status(),
        "code": code, "detail": detail, "action": view.action, "errors": [],
    })
}

fn ending(view: &ConfirmationView) -> (ErrorCode, String) {
    match view.status {
        ConfirmationStatus::Denied => {
            let why = view.reason.as_deref().map(|reason| format!(": `{reason}`")).unwrap_or_default();
            (ErrorCode::PermissionDenied, format!("a person denied the call{why}"))
        }
        ConfirmationStatus::Expired => {
            (ErrorCode::Expired, "the confirmation was not decided in time".to_owned())
        }
        ConfirmationStatus::Running => {
            (ErrorCode::InProgress, "a person approved the call, and it is still running".to_owned())
        }
        ConfirmationStatus::Unknown => {
            (ErrorCode::OutcomeUnknown, "the call was started, and nobody knows how it ended".to_owned())
        }
        ConfirmationStatus::Pending
        | ConfirmationStatus::AwaitingPhrase
        | ConfirmationStatus::Executed
        | ConfirmationStatus::Failed
        | ConfirmationStatus::Superseded
        | ConfirmationStatus::Void => (ErrorCode::Void, "the confirmation no longer applies".to_owned()),
    }
}
