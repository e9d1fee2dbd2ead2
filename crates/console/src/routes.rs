//! The routes of the console.

use std::sync::Arc;

use axum::{
    Router,
    extract::{Path, State},
    http::{HeaderMap, HeaderValue},
    response::{Redirect, Response},
    routing::{delete, get},
};
use toolcrib_engine::ActionError;
use toolcrib_http::mount::{MountedRoutes, refusal};
use toolcrib_model::ErrorCode;

use crate::{
    assets::{Assets, VERSION},
    login,
    session::{self, ConsoleSettings},
};

/// Returns the routes of the console, to be mounted beside the API.
pub fn routes(settings: ConsoleSettings) -> MountedRoutes {
    let assets = Assets::load();
    let page = |name: &str| {
        let page = Arc::new(assets.page(name));
        get(move |asked: HeaderMap| std::future::ready(page.response(&asked)))
    };
    let index = page("index.html");
    let files = Router::new()
        .route("/", get(home))
        .route("/console", get(home))
        .route("/console/", index.clone())
        .route("/console/{*path}", index)
        .route("/console/login", page("login.html"))
        .route("/approve/{id}", page("approve.html"))
        .route("/console/assets/{digest}", get(missing))
        .route("/console/assets/{digest}/{*path}", get(asset))
        .route("/elements/{version}/{*path}", get(element))
        .with_state(Arc::new(assets));
    let sessions = Router::new()
        .route("/console/session", get(session::read).post(session::sign_in).delete(session::sign_out))
        .route("/console/sessions", delete(session::sign_out_everywhere))
        .route("/console/login/start", get(login::start).post(login::start_invited))
        .route("/console/login/done", get(login::done))
        .with_state(Arc::new(settings));
    MountedRoutes {
        authenticated: Router::new(),
        public: files.merge(sessions),
        origins: Vec::new(),
        challenge: HeaderValue::from_static("Bearer realm=\"toolcrib\""),
    }
}

async fn home() -> Redirect {
    Redirect::permanent("/console/")
}

async fn asset(
    State(assets): State<Arc<Assets>>,
    Path((digest, path)): Path<(String, String)>,
    asked: HeaderMap,
) -> Response {
    match assets.response(&digest, &path, &asked) {
        Some(found) => found,
        None => missing().await,
    }
}

/// A file of the elements that other sites embed.
async fn element(
    State(assets): State<Arc<Assets>>,
    Path((version, path)): Path<(String, String)>,
    asked: HeaderMap,
) -> Response {
    let found = assets.embedded(&version, &path, &asked);
    found.unwrap_or_else(|| {
        let error = ActionError::new(ErrorCode::NotFound, "there is no such file of the elements");
        refusal(error.hint(format!("the files of this service are below `/elements/{VERSION}/`")))
    })
}

async fn missing() -> Response {
    let error = ActionError::new(ErrorCode::NotFound, "there is no such file of the console");
    refusal(error.hint("load the page again: it names the files of this version"))
}
