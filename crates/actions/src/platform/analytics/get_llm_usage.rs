//! Counts model requests and tokens by model and provider.

use toolcrib_engine::prelude::*;
use toolcrib_store::analytics::{self, ModelUse};

use super::window::{Days, Window};

/// Maximum number of models.
const SHOWN: usize = 100;

pub struct GetLlmUsage;

/// Usage of one model.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Item {
    /// Name of the model.
    #[schemars(extend("x-untrusted" = "usage records"))]
    pub model: String,
    /// Provider of the model.
    #[schemars(extend("x-untrusted" = "usage records"))]
    pub provider: String,
    /// Number of model calls.
    pub requests: i64,
    /// Number of input tokens.
    pub input_tokens: i64,
    /// Number of output tokens.
    pub output_tokens: i64,
}

/// Result of `platform_get_llm_usage`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Period of the figures.
    #[serde(flatten)]
    pub window: Window,
    /// Number of reported model calls.
    pub samples: i64,
    /// Total of input tokens; null without samples.
    pub input_tokens: Option<i64>,
    /// Total of output tokens; null without samples.
    pub output_tokens: Option<i64>,
    /// Usage by model and provider, most requests first; at most 100.
    pub items: Vec<Item>,
    /// Number of further items.
    pub left_out: usize,
}

impl ReadAction for GetLlmUsage {
    type Input = Days;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_get_llm_usage", Category::Analytics, Permission::ANALYTICS_READ)
            .describe("Count model requests and tokens by model and provider. For cost use platform_get_cost_breakdown.")
            .tags(&["llm", "tokens", "requests", "usage", "model"])
            .examples(&["How many tokens did we use this month?", "Which model is used most?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Days) -> Result<Output, ActionError> {
        let window = Window::days(input.days, cx.now);
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
        format!("Counted {}", count(output.samples, "model call"))
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
