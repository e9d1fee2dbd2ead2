//! One message to a server, and its response.

use std::{sync::atomic::Ordering, time::Duration};

use serde_json::{Map, Value, json, value::RawValue};
use tokio::time::{Instant, sleep};

use super::{
    McpEndpoint, McpError, McpSession,
    message::{self, ResponseWatch},
    parameter_headers::header_value,
    text,
};
use crate::{
    sse::StreamPosition,
    upstream::{Method, SendError, StreamWatch, UpstreamAnswer, UpstreamSend, is_event_stream},
};

/// The content types of responses, which the protocol wants to see in each request.
const ACCEPT: &str = "application/json, text/event-stream";
/// The content type of a stream that is continued.
const EVENT_STREAM: &str = "text/event-stream";
const NO_RESPONSE: McpError = McpError::Protocol("it has no response to the request");
/// The method that agrees on a revision, so that its request does not name one.
pub const INITIALIZE: &str = "initialize";
/// The most bytes of the response to a notification.
const NOTIFICATION_BYTES: usize = 64 * 1024;

pub struct Question<'q> {
    pub method: &'static str,
    /// The name of the tool, which a stateless revision repeats in a header.
    pub name: Option<&'q str>,
    pub params: Map<String, Value>,
    /// Further headers.
    pub headers: Vec<(String, String)>,
    /// Whether the request may change something.
    pub has_effect: bool,
}

impl Question<'_> {
    /// A request that names no tool.
    pub fn new(method: &'static str, params: Map<String, Value>) -> Self {
        Self { method, name: None, params, headers: Vec::new(), has_effect: false }
    }
}

/// What a request may cost.
#[derive(Clone, Copy)]
pub struct Budget<'b> {
    pub timeout: Duration,
    pub max_bytes: usize,
    pub traceparent: Option<&'b str>,
}

pub struct Answered {
    /// JSON text.
    pub result: Box<RawValue>,
    /// The id of the session that begins with it.
    pub session_id: Option<String>,
    /// The size of the response, in bytes.
    pub size: usize,
}

/// Sends a request, once, and returns its result. If the stream with the response ends before the response and its
/// events have ids, the rest of it is asked for, as long as there is time.
pub async fn ask(
    session: &McpSession,
    endpoint: &McpEndpoint<'_>,
    question: Question<'_>,
    budget: Budget<'_>,
) -> Result<Answered, McpError> {
    let deadline = Instant::now() + budget.timeout;
    let id = session.next_id.fetch_add(1, Ordering::Relaxed);
    let Question { method, name, mut params, headers: further, has_effect } = question;
    let mut headers = headers(session, method, name);
    headers.extend(further);
    let meta = meta(session, budget.traceparent);
    if !meta.is_empty() {
        params.insert("_meta".to_owned(), meta.into());
    }
    let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
    let mut watch = ResponseWatch::new(id);
    let send = UpstreamSend { has_effect, ..budget.post(endpoint, &headers, &message) };
    let sent = endpoint.client.send(UpstreamSend { watch: Some(&mut watch), ..send }).await;
    let found = match sent {
        Err(SendError::Broken) if watch.position().is_some() => None,
        sent => received(session, sent?, id)?,
    };
    if let Some(answered) = found {
        return Ok(answered);
    }
    let position = watch.position().ok_or(NO_RESPONSE)?;
    continued(session, endpoint, id, position, budget, deadline).await
}

/// Asks for the rest of a stream until it has the response to the request.
async fn continued(
    session: &McpSession,
    endpoint: &McpEndpoint<'_>,
    id: u64,
    mut position: StreamPosition,
    budget: Budget<'_>,
    deadline: Instant,
) -> Result<Answered, McpError> {
    loop {
        sleep(position.retry.min(rest(deadline)?)).await;
        let mut headers = vec![("last-event-id".to_owned(), position.last_event_id.clone())];
        session_headers(session, &mut headers);
        let budget = Budget { timeout: rest(deadline)?, ..budget };
        let mut watch = ResponseWatch::new(id);
        let send = UpstreamSend {
            method: Method::GET,
            accept: Some(EVENT_STREAM),
            body: None,
            watch: Some(&mut watch),
            ..budget.post(endpoint, &headers, &Value::Null)
        };
        // An error says nothing about the request, which was sent before.
        if let Ok(answer) = endpoint.client.send(send).await {
            if !is_success(&answer) || !answer.content_type.as_deref().is_some_and(is_event_stream) {
                return Err(NO_RESPONSE);
            }
            if let Some(answered) = received(session, answer, id)? {
                return Ok(answered);
            }
        }
        position = watch.position().unwrap_or(position);
    }
}

/// Reads what came; `None` if it is a success without the response to the request.
fn received(session: &McpSession, answer: UpstreamAnswer, id: u64) -> Result<Option<Answered>, McpError> {
    if let Some(unread) = answer.unread {
        return Err(McpError::Unread(unread));
    }
    let size = answer.body.len();
    match message::result_in(&answer.body, answer.content_type.as_deref(), id) {
        Some(Ok(result)) => Ok(Some(Answered { result, session_id: answer.session_id, size })),
        _ if !is_success(&answer) => Err(refused(session, &answer, id)),
        Some(Err(error)) => Err(error),
        None => Ok(None),
    }
}

