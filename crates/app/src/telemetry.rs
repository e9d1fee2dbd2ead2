//! Log lines and metrics.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use toolcrib_config::{LogFormat, Settings};
use toolcrib_connectors::embedded::Journal;
use tracing_subscriber::{
    EnvFilter, Layer as _, filter::dynamic_filter_fn, fmt, layer::SubscriberExt as _,
    util::SubscriberInitExt as _,
};

use crate::failure::Failure;

/// While it is set, calls are not logged: they are told, not made.
static LOGS_OFF: AtomicBool = AtomicBool::new(false);

/// Keeps calls out of the log until it is dropped.
pub struct LogsOff(());

impl LogsOff {
    /// From now on.
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

/// What the journal keeps, whatever is written: the service looks at its own calls and warnings.
const JOURNALED: &str = "info,sqlx=warn";

/// Writes log lines to standard error from now on, and into the journal of a service that watches itself.
pub fn start_log(settings: &Settings, journal: Option<&Arc<Journal>>) -> Result<(), Failure> {
    let filter: EnvFilter = settings
        .log_filter
        .parse()
        .map_err(|fault| Failure::Usage(format!("`--log-filter` is not a filter: {fault}")))?;
    let telling = dynamic_filter_fn(|metadata, _| {
        metadata.target() != "toolcrib::calls" || !LOGS_OFF.load(Ordering::SeqCst)
    });
    let journal = journal.map(|journal| journal.layer().with_filter(EnvFilter::new(JOURNALED)));
    let registry = tracing_subscriber::registry().with(telling).with(journal);
    let started = match settings.log_format {
        LogFormat::Text => registry
            .with(fmt::layer().with_writer(std::io::stderr).with_ansi(false).with_filter(filter))
            .try_init(),
        LogFormat::Json => {
            let layer = fmt::layer().json().flatten_event(true).with_writer(std::io::stderr);
            registry.with(layer.with_filter(filter)).try_init()
        }
    };
    started.map_err(|fault| Failure::could_not("the log can't be started", fault))
}

/// Counts from now on; the handle renders what was counted.
pub fn start_metrics() -> Result<PrometheusHandle, Failure> {
    PrometheusBuilder::new()
        .install_recorder()
        .map_err(|fault| Failure::could_not("metrics can't be counted", fault))
}
