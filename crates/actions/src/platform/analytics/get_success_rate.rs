//! Gets the share of executions that completed, and its change.

use toolcrib_engine::prelude::*;
use toolcrib_store::analytics::{self, Outcomes};

use super::{
    figures::{Ratio, percent, points},
    window::{Days, Window},
};

pub struct GetSuccessRate;

/// Outcome of the executions of a period.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Rate {
    /// The period. The previous period ends where the later one begins.
    #[serde(flatten)]
    pub window: Window,
    /// Number of executions that completed or failed in the period.
    pub samples: i64,
    /// Number of executions that completed.
    pub completed: i64,
    /// Number of executions that failed.
    pub failed: i64,
    /// Number of executions that were cancelled. The rate ignores them.
    pub cancelled: i64,
    /// Completed executions in percent of `samples`, to one decimal; null without samples.
    pub success_rate: Option<f64>,
}

impl Rate {
    fn new(window: Window, ended: Outcomes) -> Self {
        let samples = ended.completed + ended.failed;
        Self {
            window,
            samples,
            completed: ended.completed,
            failed: ended.failed,
            cancelled: ended.cancelled,
            success_rate: percent(ended.completed, samples),
        }
    }

    fn ratio(&self) -> Ratio {
        Ratio { part: self.completed, whole: self.samples }
    }
}

/// Result of `platform_get_success_rate`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The requested period.
    #[serde(flatten)]
    pub rate: Rate,
    /// The period of the same length before.
    pub previous: Rate,
    /// Change of the rate in percentage points, to one decimal; negative for a decrease. Null if a rate is null.
    pub change_points: Option<f64>,
}

impl ReadAction for GetSuccessRate {
    type Input = Days;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_success_rate", Category::Analytics, Permission::ANALYTICS_READ)
            .describe(
                "Get the share of executions that completed, and its change against the equal period before.",
            )
            .tags(&["success", "rate", "reliability", "completed", "trend"])
            .examples(&["How often do our runs succeed?", "Did the success rate drop this week?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Days) -> Result<Output, ActionError> {
        let window = Window::days(input.days, cx.now);
        let ended = analytics::outcomes(cx.tx, window.span()).await?;
        let ended_before = analytics::outcomes(cx.tx, window.span_before()).await?;
        let (rate, previous) = (Rate::new(window, ended), Rate::new(window.before(), ended_before));
        let change_points = points(rate.ratio(), previous.ratio());
        Ok(Output { rate, previous, change_points })
    }

    fn describe(_: &Days, output: &Output) -> String {
        match output.rate.success_rate {
            Some(rate) => format!("{rate} % of {} completed", count(output.rate.samples, "execution")),
            None => "No execution completed or failed in this period".to_owned(),
        }
    }
}
