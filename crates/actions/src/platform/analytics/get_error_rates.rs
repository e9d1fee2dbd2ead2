//! Failure rates by the role of agents.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_registry::{Category, Permission, Spec};
use toolcrib_store::analytics;

use super::{
    figures::percent,
    window::{Days, Window},
};

/// The action.
pub struct GetErrorRates;

/// How bad a rate is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Standing {
    /// Below 5 in a hundred.
    Good,
    /// Below 10 in a hundred.
    Warning,
    /// 10 in a hundred or more.
    Critical,
}

/// How often something failed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Rate {
    /// Executions that completed or failed.
    pub samples: i64,
    /// Those that failed.
    pub failed: i64,
    /// Failed executions per hundred, to one decimal; null where there are none.
    pub error_rate: Option<f64>,
    /// How bad that is; null where there are none.
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

/// How often executions of one role's agents failed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Item {
    /// `chatbot`, `worker`, `researcher` or `coder`; null for executions of no agent, or of one that is gone.
    #[schemars(extend("x-ours" = true))]
    pub role: Option<String>,
    /// How often.
    #[serde(flatten)]
    pub rate: Rate,
}

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The time that was looked at.
    #[serde(flatten)]
    pub window: Window,
    /// All executions.
    #[serde(flatten)]
    pub all: Rate,
    /// By role, the worst first; roles without executions are left out.
    pub items: Vec<Item>,
}

impl ReadAction for GetErrorRates {
    const SPEC: Spec = Spec::read(
        "platform_get_error_rates",
        Category::Analytics,
        Permission::ANALYTICS_READ,
    )
    .describe(
        "Get how often executions fail, by role of agent: good below 5 %, warning below 10 %, else critical.",
    )
    .tags(&["error", "failure", "rate", "role", "health"])
    .examples(&["Which kind of agent fails most?", "What is our error rate?"]);
    type Input = Days;
    type Output = Output;

    async fn run(cx: &mut ReadCx<'_>, input: &Days) -> Result<Output, ActionError> {
        let window = input.window(cx.now);
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
            Some(rate) => format!("{rate} % of {} executions failed", output.all.samples),
            None => "No execution completed or failed in this time".to_owned(),
        }
    }
}
