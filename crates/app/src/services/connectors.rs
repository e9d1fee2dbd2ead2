//! Creates the clients of the external services that the settings name.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use secrecy::{ExposeSecret as _, SecretString};
use toolcrib_actions::Inbox;
use toolcrib_config::OutsideSettings;
use toolcrib_connectors::{
    Client, Connectors, Label, NotALabel, RequestLimits, UpstreamError,
    alertmanager::Alertmanager,
    loki::{Labels, Loki},
    prometheus::Prometheus,
    railway::{Project, Railway},
};
use toolcrib_engine::ActionError;
use toolcrib_http::{AlertHook, AlertInbox};
use toolcrib_model::Clock;
use toolcrib_store::Db;

use crate::failure::Failure;

/// Returns a client for each configured service.
pub fn connectors(settings: &OutsideSettings, proxy: Option<&SecretString>) -> Result<Connectors, Failure> {
    let label = label("--workspace-label", &settings.workspace_label)?;
    let service = self::label("--loki-service-label", &settings.loki_service_label)?;
    let mut connectors = Connectors::default();
    if let Some(url) = &settings.prometheus_url {
        let client = client("--prometheus-url", url, settings.prometheus_token.clone(), proxy)?;
        connectors.prometheus = Some(Arc::new(Prometheus::new(client, label.clone())));
    }
    if let Some(url) = &settings.loki_url {
        let labels = Labels { workspace: label.clone(), service };
        let client = client("--loki-url", url, settings.loki_token.clone(), proxy)?;
        connectors.loki = Some(Arc::new(Loki::new(client, labels)));
    }
    if let Some(url) = &settings.alertmanager_url {
        let client = client("--alertmanager-url", url, settings.alertmanager_token.clone(), proxy)?;
        connectors.alertmanager = Some(Arc::new(Alertmanager::new(client, label)));
    }
    if let (Some(token), Some(id)) = (&settings.railway_token, &settings.railway_project) {
        let project = Project { id: id.clone(), environment: settings.railway_environment.clone() };
        let client = client("--railway-url", &settings.railway_url, Some(token.clone()), proxy)?;
        connectors.railway = Some(Arc::new(Railway::new(client, project)));
    }
    Ok(connectors)
}

/// Returns a client for the address of the setting `flag`, through the proxy if there is one.
fn client(
    flag: &'static str,
    url: &SecretString,
    token: Option<SecretString>,
    proxy: Option<&SecretString>,
) -> Result<Client, Failure> {
    let client = Client::new(url.expose_secret(), token, RequestLimits::USUAL).map_err(wrong(flag))?;
    match proxy {
        Some(proxy) => client.with_proxy(proxy.expose_secret()).map_err(wrong("--connector-proxy")),
        None => Ok(client),
    }
}

/// Returns the inbox for an Alertmanager's deliveries, if its webhook is configured.
pub fn inbox(
    settings: &OutsideSettings,
    db: &Db,
    clock: &Arc<dyn Clock>,
) -> Result<(Option<Inbox>, Option<AlertHook>), Failure> {
    let Some(token) = settings.alertmanager_webhook_token.clone() else { return Ok((None, None)) };
    let label = label("--workspace-label", &settings.workspace_label)?;
    let inbox = Inbox::new(db.clone(), clock.clone(), label);
    let hook = AlertHook { token, inbox: Arc::new(Kept(inbox.clone())) };
    Ok((Some(inbox), Some(hook)))
}

/// Implements the trait of `http` with the inbox.
struct Kept(Inbox);

impl AlertInbox for Kept {
    fn deliver(&self, body: Bytes) -> BoxFuture<'_, Result<usize, ActionError>> {
        Box::pin(async move { self.0.deliver(&body).await })
    }
}

fn label(flag: &str, text: &str) -> Result<Label, Failure> {
    text.parse().map_err(|why: NotALabel| Failure::Usage(format!("`{flag}` {why}")))
}

fn wrong(flag: &'static str) -> impl Fn(UpstreamError) -> Failure {
    move |error| Failure::Usage(format!("`{flag}` can't be used: {error}"))
}
