//! Implements the handler of the protocol's library: server information, tool lists and tool calls.

use std::{borrow::Cow, sync::Arc};

use axum::http::request::Parts;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult,
        CustomRequest, CustomResult, ErrorCode, Implementation, InitializeRequestParams, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ProtocolVersion, ServerCapabilities, ServerConfig, Tool,
    },
    service::RequestContext,
};
use serde_json::Value;
use toolcrib_engine::{
    ActionError, Engine,
    lists::{CachedList, ListCache, ListOptions, ToolList},
};
use toolcrib_http::mount::AuthenticatedRequest;
use toolcrib_model::Surface;
use toolcrib_registry::{DISPATCHER, FIND_TOOLS, Format};

use crate::{
    call::{self, Call},
    request_state::StateCipher,
    results::protocol,
};

/// How long a client may cache a tool list, in milliseconds. A stale list is harmless: every call is
/// authorized when it is made.
const FRESH: u64 = 60_000;
/// The methods with parameters that this server has. The newest revision has no `initialize`.
const METHODS: [&str; 4] = ["initialize", "server/discover", "tools/call", "tools/list"];

fn instructions() -> String {
    format!(
        "Tools act on one workspace of the platform, with the rights of the credential. Common actions have tools of \
        their own; `{FIND_TOOLS}` finds the others, and `{DISPATCHER}` runs them. Some calls wait until a person \
        approves them: give the user the address and do not repeat the call."
    )
}

/// The engine as a server of the protocol.
#[derive(Clone)]
pub struct McpServer {
    engine: Arc<Engine>,
    lists: Arc<ListCache<Vec<Tool>>>,
    state_cipher: StateCipher,
    hold: u64,
}

impl McpServer {
    /// Creates the server. `hold` is the number of seconds that a resumed call waits for a decision.
    pub fn new(engine: Arc<Engine>, state_cipher: StateCipher, hold: u64) -> Self {
        Self { engine, lists: Arc::default(), state_cipher, hold }
    }

    async fn tools(&self, request: &AuthenticatedRequest) -> Result<Vec<Tool>, ActionError> {
        let (admitted, _) = self.engine.admit_list(&request.authenticated, Surface::Mcp).await?;
        let asked = ListOptions { format: Format::Mcp, ..ListOptions::default() }.into();
        Ok(self.lists.get(&admitted.tools(), &asked, tools_of)?.list.clone())
    }
}

/// Converts the tools of a list to the types of the protocol's library.
fn tools_of(list: ToolList) -> Result<CachedList<Vec<Tool>>, ActionError> {
    let bytes = list.bytes();
    let tools =
        serde_json::from_value(list.tools).map_err(|error| ActionError::internal(error.to_string()))?;
    Ok(CachedList { list: tools, bytes })
}

/// Returns the authenticated request, which the layer around the transport stored in the extensions.
fn authenticated_request(context: &RequestContext<RoleServer>) -> Result<&AuthenticatedRequest, ErrorData> {
    let parts = context.extensions.get::<Parts>();
    parts
        .and_then(|parts| parts.extensions.get::<AuthenticatedRequest>())
        .ok_or_else(|| ErrorData::internal_error("a request came round the authentication", None))
}

/// Returns what is wrong with the parameters of a method, behind a colon, if the library says it.
fn unreadable(method: &str, params: Value) -> String {
    let read = match method {
        "tools/call" => serde_json::from_value::<CallToolRequestParams>(params).map(drop),
        "initialize" => serde_json::from_value::<InitializeRequestParams>(params).map(drop),
        _ => serde_json::from_value::<Option<PaginatedRequestParams>>(params).map(drop),
    };
    read.err().map(|error| format!(": {error}")).unwrap_or_default()
}

fn no_method(name: &str) -> ErrorData {
    let text = format!("there is no method `{name}`; this server has tools alone");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None)
}

impl ServerHandler for McpServer {
    /// Without 2025-03-26, whose clients may send batches.
    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        let versions = ProtocolVersion::KNOWN_VERSIONS.iter();
        versions.filter(|version| **version != ProtocolVersion::V_2025_03_26).cloned().collect()
    }

    fn get_info(&self) -> ServerConfig {
        let server = Implementation::new("toolcrib", env!("CARGO_PKG_VERSION")).with_title("Toolcrib");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(server)
            .with_instructions(instructions())
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if page.is_some_and(|page| page.cursor.is_some()) {
            return Err(ErrorData::invalid_params("the list has one page; omit `cursor`", None));
        }
        let request = authenticated_request(&context)?;
        let tools = self.tools(request).await.map_err(|error| protocol(&error, &request.request_id))?;
        let mut list = ListToolsResult::with_all_items(tools);
        (list.ttl_ms, list.cache_scope) = (Some(FRESH), Some(CacheScope::Private));
        Ok(list)
    }

    async fn call_tool(
        &self,
        mut params: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let request = authenticated_request(&context)?;
        let (state, responses) = (params.request_state.take(), params.input_responses.take());
        let call = Call::new(&self.engine, &self.state_cipher, self.hold, request, &params, &context);
        match state {
            None => call.make().await,
            Some(state) => call.resume(state, responses).await,
        }
    }

    /// A request of a method that the library does not know, or whose parameters it can't read.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        let is_gone = method == "initialize" && call::is_newest(&context);
        if METHODS.contains(&method.as_str()) && !is_gone {
            let cause = unreadable(&method, request.params.unwrap_or_default());
            let text = format!("the parameters of `{method}` can't be read{cause}");
            return Err(ErrorData::invalid_params(text, None));
        }
        Err(no_method(&method))
    }

    // These methods belong to capabilities that are not declared. The library's defaults would return empty
    // lists.

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Err(no_method("prompts/list"))
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Err(no_method("resources/list"))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Err(no_method("resources/templates/list"))
    }

    async fn complete(
        &self,
        _: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        Err(no_method("completion/complete"))
    }
}
