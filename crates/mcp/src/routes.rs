//! The paths, and the settings of the transport.

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
use toolcrib_engine::{Engine, secret_cipher::SecretCipher};
use toolcrib_http::mount::MountedRoutes;
use toolcrib_model::IdGen;

use crate::{body::strict_json, handler::McpServer, metadata, request_state::Seals};
/// What `Host` may always be: this machine's names for itself.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];
/// The most that a message may weigh; the API's own bound refuses it before.
const LARGEST: usize = 1024 * 1024;

/// What the operator decided, and what states are sealed with.
#[derive(Clone)]
pub struct McpSettings {
    /// Names that `Host` may be, beside loopback and the public URL's.
    pub hosts: Vec<String>,
    /// What `Origin` may be; browsers of other origins are refused.
    pub origins: Vec<String>,
    /// The identity provider that issues tokens for this service, where there is one.
    pub issuer: Option<String>,
    /// Seconds that a retried call waits for a human before it is told to try again.
    pub hold: u64,
    /// Seals what clients carry; every process must have the same key.
    pub secret_cipher: Arc<SecretCipher>,
    /// Gives the randomness that it seals with.
    pub ids: Arc<dyn IdGen>,
}

/// The surface, to be served beside the API.
pub fn routes(engine: Arc<Engine>, settings: &McpSettings) -> MountedRoutes {
    let public_url = engine.settings().public_url.clone();
    let seals = Seals::new(settings.secret_cipher.clone(), settings.ids.clone());
    let server = McpServer::new(engine, seals.clone(), settings.hold);
    let config = transport(&public_url, settings);
    #[cfg(not(feature = "conformance"))]
    let made = move || Ok(server.clone());
    #[cfg(feature = "conformance")]
    let made = move || crate::fixtures::Fixtures::new(server.clone(), seals.clone());
    let service = StreamableHttpService::new(made, Arc::<NeverSessionManager>::default(), config);
    let served = Router::new().route_service(metadata::ENDPOINT, service);
    let document = metadata::document(&public_url, settings.issuer.as_deref());
    let public = metadata::PATHS.into_iter().fold(Router::new(), |router, path| {
        let document = document.clone();
        router.route(path, get(move || std::future::ready(metadata::answer(&document))))
    });
    MountedRoutes {
        authenticated: served.route_layer(from_fn(strict_json)),
        public,
        challenge: challenge(&public_url),
    }
}

fn transport(public_url: &str, settings: &McpSettings) -> StreamableHttpServerConfig {
    let own = public_url.parse::<Uri>().ok().and_then(|url| Some(url.host()?.to_owned()));
    let hosts = LOOPBACK.into_iter().map(str::to_owned).chain(own).chain(settings.hosts.iter().cloned());
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(LARGEST)
        .with_allowed_hosts(hosts)
        .with_allowed_origins(settings.origins.iter().cloned())
        .enforce_origin_validation()
}

/// Where a client without a credential learns how to get one.
fn challenge(public_url: &str) -> HeaderValue {
    let place = format!("{public_url}{}", metadata::PATHS[1]);
    HeaderValue::from_str(&format!("Bearer realm=\"toolcrib\", resource_metadata=\"{place}\""))
        .unwrap_or(HeaderValue::from_static("Bearer realm=\"toolcrib\""))
}
