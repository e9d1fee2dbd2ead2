//! The outside services that are configured.

use std::sync::Arc;

use futures_util::future::BoxFuture;

use crate::{
    UpstreamError,
    alertmanager::Alertmanager,
    embedded::{ComponentKind, Platform, Probe},
    loki::Loki,
    ping::Ping,
    prometheus::Prometheus,
    railway::Railway,
};

/// How often a monitoring service is asked whether it answers, in seconds.
const OFTEN: i64 = 30;
/// The same for a public API that counts requests.
const SELDOM: i64 = 300;

/// The outside services that are configured. What is absent this service answers for itself, as far as it can.
#[derive(Clone, Debug, Default)]
pub struct Connectors {
    /// Metrics.
    pub prometheus: Option<Arc<Prometheus>>,
    /// Alerts that fire.
    pub alertmanager: Option<Arc<Alertmanager>>,
    /// Log lines.
    pub loki: Option<Arc<Loki>>,
    /// Services, deployments and their logs.
    pub railway: Option<Arc<Railway>>,
}

impl Connectors {
    /// Has each of them watched, so that health shows it.
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
            self.service.answers().await.map_err(|fault| match fault {
                // What the service itself wrote is for the log alone.
                UpstreamError::Malformed(_) | UpstreamError::Refused(_) => {
                    tracing::debug!(
                        connector = self.name,
                        fault = fault.logged(),
                        "a connector does not work"
                    );
                    format!("it {}", fault.told())
                }
                plain => plain.to_string(),
            })
        })
    }
}
