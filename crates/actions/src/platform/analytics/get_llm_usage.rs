//! Count model requests and tokens by model and provider.

use schemars::JsonSchema;
use serde::Serialize;
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_registry::{Category, Permission, Spec};
use toolcrib_store::analytics::{self, ModelUse};

use super::window::{Days, Window};

/// So many of the models are shown.
const SHOWN: usize = 100;

/// The action.
pub struct GetLlmUsage;

/// What one model used.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Item {
    /// The model.
    #[schemars(extend("x-untrusted" = "usage records"))]
    pub model: String,
    /// Who serves it.
    #[schemars(extend("x-untrusted" = "usage records"))]
    pub provider: String,
    /// Model calls.
    pub requests: i64,
    /// Tokens read.
    pub input_tokens: i64,
    /// Tokens written.
    pub output_tokens: i64,
}

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The time that was looked at.
    #[serde(flatten)]
    pub window: Window,
    /// Model calls that were reported.
    pub samples: i64,
    /// Tokens read by all; null where there were no calls.
    pub input_tokens: Option<i64>,
    /// Tokens written by all; null where there were no calls.
    pub output_tokens: Option<i64>,
    /// By model and provider, most requests first; at most 100.
    pub items: Vec<Item>,
    /// How many more there are.
    pub left_out: usize,
}

impl ReadAction for GetLlmUsage {
    const SPEC: Spec = Spec::read("platform_get_llm_usage", Category::Analytics, Permission::ANALYTICS_READ)
        .describe("Count model requests and tokens by model and provider. For money use get_cost_breakdown.")
        .tags(&["llm", "tokens", "requests", "usage", "model"])
        .examples(&["How many tokens did we use this month?", "Which model is used most?"]);
    type Input = Days;
    type Output = Output;

    async fn run(cx: &mut ReadCx<'_>, input: &Days) -> Result<Output, ActionError> {
        let window = input.window(cx.now);
        let mut rows = analytics::used_by_model(cx.tx, window.span()).await?;
        let sum = |field: fn(&ModelUse) -> i64| rows.iter().map(field).sum::<i64>();
        let samples = sum(|row| row.spent.samples);
        let (read, written) = (sum(|row| row.spent.input_tokens), sum(|row| row.spent.output_tokens));
        rows.sort_by(|a, b| {
            let key = |row: &ModelUse| {
                (std::cmp::Reverse(row.spent.samples), row.model.clone(), row.provider.clone())
            };
            key(a).cmp(&key(b))
        });
        Ok(Output {
            window,
            samples,
            input_tokens: (samples > 0).then_some(read),
            output_tokens: (samples > 0).then_some(written),
            left_out: rows.len().saturating_sub(SHOWN),
            items: rows.into_iter().take(SHOWN).map(Item::from).collect(),
        })
    }

    fn describe(_: &Days, output: &Output) -> String {
        format!("{} model calls were reported", output.samples)
    }
}

impl From<ModelUse> for Item {
    fn from(row: ModelUse) -> Self {
        Self {
            model: row.model,
            provider: row.provider,
            requests: row.spent.samples,
            input_tokens: row.spent.input_tokens,
            output_tokens: row.spent.output_tokens,
        }
    }
}
