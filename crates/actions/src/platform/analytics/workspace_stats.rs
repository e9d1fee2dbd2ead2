//! Gets the workspace's totals, top models and top agents.

use std::collections::BTreeMap;

use toolcrib_engine::prelude::*;
use toolcrib_store::{
    analytics::{self, AgentUse, AgentUtilization, Documents, ModelUse},
    llm_usage::UsageTotals,
};

use super::window::Window;

/// Number of models and of agents.
const TOP: usize = 5;

pub struct WorkspaceStats;

/// Length of the period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub enum Period {
    /// Since midnight in UTC.
    #[serde(rename = "today")]
    Today,
    /// 7 days of 24 hours.
    #[default]
    #[serde(rename = "7d")]
    Week,
    /// 30 days of 24 hours.
    #[serde(rename = "30d")]
    Month,
}

impl Period {
    fn window(self, now: Ts) -> Window {
        match self {
            Self::Today => Window::today(now),
            Self::Week => Window::days(Some(7), now),
            Self::Month => Window::days(Some(30), now),
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Length of the period; `today` is in UTC. Default: `7d`.
    #[schemars(extend("x-plain-words" = true))]
    pub period: Option<Period>,
}

/// Reported model calls.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Usage {
    /// Number of reported model calls.
    pub samples: i64,
    /// Number of input tokens; null without samples.
    pub input_tokens: Option<i64>,
    /// Number of output tokens; null without samples.
    pub output_tokens: Option<i64>,
    /// Cost in millionths of a US dollar; null without samples.
    pub cost_microusd: Option<i64>,
}

/// Numbers of executions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Executions {
    /// Number that completed in the period.
    pub completed: i64,
    /// Number that failed in the period.
    pub failed: i64,
    /// Number that were cancelled in the period.
    pub cancelled: i64,
    /// Number that are queued now.
    pub queued: i64,
    /// Number that are running now.
    pub running: i64,
}

/// A model with its calls.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TopModel {
    /// Name of the model.
    #[schemars(extend("x-untrusted" = "usage records"))]
    pub model: String,
    /// Number of calls.
    pub requests: i64,
    /// Cost in millionths of a US dollar.
    pub cost_microusd: i64,
}

/// An agent with its model calls.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct TopAgent {
    /// ID of the agent.
    pub agent_id: Id,
    /// Name of the agent; null if it was deleted.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub name: Option<String>,
    /// Number of model calls.
    pub requests: i64,
    /// Cost in millionths of a US dollar.
    pub cost_microusd: i64,
}

/// Result of `platform_workspace_stats`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Period of the figures.
    #[serde(flatten)]
    pub window: Window,
    /// Model calls in the period.
    pub usage: Usage,
    /// Executions.
    pub executions: Executions,
    /// Agents.
    pub agents: AgentUtilization,
    /// Documents.
    pub documents: Documents,
    /// The five models with the most calls.
    pub top_models: Vec<TopModel>,
    /// The five agents with the most model calls.
    pub top_agents: Vec<TopAgent>,
}

impl ReadAction for WorkspaceStats {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_workspace_stats", Category::Analytics, Permission::ANALYTICS_READ)
            .describe(
                "Get the workspace's totals: model calls, cost, executions, agents, documents, top models and agents.",
            )
            .tags(&["workspace", "statistics", "totals", "overview", "top"])
            .examples(&["How is our workspace doing this week?", "Show me today's numbers"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let window = input.period.unwrap_or_default().window(cx.now);
        let span = window.span();
        let ended = analytics::outcomes(cx.tx, span).await?;
        let open = analytics::open(cx.tx).await?;
        let agents = analytics::agent_utilization(cx.tx, span).await?;
        let documents = analytics::documents(cx.tx, span).await?;
        let used = analytics::used(cx.tx, span).await?;
        let models = analytics::used_by_model(cx.tx, span).await?;
        let top = analytics::used_by_agent(cx.tx, span).await?;
        Ok(Output {
            window,
            usage: used.into(),
            executions: Executions {
                completed: ended.completed,
                failed: ended.failed,
                cancelled: ended.cancelled,
                queued: open.queued,
                running: open.running,
            },
            agents,
            documents,
            top_models: top_models(models),
            top_agents: top_agents(top),
        })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let ended = &output.executions;
        format!(
            "{}, {} completed, {} failed",
            count(output.usage.samples, "model call"),
            count(ended.completed, "execution"),
            ended.failed
        )
    }
}

impl From<UsageTotals> for Usage {
    fn from(spent: UsageTotals) -> Self {
        let known = |sum: i64| (spent.samples > 0).then_some(sum);
        Self {
            samples: spent.samples,
            input_tokens: known(spent.input_tokens),
            output_tokens: known(spent.output_tokens),
            cost_microusd: known(spent.cost_microusd),
        }
    }
}

/// Returns the most used models. A model counts once, across its providers.
fn top_models(rows: Vec<ModelUse>) -> Vec<TopModel> {
    let mut models: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for row in rows {
        let sums = models.entry(row.model).or_default();
        *sums = (sums.0 + row.spent.samples, sums.1 + row.spent.cost_microusd);
    }
    let one = |(model, (requests, cost_microusd))| TopModel { model, requests, cost_microusd };
    let mut top: Vec<TopModel> = models.into_iter().map(one).collect();
    // The models are sorted by name. The sort is stable, so models with equal requests stay in this order.
    top.sort_by_key(|model| -model.requests);
    top.truncate(TOP);
    top
}

fn top_agents(rows: Vec<AgentUse>) -> Vec<TopAgent> {
    let one = |row: AgentUse| {
        let (requests, cost_microusd) = (row.spent.samples, row.spent.cost_microusd);
        Some(TopAgent { agent_id: row.agent_id?, name: row.name, requests, cost_microusd })
    };
    let mut top: Vec<TopAgent> = rows.into_iter().filter_map(one).collect();
    top.sort_by_key(|agent| (-agent.requests, agent.name.clone(), agent.agent_id));
    top.truncate(TOP);
    top
}
