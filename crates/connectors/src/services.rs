//! The clients of the configured external services.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::{
    UpstreamError,
    alertmanager::Alertmanager,
    client::Ping,
    embedded::{ComponentKind, Platform, Probe},
    loki::Loki,
    prometheus::Prometheus,
    railway::Railway,
};

/// The time between two checks of a monitoring service, in seconds.
const OFTEN: i64 = 30;
/// The time between two checks of a public API that limits requests, in seconds.
const SELDOM: i64 = 300;

/// The clients of the configured external services. For a service that is `None`, the service's own
/// monitoring data is used as far as possible.
#[derive(Clone, Debug, Default)]
pub struct Connectors {
    pub prometheus: Option<Arc<Prometheus>>,
    /// Firing alerts.
    pub alertmanager: Option<Arc<Alertmanager>>,
    /// Log lines.
    pub loki: Option<Arc<Loki>>,
    /// Services, deployments and their logs.
    pub railway: Option<Arc<Railway>>,
}

impl Connectors {
    /// Adds a probe for each client to the platform, so that the health actions include it.
    #[must_use]
    pub fn watched_by(&self, mut platform: Platform) -> Platform {
        if let Some(one) = self.prometheus.clone() {
            platform = platform.watch(ServiceProbe { name: "prometheus", every: OFTEN, service: one });
        }
        if let Some(one) = self.alertmanager.clone() {
            platform = platform.watch(ServiceProbe { name: "alertmanager", every: OFTEN, service: one });
        }
        if let Some(one) = self.loki.clone() {
            platform = platform.watch(ServiceProbe { name: "loki", every: OFTEN, service: one });
        }
        if let Some(one) = self.railway.clone() {
            platform = platform.watch(ServiceProbe { name: "railway", every: SELDOM, service: one });
        }
        platform
    }
}

struct ServiceProbe<S> {
    name: &'static str,
    every: i64,
    service: Arc<S>,
}

impl<S: Ping> Probe for ServiceProbe<S> {
    fn name(&self) -> &str {
        self.name
    }

    fn kind(&self) -> ComponentKind {
        ComponentKind::Connector
    }

    fn every_seconds(&self) -> i64 {
        self.every
    }

    fn check(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async {
            self.service.answers().await.map_err(|error| match error {
                // The text that the service sent is only for the log.
                UpstreamError::Malformed(_) | UpstreamError::Refused(_) => {
                    tracing::debug!(
                        connector = self.name,
                        error = error.logged(),
                        "a connector does not work"
                    );
                    format!("it {}", error.public_text())
                }
                plain => plain.to_string(),
            })
        })
    }
}
