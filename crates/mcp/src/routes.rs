//! The routes and the settings of the transport.

use std::sync::Arc;

use axum::{
    Router,
    http::{HeaderValue, Uri},
    middleware::from_fn,
    routing::get,
};
use rmcp::transport::{
    StreamableHttpServerConfig, StreamableHttpService,
    streamable_http_server::session::never::NeverSessionManager,
};
use toolcrib_auth::secret_cipher::SecretCipher;
use toolcrib_engine::Engine;
use toolcrib_http::mount::MountedRoutes;
use toolcrib_model::IdGen;
use url::Url;

use crate::{accept, body::strict_json, handler::McpServer, metadata, request_state::StateCipher};

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
    let state_cipher = StateCipher::new(settings.secret_cipher.clone(), settings.ids.clone());
    let server = McpServer::new(engine, state_cipher, settings.hold);
    let config = transport(&public_url, settings);
    let service =
        StreamableHttpService::new(move || Ok(server.clone()), Arc::<NeverSessionManager>::default(), config);
    let slashed = format!("{}/", metadata::ENDPOINT);
    let served =
        Router::new().route_service(metadata::ENDPOINT, service.clone()).route_service(&slashed, service);
    let document = metadata::document(&public_url, settings.issuer.as_deref());
    let public = metadata::PATHS.into_iter().fold(Router::new(), |router, path| {
        let document = document.clone();
        router.route(path, get(move || std::future::ready(metadata::answer(&document))))
    });
    MountedRoutes {
        authenticated: served.route_layer(from_fn(strict_json)).route_layer(from_fn(accept::accept_either)),
        public,
        // The transport refuses requests of other origins.
        origins: settings.origins.iter().filter_map(|origin| as_sent(origin)).collect(),
        challenge: challenge(&public_url),
    }
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
    let place = format!("{public_url}{}", metadata::PATHS[1]);
    HeaderValue::from_str(&format!("Bearer realm=\"toolcrib\", resource_metadata=\"{place}\""))
        .unwrap_or(HeaderValue::from_static("Bearer realm=\"toolcrib\""))
}
