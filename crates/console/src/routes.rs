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
    pages::HtmlPage,
    session::{self, ConsoleSettings},
};

struct Files {
    assets: Assets,
    index: HtmlPage,
    login: HtmlPage,
    approve: HtmlPage,
}

/// Returns the routes of the console, to be mounted beside the API.
pub fn routes(settings: ConsoleSettings) -> MountedRoutes {
    let assets = Assets::load();
    let [index, login, approve] =
        ["index.html", "login.html", "approve.html"].map(|name| HtmlPage::new(assets.page(name)));
    let files = Router::new()
        .route("/", get(home))
        .route("/console", get(home))
        .route("/console/", get(page))
        .route("/console/{*path}", get(page))
        .route("/console/login", get(login_page))
        .route("/approve/{id}", get(approve_page))
        .route("/console/assets/{digest}", get(missing))
        .route("/console/assets/{digest}/{*path}", get(asset))
        .route("/elements/{version}/{*path}", get(element))
        .with_state(Arc::new(Files { assets, index, login, approve }));
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

async fn page(State(files): State<Arc<Files>>, asked: HeaderMap) -> Response {
    files.index.response(&asked)
}

async fn login_page(State(files): State<Arc<Files>>, asked: HeaderMap) -> Response {
    files.login.response(&asked)
}

async fn approve_page(State(files): State<Arc<Files>>, asked: HeaderMap) -> Response {
    files.approve.response(&asked)
}

async fn asset(
    State(files): State<Arc<Files>>,
    Path((digest, path)): Path<(String, String)>,
    asked: HeaderMap,
) -> Response {
    match files.assets.response(&digest, &path, &asked) {
        Some(found) => found,
        None => missing().await,
    }
}

/// A file of the elements that other sites embed.
async fn element(
    State(files): State<Arc<Files>>,
    Path((version, path)): Path<(String, String)>,
    asked: HeaderMap,
) -> Response {
    let found = files.assets.embedded(&version, &path, &asked);
    found.unwrap_or_else(|| {
        let error = ActionError::new(ErrorCode::NotFound, "there is no such file of the elements");
        refusal(error.hint(format!("the files of this service are below `/elements/{VERSION}/`")))
    })
}

async fn missing() -> Response {
    let error = ActionError::new(ErrorCode::NotFound, "there is no such file of the console");
    refusal(error.hint("load the page again: it names the files of this version"))
}
