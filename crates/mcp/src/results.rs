//! Converts the responses of calls to the protocol's results.

use std::collections::BTreeMap;

use rmcp::model::{
    CallToolResult, ContentBlock, ElicitRequest, ElicitRequestParams, InputRequest, InputRequiredResult,
};
use serde_json::Value;
use toolcrib_engine::{ConfirmationView, Outcome, Waiting};
use toolcrib_registry::{ActionRegistry, show, waiting};

/// The key of the input request for an approval.
pub const APPROVAL: &str = "approval";

/// Returns the result of a call with this outcome.
pub fn of_outcome(registry: &ActionRegistry, outcome: &Outcome) -> CallToolResult {
    // A waiting call is marked as an error, because nothing was done yet.
    let is_error = outcome.is_error() || matches!(outcome, Outcome::Waiting(_));
    result(&outcome.for_model(registry), is_error, outcome.data())
}

/// Returns the result of a call that still waits.
pub fn of_waiting(view: &ConfirmationView) -> CallToolResult {
    result(&waiting(&view.id.to_string(), &view.approve_url, false), true, None)
}

fn result(text: &Value, is_error: bool, data: Option<Value>) -> CallToolResult {
    let content = vec![ContentBlock::text(text.to_string())];
    if is_error {
        return CallToolResult::error(content);
    }
    let mut result = CallToolResult::success(content);
    result.structured_content = data.filter(Value::is_object);
    if let Some(data) = &mut result.structured_content {
        show(data);
    }
    result
}

/// A request to the client to open the approval page for a person.
pub struct UrlElicitation {
    id: String,
    url: String,
    message: String,
}

impl UrlElicitation {
    /// Creates the request for a call that was just made.
    pub fn asked(waiting: &Waiting) -> Self {
        let asked = &waiting.confirmation;
        Self::new(asked.id.to_string(), &asked.approve_url, &waiting.description, asked.warning.as_deref())
    }

    /// Creates the request for a confirmation that is still open.
    pub fn open(view: &ConfirmationView) -> Self {
        Self::new(view.id.to_string(), &view.approve_url, &view.description, view.warning.as_deref())
    }

    fn new(id: String, url: &str, description: &str, warning: Option<&str>) -> Self {
        let warning = warning.map(|warning| format!(" {warning}")).unwrap_or_default();
        let message = format!("{description}: a person must approve this call first.{warning}");
        Self { id, url: url.to_owned(), message }
    }

    /// Returns the result that asks the client to open the page. The client's response to it is not an
    /// approval.
    pub fn ask(self, state: String) -> InputRequiredResult {
        let params = ElicitRequestParams::UrlElicitationParams {
            meta: None,
            message: self.message,
            url: self.url,
            elicitation_id: self.id,
        };
        let request = InputRequest::Elicitation(ElicitRequest::new(params));
        InputRequiredResult::new(Some(BTreeMap::from([(APPROVAL.to_owned(), request)])), Some(state))
    }
}
