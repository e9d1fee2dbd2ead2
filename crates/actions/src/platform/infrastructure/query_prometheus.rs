//! Reads metrics: a preset or `PromQL`, now or over time.

use toolcrib_connectors::{
    embedded::DataScope,
    prometheus::{Prometheus, When},
};
use toolcrib_engine::prelude::*;

use super::{
    figures::{self, Answer},
    presets::{Preset, Series, Window},
    view::{EMBEDDED, PROMETHEUS, Scope, reach},
};
use crate::Infrastructure;

pub struct QueryPrometheus(pub Infrastructure);

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Preset (`health`, `error_rate`, `latency`, `saturation`, `all`) or PromQL. Default: `health`.
    #[schemars(length(min = 1, max = 2000))]
    pub query: Option<String>,
    /// Length of the range in minutes; 0 means now. Default: 0.
    #[schemars(range(min = 0, max = 1_440))]
    pub range_minutes: Option<i64>,
    /// Seconds between two points, at least 60 without Prometheus. A range has at most 1,000 points.
    #[schemars(range(min = 1, max = 86_400))]
    pub step_seconds: Option<i64>,
}

/// Result of `platform_query_prometheus`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Name of the preset or the query as it was sent.
    #[schemars(extend("x-ours" = true))]
    pub query: String,
    /// Kind of result: `instant` or `range`.
    #[schemars(extend("x-ours" = true))]
    pub kind: &'static str,
    /// Time of the query.
    pub at: Ts,
    /// Seconds between two points; null for an instant.
    pub step_seconds: Option<i64>,
    /// Number of values from Prometheus, or of this service's calls behind the metrics; 0 without data.
    pub samples: u64,
    /// The metrics.
    pub series: Vec<Series>,
    /// Scope of the metrics.
    pub scope: Scope,
    /// What the result omits and why; null if nothing is omitted.
    #[schemars(extend("x-ours" = true))]
    pub note: Option<String>,
    /// Source of the metrics.
    #[schemars(extend("x-ours" = true))]
    pub source: &'static str,
}

impl ExternalAction for QueryPrometheus {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_query_prometheus", Category::Infrastructure, Permission::INFRASTRUCTURE_READ)
            .admin_only()
            .external()
            .describe(
                "Read metrics by preset (health, error_rate, latency, saturation, all) or PromQL, now or over time.",
            )
            .tags(&["metrics", "prometheus", "promql", "latency", "errors", "saturation"])
            .examples(&["How has latency been over the last hour?", "What is our error rate right now?"])
    }

    async fn run(&self, cx: &ExternalCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let text = input.query.as_deref().unwrap_or("health");
        let reach = reach(cx.caller);
        match (&self.0.connectors.prometheus, text.parse::<Preset>().ok()) {
            (Some(prometheus), None) => self.promql(prometheus, text, reach, input).await,
            (Some(prometheus), Some(preset)) => self.figures(prometheus, preset, reach, input).await,
            (None, Some(preset)) => Ok(self.own(preset, reach, input)),
            (None, None) => Err(no_prometheus()),
        }
    }

    fn describe(_: &Input, output: &Output) -> String {
        let samples = count(output.samples, "sample");
        format!("Read {} series of `{}` from {samples}", output.series.len(), output.query)
    }
}

impl QueryPrometheus {
    /// Runs the caller's own query.
    async fn promql(
        &self,
        prometheus: &Prometheus,
        text: &str,
        reach: DataScope,
        input: &Input,
    ) -> Result<Output, ActionError> {
        let when = self.when(input);
        let (sent, answer) = figures::promql(prometheus, text, reach, when).await?;
        Ok(self.outside(sent, reach, when, answer))
    }

    /// Queries a preset. Computes it from this service's own calls if Prometheus has no series.
    async fn figures(
        &self,
        prometheus: &Prometheus,
        preset: Preset,
        reach: DataScope,
        input: &Input,
    ) -> Result<Output, ActionError> {
        let when = self.when(input);
        let answer = figures::preset(prometheus, preset, reach, when).await?;
        if answer.in_all > 0 {
            return Ok(self.outside(preset.as_str().to_owned(), reach, when, answer));
        }
        let mut own = self.own(preset, reach, input);
        let note = "Prometheus has no series in scope for this preset; these metrics are of this service's own calls";
        own.note = Some(own.note.map_or_else(|| note.to_owned(), |more| format!("{note}; {more}")));
        Ok(own)
    }

    fn when(&self, input: &Input) -> When {
        figures::when(self.0.platform.now(), input.range_minutes.unwrap_or(0), input.step_seconds)
    }

    fn outside(&self, query: String, reach: DataScope, when: When, answer: Answer) -> Output {
        let kept = answer.series.len();
        let cut =
            format!("{kept} of {} series are shown; aggregate the series, or select fewer", answer.in_all);
        Output {
            query,
            kind: if matches!(when, When::At(_)) { "instant" } else { "range" },
            at: self.0.platform.now(),
            step_seconds: match when {
                When::At(_) => None,
                When::Over { step_seconds, .. } => Some(step_seconds),
            },
            samples: answer.samples,
            series: answer.series,
            scope: reach.into(),
            note: (kept < answer.in_all).then_some(cut),
            source: PROMETHEUS,
        }
    }

    /// Computes a preset from the calls that this service counted.
    fn own(&self, preset: Preset, reach: DataScope, input: &Input) -> Output {
        let platform = &self.0.platform;
        let (range, step) = (input.range_minutes.unwrap_or(0), input.step_seconds.unwrap_or_default());
        let window = Window::new(platform.now(), range, step);
        let (series, samples) = preset.answer(platform, reach, &window);
        Output {
            query: preset.as_str().to_owned(),
            kind: if window.step_seconds.is_some() { "range" } else { "instant" },
            at: window.now,
            step_seconds: window.step_seconds,
            samples,
            series,
            scope: reach.into(),
            note: preset.note(reach, &window).map(str::to_owned),
            source: EMBEDDED,
        }
    }
}

fn no_prometheus() -> ActionError {
    ActionError::new(
        ErrorCode::ConnectorNotConfigured,
        "PromQL needs a Prometheus server, and `prometheus_url` is not set",
    )
    .hint("use a preset as `query` (health, error_rate, latency, saturation or all), or ask the operator for a Prometheus server")
}
