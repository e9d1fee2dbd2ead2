//! Read metrics: a preset, now or over time.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_connectors::{
    embedded::DataScope,
    prometheus::{Prometheus, When},
};
use toolcrib_engine::{ActionError, ExternalAction, ExternalCx};
use toolcrib_model::{ErrorCode, Ts};
use toolcrib_registry::{Category, Permission, Spec};

use super::{
    figures::{self, Answer},
    presets::{Preset, Series, Window},
    view::{EMBEDDED, PROMETHEUS, Scope, reach},
};
use crate::Infrastructure;

/// The action.
pub struct QueryPrometheus(pub Infrastructure);

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
    /// Between two points; at least 60 without a Prometheus. A range has at most 1,000 points.
    #[schemars(range(min = 1, max = 86_400))]
    pub step_seconds: Option<i64>,
}

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The preset that was answered, or the query as it was sent.
    #[schemars(extend("x-ours" = true))]
    pub query: String,
    /// `instant` or `range`.
    #[schemars(extend("x-ours" = true))]
    pub kind: &'static str,
    /// When it was read.
    pub at: Ts,
    /// Between two points, in seconds; null for an instant.
    pub step_seconds: Option<i64>,
    /// Values that Prometheus gave, or calls that this service computed its own figures from; 0: there is nothing to say.
    pub samples: u64,
    /// The figures.
    pub series: Vec<Series>,
    /// Whose figures they are.
    pub scope: Scope,
    /// What is left out, and why; null where nothing is.
    #[schemars(extend("x-ours" = true))]
    pub note: Option<String>,
    /// Where they are from.
    #[schemars(extend("x-ours" = true))]
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
        let text = input.query.as_deref().unwrap_or("health");
        let reach = reach(cx.caller);
        match (&self.0.connectors.prometheus, Preset::parse(text)) {
            (Some(prometheus), None) => self.promql(prometheus, text, reach, input).await,
            (Some(prometheus), Some(preset)) => self.figures(prometheus, preset, reach, input).await,
            (None, Some(preset)) => Ok(self.own(preset, reach, input)),
            (None, None) => Err(no_prometheus()),
        }
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Read {} series of `{}` from {} samples", output.series.len(), output.query, output.samples)
    }
}

impl QueryPrometheus {
    /// The caller's own query.
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

    /// A preset. What Prometheus knows nothing of is computed from this service's own calls.
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
        let note =
            "Prometheus has no series within reach for this preset: these are this service's own calls";
        own.note = Some(own.note.map_or_else(|| note.to_owned(), |more| format!("{note}; {more}")));
        Ok(own)
    }

    fn when(&self, input: &Input) -> When {
        figures::when(self.0.platform.now(), input.range_minutes.unwrap_or(0), input.step_seconds)
    }

    fn outside(&self, query: String, reach: DataScope, when: When, answer: Answer) -> Output {
        let kept = answer.series.len();
        let cut = format!("{kept} of {} series are shown: aggregate them, or ask for fewer", answer.in_all);
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

    /// A preset from what this service counted itself.
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
        "PromQL needs a Prometheus, and none is configured: set `prometheus_url`",
    )
    .hint("without one `query` may be health, error_rate, latency, saturation or all")
}
