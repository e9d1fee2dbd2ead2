//! What is served where.

use std::sync::Arc;

use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::watch;
use toolcrib_http::AppState;

use super::{
    health::{Database, Limits, Ready},
    parts::Parts,
};

/// What the API is made over.
pub fn state(
    parts: &Parts,
    metrics: PrometheusHandle,
    ending: watch::Receiver<bool>,
    metrics_apart: bool,
) -> AppState {
    let (database, limits) = (Database(parts.db.clone()), Limits(parts.limiter.clone()));
    AppState {
        engine: parts.engine.clone(),
        auth: parts.authenticator.clone(),
        metrics: Arc::new(move || metrics.render()),
        ready: Arc::new(Ready { database, limits, engine: parts.engine.clone(), ending }),
        alerts: parts.alerts.clone(),
        metrics_apart,
    }
}
