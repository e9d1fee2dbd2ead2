//! What is served where.

use axum::{Router, routing::get};
use metrics_exporter_prometheus::PrometheusHandle;
use toolcrib_config::Settings;

use super::parts::Parts;

/// The routes.
pub fn router(_parts: &Parts, _metrics: PrometheusHandle, _settings: &Settings) -> Router {
    Router::new().route("/healthz", get(|| async { "ok" }))
}
