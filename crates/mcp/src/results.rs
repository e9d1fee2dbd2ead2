//! Converts the responses of calls to the protocol's results.

use std::collections::BTreeMap;

use rmcp::model::{
    CallToolResult, ContentBlock, ElicitRequest, ElicitRequestParams, InputRequest, InputRequiredResult,
};
use toolcrib_engine::{ConfirmationView, Outcome, Waiting};
use toolcrib_registry::{ActionRegistry, waiting};

/// The key of the input request for an approval.
pub const APPROVAL: &str = "approval";

/// Returns the result of a call with this outcome: the text for the model. There is no `structuredContent`, because
/// tools have no `outputSchema`, and clients that hand on only that would show a model the data uncut and unmarked.
pub fn of_outcome(registry: &ActionRegistry, outcome: &Outcome) -> CallToolResult {
    // A waiting call is marked as an error, because nothing was done yet.
    let is_error = outcome.is_error() || matches!(outcome, Outcome::Waiting(_));
    let content = vec![ContentBlock::text(outcome.for_model(registry).to_string())];
    if is_error { CallToolResult::error(content) } else { CallToolResult::success(content) }
}

/// Returns the result of a call that still waits.
pub fn of_waiting(view: &ConfirmationView) -> CallToolResult {
    let text = waiting(&view.id.to_string(), &view.approve_url, false).to_string();
    CallToolResult::error(vec![ContentBlock::text(text)])
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
