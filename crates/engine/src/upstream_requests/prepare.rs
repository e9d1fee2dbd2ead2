//! Makes the request of a call. What it needs of the database is read in the call's transaction.

use std::{sync::Arc, time::Duration};

use secrecy::SecretString;
use serde_json::Value;
use toolcrib_access::Caller;
use toolcrib_model::{ErrorCode, ExecutorKind};
use toolcrib_registry::ActionMeta;
use toolcrib_store::Tx;
use toolcrib_toolset::{
    HttpMapping, RequestDefect, ResponseMapping, ToolExecutor, UpstreamKind, UpstreamRequest, build_request,
    build_target_request, max_response_bytes,
};

use crate::{
    audit::AuditSubject,
    base::ActionError,
    catalog::{
        Catalog,
        upstreams::{CatalogUpstream, upstream_secret},
    },
};

/// The time limit of the request for a target.
const TARGET_TIMEOUT: Duration = Duration::from_secs(10);

/// A request that can be sent.
pub(crate) struct PreparedRequest {
    pub(super) upstream: Arc<CatalogUpstream>,
    /// The key of the upstream's limit of concurrent requests.
    pub(super) limit_key: String,
    pub(super) request: UpstreamRequest,
    pub(super) secret: Option<SecretString>,
    /// The header in which the upstream gets the id of the call.
    pub(super) id_header: Option<String>,
    pub(super) response: Option<ResponseMapping>,
    pub(super) max_bytes: usize,
    pub(super) timeout: Duration,
}

impl PreparedRequest {
    /// Returns what runs the call.
    pub fn executor(&self) -> ExecutorKind {
        match self.upstream.kind {
            UpstreamKind::Http => ExecutorKind::Http,
            UpstreamKind::Mcp => ExecutorKind::Mcp,
        }
    }

    /// Returns the time limit of the request.
    pub fn timeout(&self) -> Duration {
        self.timeout
    }
}

/// The call that a request is made of.
#[derive(Clone, Copy)]
pub(crate) struct CallOfUpstream<'c> {
    pub catalog: &'c Catalog,
    pub caller: &'c Caller,
    pub meta: &'c ActionMeta,
    pub arguments: &'c Value,
}

impl<'c> CallOfUpstream<'c> {
    /// Returns what a request needs of a call.
    pub fn new(catalog: &'c Catalog, subject: &'c AuditSubject, meta: &'c ActionMeta) -> Self {
        Self { catalog, caller: &subject.caller, meta, arguments: &subject.arguments }
    }
}

/// Makes the request of a call; `None` for a call that no upstream runs. Returns 501 with the repair if the upstream or its
/// secret is missing, and 422 if an argument can't stand in the request.
pub(crate) async fn prepare(
    tx: &mut Tx,
    call: CallOfUpstream<'_>,
) -> Result<Option<PreparedRequest>, ActionError> {
    let Some((mapping, upstream)) = http_tool(&call)? else { return Ok(None) };
    let request = build_request(mapping, &upstream.base_url, call.arguments).map_err(defect)?;
    let prepared = PreparedRequest {
        id_header: mapping.idempotency_header.clone(),
        response: mapping.response.clone(),
        max_bytes: max_response_bytes(mapping.response.as_ref()),
        timeout: Duration::from_secs(u64::from(call.meta.spec.timeout_seconds)),
        ..without_call(tx, &call, &upstream, request).await?
    };
    Ok(Some(prepared))
}

/// Makes the request that reads the target of a call; `None` if its tool has none.
pub(crate) async fn prepare_target(
    tx: &mut Tx,
    call: CallOfUpstream<'_>,
) -> Result<Option<PreparedRequest>, ActionError> {
    let Some((mapping, upstream)) = http_tool(&call)? else { return Ok(None) };
    let Some(target) = &mapping.target else { return Ok(None) };
    let request = build_target_request(target, &upstream.base_url, call.arguments).map_err(defect)?;
    Ok(Some(without_call(tx, &call, &upstream, request).await?))
}

async fn without_call(
    tx: &mut Tx,
    call: &CallOfUpstream<'_>,
    upstream: &Arc<CatalogUpstream>,
    request: UpstreamRequest,
) -> Result<PreparedRequest, ActionError> {
    let secret = upstream_secret(tx, call.catalog.rules(), call.caller, upstream).await?;
    Ok(PreparedRequest {
        upstream: upstream.clone(),
        limit_key: format!("{}/{}", call.caller.workspace, upstream.reference),
        request,
        secret,
        id_header: None,
        response: None,
        max_bytes: max_response_bytes(None),
        timeout: TARGET_TIMEOUT,
    })
}

/// Returns the mapping of a tool that a REST service runs, with its upstream.
fn http_tool<'c>(
    call: &CallOfUpstream<'c>,
) -> Result<Option<(&'c HttpMapping, Arc<CatalogUpstream>)>, ActionError> {
    let name = &call.meta.spec.name;
    let Some(tool) = call.catalog.declared(name) else { return Ok(None) };
    let not_configured = |detail: String| Err(ActionError::new(ErrorCode::ConnectorNotConfigured, detail));
    match (&tool.executor, &tool.upstream) {
        (ToolExecutor::Client { .. }, _) => Ok(None),
        (ToolExecutor::Http(mapping), Some(upstream)) => Ok(Some((mapping, upstream.clone()))),
        (ToolExecutor::Http(mapping), None) => {
            let upstream = mapping.upstream.as_deref().unwrap_or_default();
            not_configured(format!("`{name}` can't be run: there is no upstream `{upstream}`"))
                .map_err(|error| error.hint("an admin adds it with `POST /v1/upstreams`"))
        }
        (ToolExecutor::Mcp(_), _) => {
            not_configured(format!("`{name}` can't be run: this version does not run tools of its kind yet"))
        }
    }
}

fn defect(defect: RequestDefect) -> ActionError {
    ActionError::invalid(&defect.pointer, "upstream_request", defect.message)
}
