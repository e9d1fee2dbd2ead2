//! One score of how well the agents are used.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_registry::{Category, Permission, Spec};
use toolcrib_store::analytics;

use super::{figures::percent, window::Window};

/// What the share of agents with work counts for.
const AGENTS_WEIGHT: i64 = 60;
/// What the share of completed executions counts for.
const COMPLETION_WEIGHT: i64 = 40;

/// The action.
pub struct GetEfficiencyScore;

/// What it takes: nothing.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {}

/// A part of the score.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Part {
    /// The time that was looked at.
    #[serde(flatten)]
    pub window: Window,
    /// How much of the score it can give.
    pub weight: i64,
    /// What was counted: active agents, or executions that completed or failed.
    pub samples: i64,
    /// Those of them that count: agents with work, or completed executions.
    pub reached: i64,
    /// `reached` per hundred `samples`, to one decimal; null where there is nothing to count.
    pub share_percent: Option<f64>,
}

impl Part {
    fn new(window: Window, weight: i64, reached: i64, samples: i64) -> Self {
        Self { window, weight, samples, reached, share_percent: percent(reached, samples) }
    }
}

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// 0 to 100, to one decimal: each part's weight times its share. Null where a part has nothing to count.
    pub score: Option<f64>,
    /// Active agents, and those with a model call in 7 days or an execution that ended in them or runs.
    pub agents: Part,
    /// Executions that completed or failed in 24 hours.
    pub completion: Part,
}

impl ReadAction for GetEfficiencyScore {
    const SPEC: Spec = Spec::read(
        "platform_get_efficiency_score",
        Category::Analytics,
        Permission::ANALYTICS_READ,
    )
    .describe("Get one score of how well agents are used: 60 % agents with work, 40 % completed executions.")
    .tags(&["efficiency", "score", "utilisation", "agents", "kpi"])
    .examples(&["How efficient are our agents?", "What is our efficiency score?"]);
    type Input = Input;
    type Output = Output;

    async fn run(cx: &mut ReadCx<'_>, _: &Input) -> Result<Output, ActionError> {
        let (week, day) = (Window::days(Some(7), cx.now), Window::days(Some(1), cx.now));
        let agents = analytics::agent_utilization(cx.tx, week.span()).await?;
        let ended = analytics::outcomes(cx.tx, day.span()).await?;
        let agents = Part::new(week, AGENTS_WEIGHT, agents.working, agents.active);
        let finished = ended.completed + ended.failed;
        let completion = Part::new(day, COMPLETION_WEIGHT, ended.completed, finished);
        Ok(Output { score: score(&agents, &completion), agents, completion })
    }

    fn describe(_: &Input, output: &Output) -> String {
        match output.score {
            Some(score) => format!("The efficiency score is {score} of 100"),
            None => "There is no score: not enough happened to count".to_owned(),
        }
    }
}

/// The parts' weights times their shares, over one denominator so that nothing is rounded twice.
fn score(a: &Part, b: &Part) -> Option<f64> {
    let weighted = a.weight * a.reached * b.samples + b.weight * b.reached * a.samples;
    percent(weighted, 100 * a.samples * b.samples)
}
