//! The service's monitoring data about itself, behind one handle, and the operating system's figures about its process.

use std::{fmt, fs, sync::Arc, time::Duration};

use futures_util::future::join_all;
use parking_lot::Mutex;
use toolcrib_model::{Clock, SystemClock, Ts};

use super::{
    Calls, DataScope, Sample,
    alerts::{Alert, AlertLog},
    journal::Journal,
    probe::{Component, ComponentKind, Probe},
    rules, samples,
};

/// The name of this service among the components.
pub const SERVICE: &str = "toolcrib";
const TIMEOUT: Duration = Duration::from_secs(3);

type Render = Box<dyn Fn() -> String + Send + Sync>;

/// The monitoring data of this service: log, calls, components, alerts and metrics.
pub struct Platform {
    clock: Arc<dyn Clock>,
    started: Ts,
    journal: Arc<Journal>,
    metrics: Option<Render>,
    probes: Vec<Box<dyn Probe>>,
    components: Mutex<Vec<Component>>,
    alerts: Mutex<AlertLog>,
}

impl Platform {
    /// Creates the handle for a journal, without components. The start time is now.
    pub fn new(clock: Arc<dyn Clock>, journal: Arc<Journal>) -> Self {
        Self {
            started: clock.now(),
            clock,
            journal,
            metrics: None,
            probes: Vec::new(),
            components: Mutex::default(),
            alerts: Mutex::default(),
        }
    }

    /// Sets the source of metrics. `render` returns the Prometheus text format.
    #[must_use]
    pub fn with_metrics(mut self, render: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.metrics = Some(Box::new(render));
        self
    }

    /// Adds a component to watch.
    #[must_use]
    pub fn watch(mut self, probe: impl Probe + 'static) -> Self {
        let component = Component {
            name: probe.name().to_owned(),
            kind: probe.kind(),
            ok: None,
            latency_ms: None,
            since: self.started,
            checked_at: None,
            error: None,
        };
        self.components.get_mut().push(component);
        self.probes.push(Box::new(probe));
        self
    }

    /// Runs the due probes concurrently and evaluates the alert rules. Call this every few seconds.
    pub async fn observe(&self) {
        let due = self.due();
        let checks = self.probes.iter().zip(due).map(|(probe, due)| async move {
            if !due {
                return None;
            }
            let begun = tokio::time::Instant::now();
            let answer = tokio::time::timeout(TIMEOUT, probe.check()).await;
            let answer = answer.unwrap_or_else(|_| Err("no answer in time".to_owned()));
            Some((answer, begun.elapsed().as_secs_f64() * 1_000.0))
        });
        let answers = join_all(checks).await;
        let now = self.clock.now();
        for (component, answer) in self.components.lock().iter_mut().zip(answers) {
            let Some((answer, took)) = answer else { continue };
            let ok = Some(answer.is_ok());
            if component.ok != ok && component.checked_at.is_some() {
                component.since = now;
            }
            component.ok = ok;
            component.checked_at = Some(now);
            component.latency_ms = answer.is_ok().then_some(took);
            component.error = answer.err();
        }
        self.update_alerts(now);
    }

    /// Returns for each component whether its next check is due.
    fn due(&self) -> Vec<bool> {
        let now = self.clock.now();
        let components = self.components.lock();
        let of = components.iter().zip(&self.probes);
        of.map(|(component, probe)| {
            let micros = probe.every_seconds().saturating_mul(1_000_000);
            component.checked_at.is_none_or(|at| now.micros_since(at) >= micros)
        })
        .collect()
    }

    /// Returns the components with the result of their last check. This service comes first.
    pub fn components(&self) -> Vec<Component> {
        let now = self.clock.now();
        let own = Component {
            name: SERVICE.to_owned(),
            kind: ComponentKind::Service,
            ok: Some(true),
            latency_ms: None,
            since: self.started,
            checked_at: Some(now),
            error: None,
        };
        let mut all = vec![own];
        all.extend(self.components.lock().iter().cloned());
        all
    }

    /// Returns the alerts in the scope that fire or ended at or after `from`.
    pub fn alerts(&self, reach: DataScope, from: Ts) -> Vec<Alert> {
        self.update_alerts(self.clock.now());
        self.alerts.lock().list(reach, from)
    }

    /// Returns the calls in the scope, from the minute of `from` to the minute of `to`, both included.
    pub fn calls(&self, reach: DataScope, from: Ts, to: Ts) -> Calls {
        self.journal.calls().sum(reach, from, to)
    }

    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Returns the metrics of the whole platform, without the buckets of histograms, of which there are thousands.
    /// Empty without a source of metrics.
    pub fn samples(&self) -> Vec<Sample> {
        self.metrics.as_ref().map(|render| samples(&render())).unwrap_or_default()
    }

    /// Returns when the service started.
    pub fn started(&self) -> Ts {
        self.started
    }

    /// Returns the current time.
    pub fn now(&self) -> Ts {
        self.clock.now()
    }

    fn update_alerts(&self, now: Ts) {
        let components = self.components.lock().clone();
        let found = rules::evaluate(now, &self.journal.calls(), &components);
        self.alerts.lock().update(now, found);
    }
}

impl Default for Platform {
    /// Uses the system clock, an empty journal and no components.
    fn default() -> Self {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        Self::new(clock.clone(), Journal::new(clock, Journal::LINES))
    }
}

impl fmt::Debug for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Platform").field("started", &self.started).finish_non_exhaustive()
    }
}

/// The figures of this process. A figure that the system does not report is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Process {
    /// Memory in use, in bytes.
    pub resident_bytes: Option<u64>,
    /// The peak memory use, in bytes.
    pub peak_bytes: Option<u64>,
    pub threads: Option<u64>,
}

impl Process {
    /// Reads the current figures. Every figure is `None` on systems other than Linux.
    pub fn now() -> Self {
        fs::read_to_string("/proc/self/status").map(|text| Self::of(&text)).unwrap_or_default()
    }

    pub(super) fn of(status: &str) -> Self {
        let number = |name: &str| -> Option<u64> {
            let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
            line.split_whitespace().next()?.parse().ok()
        };
        let bytes = |name| number(name)?.checked_mul(1_024);
        Self { resident_bytes: bytes("VmRSS"), peak_bytes: bytes("VmHWM"), threads: number("Threads") }
    }
}
