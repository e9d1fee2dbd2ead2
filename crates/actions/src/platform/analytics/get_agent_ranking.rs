//! Ranks agents by success, speed or completed work.

use toolcrib_engine::prelude::*;
use toolcrib_store::analytics::{self, OfAgent};

use super::{
    figures::{median, percent, real, seconds},
    window::Window,
};

/// Minimum number of samples of a ranked agent.
const FEWEST: i64 = 5;

pub struct GetAgentRanking;

/// Metric of the ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Metric {
    /// Completed executions in percent of completed and failed ones (higher is better).
    #[default]
    SuccessRate,
    /// Median duration of completed executions in seconds (lower is better).
    MedianTime,
    /// Number of completed executions (higher is better).
    Completed,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Metric of the ranking. Default: `success_rate`.
    pub metric: Option<Metric>,
    /// Maximum number of items. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
}

/// A ranked agent.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Item {
    /// Rank, 1 for the best. Equal values share a rank.
    pub rank: usize,
    /// ID of the agent.
    pub agent_id: Id,
    /// Name of the agent.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub name: String,
    /// Value of the metric: percent to one decimal, seconds to three decimals, or a count.
    pub value: f64,
    /// Number of executions behind the value: for `median_time` completed ones with a known start, otherwise
    /// completed and failed ones.
    pub samples: i64,
}

/// Result of `platform_get_agent_ranking`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Period of the figures: 30 days of 24 hours.
    #[serde(flatten)]
    pub window: Window,
    /// Metric of the ranking.
    pub metric: Metric,
    /// Minimum number of samples of a ranked agent.
    pub min_samples: i64,
    /// Number of ranked agents.
    pub compared: usize,
    /// Number of agents with executions, but with fewer than `min_samples`.
    pub below_min_samples: usize,
    /// Agents, best first. Agents with equal values are sorted by name.
    pub items: Vec<Item>,
}

impl ReadAction for GetAgentRanking {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_agent_ranking", Category::Analytics, Permission::ANALYTICS_READ)
            .describe(
                "Rank agents by success rate, median time or completed executions; only agents with 5 or more executions.",
            )
            .tags(&["agent", "ranking", "best", "compare", "leaderboard"])
            .examples(&["Which agent is the most reliable?", "Who is the fastest agent?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let window = Window::days(None, cx.now);
        let metric = input.metric.unwrap_or_default();
        let rows = analytics::by_agent(cx.tx, window.span()).await?;
        let with_any: Vec<OfAgent> = rows.into_iter().filter(|row| metric.samples(row) > 0).collect();
        let all = with_any.len();
        let mut rows: Vec<OfAgent> =
            with_any.into_iter().filter(|row| metric.samples(row) >= FEWEST).collect();
        rows.sort_by(|a, b| {
            let name = |row: &OfAgent| (row.name.to_lowercase(), row.agent_id);
            metric.better(a, b).then_with(|| name(a).cmp(&name(b)))
        });
        let compared = rows.len();
        let mut items: Vec<Item> = Vec::new();
        for (place, row) in rows.iter().enumerate() {
            let equal =
                place > 0 && rows.get(place - 1).is_some_and(|above| metric.better(above, row).is_eq());
            let rank = if equal { items.last().map_or(1, |item| item.rank) } else { place + 1 };
            items.push(Item {
                rank,
                agent_id: row.agent_id,
                name: row.name.clone(),
                value: metric.value(row),
                samples: metric.samples(row),
            });
        }
        items.truncate(usize::try_from(input.limit.unwrap_or(20)).unwrap_or(20));
        Ok(Output { window, metric, min_samples: FEWEST, compared, below_min_samples: all - compared, items })
    }

    fn describe(_: &Input, output: &Output) -> String {
        match output.items.first() {
            Some(best) => format!("The best of {} is `{}`", count(output.compared, "agent"), best.name),
            None => format!("No agent has {FEWEST} or more executions"),
        }
    }
}

impl Metric {
    fn samples(self, row: &OfAgent) -> i64 {
        match self {
            Self::SuccessRate | Self::Completed => row.completed + row.failed,
            Self::MedianTime => row.timed,
        }
    }

    fn value(self, row: &OfAgent) -> f64 {
        match self {
            Self::SuccessRate => percent(row.completed, self.samples(row)).unwrap_or_default(),
            Self::MedianTime => seconds(middle(row)),
            Self::Completed => real(row.completed.into()),
        }
    }

    /// Orders the better agent first.
    fn better(self, a: &OfAgent, b: &OfAgent) -> std::cmp::Ordering {
        match self {
            Self::SuccessRate => (b.completed * self.samples(a)).cmp(&(a.completed * self.samples(b))),
            Self::MedianTime => middle(a).cmp(&middle(b)),
            Self::Completed => b.completed.cmp(&a.completed),
        }
    }
}

/// Returns the median duration of an agent with samples.
fn middle(row: &OfAgent) -> i64 {
    median(row.low, row.high).unwrap_or_default()
}
