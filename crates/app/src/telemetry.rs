//! Logging and metrics.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use toolcrib_config::{LogFormat, Settings};
use toolcrib_connectors::embedded::Journal;
use tracing::subscriber::set_global_default;
use tracing_subscriber::{EnvFilter, Layer as _, filter::dynamic_filter_fn, fmt, layer::SubscriberExt as _};

use crate::failure::Failure;

/// While it is set, calls are not logged, because the demo makes them in the past.
static LOGS_OFF: AtomicBool = AtomicBool::new(false);

/// Disables the logging of calls until it is dropped.
pub struct LogsOff(());

impl LogsOff {
    /// Disables the logging of calls.
    pub fn begin() -> Self {
        LOGS_OFF.store(true, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for LogsOff {
    fn drop(&mut self) {
        LOGS_OFF.store(false, Ordering::SeqCst);
    }
}

/// The filter of the journal. It does not depend on `--log-filter`, because actions read the service's own
/// calls and warnings.
const JOURNALED: &str = "info,sqlx=warn";

/// Starts logging to standard error and, if there is one, into the journal.
pub fn start_log(settings: &Settings, journal: Option<&Arc<Journal>>) -> Result<(), Failure> {
    let filter: EnvFilter = settings
        .log_filter
        .parse()
        .map_err(|error| Failure::Usage(format!("`--log-filter` is not a filter: {error}")))?;
    let telling = dynamic_filter_fn(|metadata, _| {
        metadata.target() != "toolcrib::calls" || !LOGS_OFF.load(Ordering::SeqCst)
    });
    let journal = journal.map(|journal| journal.layer().with_filter(EnvFilter::new(JOURNALED)));
    let registry = tracing_subscriber::registry().with(telling).with(journal);
    // Not `init()`, which would print what dependencies write with `log` too.
    let started = match settings.log_format {
        LogFormat::Text => {
            let layer = fmt::layer().with_writer(std::io::stderr).with_ansi(false);
            set_global_default(registry.with(layer.with_filter(filter)))
        }
        LogFormat::Json => {
            let layer = fmt::layer().json().flatten_event(true).with_writer(std::io::stderr);
            set_global_default(registry.with(layer.with_filter(filter)))
        }
    };
    started.map_err(|error| Failure::could_not("the log can't be started", error))
}

/// Starts recording metrics. The handle renders them.
pub fn start_metrics() -> Result<PrometheusHandle, Failure> {
    PrometheusBuilder::new()
        .install_recorder()
        .map_err(|error| Failure::could_not("metrics can't be counted", error))
}
