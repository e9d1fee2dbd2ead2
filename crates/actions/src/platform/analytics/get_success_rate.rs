//! The share of executions that completed, and its change.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_registry::{Category, Permission, Spec};
use toolcrib_store::analytics::{self, Outcomes};

use super::{
    figures::{Ratio, percent, points},
    window::{Days, Window},
};

/// The action.
pub struct GetSuccessRate;

/// How the executions of a time ended.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Rate {
    /// The time; that before ends where the later one begins.
    #[serde(flatten)]
    pub window: Window,
    /// Executions that completed or failed in it.
    pub samples: i64,
    /// Those that completed.
    pub completed: i64,
    /// Those that failed.
    pub failed: i64,
    /// Those that were cancelled: they ended neither way and don't count.
    pub cancelled: i64,
    /// Completed executions per hundred that completed or failed, to one decimal; null where none did.
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

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The time that was asked for.
    #[serde(flatten)]
    pub rate: Rate,
    /// The time of the same length before it.
    pub previous: Rate,
    /// How many percentage points the rate is above the one before, to one decimal, negative where it fell; null
    /// where one of them is.
    pub change_points: Option<f64>,
}

impl ReadAction for GetSuccessRate {
    const SPEC: Spec =
        Spec::read("platform_get_success_rate", Category::Analytics, Permission::ANALYTICS_READ)
            .describe(
                "Get the share of executions that completed, and its change against the equal period before.",
            )
            .tags(&["success", "rate", "reliability", "completed", "trend"])
            .examples(&["How often do our runs succeed?", "Did the success rate drop this week?"]);
    type Input = Days;
    type Output = Output;

    async fn run(cx: &mut ReadCx<'_>, input: &Days) -> Result<Output, ActionError> {
        let window = input.window(cx.now);
        let rate = Rate::new(window, analytics::outcomes(cx.tx, window.span()).await?);
        let ended_before = analytics::outcomes(cx.tx, window.span_before()).await?;
        let previous = Rate::new(window.before(), ended_before);
        let change_points = points(rate.ratio(), previous.ratio());
        Ok(Output { rate, previous, change_points })
    }

    fn describe(_: &Days, output: &Output) -> String {
        match output.rate.success_rate {
            Some(rate) => format!("{rate} % of {} executions completed", output.rate.samples),
            None => "No execution completed or failed in this time".to_owned(),
        }
    }
}
