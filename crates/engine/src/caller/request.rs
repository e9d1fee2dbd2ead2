//! The request of one call.

use toolcrib_auth::Authenticated;
use toolcrib_model::Surface;
use toolcrib_registry::ActionKind;

use crate::base::{Arguments, CallKey, ToolCall};

#[derive(Clone, Debug)]
pub struct CallRequest {
    /// The verified credential and the requested context: the result of gate 1.
    pub authenticated: Authenticated,
    /// What the transport offers. With [`ActionKind::Tool`], which every route for models uses, the
    /// dispatcher and the catalogue's actions exist and operations do not. With [`ActionKind::Operation`],
    /// only the operation of the route exists.
    pub offers: ActionKind,
    pub name: String,
    pub arguments: Arguments,
    /// The surface through which the request arrived.
    pub surface: Surface,
    pub idempotency_key: Option<CallKey>,
    /// The provider's tool call, if the call is one.
    pub tool_call: Option<ToolCall>,
    pub request_id: String,
    /// The trace id of `traceparent`.
    pub trace_id: Option<String>,
}