/// Returns the time that is left.
pub fn rest(deadline: Instant) -> Result<Duration, SendError> {
    let rest = deadline.saturating_duration_since(Instant::now());
    if rest.is_zero() { Err(SendError::TimedOut) } else { Ok(rest) }
}

/// Sends a notification without parameters.
pub async fn notify(
    session: &McpSession,
    endpoint: &McpEndpoint<'_>,
    method: &'static str,
    timeout: Duration,
) -> Result<(), McpError> {
    let headers = headers(session, method, None);
    let message = json!({ "jsonrpc": "2.0", "method": method });
    // Nothing of the body is needed.
    let mut watch = Ignore;
    let send = UpstreamSend { timeout, ..post(endpoint, &headers, &message) };
    let answer = endpoint.client.send(UpstreamSend { watch: Some(&mut watch), ..send }).await?;
    if is_success(&answer) { Ok(()) } else { Err(plain_refusal(&answer)) }
}

/// Asks the server to end the session.
pub async fn end(
    session: &McpSession,
    endpoint: &McpEndpoint<'_>,
    timeout: Duration,
) -> Result<(), SendError> {
    let mut headers = Vec::new();
    session_headers(session, &mut headers);
    let send = UpstreamSend { method: Method::DELETE, body: None, ..post(endpoint, &headers, &Value::Null) };
    endpoint.client.send(UpstreamSend { timeout, ..send }).await.map(drop)
}

impl Budget<'_> {
    /// A request that may cost so much.
    fn post<'s>(
        &'s self,
        endpoint: &'s McpEndpoint<'_>,
        headers: &'s [(String, String)],
        message: &Value,
    ) -> UpstreamSend<'s> {
        let Self { timeout, max_bytes, traceparent } = *self;
        UpstreamSend { timeout, max_bytes, traceparent, ..post(endpoint, headers, message) }
    }
}

fn post<'s>(
    endpoint: &'s McpEndpoint<'_>,
    headers: &'s [(String, String)],
    message: &Value,
) -> UpstreamSend<'s> {
    UpstreamSend {
        upstream: endpoint.upstream,
        method: Method::POST,
        url: endpoint.url.clone(),
        has_effect: false,
        accept: Some(ACCEPT),
        headers,
        body: Some(("application/json", message.to_string().into_bytes())),
        credential: endpoint.credential.clone(),
        roots: endpoint.roots,
        timeout: Duration::ZERO,
        max_bytes: NOTIFICATION_BYTES,
        traceparent: None,
        watch: None,
    }
}

fn headers(session: &McpSession, method: &str, name: Option<&str>) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    if method != INITIALIZE {
        session_headers(session, &mut headers);
    }
    if session.revision.is_stateless() {
        headers.push(("mcp-method".to_owned(), method.to_owned()));
        headers.extend(name.map(|name| ("mcp-name".to_owned(), header_value(name))));
    }
    headers
}

fn session_headers(session: &McpSession, headers: &mut Vec<(String, String)>) {
    headers.push(("mcp-protocol-version".to_owned(), session.revision.as_str().to_owned()));
    headers.extend(session.session_id.clone().map(|id| ("mcp-session-id".to_owned(), id)));
}

/// The metadata of a request: its trace, which proxies before the server may take from the headers, and in a stateless
/// revision what the client is.
fn meta(session: &McpSession, traceparent: Option<&str>) -> Map<String, Value> {
    let mut meta = Map::new();
    if session.revision.is_stateless() {
        let mut insert = |name: &str, value| meta.insert(format!("io.modelcontextprotocol/{name}"), value);
        insert("protocolVersion", session.revision.as_str().into());
        insert("clientInfo", client_info());
        insert("clientCapabilities", json!({}));
    }
    if let Some(traceparent) = traceparent {
        meta.insert("traceparent".to_owned(), traceparent.into());
    }
    meta
}

/// What a server learns about this service.
pub fn client_info() -> Value {
    json!({ "name": "toolcrib", "version": env!("CARGO_PKG_VERSION") })
}

fn is_success(answer: &UpstreamAnswer) -> bool {
    (200..300).contains(&answer.status)
}

/// Reads the refusal of a request. Before the protocol says that a session is not known by 404, servers
/// said it by 400.
fn refused(session: &McpSession, answer: &UpstreamAnswer, id: u64) -> McpError {
    let error = message::error_in(&answer.body, id);
    let names_request = error.as_ref().is_some_and(|(_, names_request)| *names_request);
    match (answer.status, error) {
        (404, _) if session.session_id.is_some() => McpError::SessionEnded,
        (400, _) if session.session_id.is_some() && !names_request => McpError::SessionEnded,
        (400 | 404 | 405..=428 | 500 | 501, Some((error, _))) => error,
        _ => plain_refusal(answer),
    }
}

fn plain_refusal(answer: &UpstreamAnswer) -> McpError {
    McpError::Refused {
        status: answer.status,
        retry_after: answer.retry_after,
        message: text::message(&String::from_utf8_lossy(&answer.body)),
    }
}

/// Reads nothing of an event stream.
#[derive(Debug)]
struct Ignore;

impl StreamWatch for Ignore {
    fn has_enough(&mut self, _: &[u8]) -> bool {
        true
    }
}
