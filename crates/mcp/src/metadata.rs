//! Protected resource metadata for clients that have no credential yet (RFC 9728).

use axum::{
    Json,
    http::header,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

pub const ENDPOINT: &str = "/mcp";
/// The paths of the metadata: for the whole host and for the endpoint.
pub const PATHS: [&str; 2] =
    ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"];

pub fn document(public_url: &str, issuer: Option<&str>) -> Value {
    let mut document = json!({
        "resource": format!("{public_url}{ENDPOINT}"),
        "resource_name": "Toolcrib",
        "resource_documentation": format!("{public_url}/docs"),
        "bearer_methods_supported": ["header"],
    });
    // Without an external issuer there is no authorization server: the command line issues the tokens.
    if let Some(issuer) = issuer {
        document["authorization_servers"] = json!([issuer]);
    }
    document
}

pub fn answer(document: &Value) -> Response {
    ([(header::CACHE_CONTROL, "public, max-age=3600")], Json(document)).into_response()
}
