//! The client of servers that speak the Model Context Protocol over Streamable HTTP.
//!
//! Every message is one request of [`UpstreamClient`], with all its rules. A session begins with
//! `server/discover` of revision 2026-07-28, and where the server does not know that, with `initialize` of an
//! older revision. The client declares no capabilities: it reads the response to its request, and answers no
//! request of the server. `tools/call` is sent once, also if the session ended; a stream that ended before the
//! response is continued.
//!
//! What a server says is limited in every direction: see [`McpSession::list_tools`]. Its texts are other
//! people's words. Where they stand in an error, a name or a result, hidden characters are made visible;
//! definitions of tools are returned as they are.

mod error;
mod exchange;
mod message;
mod open;
mod parameter_headers;
mod result;
mod text;
mod tools;

use std::{fmt, sync::atomic::AtomicU64, time::Duration};

use serde_json::{Map, Value};

pub use error::McpError;
pub use parameter_headers::ParameterHeader;
pub use result::McpResult;
pub use tools::{DiscoveredTools, LeftOutTool, McpTool};

use crate::upstream::{RootCertificates, UpstreamClient, UpstreamCredential, Url};
use exchange::{Budget, Question};
use open::Revision;

/// How long the end of a session may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// Where a server is, and with which credential it is asked.
#[derive(Debug)]
pub struct McpEndpoint<'e> {
    /// Sends the requests.
    pub client: &'e UpstreamClient,
    /// The upstream that the limit of concurrency is for, such as `<workspace>/<name>`.
    pub upstream: &'e str,
    /// The server's endpoint.
    pub url: &'e Url,
    pub credential: Option<UpstreamCredential>,
    /// The certificates that are trusted. By default those of the operating system.
    pub roots: Option<&'e RootCertificates>,
}

/// A session with a server. It belongs to the credential that it was opened with.
pub struct McpSession {
    revision: Revision,
    /// The id that the server gave the session. It works like a credential.
    session_id: Option<String>,
    next_id: AtomicU64,
    server: String,
}

#[derive(Clone, Copy, Debug)]
pub struct McpCall<'c> {
    /// The name that the server gave the tool.
    pub tool: &'c str,
    pub arguments: &'c Map<String, Value>,
    /// The parameters that are also sent as headers ([`McpTool::headers`]).
    pub headers: &'c [ParameterHeader],
    /// Whether the tool may change something ([`crate::upstream::UpstreamSend::has_effect`]).
    pub has_effect: bool,
    /// The timeout of the request, without connecting.
    pub timeout: Duration,
    /// The maximum size of the response's body, in bytes.
    pub max_bytes: usize,
    /// The `traceparent` header.
    pub traceparent: Option<&'c str>,
}

impl McpSession {
    /// Calls a tool, once. [`McpError::is_unknown`] tells whether the server may have run it.
    pub async fn call_tool(
        &self,
        endpoint: &McpEndpoint<'_>,
        call: McpCall<'_>,
    ) -> Result<McpResult, McpError> {
        let question = Question {
            method: "tools/call",
            name: Some(call.tool),
            params: Map::from_iter([
                ("name".to_owned(), call.tool.into()),
                ("arguments".to_owned(), Value::Object(call.arguments.clone())),
            ]),
            headers: parameter_headers::of_call(call.headers, call.arguments),
            has_effect: call.has_effect,
        };
        let McpCall { timeout, max_bytes, traceparent, .. } = call;
        let budget = Budget { timeout, max_bytes, traceparent };
        let answered = exchange::ask(self, endpoint, question, budget).await?;
        result::read(&answered.result)
    }

    /// Ends the session with the server, if the server knows it. Errors are ignored: the server forgets it
    /// later.
    pub async fn close(&self, endpoint: &McpEndpoint<'_>) {
        if self.has_id() {
            let _ = exchange::end(self, endpoint, CLOSE_TIMEOUT).await;
        }
    }

    /// Returns whether the server keeps the session, so that it can be ended.
    pub fn has_id(&self) -> bool {
        self.session_id.is_some()
    }

    /// Creates a session before anything about the server is known.
    fn new(revision: Revision) -> Self {
        Self { revision, session_id: None, next_id: AtomicU64::new(1), server: String::new() }
    }

    /// Returns the server's name and version, as the server says it.
    pub fn server(&self) -> &str {
        &self.server
    }
}

impl fmt::Debug for McpSession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("McpSession")
            .field("revision", &self.revision)
            .field("has_id", &self.has_id())
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}
