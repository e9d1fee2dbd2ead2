//! The routes and the settings of the transport.

use std::sync::Arc;

use axum::{
    Json, Router,
    http::{HeaderValue, Uri, header},
    middleware::from_fn,
    routing::get,
};
use rmcp::transport::{
    StreamableHttpServerConfig, StreamableHttpService,
    streamable_http_server::session::never::NeverSessionManager,
};
use serde_json::{Value, json};
use toolcrib_auth::secret_cipher::SecretCipher;
use toolcrib_engine::Engine;
use toolcrib_http::mount::MountedRoutes;
use toolcrib_model::IdGen;
use url::Url;

use crate::{accept, body::strict_json, handler::McpServer, request_state::StateCipher};

const ENDPOINT: &str = "/mcp";
/// The paths of the metadata: for the whole host and for the endpoint.
const PATHS: [&str; 2] =
    ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"];

/// Names that are always allowed in `Host`.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
/// The maximum size of a message, in bytes. The limit of the API applies first.
const MAX_MESSAGE_BYTES: usize = 1024 * 1024;

/// The operator's settings, and the cipher of states.
#[derive(Clone)]
pub struct McpSettings {
    /// Names that are allowed in `Host`, in addition to loopback and the host of the public URL.
    pub hosts: Vec<String>,
    /// Values that are allowed in `Origin`. Requests with other origins are refused.
    pub origins: Vec<String>,
    /// The identity provider that issues tokens for this service, if there is one.
    pub issuer: Option<String>,
    /// How long a resumed call waits for a decision, in seconds. Afterwards the client has to try again.
    pub hold: u64,
    /// Encrypts the states that clients send back. Every process needs the same key.
    pub secret_cipher: Arc<SecretCipher>,
    /// The source of randomness for the encryption.
    pub ids: Arc<dyn IdGen>,
}

/// Returns the routes of MCP, to be mounted beside the API.
pub fn routes(engine: Arc<Engine>, settings: &McpSettings) -> MountedRoutes {
    let public_url = engine.settings().public_url.clone();
    let (secret_cipher, ids) = (settings.secret_cipher.clone(), settings.ids.clone());
    let server = McpServer::new(engine, StateCipher { secret_cipher, ids }, settings.hold);
    let config = transport(&public_url, settings);
    let service =
        StreamableHttpService::new(move || Ok(server.clone()), Arc::<NeverSessionManager>::default(), config);
    let slashed = format!("{ENDPOINT}/");
    let served = Router::new().route_service(ENDPOINT, service.clone()).route_service(&slashed, service);
    let document = Json(metadata(&public_url, settings.issuer.as_deref()));
    let response = ([(header::CACHE_CONTROL, "public, max-age=3600")], document);
    let public =
        PATHS.into_iter().fold(Router::new(), |router, path| router.route(path, get(response.clone())));
    MountedRoutes {
        authenticated: served.route_layer(from_fn(strict_json)).route_layer(from_fn(accept::accept_either)),
        public,
        // The transport refuses requests of other origins.
        origins: settings.origins.iter().filter_map(|origin| as_sent(origin)).collect(),
        challenge: challenge(&public_url),
    }
}

/// Returns the protected resource metadata for clients that have no credential yet (RFC 9728).
fn metadata(public_url: &str, issuer: Option<&str>) -> Value {
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

fn transport(public_url: &str, settings: &McpSettings) -> StreamableHttpServerConfig {
    let own = public_url.parse::<Uri>().ok().and_then(|url| Some(url.host()?.to_owned()));
    let hosts = LOOPBACK.into_iter().map(str::to_owned).chain(own).chain(settings.hosts.iter().cloned());
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(MAX_MESSAGE_BYTES)
        .with_allowed_hosts(hosts)
        .with_allowed_origins(settings.origins.iter().cloned())
        .enforce_origin_validation()
}

/// Returns an origin as browsers send it, such as without the port that its scheme implies.
fn as_sent(origin: &str) -> Option<HeaderValue> {
    Url::parse(origin).ok()?.origin().ascii_serialization().parse().ok()
}

/// Returns the `WWW-Authenticate` challenge, which contains the URL of the resource metadata.
fn challenge(public_url: &str) -> HeaderValue {
    let place = format!("{public_url}{}", PATHS[1]);
    HeaderValue::from_str(&format!("Bearer realm=\"toolcrib\", resource_metadata=\"{place}\""))
        .unwrap_or(HeaderValue::from_static("Bearer realm=\"toolcrib\""))
}
