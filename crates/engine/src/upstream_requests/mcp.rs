//! The call of a tool of an MCP server.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolcrib_connectors::{
    mcp_client::{McpCall, McpError, McpResult},
    upstream::SendError,
};
use toolcrib_model::ErrorCode;
use toolcrib_toolset::{McpMapping, ShapedResponse, max_response_bytes, shape_value};

use super::{CallOfUpstream, RunnerCx, UpstreamEnd, prepare::PreparedRequest};
use crate::{
    base::ActionError,
    catalog::mcp_sessions::{OpenSession, SessionAddress, mcp_error},
};

/// The most bytes of a failed call's text that the caller gets.
const MESSAGE_BYTES: usize = 2_048;

/// A call of a tool of an MCP server.
#[derive(Clone)]
pub(super) struct McpMessage {
    pub address: SessionAddress,
    /// The name of the tool at the server.
    pub tool: String,
    pub pin: String,
    arguments: Map<String, Value>,
    pub session: Option<Arc<OpenSession>>,
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
        Ok(Self { address, tool, pin, arguments, session: None })
    }

    /// Calls the tool in its session, once.
    pub async fn call(&self, request: &PreparedRequest, cx: RunnerCx<'_>) -> UpstreamEnd<ShapedResponse> {
        let (upstream, traceparent) = (&request.upstream.name, cx.traceparent());
        let Some((session, tool)) = self.session.as_ref().and_then(|s| Some((s, s.tool(&self.tool)?))) else {
            return UpstreamEnd::not_sent(ActionError::internal("a tool was called without a session"));
        };
        let call = McpCall {
            tool: &self.tool,
            arguments: &self.arguments,
            headers: &tool.headers,
            has_effect: request.has_effect(),
            timeout: request.timeout,
            max_bytes: max_response_bytes(None),
            traceparent: traceparent.as_deref(),
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
        error.with_upstream_message(&text[..text.floor_char_boundary(MESSAGE_BYTES)])
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
fn unanswered(upstream: &str, error: &McpError) -> UpstreamEnd<ShapedResponse> {
    let told = mcp_error(upstream, error);
    match error {
        _ if error.is_unknown() => UpstreamEnd::Unknown(Box::new(told)),
        McpError::Send(SendError::Redirect(_)) => UpstreamEnd::failed(told),
        McpError::Send(_) => UpstreamEnd::not_sent(told),
        _ => UpstreamEnd::failed(told),
    }
}
