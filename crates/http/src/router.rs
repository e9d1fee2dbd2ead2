//! The routers, with the outermost layer around them.

use std::sync::Arc;

use axum::{
    Router,
    extract::{Request, State},
    http::Method,
    middleware::from_fn_with_state,
    routing::{MethodRouter, delete, get, patch, post, put},
};
use toolcrib_engine::ActionError;
use toolcrib_model::ErrorCode;

use crate::{
    AppState, ROUTES, Route, actions, alertmanager_hook,
    assistant::chat,
    auth::{Auth, PathParams},
    calls, confirmations, cors,
    doc_pages::Pages,
    docs, events, grants, health,
    mount::{MountedRoutes, mount_routes},
    open_calls,
    openapi::openapi,
    operation,
    problem::{self, ProblemResponse},
    request_meta::{RequestMeta, no_such_page, request_layer},
    state::HttpState,
    tools,
};

/// Returns the router of the API. A client that disconnects does not cancel its call.
///
/// Serve it with [`crate::serve::serve`]. Without the peer's address no request counts as local, and failed
/// authentications of all peers are counted together.
pub fn router(state: AppState) -> Router {
    router_with(state, Vec::new())
}

/// Returns the router of the API with mounted routes of other protocols.
pub fn router_with(state: AppState, mounts: Vec<MountedRoutes>) -> Router {
    let state = http_state(state);
    let mut router = Router::new().merge(special()).merge(embeddable(&state));
    for route in rows(&state) {
        router = router.route(route.path, row(route));
    }
    for mounted in mounts {
        router = router.merge(mount_routes(mounted, &state));
    }
    finish(router, state)
}

fn http_state(app: AppState) -> Arc<HttpState> {
    let engine = app.engine.clone();
    HttpState::new(app, Box::new(move || Pages::new(openapi(engine.catalog()), engine.catalog())))
}

/// Returns a router with metrics and health only, for a separate address.
pub fn metrics_router(state: AppState) -> Router {
    let state = http_state(state);
    let router = Router::new().route("/metrics", get(health::metrics)).route("/healthz", get(health::alive));
    finish(router, state)
}

/// Returns the router for connections beyond the cap: health and readiness, and 503 for all other paths.
pub fn spare_router(state: AppState) -> Router {
    let state = http_state(state);
    let router = Router::new().route("/healthz", get(health::alive)).route("/readyz", get(health::ready));
    let router = router.fallback(problem::overloaded).method_not_allowed_fallback(problem::no_such_method);
    layered(router, state)
}

/// Returns the router of a service that is held: 200 for health, and 503 with `why` for everything else.
pub fn held_router(state: AppState, why: &'static str) -> Router {
    let refuse = move || async move {
        let error = ActionError::new(ErrorCode::StoreUnavailable, why);
        ProblemResponse(error)
    };
    let router = Router::new().route("/healthz", get(health::alive));
    layered(router.fallback(refuse).method_not_allowed_fallback(refuse), http_state(state))
}

fn finish(router: Router<Arc<HttpState>>, state: Arc<HttpState>) -> Router {
    layered(router.fallback(no_such_page).method_not_allowed_fallback(problem::no_such_method), state)
}

/// Puts the outermost layer around a router.
fn layered(router: Router<Arc<HttpState>>, state: Arc<HttpState>) -> Router {
    router.layer(from_fn_with_state(Arc::clone(&state), request_layer)).with_state(state)
}

/// Returns the routes that are not in the route table.
fn special() -> Router<Arc<HttpState>> {
    Router::new()
        .route("/v1/tools", get(tools::get).post(tools::post))
        .route("/v1/tools/prompt", get(tools::prompt))
        .route("/v1/tools/openapi", get(docs::tools))
        .route("/v1/tools/search", post(tools::search))
        .route("/v1/tools/calls", post(calls::calls))
        .route("/v1/tools/outcomes", post(open_calls::outcomes))
        .route("/v1/calls", get(open_calls::list))
        .route("/v1/calls/{id}", get(open_calls::get))
        .route("/v1/calls/{id}/claim", post(open_calls::claim))
        .route("/v1/calls/{id}/outcome", post(open_calls::report))
        .route("/v1/calls/{id}/revoke", post(open_calls::revoke))
        .route("/v1/actions", get(actions::list))
        .route("/v1/actions/{name}", get(actions::get).post(actions::run))
        .route("/v1/actions/{name}/check", post(actions::check))
        .route("/v1/sessions/{id}/grants", get(grants::list).delete(grants::revoke))
        .route("/v1/sessions/{id}/grants/{grant_id}", delete(grants::revoke))
        .route("/v1/assistant/chat", post(chat::send))
        .route("/v1/assistant/chat/{thread}/stream", get(chat::resume))
        .route("/v1/hooks/alertmanager", post(alertmanager_hook::alertmanager))
        .route("/healthz", get(health::alive))
        .route("/readyz", get(health::ready))
        .route("/metrics", get(health::local_metrics))
        .route("/openapi.json", get(docs::openapi))
        .route("/docs", get(docs::reference))
        .route("/docs/operations/{operation}", get(docs::operation))
        .route("/docs/guides/{guide}", get(docs::guide))
        .route("/docs/errors", get(docs::errors))
        .route("/docs/errors/{code}", get(docs::error))
}

/// Returns the routes of confirmations and events, which pages of the configured origins may read.
fn embeddable(state: &HttpState) -> Router<Arc<HttpState>> {
    let router = Router::new()
        .route("/v1/confirmations", get(confirmations::list))
        .route("/v1/confirmations/{id}", get(confirmations::get))
        .route("/v1/confirmations/{id}/approve", post(confirmations::approve))
        .route("/v1/confirmations/{id}/deny", post(confirmations::deny))
        .route("/v1/events", get(events::listen));
    match state.app.edge.embed_origins.as_slice() {
        [] => router,
        // The layer answers preflights in place of the fallback, which must therefore be below it.
        origins => {
            router.method_not_allowed_fallback(problem::no_such_method).layer(cors::layer(origins.to_vec()))
        }
    }
}

/// Returns the rows whose operations the catalogue contains.
fn rows(state: &HttpState) -> impl Iterator<Item = &'static Route> {
    let registry = state.catalog().registry();
    ROUTES.iter().filter(|route| registry.get(route.operation).is_some())
}

fn row(route: &'static Route) -> MethodRouter<Arc<HttpState>> {
    let handler = move |State(state): State<Arc<HttpState>>,
                        Auth(authenticated): Auth,
                        PathParams(names): PathParams,
                        meta: RequestMeta,
                        request: Request| async move {
        operation::run(&state, route, authenticated, names, meta, request).await
    };
    match route.method {
        Method::POST => post(handler),
        Method::PUT => put(handler),
        Method::PATCH => patch(handler),
        Method::DELETE => delete(handler),
        _ => get(handler),
    }
}
