//! Gets failure rates by role of agent.

use toolcrib_engine::prelude::*;
use toolcrib_store::analytics;

use super::{
    figures::percent,
    window::{Days, Window},
};

pub struct GetErrorRates;

/// Assessment of an error rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Standing {
    /// Below 5 %.
    Good,
    /// Below 10 %.
    Warning,
    /// 10 % or more.
    Critical,
}

/// Failure rate of executions.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Rate {
    /// Number of executions that completed or failed.
    pub samples: i64,
    /// Number of executions that failed.
    pub failed: i64,
    /// Failed executions in percent, to one decimal; null without samples.
    pub error_rate: Option<f64>,
    /// Assessment of the rate; null without samples.
    pub standing: Option<Standing>,
}

impl Rate {
    fn new(completed: i64, failed: i64) -> Self {
        let samples = completed + failed;
        let standing = match samples {
            0 => None,
            _ if failed * 100 < samples * 5 => Some(Standing::Good),
            _ if failed * 100 < samples * 10 => Some(Standing::Warning),
            _ => Some(Standing::Critical),
        };
        Self { samples, failed, error_rate: percent(failed, samples), standing }
    }
}

/// Failure rate of one role.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Item {
    /// Role: `chatbot`, `worker`, `researcher` or `coder`; null for executions without an agent or of a deleted
    /// agent.
    #[schemars(extend("x-ours" = true))]
    pub role: Option<String>,
    /// Failure rate of the role's executions.
    #[serde(flatten)]
    pub rate: Rate,
}

/// Result of `platform_get_error_rates`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Period of the figures.
    #[serde(flatten)]
    pub window: Window,
    /// All executions.
    #[serde(flatten)]
    pub all: Rate,
    /// Rates by role, highest first. Roles without executions are omitted.
    pub items: Vec<Item>,
}

impl ReadAction for GetErrorRates {
    type Input = Days;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_error_rates", Category::Analytics, Permission::ANALYTICS_READ)
            .describe(
                "Get the share of executions that fail, by role of agent: good below 5 %, warning below 10 %, else critical.",
            )
            .tags(&["error", "failure", "rate", "role", "health"])
            .examples(&["Which kind of agent fails most?", "What is our error rate?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Days) -> Result<Output, ActionError> {
        let window = Window::days(input.days, cx.now);
        let mut rows = analytics::by_role(cx.tx, window.span()).await?;
        rows.retain(|row| row.completed + row.failed > 0);
        rows.sort_by(|a, b| {
            // By failed ÷ all, without dividing.
            let (left, right) = (a.failed * (b.completed + b.failed), b.failed * (a.completed + a.failed));
            right.cmp(&left).then_with(|| a.role.cmp(&b.role))
        });
        let completed = rows.iter().map(|row| row.completed).sum();
        let failed = rows.iter().map(|row| row.failed).sum();
        let items =
            rows.into_iter().map(|row| Item { role: row.role, rate: Rate::new(row.completed, row.failed) });
        Ok(Output { window, all: Rate::new(completed, failed), items: items.collect() })
    }

    fn describe(_: &Days, output: &Output) -> String {
        match output.all.error_rate {
            Some(rate) => format!("{rate} % of {} failed", count(output.all.samples, "execution")),
            None => "No execution completed or failed in this period".to_owned(),
        }
    }
}
