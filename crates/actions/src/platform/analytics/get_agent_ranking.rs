//! Compare agents by success, speed or work done.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_model::Id;
use toolcrib_registry::{Category, Permission, Spec};
use toolcrib_store::analytics::{self, OfAgent};

use super::{
    figures::{median, percent, real, seconds},
    window::Window,
};

/// Agents with fewer samples are not compared.
const FEWEST: i64 = 5;

/// The action.
pub struct GetAgentRanking;

/// What agents are compared by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Metric {
    /// Completed executions per hundred that completed or failed; more is better.
    #[default]
    SuccessRate,
    /// The median time of completed executions in seconds; less is better.
    MedianTime,
    /// Executions that completed; more is better.
    Completed,
}

/// What it takes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What agents are compared by; `success_rate` unless said.
    pub metric: Option<Metric>,
    /// How many; 20 unless said.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
}

/// An agent of the ranking.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Item {
    /// 1 for the best; equals share a rank.
    pub rank: usize,
    /// The agent.
    pub agent_id: Id,
    /// Its name.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub name: String,
    /// The metric: per hundred to one decimal, seconds to three, or a count.
    pub value: f64,
    /// How many executions that is made of: completed ones whose beginning is known for `median_time`, else those that
    /// completed or failed.
    pub samples: i64,
}

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The time that was looked at: 30 times 24 hours.
    #[serde(flatten)]
    pub window: Window,
    /// What agents are compared by.
    pub metric: Metric,
    /// Agents with fewer samples are not compared.
    pub min_samples: i64,
    /// How many agents are compared.
    pub compared: usize,
    /// How many have executions, but too few.
    pub below_min_samples: usize,
    /// The best agents, the best first; equals by name.
    pub items: Vec<Item>,
}

impl ReadAction for GetAgentRanking {
    const SPEC: Spec =
        Spec::read("platform_get_agent_ranking", Category::Analytics, Permission::ANALYTICS_READ)
            .describe(
                "Rank agents by success rate, median time or completed executions; none with fewer than 5.",
            )
            .tags(&["agent", "ranking", "best", "compare", "leaderboard"])
            .examples(&["Which agent is the most reliable?", "Who is the fastest agent?"]);
    type Input = Input;
    type Output = Output;

    async fn run(cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
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
            Some(best) => format!("The best of {} agents is `{}`", output.compared, best.name),
            None => format!("No agent has {FEWEST} executions to compare"),
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

    /// The better one is less.
    fn better(self, a: &OfAgent, b: &OfAgent) -> std::cmp::Ordering {
        match self {
            Self::SuccessRate => (b.completed * self.samples(a)).cmp(&(a.completed * self.samples(b))),
            Self::MedianTime => middle(a).cmp(&middle(b)),
            Self::Completed => b.completed.cmp(&a.completed),
        }
    }
}

/// Only asked of agents with samples.
fn middle(row: &OfAgent) -> i64 {
    median(row.low, row.high).unwrap_or_default()
}
