//! Computes one score of how well the agents are used.

use toolcrib_engine::prelude::*;
use toolcrib_store::analytics;

use super::{figures::percent, window::Window};
use crate::shared::NoArguments;

/// Weight of the share of agents with work.
const AGENTS_WEIGHT: i64 = 60;
/// Weight of the share of completed executions.
const COMPLETION_WEIGHT: i64 = 40;

pub struct GetEfficiencyScore;

/// One part of the score.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Part {
    /// Period of the figures.
    #[serde(flatten)]
    pub window: Window,
    /// Weight of the part in the score.
    pub weight: i64,
    /// Number of active agents, or of executions that completed or failed.
    pub samples: i64,
    /// Number of those that have work or that completed.
    pub reached: i64,
    /// `reached` in percent of `samples`, to one decimal; null without samples.
    pub share_percent: Option<f64>,
}

impl Part {
    fn new(window: Window, weight: i64, reached: i64, samples: i64) -> Self {
        Self { window, weight, samples, reached, share_percent: percent(reached, samples) }
    }
}

/// Result of `platform_get_efficiency_score`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Score, 0 to 100, to one decimal: the sum of weight times share of each part. Null if a part has no samples.
    pub score: Option<f64>,
    /// Active agents and those of them with a model call or an ended execution in 7 days or with a running
    /// execution.
    pub agents: Part,
    /// Executions that completed or failed in 24 hours.
    pub completion: Part,
}

impl ReadAction for GetEfficiencyScore {
    type Input = NoArguments;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_efficiency_score", Category::Analytics, Permission::ANALYTICS_READ)
            .describe("Get one score of how well agents are used: 60 % agents with work, 40 % completed executions.")
            .tags(&["efficiency", "score", "utilisation", "agents", "kpi"])
            .examples(&["How efficient are our agents?", "What is our efficiency score?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, _: &NoArguments) -> Result<Output, ActionError> {
        let (week, day) = (Window::days(Some(7), cx.now), Window::days(Some(1), cx.now));
        let agents = analytics::agent_utilization(cx.tx, week.span()).await?;
        let ended = analytics::outcomes(cx.tx, day.span()).await?;
        let agents = Part::new(week, AGENTS_WEIGHT, agents.working, agents.active);
        let finished = ended.completed + ended.failed;
        let completion = Part::new(day, COMPLETION_WEIGHT, ended.completed, finished);
        Ok(Output { score: score(&agents, &completion), agents, completion })
    }

    fn describe(_: &NoArguments, output: &Output) -> String {
        match output.score {
            Some(score) => format!("The efficiency score is {score} of 100"),
            None => "There is no score: a part has no samples".to_owned(),
        }
    }
}

/// Returns the sum of the parts' weights times their shares. Uses one denominator, so that nothing is rounded
/// twice.
fn score(a: &Part, b: &Part) -> Option<f64> {
    let weighted = a.weight * a.reached * b.samples + b.weight * b.reached * a.samples;
    percent(weighted, 100 * a.samples * b.samples)
}
