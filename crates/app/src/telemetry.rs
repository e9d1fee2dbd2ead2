//! Logging and metrics.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use metrics_process::Collector;
use toolcrib_config::{LogFormat, Settings};
use toolcrib_connectors::embedded::Journal;
use toolcrib_store::Db;
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
/// calls and warnings. Strangers can't fill it with refused credentials.
const JOURNALED: &str = "info,sqlx=warn,toolcrib_auth=warn";

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

/// The upper bounds of the histograms, in seconds. Histograms, because summaries of several processes can't be added
/// up.
const BOUNDS: [f64; 14] =
    [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 60.0];
/// Those of waits for a connection, which are short.
const WAIT_BOUNDS: [f64; 9] = [0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.25, 1.0, 5.0];
/// Those of the assistant's runs, which wait for models and for people.
const RUN_BOUNDS: [f64; 12] = [0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3_600.0, 86_400.0];

#[derive(Clone)]
pub struct Metrics {
    recorded: PrometheusHandle,
    process: Collector,
}

impl Metrics {
    pub fn start() -> Result<Self, Failure> {
        let failure = |error| Failure::could_not("metrics can't be counted", error);
        let buckets = |builder: PrometheusBuilder, names, bounds: &[f64]| {
            builder.set_buckets_for_metric(names, bounds).map_err(failure)
        };
        let builder = buckets(PrometheusBuilder::new(), Matcher::Suffix("_seconds".into()), &BOUNDS)?;
        let builder = buckets(builder, Matcher::Prefix("toolcrib_pool_".into()), &WAIT_BOUNDS)?;
        let builder = buckets(builder, Matcher::Prefix("toolcrib_assistant_".into()), &RUN_BOUNDS)?;
        let recorded = builder.install_recorder().map_err(failure)?;
        Ok(Self { recorded, process: Collector::default() })
    }

    /// Returns the metrics in Prometheus' text format, those of the process and of the connections as they are now.
    pub fn render(&self, db: &Db) -> String {
        self.process.collect();
        db.record_connections();
        self.recorded.render()
    }

    /// Moves recorded values into the histograms.
    pub fn run_upkeep(&self) {
        self.recorded.run_upkeep();
    }
}
