//! Checks success and duration of executions against targets.

use toolcrib_engine::prelude::*;
use toolcrib_store::analytics::{self, Durations, Outcomes};

use super::{
    figures::{percent, real, seconds},
    window::Window,
};

pub struct GetSlaCompliance;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Period in days of 24 hours. Default: 30.
    #[schemars(range(min = 1, max = 365))]
    pub days: Option<i64>,
    /// Target for completed executions in percent. Default: 95.
    #[schemars(range(min = 0, max = 100))]
    pub target_success: Option<f64>,
    /// Target for the 95th percentile of the duration, in seconds. Default: 120.
    #[schemars(range(min = 1))]
    pub target_seconds: Option<i64>,
}

/// Success compared with its target.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Success {
    /// Target in percent.
    pub target_percent: f64,
    /// Number of executions that completed or failed.
    pub samples: i64,
    /// Number of executions that completed.
    pub completed: i64,
    /// Completed executions in percent, to one decimal; null without samples.
    pub success_rate: Option<f64>,
    /// Whether the target is met, before rounding; null without samples.
    pub met: Option<bool>,
}

/// Duration compared with its target.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Duration {
    /// Target for the 95th percentile, in seconds.
    pub target_seconds: i64,
    /// Number of completed executions whose start is known.
    pub samples: i64,
    /// Number of executions within the target.
    pub within_target: i64,
    /// Executions within the target in percent, to one decimal; null without samples.
    pub within_target_percent: Option<f64>,
    /// 95th percentile of the duration in seconds; null without samples.
    pub p95_seconds: Option<f64>,
    /// Whether `p95_seconds` is at most `target_seconds`; null without samples.
    pub met: Option<bool>,
}

/// Result of `platform_get_sla_compliance`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Period of the figures.
    #[serde(flatten)]
    pub window: Window,
    /// Whether both targets are met; null if none is missed and one has no samples.
    pub compliant: Option<bool>,
    /// Success compared with its target.
    pub success: Success,
    /// Duration compared with its target.
    pub duration: Duration,
}

impl ReadAction for GetSlaCompliance {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_sla_compliance", Category::Analytics, Permission::ANALYTICS_READ)
            .describe(
                "Check executions against two targets (SLA): the share that completes, and the 95th percentile of duration.",
            )
            .tags(&["sla", "compliance", "target", "success", "duration"])
            .examples(&["Do we meet our SLA?", "Did 99 % of the runs succeed within a minute?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let window = Window::days(input.days, cx.now);
        let (target_success, target_seconds) =
            (input.target_success.unwrap_or(95.0), input.target_seconds.unwrap_or(120));
        let (span, most) = (window.span(), micros(target_seconds));
        let ended = analytics::outcomes(cx.tx, span).await?;
        let durations = analytics::durations(cx.tx, span, most).await?;
        let success = success(ended, target_success);
        let duration = duration(durations, target_seconds);
        let compliant = match (success.met, duration.met) {
            (Some(false), _) | (_, Some(false)) => Some(false),
            (Some(true), Some(true)) => Some(true),
            _ => None,
        };
        Ok(Output { window, compliant, success, duration })
    }

    fn describe(_: &Input, output: &Output) -> String {
        match output.compliant {
            Some(true) => "Both targets are met".to_owned(),
            Some(false) => "A target is missed".to_owned(),
            None => "There are too few executions to judge both targets".to_owned(),
        }
    }
}

fn success(ended: Outcomes, target: f64) -> Success {
    let (completed, samples) = (ended.completed, ended.completed + ended.failed);
    let met = real(completed.into()) * 100.0 >= target * real(samples.into());
    Success {
        target_percent: target,
        samples,
        completed,
        success_rate: percent(completed, samples),
        met: (samples > 0).then_some(met),
    }
}

const fn micros(seconds: i64) -> i64 {
    seconds.saturating_mul(1_000_000)
}

fn duration(durations: Durations, target: i64) -> Duration {
    Duration {
        target_seconds: target,
        samples: durations.samples,
        within_target: durations.at_most,
        within_target_percent: percent(durations.at_most, durations.samples),
        p95_seconds: durations.p95.map(seconds),
        met: durations.p95.map(|p95| p95 <= micros(target)),
    }
}
