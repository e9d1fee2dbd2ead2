//! Creates the routes and their settings.

use std::{sync::Arc, time::Duration};

use tokio::sync::watch;
use toolcrib_auth::Login;
use toolcrib_config::{EdgeSettings, Settings};
use toolcrib_connectors::oidc::OidcClient;
use toolcrib_console::{ConsoleSettings, DemoPerson, ProviderSignIn};
use toolcrib_http::{
    AppState, EdgeOptions, Proxies, StreamLimits, mount::MountedRoutes, serve::ConnectionLimits,
};
use toolcrib_mcp::McpSettings;

use crate::services::{
    Services,
    health::{DatabaseProbe, LimiterProbe, Ready},
};
use crate::{context::AppContext, telemetry::Metrics};

/// How long a retried MCP call waits for a decision, in seconds. The wait keeps a client that retries
/// immediately from sending many requests.
const HOLD: u64 = 10;

pub fn mcp(context: &AppContext, services: &Services) -> MountedRoutes {
    let settings = &context.settings;
    let rules = McpSettings {
        hosts: settings.mcp_hosts.clone(),
        origins: settings.mcp_origins.clone(),
        issuer: settings.issuer.clone(),
        hold: HOLD,
        secret_cipher: services.secret_cipher.clone(),
        ids: context.ids.clone(),
    };
    toolcrib_mcp::routes(services.engine.clone(), &rules)
}

pub fn console(context: &AppContext, services: &Services, people: Vec<DemoPerson>) -> MountedRoutes {
    let (auth, ids) = (services.authenticator.clone(), context.ids.clone());
    toolcrib_console::routes(ConsoleSettings { auth, ids, people, provider: provider(context, services) })
}

/// Returns the console's sign-in through the identity provider, if it is a client of it.
fn provider(context: &AppContext, services: &Services) -> Option<ProviderSignIn> {
    let settings = &context.settings;
    let (id, issuer, url) =
        (settings.console_client_id.as_ref()?, settings.issuer.as_ref()?, settings.public_url.as_ref()?);
    let mut client = OidcClient::new(issuer, id, settings.console_client_secret.clone());
    if let Some(proxy) = &settings.edge.connector_proxy {
        client = client.with_proxy(proxy.clone());
    }
    let redirect_uri = format!("{url}/console/login/done");
    let (cipher, invitations) = (services.secret_cipher.clone(), services.engine.clone());
    let login = Login::new(client, redirect_uri, cipher, context.ids.clone(), invitations);
    Some(ProviderSignIn { login, public_url: url.clone(), clock: context.clock.clone() })
}

pub fn state(
    services: &Services,
    metrics: Metrics,
    ending: watch::Receiver<bool>,
    metrics_apart: bool,
    settings: &Settings,
) -> AppState {
    let https = settings.public_url.as_ref().is_some_and(|url| url.starts_with("https://"));
    let db = services.db.clone();
    let (database, limits) = (DatabaseProbe(services.db.clone()), LimiterProbe(services.limiter.clone()));
    AppState {
        engine: services.engine.clone(),
        auth: services.authenticator.clone(),
        metrics: Arc::new(move || metrics.render(&db)),
        ready: Arc::new(Ready {
            database,
            limits,
            engine: services.engine.clone(),
            secret_cipher: services.secret_cipher.clone(),
            ending,
        }),
        alerts: services.alerts.clone(),
        assistant: Some(services.assistant.clone()),
        metrics_apart,
        edge: rules(&settings.edge, https),
    }
}

/// Returns the settings that apply to every request.
fn rules(given: &EdgeSettings, https: bool) -> EdgeOptions {
    EdgeOptions {
        proxies: Proxies { trusted: given.trusted_proxies.clone(), header: given.proxy_header },
        metrics_token: given.metrics_token.clone(),
        body_time: seconds(given.body_seconds),
        streams: StreamLimits {
            per_principal: given.streams_per_principal as usize,
            per_workspace: given.streams_per_workspace as usize,
        },
        https,
        embed_origins: given.embed_origins.iter().filter_map(|origin| origin.parse().ok()).collect(),
    }
}

/// Returns the limits on connections and time from the settings.
pub fn bounds(given: &EdgeSettings) -> ConnectionLimits {
    ConnectionLimits {
        connections: given.max_connections as usize,
        head: seconds(given.header_seconds),
        idle: seconds(given.idle_seconds),
        write: seconds(given.write_seconds),
    }
}

fn seconds(number: u32) -> Duration {
    Duration::from_secs(number.into())
}
