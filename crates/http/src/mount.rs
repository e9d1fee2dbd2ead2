//! Surfaces beside the API: each has paths of its own, speaks its own protocol, and stands behind the same outer layer
//! and the same authentication. What they share with the API is here: who calls, what a model reads, tool lists.
//!
//! To add one: a crate that makes a [`MountedRoutes`], and a line where the binary joins its parts.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{FromRequestParts, Request, State},
    http::{HeaderMap, HeaderValue, header},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use serde_json::Value;
use toolcrib_engine::{ActionError, Authenticated, CallerTools, auth::Resource};
use toolcrib_model::ErrorCode;
use toolcrib_registry::Format;

use crate::{
    auth, body, headers,
    problem::ProblemResponse,
    request_meta::RequestMeta,
    requests::ListRequest,
    state::HttpState,
    tool_lists::{ListCache, choose},
};

pub use crate::{
    call_text::read,
    confirmations::{outcome, until_decided},
};

/// A surface beside the API.
#[derive(Clone, Debug)]
pub struct MountedRoutes {
    /// Its paths for callers with a credential; each request carries an [`AuthenticatedRequest`].
    pub authenticated: Router,
    /// Its paths for anybody.
    pub public: Router,
    /// `WWW-Authenticate` of its 401.
    pub challenge: HeaderValue,
}

/// Who calls, and what is known of the request. It is among the extensions of every request to a routes.
#[derive(Clone, Debug)]
pub struct AuthenticatedRequest {
    /// Gate 1's evidence.
    pub authenticated: Authenticated,
    /// `Idempotency-Key`.
    pub idempotency_key: Option<String>,
    /// The request.
    pub request_id: String,
    /// From `traceparent`.
    pub trace_id: Option<String>,
}

/// The mounted paths within the API's router.
pub(crate) fn mount_routes(routes: MountedRoutes, state: &Arc<HttpState>) -> Router<Arc<HttpState>> {
    let mount = MountState { state: Arc::clone(state), challenge: routes.challenge };
    let authenticated = routes.authenticated.route_layer(from_fn_with_state(mount, admit));
    authenticated.merge(routes.public).with_state(())
}

#[derive(Clone)]
struct MountState {
    state: Arc<HttpState>,
    challenge: HeaderValue,
}

/// Gate 1, before a byte of the body is read.
async fn admit(State(mount): State<MountState>, request: Request, next: Next) -> Response {
    let (mut head, body) = request.into_parts();
    let visit = async {
        let authenticated = auth::authenticated(&head, &mount.state, Resource::Mcp).await?;
        let trail = RequestMeta::from_request_parts(&mut head, &mount.state).await?;
        let idempotency_key = headers::idempotency_key(&head.headers)?;
        let RequestMeta { request_id, trace_id, .. } = trail;
        Ok::<_, ProblemResponse>(AuthenticatedRequest {
            authenticated,
            idempotency_key,
            request_id,
            trace_id,
        })
    };
    match visit.await {
        Ok(visit) => {
            head.extensions.insert(visit);
            next.run(Request::from_parts(head, body)).await
        }
        Err(fault) => {
            let stranger = fault.0.code == ErrorCode::Unauthenticated;
            let mut response = fault.into_response();
            if stranger {
                response.headers_mut().insert(header::WWW_AUTHENTICATE, mount.challenge);
            }
            response
        }
    }
}

/// A body as the API takes it: bounded, JSON, sent in time.
pub async fn collected(headers: &HeaderMap, body: Body) -> Result<Bytes, ActionError> {
    body::bytes(headers, body, body::USUAL).await
}

/// A refusal as the API gives it; the outer layer writes the problem.
pub fn refusal(error: ActionError) -> Response {
    ProblemResponse(error).into_response()
}

/// Rendered tool lists of one routes.
#[derive(Default)]
pub struct ToolLists(ListCache);

impl ToolLists {
    /// The tools that `GET /v1/tools?strategy=full` shows this caller in a format.
    pub fn full(&self, tools: &CallerTools<'_>, format: Format) -> Result<Value, ActionError> {
        let asked = ListRequest { format, ..ListRequest::default() };
        let rendered = self.0.get(tools.catalog, choose(tools, &asked))?;
        let list: Value = serde_json::from_slice(&rendered.body)
            .map_err(|fault| ActionError::internal(fault.to_string()))?;
        Ok(list.get("tools").cloned().unwrap_or_default())
    }
}
