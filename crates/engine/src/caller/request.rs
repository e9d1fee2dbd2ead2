//! One call as it comes in.

use toolcrib_model::Surface;
use toolcrib_registry::ActionKind;

use super::Authenticated;
use crate::base::{Arguments, ToolCall};

/// One call.
#[derive(Clone, Debug)]
pub struct CallRequest {
    /// Who calls: gate 1's evidence.
    pub authenticated: Authenticated,
    /// What the transport offers. [`ActionKind::Tool`] for everything that a model can reach: the dispatcher and the
    /// catalogue's actions exist, operations do not. [`ActionKind::Operation`] for an operation's own route: that operation
    /// exists and nothing else.
    pub offers: ActionKind,
    /// The name that was called.
    pub name: String,
    /// What was given.
    pub arguments: Arguments,
    /// How it came in.
    pub surface: Surface,
    /// `Idempotency-Key`.
    pub idempotency_key: Option<String>,
    /// The provider's tool call, where it is one.
    pub tool_call: Option<ToolCall>,
    /// The request.
    pub request_id: String,
    /// From `traceparent`.
    pub trace_id: Option<String>,
}
