//! Opens a session: lists the server's tools, and stores what is new.

use std::{
    sync::{Arc, atomic::AtomicBool},
    time::Duration,
};

use toolcrib_connectors::{
    mcp_client::{DiscoveredTools, McpError, McpSession, McpTool},
    upstream::{SendError, status_hint},
};
use toolcrib_model::{ErrorCode, Ts};
use toolcrib_store::upstream_tools::{ListedTool, ToolListing};
use toolcrib_toolset::UpstreamTool;

use super::{
    DiscoveredNow, McpSessions, SessionAddress, SessionForCall,
    session::{OpenSession, SessionTool},
};
use crate::{
    base::{ActionError, compute_large},
    catalog::discovered::{listed, store_discovered},
    events::emit::Stamp,
};

/// The time limit of the messages that begin a session.
const OPEN_TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit of all pages of the list.
const LIST_TIMEOUT: Duration = Duration::from_secs(10);
/// About how large a list is whose digests are computed on another thread.
const LARGE_LIST: usize = 1024 * 1024;

impl McpSessions {
    /// Opens a session, and stores what the server lists.
    pub(super) async fn open(
        &self,
        address: &SessionAddress,
        now: Ts,
    ) -> Result<(SessionForCall, DiscoveredNow), ActionError> {
        let name = &address.upstream().name;
        let endpoint = address.endpoint(&self.client);
        let opened = McpSession::open(&endpoint, OPEN_TIMEOUT).await;
        let session = Arc::new(opened.map_err(|error| mcp_error(name, &error))?);
        let mut open = OpenSession {
            session: session.clone(),
            address: address.clone(),
            client: self.client.clone(),
            tools: std::collections::HashMap::new(),
            opened_at: now,
            has_ended: AtomicBool::new(false),
        };
        let listed = session.list_tools(&endpoint, LIST_TIMEOUT).await;
        let DiscoveredTools { server, tools, left_out, is_complete } =
            listed.map_err(|error| mcp_error(name, &error))?;
        let (kept, (stored, tools)): (_, (Vec<_>, _)) =
            compute_large(LARGE_LIST, || tools.into_iter().map(split).unzip());
        open.tools = kept;
        let has_changed = self.store(address, &stored, is_complete, now).await?;
        let opened = SessionForCall { session: Arc::new(open), has_changed };
        Ok((opened, DiscoveredNow { server, tools, left_out, is_complete }))
    }

    async fn store(
        &self,
        address: &SessionAddress,
        tools: &[ListedTool],
        has_ended: bool,
        now: Ts,
    ) -> Result<bool, ActionError> {
        let stamp = Stamp { ids: self.ids.as_ref(), now };
        let (upstream, is_complete) = (address.upstream(), has_ended && address.is_shared());
        let listing = ToolListing { upstream: &upstream.reference, tools, is_complete };
        let mut tx = self.db.begin_write(address.workspace()).await?;
        let stored = store_discovered(&mut tx, self.catalog.rules(), stamp, upstream, &listing).await;
        tx.end(stored).await
    }
}

/// Returns what a session keeps of a tool, what is stored of it, and the tool.
fn split(tool: McpTool) -> ((String, SessionTool), (ListedTool, UpstreamTool)) {
    let McpTool { name, description, input_schema, output_schema, destructive_hint, headers } = tool;
    let tool = UpstreamTool { name, description, input_schema, output_schema, destructive_hint };
    let stored = listed(&tool);
    let (digest, schema_digest) = (stored.digest.clone(), stored.schema_digest.clone());
    ((tool.name.clone(), SessionTool { digest, schema_digest, headers }), (stored, tool))
}

/// Makes the error for the caller. A refused credential is ours and never looks like the caller's.
pub(crate) fn mcp_error(upstream: &str, error: &McpError) -> ActionError {
    let told = ActionError::new(ErrorCode::UpstreamError, format!("`{upstream}`: {error}"));
    match error {
        McpError::Send(busy @ SendError::Busy(_)) => ActionError::busy_upstream(upstream, busy),
        McpError::Refused { status: status @ (401 | 403), .. } => {
            let detail =
                format!("`{upstream}` refused the credential with which this service asked ({status})");
            ActionError { detail, ..told }.hint(status_hint(*status))
        }
        McpError::Refused { status: status @ 500.., retry_after, message } => ActionError {
            retry_after: *retry_after,
            internal: Some(format!("{upstream}: {error}: {message}")),
            ..told.hint(status_hint(*status))
        },
        McpError::Refused { status, retry_after, message } => {
            // Any other status is about the address, not about the tool that the message names.
            let hint = match status {
                408 | 429 => status_hint(*status),
                _ => "an admin checks that the upstream has the address of an MCP server",
            };
            ActionError { retry_after: *retry_after, ..told.hint(hint).with_upstream_message(message) }
        }
        // Invalid params: the server does not know the tool or does not accept its arguments.
        McpError::Rpc { code: -32_602, message } => {
            let detail = format!("`{upstream}` does not accept these arguments");
            let told = ActionError { code: ErrorCode::InvalidArguments, detail, ..told };
            told.hint(status_hint(400)).with_upstream_message(message)
        }
        McpError::Rpc { message, .. } => told.with_upstream_message(message),
        McpError::SessionEnded => told.hint("make the call again: it begins a new session"),
        McpError::Send(error) => told.hint(error.hint()),
        McpError::NeedsInput | McpError::Unread(_) | McpError::Protocol(_) => told,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_refuses_says_how_to_go_on() {
        for (status, words) in [
            (401, "an admin checks the secret"),
            (404, "the address of an MCP server"),
            (429, "`retry_after` seconds"),
            (500, "make the call again later"),
        ] {
            let error = McpError::Refused { status, retry_after: Some(30), message: String::new() };
            let hint = mcp_error("forge", &error).hint.unwrap();
            assert!(hint.contains(words), "{status}: {hint}");
        }
        let unanswered = McpError::Send(SendError::TimedOut);
        assert_eq!(mcp_error("forge", &unanswered).hint.as_deref(), Some(SendError::TimedOut.hint()));
    }
}
