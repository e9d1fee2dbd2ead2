//! Read metrics: a preset, now or over time.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_connectors::embedded::Platform;
use toolcrib_engine::{ActionError, ExternalAction, ExternalCx};
use toolcrib_model::{ErrorCode, Ts};
use toolcrib_registry::{Category, Permission, Spec};

use super::{
    presets::{Preset, Series, Window},
    view::{EMBEDDED, Scope, reach},
};

/// The action.
pub struct QueryPrometheus(pub Arc<Platform>);

/// What it takes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// health, `error_rate`, latency, saturation, all, or `PromQL`.
    #[schemars(length(min = 1, max = 2000))]
    pub query: Option<String>,
    /// How far back; 0 (now) unless said.
    #[schemars(range(min = 0, max = 1_440))]
    pub range_minutes: Option<i64>,
    /// Between two points; at least 60 without a Prometheus.
    #[schemars(range(min = 1, max = 86_400))]
    pub step_seconds: Option<i64>,
}

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The preset that was answered.
    pub query: &'static str,
    /// `instant` or `range`.
    pub kind: &'static str,
    /// When it was read.
    pub at: Ts,
    /// Between two points, in seconds; null for an instant.
    pub step_seconds: Option<i64>,
    /// Calls that the figures were computed from; 0: there is nothing to say.
    pub samples: u64,
    /// The figures.
    pub series: Vec<Series>,
    /// Whose figures they are.
    pub scope: Scope,
    /// What is left out, and why; null where nothing is.
    pub note: Option<&'static str>,
    /// Where they are from.
    pub source: &'static str,
}

impl ExternalAction for QueryPrometheus {
    const SPEC: Spec = Spec::read(
        "platform_query_prometheus",
        Category::Infrastructure,
        Permission::INFRASTRUCTURE_READ,
    )
    .admin_only()
    .external()
    .describe(
        "Read metrics by preset (health, error_rate, latency, saturation, all) or PromQL, now or over time.",
    )
    .tags(&["metrics", "prometheus", "promql", "latency", "errors", "saturation"])
    .examples(&["How has latency been over the last hour?", "What is our error rate right now?"]);
    type Input = Input;
    type Output = Output;

    async fn run(&self, cx: &ExternalCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let preset = Preset::parse(input.query.as_deref().unwrap_or("health")).ok_or_else(no_prometheus)?;
        let reach = reach(cx.caller);
        let window = Window::new(
            self.0.now(),
            input.range_minutes.unwrap_or(0),
            input.step_seconds.unwrap_or_default(),
        );
        let (series, samples) = preset.answer(&self.0, reach, &window);
        Ok(Output {
            query: preset.as_str(),
            kind: if window.step_seconds.is_some() { "range" } else { "instant" },
            at: window.now,
            step_seconds: window.step_seconds,
            samples,
            series,
            scope: reach.into(),
            note: preset.note(reach, &window),
            source: EMBEDDED,
        })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Read {} series of `{}` from {} calls", output.series.len(), output.query, output.samples)
    }
}

fn no_prometheus() -> ActionError {
    ActionError::new(
        ErrorCode::ConnectorNotConfigured,
        "PromQL needs a Prometheus, and none is configured: set `prometheus_url`",
    )
    .hint("without one `query` may be health, error_rate, latency, saturation or all")
}
