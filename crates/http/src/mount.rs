//! Mounts routes of other protocols beside the API. They have paths of their own and share the outermost
//! layer and the authentication with the API. This module exports what they share, above all the authenticated caller.
//!
//! To add one: a crate that creates [`MountedRoutes`], and a line where the binary creates its router.

use std::sync::Arc;

use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, header},
    middleware::{Next, from_fn_with_state},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use toolcrib_auth::{Authenticated, Resource};
use toolcrib_engine::{ActionError, ConfirmationView, Engine};
use toolcrib_model::{ErrorCode, Id};

use crate::{
    auth, body, cors, headers,
    held_requests::HeldRequests,
    poll::Waiter,
    problem::{self, ProblemResponse},
    request_meta::RequestMeta,
    state::HttpState,
};

pub use crate::{
    auth::authorization,
    headers::trace_id_of,
    session_cookie::{BrowserRequest, same_origin},
};

/// Routes of another protocol, mounted beside the API.
#[derive(Clone, Debug)]
pub struct MountedRoutes {
    /// Routes for callers with a credential. Each request has an [`AuthenticatedRequest`] in its extensions.
    pub authenticated: Router,
    /// Routes that need no credential.
    pub public: Router,
    /// Origins whose pages may read the responses.
    pub origins: Vec<HeaderValue>,
    /// `WWW-Authenticate` of 401 responses.
    pub challenge: HeaderValue,
}

/// The caller and the metadata of a request. It is in the extensions of every request to
/// [`MountedRoutes::authenticated`].
#[derive(Clone, Debug)]
pub struct AuthenticatedRequest {
    /// The verified credential and the requested context: the evidence of gate 1.
    pub authenticated: Authenticated,
    pub idempotency_key: Option<String>,
    pub request_id: String,
    /// The trace ID from the header `traceparent`.
    pub trace_id: Option<String>,
    waits: Arc<HeldRequests>,
}

impl AuthenticatedRequest {
    /// Returns the confirmation when it has ended, or in its current state after `seconds`; at once if too many
    /// requests of the caller wait.
    pub async fn until_ended(
        &self,
        engine: &Engine,
        id: Id,
        seconds: u64,
    ) -> Result<ConfirmationView, ActionError> {
        let (waits, authenticated) = (&self.waits, &self.authenticated);
        let waiter = Waiter { engine, waits, authenticated, seconds };
        match waiter.until_ended(id).await {
            Err(error) if error.code == ErrorCode::RateLimited => {
                engine.confirmation(authenticated, id).await
            }
            ended => ended,
        }
    }
}

/// Returns a router of the mounted routes that can be merged into the API's router.
pub(crate) fn mount_routes(routes: MountedRoutes, state: &Arc<HttpState>) -> Router<Arc<HttpState>> {
    let mount = MountState { state: Arc::clone(state), challenge: routes.challenge };
    let mut router = routes.public;
    // A layer on a router without routes is a mistake of the program, for which `axum` panics.
    if routes.authenticated.has_routes() {
        router = router.merge(routes.authenticated.route_layer(from_fn_with_state(mount, authenticate)));
    }
    if !routes.origins.is_empty() {
        // The layer answers preflights in place of the fallback, which must therefore be below it.
        let layer = cors::mounted_layer(routes.origins);
        router = router.method_not_allowed_fallback(problem::no_such_method).layer(layer);
    }
    router.with_state(())
}

#[derive(Clone)]
struct MountState {
    state: Arc<HttpState>,
    challenge: HeaderValue,
}

/// Authenticates the request (gate 1) before the body is read.
async fn authenticate(State(mount): State<MountState>, request: Request, next: Next) -> Response {
    let (mut head, body) = request.into_parts();
    let request = async {
        let authenticated = auth::authenticated(&head, &mount.state, Resource::Mcp).await?;
        let idempotency_key = headers::idempotency_key(&head.headers)?;
        let RequestMeta { request_id, trace_id, .. } = RequestMeta::of_head(&head)?.clone();
        Ok::<_, ProblemResponse>(AuthenticatedRequest {
            authenticated,
            idempotency_key,
            request_id,
            trace_id,
            waits: Arc::clone(&mount.state.waits),
        })
    };
    match request.await {
        Ok(request) => {
            head.extensions.insert(request);
            next.run(Request::from_parts(head, body)).await
        }
        Err(error) => {
            let stranger = error.0.code == ErrorCode::Unauthenticated;
            let mut response = error.into_response();
            if stranger {
                response.headers_mut().insert(header::WWW_AUTHENTICATE, mount.challenge);
            }
            response
        }
    }
}

/// Reads a JSON body under the API's limits of size and time.
pub async fn collected(headers: &HeaderMap, body: Body) -> Result<Bytes, ActionError> {
    body::bytes(headers, body, body::USUAL).await
}

/// Returns an error response. The outermost layer writes its problem document.
pub fn refusal(error: ActionError) -> Response {
    ProblemResponse(error).into_response()
}
