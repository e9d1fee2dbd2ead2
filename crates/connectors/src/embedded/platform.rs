//! The service's view of itself, behind one handle.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use futures_util::future::join_all;
use toolcrib_model::{Clock, SystemClock, Ts};

use super::{
    Calls, DataScope, Sample,
    alerts::{Alert, AlertBook},
    journal::Journal,
    probe::{Component, ComponentKind, Probe},
    rules, samples,
};

/// The name of this service among the services.
pub const SERVICE: &str = "toolcrib";
/// How long a component may take to answer.
const PATIENCE: Duration = Duration::from_secs(3);

type Render = Box<dyn Fn() -> String + Send + Sync>;

/// What this service knows about itself.
pub struct Platform {
    clock: Arc<dyn Clock>,
    started: Ts,
    journal: Arc<Journal>,
    metrics: Option<Render>,
    probes: Vec<Box<dyn Probe>>,
    components: Mutex<Vec<Component>>,
    alerts: Mutex<AlertBook>,
}

impl Platform {
    /// Over a log, with no components yet. It counts as started now.
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

    /// Reads its metrics from what `render` writes in the Prometheus text format.
    #[must_use]
    pub fn with_metrics(mut self, render: impl Fn() -> String + Send + Sync + 'static) -> Self {
        self.metrics = Some(Box::new(render));
        self
    }

    /// Watches one more component.
    #[must_use]
    pub fn watch(mut self, probe: impl Probe + 'static) -> Self {
        let component = Component {
            name: probe.name().to_owned(),
            kind: probe.kind(),
            ok: None,
            latency_ms: None,
            since: self.started,
            checked_at: None,
            fault: None,
        };
        self.components.get_mut().unwrap_or_else(PoisonError::into_inner).push(component);
        self.probes.push(Box::new(probe));
        self
    }

    /// Asks every component that is due, all at once, and looks for what is wrong. To be called every few seconds.
    pub async fn observe(&self) {
        let due = self.due();
        let checks = self.probes.iter().zip(due).map(|(probe, due)| async move {
            if !due {
                return None;
            }
            let begun = tokio::time::Instant::now();
            let answer = tokio::time::timeout(PATIENCE, probe.check()).await;
            let answer = answer.unwrap_or_else(|_| Err("no answer in time".to_owned()));
            Some((answer, begun.elapsed().as_secs_f64() * 1_000.0))
        });
        let answers = join_all(checks).await;
        let now = self.clock.now();
        for (component, answer) in lock(&self.components).iter_mut().zip(answers) {
            let Some((answer, took)) = answer else { continue };
            let ok = Some(answer.is_ok());
            if component.ok != ok && component.checked_at.is_some() {
                component.since = now;
            }
            component.ok = ok;
            component.checked_at = Some(now);
            component.latency_ms = answer.is_ok().then_some(took);
            component.fault = answer.err();
        }
        self.look(now);
    }

    /// For each component whether its last answer is too old.
    fn due(&self) -> Vec<bool> {
        let now = self.clock.now();
        let components = lock(&self.components);
        let of = components.iter().zip(&self.probes);
        of.map(|(component, probe)| {
            let micros = probe.every_seconds().saturating_mul(1_000_000);
            component.checked_at.is_none_or(|at| now.micros_since(at) >= micros)
        })
        .collect()
    }

    /// The components as they were when they were last asked, this service first.
    pub fn components(&self) -> Vec<Component> {
        let now = self.clock.now();
        let own = Component {
            name: SERVICE.to_owned(),
            kind: ComponentKind::Service,
            ok: Some(true),
            latency_ms: None,
            since: self.started,
            checked_at: Some(now),
            fault: None,
        };
        let mut all = vec![own];
        all.extend(lock(&self.components).iter().cloned());
        all
    }

    /// The alerts within reach that last or ended at or after `from`.
    pub fn alerts(&self, reach: DataScope, from: Ts) -> Vec<Alert> {
        self.look(self.clock.now());
        lock(&self.alerts).list(reach, from)
    }

    /// The calls within reach in the minutes from that of `from` to that of `to`.
    pub fn calls(&self, reach: DataScope, from: Ts, to: Ts) -> Calls {
        self.journal.calls().sum(reach, from, to)
    }

    /// The log.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// The metrics of the whole platform.
    pub fn samples(&self) -> Vec<Sample> {
        self.metrics.as_ref().map(|render| samples(&render())).unwrap_or_default()
    }

    /// When it started.
    pub fn started(&self) -> Ts {
        self.started
    }

    /// The time.
    pub fn now(&self) -> Ts {
        self.clock.now()
    }

    fn look(&self, now: Ts) {
        let components = lock(&self.components).clone();
        let found = rules::evaluate(now, &self.journal.calls(), &components);
        lock(&self.alerts).update(now, found);
    }
}

impl Default for Platform {
    /// On the machine's clock, with a log that nothing feeds and no components.
    fn default() -> Self {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock);
        Self::new(clock.clone(), Journal::new(clock, Journal::LINES))
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

impl fmt::Debug for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Platform").field("started", &self.started).finish_non_exhaustive()
    }
}
