//! The answer where nothing is: a problem for programs, and a page for people.

use std::sync::Arc;

use axum::{
    extract::State,
    http::{HeaderMap, HeaderValue, Method, Uri, header},
    response::{IntoResponse as _, Redirect, Response},
};

use crate::{problem::no_such_path, state::HttpState};

/// Like [`no_such_path`]. A browser gets a page, or is sent to the path without a slash at its end.
pub(crate) async fn no_such_page(
    State(state): State<Arc<HttpState>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    let accepted = headers.get(header::ACCEPT).map_or(&[][..], HeaderValue::as_bytes);
    if method != Method::GET || !accepted.starts_with(b"text/html") {
        return no_such_path().await.into_response();
    }
    match uri.path().strip_suffix('/') {
        // Two slashes at the beginning would name another host.
        Some(path) if path.len() > 1 && !path.contains("//") && !path.contains('\\') => {
            let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
            Redirect::permanent(&format!("{path}{query}")).into_response()
        }
        _ => state.pages.no_such_page(),
    }
}
