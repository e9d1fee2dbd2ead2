//! What this protected resource is, for clients that have no credential yet (RFC 9728).

use axum::{
    Json,
    http::header,
    response::{IntoResponse, Response},
};
use serde_json::{Value, json};

/// Path of the endpoint.
pub const ENDPOINT: &str = "/mcp";
/// Where it is found: for the whole host, and for the endpoint.
pub const PATHS: [&str; 2] =
    ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"];

/// The document.
pub fn document(public_url: &str, issuer: Option<&str>) -> Value {
    let mut document = json!({
        "resource": format!("{public_url}{ENDPOINT}"),
        "resource_name": "Toolcrib",
        "resource_documentation": format!("{public_url}/docs"),
        "bearer_methods_supported": ["header"],
    });
    // Tokens of the local issuer are minted on the command line: there is no server to send anybody to.
    if let Some(issuer) = issuer {
        document["authorization_servers"] = json!([issuer]);
    }
    document
}

/// The answer.
pub fn answer(document: &Value) -> Response {
    ([(header::CACHE_CONTROL, "public, max-age=3600")], Json(document)).into_response()
}
