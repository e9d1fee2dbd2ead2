//! The presets of metrics, computed from the calls that this service counted.

use toolcrib_connectors::embedded::{Calls, DataScope, Platform, Process, Sample};
use toolcrib_engine::prelude::*;

/// An instant covers the current minute and the four before.
const INSTANT_SECONDS: i64 = 4 * 60;
/// The finest step: calls are counted by the minute.
const FINEST: i64 = 60;
/// Number of points of a range without a given step.
const POINTS: i64 = 60;
/// Maximum number of recorded series in `all`.
const MAX_SERIES: usize = 500;

toolcrib_model::closed_set! {
    "a preset of metrics",
    /// A query without `PromQL`.
    Preset {
        Health = "health",
        ErrorRate = "error_rate",
        Latency = "latency",
        Saturation = "saturation",
        All = "all",
    }
}

/// One metric, now or over time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Series {
    /// Name of the metric.
    #[schemars(extend("x-untrusted" = "metrics"))]
    pub name: String,
    /// Labels, each as `name=value`.
    #[schemars(extend("x-untrusted" = "metrics"))]
    pub labels: Vec<String>,
    /// Unit, such as `ms` or `share` (0 to 1).
    #[schemars(extend("x-ours" = true))]
    pub unit: &'static str,
    /// Last value; null without data.
    pub value: Option<f64>,
    /// Values over time, oldest first; empty for an instant.
    pub points: Vec<Point>,
}

/// A value at a time.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct Point {
    /// End of the step.
    pub at: Ts,
    /// Value; null without data.
    pub value: Option<f64>,
}

/// The period of the query.
pub struct Window {
    pub now: Ts,
    /// Absent for an instant.
    pub step_seconds: Option<i64>,
    /// From and to of each step; an instant has one.
    steps: Vec<(Ts, Ts)>,
}

impl Window {
    pub fn new(now: Ts, range_minutes: i64, step_seconds: i64) -> Self {
        if range_minutes == 0 {
            return Self { now, step_seconds: None, steps: vec![(now.plus_seconds(-INSTANT_SECONDS), now)] };
        }
        let range = range_minutes * 60;
        let wanted = if step_seconds == 0 { range / POINTS } else { step_seconds };
        // Whole minutes, so that no minute is counted in two steps.
        let step = (wanted.clamp(FINEST, range.max(FINEST)) + FINEST - 1) / FINEST * FINEST;
        let count = (range + step - 1) / step;
        let steps = (0..count).rev().map(|back| {
            let to = now.plus_seconds(-back * step);
            (to.plus_seconds(FINEST - step), to)
        });
        Self { now, step_seconds: Some(step), steps: steps.collect() }
    }
}

impl Preset {
    /// Returns the series of the preset and the number of calls from which they are computed.
    pub fn answer(self, platform: &Platform, reach: DataScope, window: &Window) -> (Vec<Series>, u64) {
        let steps: Vec<(Ts, Calls)> =
            window.steps.iter().map(|(from, to)| (*to, platform.calls(reach, *from, *to))).collect();
        let samples = steps.iter().map(|(_, calls)| calls.total).sum();
        let has = |preset| self == preset || self == Self::All;
        let over = |name: &str, unit, value: fn(&Calls) -> Option<f64>| {
            series(name, unit, window.step_seconds.is_some(), &steps, value)
        };
        let mut found = Vec::new();
        if has(Self::Health) {
            found.push(over("calls", "calls", |calls| Some(count(calls.total))));
            found.push(over("success_share", "share", |calls| calls.share(calls.total - calls.errors)));
            found.extend(if reach == DataScope::Platform { health(platform) } else { Vec::new() });
        }
        if has(Self::ErrorRate) {
            found.push(over("error_share", "share", |calls| calls.share(calls.errors)));
            found.push(over("errors", "calls", |calls| Some(count(calls.errors))));
            found.push(over("refused", "calls", |calls| Some(count(calls.refused))));
        }
        if has(Self::Latency) {
            found.push(over("latency_p50", "ms", |calls| calls.quantile(0.50)));
            found.push(over("latency_p95", "ms", |calls| calls.quantile(0.95)));
            found.push(over("latency_p99", "ms", |calls| calls.quantile(0.99)));
        }
        if has(Self::Saturation) {
            found.push(over("limited_share", "share", |calls| calls.share(calls.limited)));
            found.extend(if reach == DataScope::Platform { process() } else { Vec::new() });
        }
        if self == Self::All && reach == DataScope::Platform {
            found.extend(platform.samples().into_iter().take(MAX_SERIES).map(recorded));
        }
        (found, samples)
    }

    /// Returns a note on what the result omits.
    pub fn note(self, reach: DataScope, window: &Window) -> Option<&'static str> {
        let beyond = matches!(self, Self::Health | Self::Saturation | Self::All);
        if beyond && reach != DataScope::Platform {
            return Some(
                "only system admins see components and the process, because they belong to no workspace",
            );
        }
        (beyond && window.step_seconds.is_some()).then_some(
            "components, the process and recorded series have only their value now, without points",
        )
    }
}

fn series(
    name: &str,
    unit: &'static str,
    range: bool,
    steps: &[(Ts, Calls)],
    value: fn(&Calls) -> Option<f64>,
) -> Series {
    let last = steps.last().and_then(|(_, calls)| value(calls));
    let points = steps.iter().filter(|_| range).map(|(at, calls)| Point { at: *at, value: value(calls) });
    Series { name: name.to_owned(), labels: Vec::new(), unit, value: last, points: points.collect() }
}

fn now(name: &str, labels: Vec<String>, unit: &'static str, value: Option<f64>) -> Series {
    Series { name: name.to_owned(), labels, unit, value, points: Vec::new() }
}

fn health(platform: &Platform) -> Vec<Series> {
    let uptime = platform.now().micros_since(platform.started()).max(0) / 1_000_000;
    let mut found = vec![now("uptime", Vec::new(), "s", Some(count(uptime.unsigned_abs())))];
    found.extend(platform.components().into_iter().map(|component| {
        let up = component.ok.map(|ok| if ok { 1.0 } else { 0.0 });
        now("up", vec![format!("component={}", component.name)], "", up)
    }));
    found
}

fn process() -> Vec<Series> {
    let process = Process::now();
    vec![
        now("memory", Vec::new(), "bytes", process.resident_bytes.map(count)),
        now("threads", Vec::new(), "", process.threads.map(count)),
    ]
}

fn recorded(sample: Sample) -> Series {
    let labels = sample.labels.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
    now(&sample.name, labels, "", Some(sample.value).filter(|value| value.is_finite()))
}

#[expect(clippy::cast_precision_loss, reason = "counts and bytes are far below 2^52")]
fn count(n: u64) -> f64 {
    n as f64
}
