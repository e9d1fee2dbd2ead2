//! The call of a tool of an MCP server.

use std::{sync::Arc, time::Duration};

use serde_json::{Map, Value, json};
use toolcrib_connectors::{
    mcp_client::{McpCall, McpError, McpResult},
    upstream::SendError,
};
use toolcrib_model::ErrorCode;
use toolcrib_registry::ActionMeta;
use toolcrib_toolset::{McpMapping, ShapedResponse, max_response_bytes, shape_value};

use super::{
    CallOfUpstream, UpstreamEnd,
    prepare::{PreparedRequest, UpstreamMessage, has_effect},
};
use crate::{
    base::ActionError,
    catalog::mcp_sessions::{OpenSession, SessionAddress, mcp_error},
};

/// The most bytes of a failed call's text that the caller gets.
const MESSAGE_BYTES: usize = 2_048;

/// A call of a tool of an MCP server.
#[derive(Clone)]
pub(super) struct McpMessage {
    address: SessionAddress,
    /// The name of the tool at the server.
    tool: String,
    pin: String,
    arguments: Map<String, Value>,
    meta: Arc<ActionMeta>,
    session: Option<Arc<OpenSession>>,
}

/// How the pin of a tool stands against what its server listed when a session began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PinInSession {
    /// The definition is the pinned one.
    Equal,
    /// It is another one, with schemas of this digest.
    Other(String),
    /// The server did not list the tool.
    Gone,
}

impl McpMessage {
    /// Makes the call. The check of a document refuses a mapping that lacks a field.
    pub fn new(
        mapping: &McpMapping,
        address: SessionAddress,
        call: &CallOfUpstream<'_>,
    ) -> Result<Self, ActionError> {
        let Some(((tool, pin), arguments)) =
            mapping.tool.clone().zip(mapping.pin.clone()).zip(call.arguments.as_object())
        else {
            return Err(ActionError::internal("a tool of an MCP server lacks its name or pin"));
        };
        let of_server = |(name, value): (&String, &Value)| (mapping.key(name).to_owned(), value.clone());
        let arguments = arguments.iter().map(of_server).collect();
        Ok(Self { address, tool, pin, arguments, meta: call.meta.clone(), session: None })
    }

    /// Calls the tool in its session, once.
    pub async fn call(&self, upstream: &str, timeout: Duration, traceparent: Option<&str>) -> UpstreamEnd {
        let Some((session, tool)) = self.session.as_ref().and_then(|s| Some((s, s.tool(&self.tool)?))) else {
            return UpstreamEnd::not_sent(ActionError::internal("a tool was called without a session"));
        };
        let call = McpCall {
            tool: &self.tool,
            arguments: &self.arguments,
            headers: &tool.headers,
            has_effect: has_effect(&self.meta),
            timeout,
            max_bytes: max_response_bytes(None),
            traceparent,
        };
        match session.call(call).await {
            Ok(result) if result.is_error => UpstreamEnd::failed(self.failed(upstream, &result)),
            Ok(result) => UpstreamEnd::Succeeded(succeeded(result)),
            Err(error) => unanswered(upstream, &error),
        }
    }

    /// Makes the error of a tool that says that it failed.
    fn failed(&self, upstream: &str, result: &McpResult) -> ActionError {
        let detail = format!("`{}` of `{upstream}` says that it failed", self.tool);
        let error = ActionError::new(ErrorCode::UpstreamError, detail);
        let text = match &result.structured {
            Some(structured) if result.text.is_empty() => structured.to_string(),
            _ => result.text.clone(),
        };
        if text.is_empty() {
            return error;
        }
        let message = text.get(..text.floor_char_boundary(MESSAGE_BYTES)).map(str::to_owned);
        ActionError { upstream_message: message, ..error.quoting("answers of services") }
    }
}

/// Returns what the caller gets of a result. The server said that it is one, whether or not it fits the accepted output
/// schema.
fn succeeded(result: McpResult) -> ShapedResponse {
    match (result.structured, result.unreadable) {
        (None, unreadable @ Some(_)) => ShapedResponse { unreadable, ..ShapedResponse::default() },
        (Some(structured), _) => shape_value(structured),
        (None, None) => shape_value(json!({ "text": result.text })),
    }
}

/// Reads the error of a call that has no result.
fn unanswered(upstream: &str, error: &McpError) -> UpstreamEnd {
    let told = mcp_error(upstream, error);
    match error {
        _ if error.is_unknown() => UpstreamEnd::Unknown(Box::new(told)),
        McpError::Send(SendError::Redirect(_)) => UpstreamEnd::failed(told),
        McpError::Send(_) => UpstreamEnd::not_sent(told),
        _ => UpstreamEnd::failed(told),
    }
}

impl PreparedRequest {
    /// Returns where the session of the call leads; `None` for a request that needs none.
    pub fn session_address(&self) -> Option<&SessionAddress> {
        self.mcp().map(|message| &message.address)
    }

    /// Returns the name of the tool at its server, and its pin.
    pub fn pinned(&self) -> Option<(&str, &str)> {
        self.mcp().map(|message| (message.tool.as_str(), message.pin.as_str()))
    }

    /// Returns how the pin of the tool stands in a session.
    pub fn pin_in(&self, session: &OpenSession) -> PinInSession {
        let Some((tool, pin)) = self.pinned() else { return PinInSession::Gone };
        match session.tool(tool) {
            None => PinInSession::Gone,
            Some(listed) if listed.digest == pin => PinInSession::Equal,
            Some(listed) => PinInSession::Other(listed.schema_digest.clone()),
        }
    }

    /// Returns the same request, made in this session.
    pub fn in_session(mut self, session: Arc<OpenSession>) -> Self {
        if let UpstreamMessage::Mcp(message) = &mut self.message {
            message.session = Some(session);
        }
        self
    }
}
