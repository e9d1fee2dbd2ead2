//! Makes the request of a call. What it needs of the database is read in the call's transaction.

use std::{sync::Arc, time::Duration};

use secrecy::SecretString;
use serde_json::Value;
use toolcrib_access::Caller;
use toolcrib_model::ErrorCode;
use toolcrib_registry::{ActionMeta, Level};
use toolcrib_store::Tx;
use toolcrib_toolset::{
    HttpMapping, McpMapping, RequestDefect, ResponseMapping, ToolExecutor, UpstreamRequest, build_request,
    max_response_bytes,
};

use super::{EffectRunner, Runner, mcp::McpMessage};
use crate::{
    base::ActionError,
    catalog::{
        Catalog,
        action::ActionRunner,
        catalog_tool::CatalogTool,
        mcp_sessions::SessionAddress,
        upstreams::{CatalogUpstream, upstream_secret},
    },
};

/// The request of a declared tool's call.
#[derive(Clone)]
pub(super) struct PreparedRequest {
    pub catalog: Arc<Catalog>,
    pub meta: Arc<ActionMeta>,
    pub arguments: Value,
    pub upstream: Arc<CatalogUpstream>,
    pub timeout: Duration,
    pub message: UpstreamMessage,
}

#[derive(Clone)]
pub(super) enum UpstreamMessage {
    /// A request to a REST service.
    Http(Box<HttpMessage>),
    /// A call of a tool of an MCP server.
    Mcp(Box<McpMessage>),
}

/// A request to a REST service.
#[derive(Clone)]
pub(super) struct HttpMessage {
    /// The key of the upstream's limit of concurrent requests.
    pub limit_key: String,
    pub request: UpstreamRequest,
    pub has_effect: bool,
    pub secret: Option<SecretString>,
    /// The header in which the upstream gets the id of the call.
    pub id_header: Option<String>,
    pub response: Option<ResponseMapping>,
    pub max_bytes: usize,
}

impl PreparedRequest {
    /// Returns whether the request may change something.
    pub fn has_effect(&self) -> bool {
        self.meta.spec.level != Level::Read
    }

    /// Returns the tool, with its texts for people.
    pub fn tool(&self) -> Option<&CatalogTool> {
        self.catalog.declared(&self.meta.spec.name)
    }
}

#[derive(Clone, Copy)]
pub(crate) struct CallOfUpstream<'c> {
    pub catalog: &'c Arc<Catalog>,
    pub caller: &'c Caller,
    pub meta: &'c Arc<ActionMeta>,
    pub arguments: &'c Value,
}

/// Returns the runner of a call; `None` for a call that no upstream runs. Returns 501 with the repair if the upstream
/// or its secret is missing, and 422 if an argument can't stand in the request.
pub(crate) async fn prepare(
    tx: &mut Tx,
    call: CallOfUpstream<'_>,
) -> Result<Option<Arc<dyn Runner>>, ActionError> {
    if let Some(ActionRunner::Effect(action)) = call.catalog.runner(&call.meta.spec.name) {
        return Ok(Some(Arc::new(EffectRunner {
            action: action.clone(),
            catalog: call.catalog.clone(),
            meta: call.meta.clone(),
            caller: call.caller.clone(),
            arguments: call.arguments.clone(),
            resolution: None,
        })));
    }
    let (message, upstream) = match upstream_tool(&call)? {
        None => return Ok(None),
        Some((UpstreamMapping::Http(mapping), upstream)) => {
            let request = build_request(mapping, &upstream.base_url, call.arguments).map_err(defect)?;
            let message = HttpMessage {
                limit_key: upstream.limit_key(call.caller.workspace),
                request,
                has_effect: call.meta.spec.level != Level::Read,
                secret: upstream_secret(tx, call.catalog.rules(), call.caller, &upstream).await?,
                id_header: mapping.idempotency_header.clone(),
                response: mapping.response.clone(),
                max_bytes: max_response_bytes(mapping.response.as_ref()),
            };
            (UpstreamMessage::Http(Box::new(message)), upstream)
        }
        Some((UpstreamMapping::Mcp(mapping), upstream)) => {
            let address = SessionAddress::read(tx, call.catalog.rules(), call.caller, &upstream).await?;
            let message = McpMessage::new(mapping, address, &call)?;
            (UpstreamMessage::Mcp(Box::new(message)), upstream)
        }
    };
    let timeout = Duration::from_secs(u64::from(call.meta.spec.timeout_seconds));
    let (catalog, meta, arguments) = (call.catalog.clone(), call.meta.clone(), call.arguments.clone());
    Ok(Some(Arc::new(PreparedRequest { catalog, meta, arguments, upstream, timeout, message })))
}

/// How an upstream runs a tool.
enum UpstreamMapping<'c> {
    Http(&'c HttpMapping),
    Mcp(&'c McpMapping),
}

/// Returns the mapping of a tool that an upstream runs, with its upstream.
fn upstream_tool<'c>(
    call: &CallOfUpstream<'c>,
) -> Result<Option<(UpstreamMapping<'c>, Arc<CatalogUpstream>)>, ActionError> {
    let name = &call.meta.spec.name;
    let Some(tool) = call.catalog.declared(name) else { return Ok(None) };
    let (mapping, named) = match &tool.executor {
        ToolExecutor::Client { .. } => return Ok(None),
        ToolExecutor::Http(mapping) => (UpstreamMapping::Http(mapping), &mapping.upstream),
        ToolExecutor::Mcp(mapping) => (UpstreamMapping::Mcp(mapping), &mapping.upstream),
    };
    let Some(upstream) = &tool.upstream else {
        let named = named.as_deref().unwrap_or_default();
        let detail = format!("`{name}` can't be run: there is no upstream `{named}`");
        return Err(ActionError::new(ErrorCode::ConnectorNotConfigured, detail)
            .hint("an admin adds it with `POST /v1/upstreams`"));
    };
    Ok(Some((mapping, upstream.clone())))
}

pub(super) fn defect(defect: RequestDefect) -> ActionError {
    ActionError::invalid(&defect.pointer, "upstream_request", defect.message)
}
