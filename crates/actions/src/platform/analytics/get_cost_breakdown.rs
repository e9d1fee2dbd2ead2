//! Splits the cost of model calls by model, agent or day.

use std::collections::BTreeMap;

use toolcrib_engine::prelude::*;
use toolcrib_model::dollars;
use toolcrib_store::{analytics, llm_usage::UsageTotals};

use super::{
    figures::percent,
    window::{Window, date},
};

/// Maximum number of parts: every day of a year.
const SHOWN: usize = 366;

pub struct GetCostBreakdown;

/// Dimension of the split.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum GroupBy {
    /// By model.
    #[default]
    Model,
    /// By agent.
    Agent,
    /// By day in UTC.
    Day,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Period in days of 24 hours. Default: 30.
    #[schemars(range(min = 1, max = 365))]
    pub days: Option<i64>,
    /// Dimension of the split. Default: `model`.
    #[schemars(extend("x-plain-words" = true))]
    pub group_by: Option<GroupBy>,
}

/// One part of the cost.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Item {
    /// Model, name of the agent, or day such as `2026-01-31`; null for calls without an agent or of a deleted agent.
    #[schemars(extend("x-untrusted" = "usage records"))]
    pub name: Option<String>,
    /// ID of the agent, if the cost is split by agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<Id>,
    /// Number of model calls.
    pub requests: i64,
    /// Cost in millionths of a US dollar.
    pub cost_microusd: i64,
    /// Cost in percent of the total, to one decimal; null if the total is 0.
    pub share_percent: Option<f64>,
}

/// Result of `platform_get_cost_breakdown`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Period of the figures.
    #[serde(flatten)]
    pub window: Window,
    /// Dimension of the split.
    pub group_by: GroupBy,
    /// Number of reported model calls.
    pub samples: i64,
    /// Total cost in millionths of a US dollar; null without samples.
    pub total_microusd: Option<i64>,
    /// Parts, at most 366: days in order, otherwise highest cost first. Parts without calls are omitted.
    pub items: Vec<Item>,
    /// Number of further parts.
    pub left_out: usize,
}

impl ReadAction for GetCostBreakdown {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_cost_breakdown", Category::Analytics, Permission::ANALYTICS_READ)
            .describe("Split the cost of model calls by model, agent or day, each part with its share of the total.")
            .tags(&["cost", "spend", "money", "budget", "breakdown"])
            .examples(&["What did we spend last month, by model?", "Which agent costs the most?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let window = Window::days(input.days, cx.now);
        let group_by = input.group_by.unwrap_or_default();
        let mut items = parts(cx, window, group_by).await?;
        let samples = items.iter().map(|item| item.requests).sum();
        let total = items.iter().map(|item| item.cost_microusd).sum();
        for item in &mut items {
            item.share_percent = percent(item.cost_microusd, total);
        }
        if group_by != GroupBy::Day {
            items.sort_by(|a, b| {
                let key =
                    |item: &Item| (-item.cost_microusd, -item.requests, item.name.clone(), item.agent_id);
                key(a).cmp(&key(b))
            });
        }
        let left_out = items.len().saturating_sub(SHOWN);
        items.truncate(SHOWN);
        let total_microusd = (samples > 0).then_some(total);
        Ok(Output { window, group_by, samples, total_microusd, items, left_out })
    }

    fn describe(_: &Input, output: &Output) -> String {
        match output.total_microusd {
            Some(total) => {
                format!("{} cost {}", count(output.samples, "model call"), dollars(total))
            }
            None => "No model calls were reported".to_owned(),
        }
    }
}

/// Returns the parts, before their shares are computed.
async fn parts(cx: &mut ReadCx<'_>, window: Window, group_by: GroupBy) -> Result<Vec<Item>, ActionError> {
    let span = window.span();
    Ok(match group_by {
        GroupBy::Model => {
            let mut models: BTreeMap<String, UsageTotals> = BTreeMap::new();
            for row in analytics::used_by_model(cx.tx, span).await? {
                let spent = models.entry(row.model).or_default();
                spent.samples += row.spent.samples;
                spent.cost_microusd += row.spent.cost_microusd;
            }
            models.into_iter().map(|(model, spent)| item(Some(model), None, spent)).collect()
        }
        GroupBy::Agent => {
            let rows = analytics::used_by_agent(cx.tx, span).await?;
            rows.into_iter().map(|row| item(row.name, row.agent_id, row.spent)).collect()
        }
        GroupBy::Day => {
            let rows = analytics::used_by_day(cx.tx, span).await?;
            rows.into_iter().map(|row| item(Some(date(row.day)), None, row.spent)).collect()
        }
    })
}

fn item(name: Option<String>, agent_id: Option<Id>, spent: UsageTotals) -> Item {
    Item { name, agent_id, requests: spent.samples, cost_microusd: spent.cost_microusd, share_percent: None }
}
