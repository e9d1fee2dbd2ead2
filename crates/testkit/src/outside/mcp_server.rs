//! An MCP server whose tools and answers a test changes while it runs. It speaks the protocol by the
//! protocol's library, and records every request.

use std::{borrow::Cow, collections::HashMap, sync::Arc, time::Duration};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{Request, State},
    http::{StatusCode, header, request::Parts},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse as _, Response},
};
use futures_util::stream;
use http_body_util::{BodyExt as _, Collected};
use parking_lot::Mutex;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CallToolResult, Implementation, ListToolsResult,
        PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
    transport::{
        StreamableHttpServerConfig, StreamableHttpService,
        streamable_http_server::session::local::LocalSessionManager,
    },
};
use serde_json::{Value, json};

use super::{ReceivedRequest, serve};
use crate::eventually::pass;

#[derive(Clone, Debug)]
pub enum McpAnswer {
    Result(Value),
    /// After this time, with the text `late`.
    After(Duration),
    /// With half of a response.
    Half,
    /// With an error of JSON-RPC with this code.
    Error(i32),
}

struct Inner {
    tools: Vec<Value>,
    /// The tools that requests with this token see instead.
    own_tools: HashMap<String, Vec<Value>>,
    answer: McpAnswer,
    list_time: Duration,
    /// The cursor that every page names.
    cursor: Option<String>,
    bearer: Option<String>,
    received: Vec<ReceivedRequest>,
}

#[derive(Clone)]
pub struct McpServer {
    pub url: String,
    /// `HOST:PORT` of the endpoint.
    pub host: String,
    inner: Arc<Mutex<Inner>>,
    sessions: Arc<LocalSessionManager>,
}

impl McpServer {
    /// Starts a server of revision 2026-07-28 and all older ones, which keeps no sessions and answers with
    /// JSON.
    pub async fn start(tools: &[Value]) -> Self {
        Self::of_revision("2026-07-28", false, tools).await
    }

    /// Starts a server of this revision and all older ones. With sessions, it answers older revisions with
    /// event streams.
    pub async fn of_revision(newest: &'static str, sessions: bool, tools: &[Value]) -> Self {
        let answer = McpAnswer::Result(json!({ "content": [{ "type": "text", "text": "done" }] }));
        let inner = Inner {
            tools: tools.to_vec(),
            own_tools: HashMap::new(),
            answer,
            list_time: Duration::ZERO,
            cursor: None,
            bearer: None,
            received: Vec::new(),
        };
        let inner = Arc::new(Mutex::new(inner));
        let handler = Handler { inner: inner.clone(), newest };
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(sessions)
            .with_json_response(!sessions);
        let manager = Arc::<LocalSessionManager>::default();
        let service = StreamableHttpService::new(move || Ok(handler.clone()), manager.clone(), config);
        let router = Router::new().fallback_service(service);
        let base = serve(router.layer(from_fn_with_state(inner.clone(), record))).await;
        let host = base.trim_start_matches("http://").to_owned();
        Self { url: format!("{base}/mcp"), host, inner, sessions: manager }
    }

    pub fn set_tools(&self, tools: &[Value]) {
        self.inner.lock().tools = tools.to_vec();
    }

    /// Shows requests with this bearer token other tools.
    pub fn set_tools_for(&self, token: &str, tools: &[Value]) {
        self.inner.lock().own_tools.insert(format!("Bearer {token}"), tools.to_vec());
    }

    /// Lets the following lists take this time.
    pub fn slow_lists(&self, time: Duration) {
        self.inner.lock().list_time = time;
    }

    /// Ignores cursors, and names the same one with every page from now on.
    pub fn repeat_cursor(&self) {
        self.inner.lock().cursor = Some("again".to_owned());
    }

    /// Sets how the following calls are answered.
    pub fn answer(&self, answer: McpAnswer) {
        self.inner.lock().answer = answer;
    }

    /// Refuses all requests with another bearer token from now on.
    pub fn require_bearer(&self, token: &str) {
        self.inner.lock().bearer = Some(format!("Bearer {token}"));
    }

    pub async fn forget_sessions(&self) {
        self.sessions.sessions.write().await.clear();
    }

    /// Returns the requests received so far.
    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.inner.lock().received.clone()
    }

    /// Returns the requests of a method of the protocol received so far.
    pub fn of_method(&self, method: &str) -> Vec<ReceivedRequest> {
        let mut received = self.received();
        received.retain(|request| request.body["method"] == method);
        received
    }
}

/// Records a request. Answers it itself if its credential is wrong, or with half of a response to a call.
async fn record(State(inner): State<Arc<Mutex<Inner>>>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let line = format!("{} {}", parts.method, parts.uri);
    let bytes = body.collect().await.map(Collected::to_bytes).unwrap_or_default();
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let is_call = body["method"] == "tools/call";
    let (is_half, is_refused) = {
        let mut inner = inner.lock();
        let given = parts.headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let is_refused = inner.bearer.as_deref().is_some_and(|wanted| given != Some(wanted));
        inner.received.push(ReceivedRequest { line, headers: parts.headers.clone(), body });
        (is_call && matches!(inner.answer, McpAnswer::Half), is_refused)
    };
    if is_refused {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    if is_half {
        let parts = [Ok(Bytes::from_static(b"{\"jsonrpc\":")), Err(std::io::Error::other("cut"))];
        let body = Body::from_stream(stream::iter(parts));
        return ([(header::CONTENT_TYPE, "application/json")], body).into_response();
    }
    next.run(Request::from_parts(parts, Body::from(bytes))).await
}

/// What the protocol's library asks.
#[derive(Clone)]
struct Handler {
    inner: Arc<Mutex<Inner>>,
    newest: &'static str,
}

impl Handler {
    fn tools(&self, context: Option<&RequestContext<RoleServer>>) -> Result<Vec<Tool>, ErrorData> {
        let parts = context.and_then(|context| context.extensions.get::<Parts>());
        let token = parts.and_then(|parts| parts.headers.get(header::AUTHORIZATION)?.to_str().ok());
        let inner = self.inner.lock();
        let own = token.and_then(|token| inner.own_tools.get(token));
        let tools = Value::from(own.unwrap_or(&inner.tools).clone());
        drop(inner);
        serde_json::from_value(tools).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("forge", "1.2"))
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let known = ProtocolVersion::KNOWN_VERSIONS.iter();
        Cow::Owned(known.filter(|version| version.as_str() <= self.newest).cloned().collect())
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tools(None).ok()?.into_iter().find(|tool| tool.name == name)
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let (time, cursor) = {
            let inner = self.inner.lock();
            (inner.list_time, inner.cursor.clone())
        };
        pass(time).await;
        let page = ListToolsResult::with_all_items(self.tools(Some(&context))?);
        Ok(ListToolsResult { next_cursor: cursor, ..page })
    }

    async fn call_tool(
        &self,
        _: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answer = self.inner.lock().answer.clone();
        let result = match answer {
            McpAnswer::Result(result) => result,
            McpAnswer::After(time) => {
                pass(time).await;
                json!({ "content": [{ "type": "text", "text": "late" }] })
            }
            McpAnswer::Half => json!({ "content": [] }),
            McpAnswer::Error(code) => {
                return Err(ErrorData::new(rmcp::model::ErrorCode(code), "no such thing", None));
            }
        };
        let result = serde_json::from_value::<CallToolResult>(result);
        result.map(Into::into).map_err(|error| ErrorData::internal_error(error.to_string(), None))
    }
}
