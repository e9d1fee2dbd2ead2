//! Opens a session: agrees on a revision of the protocol.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::time::Instant;
use toolcrib_model::closed_set;

use super::{
    McpEndpoint, McpError, McpSession,
    exchange::{self, Budget, INITIALIZE, Question, rest},
    message, text,
};
use crate::upstream::SendError;

/// The most bytes of the response that opens a session.
const MAX_BYTES: usize = 256 * 1024;
/// How long a server may think about a method that it does not know.
const DISCOVER_TIMEOUT: Duration = Duration::from_secs(5);
/// The most bytes of a server's name and version.
const SERVER_BYTES: usize = 200;
/// The most bytes of the id of a session.
const SESSION_ID_BYTES: usize = 1_024;
/// JSON-RPC's error for headers that don't agree with the message, which only servers of the newest revision
/// have.
const HEADER_MISMATCH: i64 = -32_020;
/// JSON-RPC's error for a capability that the client lacks.
const MISSING_CAPABILITY: i64 = -32_021;

closed_set! {
    "a revision of the protocol",
    /// A revision of the protocol that servers over HTTP speak, with its date.
    Revision {
        V20241105 = "2024-11-05",
        V20250326 = "2025-03-26",
        V20250618 = "2025-06-18",
        V20251125 = "2025-11-25",
        V20260728 = "2026-07-28",
    }
}

impl Revision {
    pub const NEWEST: Self = Self::V20260728;
    /// The newest one that begins with `initialize`.
    pub const NEWEST_WITH_INITIALIZE: Self = Self::V20251125;

    /// Returns whether each request stands alone: it names the client, and headers repeat its method.
    pub fn is_stateless(self) -> bool {
        self == Self::V20260728
    }
}

impl McpSession {
    /// Opens a session within this time, by `server/discover`, else by `initialize`. Nothing is called.
    pub async fn open(endpoint: &McpEndpoint<'_>, timeout: Duration) -> Result<Self, McpError> {
        let deadline = Instant::now() + timeout;
        match discover(endpoint, DISCOVER_TIMEOUT.min(timeout / 2)).await {
            Ok(Some(session)) => return Ok(session),
            Ok(None) => {}
            Err(error) if may_be_older(&error) => {}
            Err(error) => return Err(error),
        }
        initialize(endpoint, deadline).await
    }
}

/// Returns the session; `None` if the server speaks only older revisions.
async fn discover(endpoint: &McpEndpoint<'_>, timeout: Duration) -> Result<Option<McpSession>, McpError> {
    let session = McpSession::new(Revision::NEWEST);
    let question = Question::new("server/discover", Map::new());
    let result = exchange::ask(&session, endpoint, question, budget(timeout)).await?;
    let result = message::parse_object(&result.result)?;
    let Some(Value::Array(supported)) = result.get("supportedVersions") else {
        return Err(McpError::Protocol("it does not say which revisions it supports"));
    };
    if !supported.iter().any(|version| version == Revision::NEWEST.as_str()) {
        return Ok(None);
    }
    let info = result.get("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"));
    let server = server_name(info.or_else(|| result.get("serverInfo")));
    Ok(Some(McpSession { server, ..session }))
}

/// Returns whether a server of an older revision may have answered `server/discover` so. Such a server asks for a
/// session first, does not know the method, or does not answer.
fn may_be_older(error: &McpError) -> bool {
    match error {
        McpError::Rpc { code, .. } => !matches!(*code, HEADER_MISMATCH | MISSING_CAPABILITY),
        McpError::Refused { status, .. } => !matches!(status, 401 | 403 | 407 | 429),
        McpError::Send(error) => matches!(error, SendError::TimedOut | SendError::Broken),
        McpError::Protocol(_) | McpError::Unread(_) | McpError::SessionEnded | McpError::NeedsInput => true,
    }
}

async fn initialize(endpoint: &McpEndpoint<'_>, deadline: Instant) -> Result<McpSession, McpError> {
    let asking = McpSession::new(Revision::NEWEST_WITH_INITIALIZE);
    let params = Map::from_iter([
        ("protocolVersion".to_owned(), asking.revision.as_str().into()),
        ("capabilities".to_owned(), json!({})),
        ("clientInfo".to_owned(), exchange::client_info()),
    ]);
    let question = Question::new(INITIALIZE, params);
    let answered = exchange::ask(&asking, endpoint, question, budget(rest(deadline)?)).await?;
    let session = agreed(asking, &message::parse_object(&answered.result)?, answered.session_id)?;
    exchange::notify(&session, endpoint, "notifications/initialized", rest(deadline)?).await?;
    Ok(session)
}

fn agreed(
    asking: McpSession,
    result: &Map<String, Value>,
    session_id: Option<String>,
) -> Result<McpSession, McpError> {
    let date = result.get("protocolVersion").and_then(Value::as_str).unwrap_or_default();
    let Ok(revision) = date.parse() else {
        return Err(McpError::Protocol("it has no revision of the protocol that this service knows"));
    };
    if session_id.as_deref().is_some_and(|id| !is_session_id(id)) {
        return Err(McpError::Protocol("the id of its session is longer than 1024 visible ASCII characters"));
    }
    let server = server_name(result.get("serverInfo"));
    Ok(McpSession { revision, session_id, server, ..asking })
}

fn is_session_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= SESSION_ID_BYTES && id.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Returns the name and version that a server gives itself.
fn server_name(info: Option<&Value>) -> String {
    let text = |key: &str| info.and_then(|info| info.get(key)).and_then(Value::as_str).unwrap_or_default();
    text::cut(format!("{} {}", text("name"), text("version")).trim(), SERVER_BYTES)
}

fn budget(timeout: Duration) -> Budget<'static> {
    Budget { timeout, max_bytes: MAX_BYTES, traceparent: None }
}
