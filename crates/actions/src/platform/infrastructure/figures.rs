//! The presets of metrics as PromQL, over metrics that services usually export and those that this one exports.

use futures_util::future::try_join_all;
use toolcrib_connectors::{
    embedded::DataScope,
    prometheus::{Prometheus, QueryError, SeriesResult, When},
};
use toolcrib_engine::prelude::*;

use super::{
    presets::{Point, Preset, Series},
    view::{log, upstream},
};

/// The name of the service in error messages.
const PROMETHEUS: &str = "Prometheus";
/// Number of points of a range without a given step.
const POINTS: i64 = 60;
/// Maximum number of points of a range, with any step.
const MAX_POINTS: i64 = 1_000;
/// Minimum step if none is given, in seconds: services are rarely scraped more often.
const FINEST: i64 = 15;

struct Figure {
    preset: Preset,
    name: &'static str,
    unit: &'static str,
    promql: &'static str,
}

const fn figure(preset: Preset, name: &'static str, unit: &'static str, promql: &'static str) -> Figure {
    Figure { preset, name, unit, promql }
}

/// All figures. A metric that no service exports has no series, and its figure is omitted.
const FIGURES: [Figure; 13] = [
    figure(Preset::Health, "up", "", "up"),
    figure(Preset::Health, "calls", "calls", "sum(increase(http_requests_total[5m]))"),
    figure(Preset::Health, "toolcrib_calls", "calls", "sum(increase(toolcrib_calls_total[5m]))"),
    figure(
        Preset::ErrorRate,
        "error_share",
        "share",
        "(sum(rate(http_requests_total{status=~\"5..\"}[5m]) or rate(http_requests_total{code=~\"5..\"}[5m])) \
         or vector(0)) / sum(rate(http_requests_total[5m]))",
    ),
    figure(
        Preset::ErrorRate,
        "toolcrib_error_share",
        "share",
        "(sum(rate(toolcrib_calls_total{outcome=~\"internal|upstream_error|timeout|.*_unavailable\"}[5m])) or vector(0)) \
         / sum(rate(toolcrib_calls_total[5m]))",
    ),
    figure(
        Preset::Latency,
        "latency_p50",
        "ms",
        "histogram_quantile(0.5, sum by (le) (rate(http_request_duration_seconds_bucket[5m]))) * 1000",
    ),
    figure(
        Preset::Latency,
        "latency_p95",
        "ms",
        "histogram_quantile(0.95, sum by (le) (rate(http_request_duration_seconds_bucket[5m]))) * 1000",
    ),
    figure(
        Preset::Latency,
        "latency_p99",
        "ms",
        "histogram_quantile(0.99, sum by (le) (rate(http_request_duration_seconds_bucket[5m]))) * 1000",
    ),
    figure(
        Preset::Latency,
        "toolcrib_latency_p95",
        "ms",
        "histogram_quantile(0.95, sum by (le) (rate(toolcrib_call_seconds_bucket[5m]))) * 1000",
    ),
    figure(Preset::Saturation, "memory", "bytes", "sum by (job) (process_resident_memory_bytes)"),
    figure(Preset::Saturation, "cpu", "cores", "sum by (job) (rate(process_cpu_seconds_total[5m]))"),
    figure(
        Preset::Saturation,
        "file_descriptors",
        "share",
        "max by (job) (process_open_fds / process_max_fds)",
    ),
    figure(
        Preset::Saturation,
        "toolcrib_limited",
        "calls",
        "sum(increase(toolcrib_calls_total{outcome=\"rate_limited\"}[5m]))",
    ),
];

/// The result of a query.
pub struct Answer {
    pub series: Vec<Series>,
    /// Number of series, including those not kept.
    pub in_all: usize,
    /// Number of values.
    pub samples: u64,
}

/// Returns the time of the query: now, or a range with its step.
pub fn when(now: Ts, range_minutes: i64, step_seconds: Option<i64>) -> When {
    if range_minutes == 0 {
        return When::At(now);
    }
    let range = range_minutes * 60;
    let finest = (range + MAX_POINTS - 1) / MAX_POINTS;
    let wanted = step_seconds.unwrap_or_else(|| (range / POINTS).max(FINEST));
    When::Over { from: now.plus_seconds(-range), to: now, step_seconds: wanted.max(finest) }
}

