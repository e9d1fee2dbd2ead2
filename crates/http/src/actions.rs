//! The routes `/v1/actions`: list actions, get one, call one, and check a call without running it.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{StatusCode, Uri},
    response::Response,
};
use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_access::Decision;
use toolcrib_auth::Authenticated;
use toolcrib_engine::{ActionError, Arguments, CallKey, CallRequest, CallerTools};
use toolcrib_model::ErrorCode;
use toolcrib_registry::{ActionKind, ActionMeta};

use crate::{
    auth::{Auth, PathParam},
    body, headers,
    problem::ProblemResponse,
    query,
    request_meta::RequestMeta,
    requests::{ActionFields, ActionsQuery},
    response,
    state::HttpState,
};

mod view;

pub(crate) use view::{ActionSummary, ActionView};

/// The default number of actions on a page, and the maximum. The whole catalogue fits on one page.
const PAGE: usize = 100;
/// A caller that may run this operation may also list the actions that are denied to it.
const AUDIT: &str = "audit.list";

/// A page of actions.
#[derive(Serialize, JsonSchema)]
pub(crate) struct ActionsPage<'a, T = ActionView<'a>> {
    /// The actions, in the order of the catalogue.
    items: Vec<T>,
    /// Give it as `cursor` to get the next page; null on the last one.
    next_cursor: Option<&'a str>,
}

/// An action of a list, with whether this caller may call it.
type Listed<'a> = (&'a Arc<ActionMeta>, Decision);

/// `GET /v1/actions`
pub(crate) async fn list(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    uri: Uri,
) -> Result<Response, ProblemResponse> {
    let asked = state.schemas.actions.query(&uri)?;
    let (admitted, limit) = state.engine().admit_list(&authenticated, authenticated.surface()).await?;
    let tools = admitted.tools();
    let (listed, next_cursor) = page(&tools, &asked)?;
    let mut response = match asked.fields {
        None => {
            let view = |(meta, decision)| ActionView::of(&tools, meta, decision);
            let items = listed.into_iter().map(view).collect::<Vec<_>>();
            response::json(StatusCode::OK, &ActionsPage { items, next_cursor })
        }
        Some(ActionFields::Summary) => {
            let view = |(meta, decision)| ActionSummary::of(&tools, meta, &decision);
            let items = listed.into_iter().map(view).collect::<Vec<_>>();
            response::json(StatusCode::OK, &ActionsPage { items, next_cursor })
        }
    };
    response::limits(response.headers_mut(), &limit);
    Ok(response)
}

/// Returns the actions of a page, and the cursor of the next one.
fn page<'a>(
    tools: &CallerTools<'a>,
    asked: &ActionsQuery,
) -> Result<(Vec<Listed<'a>>, Option<&'a str>), ActionError> {
    let registry = tools.catalog.registry();
    let denied_too = asked.include.is_some();
    let auditor = registry.get(AUDIT).is_some_and(|meta| tools.decide(meta).allowed);
    if denied_too && !auditor {
        let detail = "only callers with the permission `audit:read` may see what others may call";
        return Err(ActionError::new(ErrorCode::PermissionDenied, detail).hint("leave `include` out"));
    }
    let after = match &asked.cursor {
        None => 0,
        Some(name) => {
            1 + registry.position(name).ok_or_else(|| {
                ActionError::invalid("/cursor", "cursor", "must be the `next_cursor` of a page of this list")
            })?
        }
    };
    let shown = registry.tools().filter(|meta| registry.position(&meta.spec.name) >= Some(after));
    let shown = shown.map(|meta| (meta, tools.decide(meta)));
    let limit = asked.limit.unwrap_or(PAGE);
    let mut listed: Vec<Listed<'a>> =
        shown.filter(|(_, decision)| denied_too || decision.allowed).take(limit + 1).collect();
    let more = listed.len() > limit;
    listed.truncate(limit);
    let next_cursor = if more { listed.last().map(|(meta, _)| &*meta.spec.name) } else { None };
    Ok((listed, next_cursor))
}

/// `GET /v1/actions/{name}`
pub(crate) async fn get(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    PathParam(name): PathParam,
    uri: Uri,
) -> Result<Response, ProblemResponse> {
    query::none(&uri)?;
    let (admitted, _) = state.engine().admit_list(&authenticated, authenticated.surface()).await?;
    let tools = admitted.tools();
    let meta = tools.find(&name)?;
    Ok(response::json(StatusCode::OK, &ActionView::of(&tools, meta, tools.decide(meta))))
}

/// `POST /v1/actions/{name}`
pub(crate) async fn run(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    PathParam(name): PathParam,
    meta: RequestMeta,
    request: Request,
) -> Result<Response, ProblemResponse> {
    let call = call_request(&state, authenticated, name, &meta, request).await?;
    Ok(response::envelope(&state.engine().call(call).await))
}

/// `POST /v1/actions/{name}/check`
pub(crate) async fn check(
    State(state): State<Arc<HttpState>>,
    Auth(authenticated): Auth,
    PathParam(name): PathParam,
    meta: RequestMeta,
    request: Request,
) -> Result<Response, ProblemResponse> {
    let call = call_request(&state, authenticated, name, &meta, request).await?;
    Ok(response::json(StatusCode::OK, &state.engine().check(&call).await?))
}

/// Builds the request of a call.
async fn call_request(
    state: &HttpState,
    authenticated: Authenticated,
    name: String,
    meta: &RequestMeta,
    request: Request,
) -> Result<CallRequest, ActionError> {
    let spec = state.catalog().registry().get(&name).map(|meta| &meta.spec);
    if spec.is_some_and(|spec| spec.kind == ActionKind::Operation) {
        let error = ActionError::new(ErrorCode::UnknownAction, format!("`{name}` has a route of its own"));
        return Err(error.hint("`/openapi.json` lists every route"));
    }
    let idempotency_key = headers::idempotency_key(request.headers())?;
    query::none(request.uri())?;
    let limit = if spec.is_some_and(|spec| spec.large_body) { body::LARGE } else { body::USUAL };
    let (head, body) = request.into_parts();
    let bytes = body::bytes(&head.headers, body, limit).await?;
    Ok(CallRequest {
        surface: authenticated.surface(),
        authenticated,
        offers: ActionKind::Tool,
        name,
        arguments: Arguments::Bytes(bytes.into()),
        idempotency_key: idempotency_key.map(CallKey::Header),
        tool_call: None,
        request_id: meta.request_id.clone(),
        trace_id: meta.trace_id.clone(),
    })
}