/// Queries every figure of a preset.
pub async fn preset(
    prometheus: &Prometheus,
    preset: Preset,
    reach: DataScope,
    when: When,
) -> Result<Answer, ActionError> {
    let wanted = FIGURES.iter().filter(|figure| preset == Preset::All || figure.preset == preset);
    let asked = wanted.map(|figure| async move {
        let scoped = prometheus.scope(figure.promql, reach);
        let scoped = scoped.map_err(|why| ActionError::internal(format!("`{}` {why}", figure.name)))?;
        match prometheus.query(&scoped, when).await {
            Ok(found) => Ok(answer(found, when, Some(figure.name), figure.unit)),
            Err(QueryError::Upstream(error)) => Err(upstream(PROMETHEUS, &error)),
            Err(QueryError::Query(why)) => {
                log(PROMETHEUS, &why);
                Err(ActionError::internal(format!("the figure `{}` can't be computed", figure.name)))
            }
        }
    });
    let mut all = Answer { series: Vec::new(), in_all: 0, samples: 0 };
    for one in try_join_all(asked).await? {
        all.series.extend(one.series);
        all.in_all += one.in_all;
        all.samples += one.samples;
    }
    Ok(all)
}

/// Runs the caller's query. Returns the query as it was sent, and its result.
pub async fn promql(
    prometheus: &Prometheus,
    text: &str,
    reach: DataScope,
    when: When,
) -> Result<(String, Answer), ActionError> {
    let scoped = prometheus
        .scope(text, reach)
        .map_err(|why| ActionError::invalid("/query", "promql", why.to_string()))?;
    match prometheus.query(&scoped, when).await {
        Ok(found) => Ok((scoped.as_str().to_owned(), answer(found, when, None, ""))),
        Err(QueryError::Upstream(error)) => Err(upstream(PROMETHEUS, &error)),
        Err(QueryError::Query(why)) => {
            let told =
                "can't be computed by Prometheus; check its functions and how its operators match labels";
            log(PROMETHEUS, &why);
            Err(ActionError::invalid("/query", "promql", told))
        }
    }
}

fn answer(found: SeriesResult, when: When, name: Option<&str>, unit: &'static str) -> Answer {
    let range = matches!(when, When::Over { .. });
    let mut samples = 0;
    let series = found.series.into_iter().map(|mut one| {
        let metric = one.labels.remove("__name__");
        samples += u64::try_from(one.points.len()).unwrap_or(u64::MAX);
        let points = one.points.iter().map(|(at, value)| Point { at: *at, value: finite(*value) });
        let points: Vec<Point> = points.collect();
        Series {
            name: name.map_or_else(|| metric.unwrap_or_else(|| "value".to_owned()), str::to_owned),
            labels: one.labels.into_iter().map(|(name, value)| format!("{name}={value}")).collect(),
            unit,
            value: points.last().and_then(|point| point.value),
            points: if range { points } else { Vec::new() },
        }
    });
    let series = series.collect();
    Answer { series, in_all: found.in_all, samples }
}

/// Returns `None` for NaN and infinity, which JSON cannot represent.
fn finite(value: f64) -> Option<f64> {
    Some(value).filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use toolcrib_connectors::{Client, RequestLimits};
    use toolcrib_model::Id;

    use super::*;

    #[test]
    fn every_figure_is_a_query_that_can_be_limited() {
        let client = Client::new("http://localhost:9", None, RequestLimits::USUAL).unwrap();
        let prometheus = Prometheus::new(client, "workspace".parse().unwrap());
        for figure in &FIGURES {
            let scoped = prometheus.scope(figure.promql, DataScope::Workspace(Id::nil())).unwrap();
            assert!(scoped.as_str().contains("workspace="), "{}", figure.name);
            assert_ne!(figure.preset, Preset::All);
        }
    }

    #[test]
    fn a_range_has_no_more_points_than_are_read() {
        let now = Ts::from_micros(0);
        let step = |range, step| match when(now, range, step) {
            When::Over { step_seconds, .. } => step_seconds,
            When::At(_) => 0,
        };
        assert_eq!(step(0, Some(1)), 0);
        assert_eq!((step(5, None), step(60, None), step(1_440, None)), (15, 60, 1_440));
        assert_eq!((step(60, Some(1)), step(1_440, Some(1)), step(60, Some(600))), (4, 87, 600));
    }
}
