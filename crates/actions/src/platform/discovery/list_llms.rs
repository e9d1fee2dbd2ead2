//! Lists the models of the catalogue.

use std::cmp::Reverse;

use toolcrib_engine::prelude::*;
use toolcrib_store::models::{self, ModelRow};

pub struct ListLlms;

/// Capability of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Capability {
    /// Calls tools.
    Tools,
    /// Reads images.
    Vision,
    /// Reasons before it answers.
    Reasoning,
    /// Answers in a given JSON schema.
    Json,
}

/// Price class of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Tier {
    /// Runs on own machines only, without a price.
    Free,
    /// Low price.
    Budget,
    /// Medium price.
    Mid,
    /// High price.
    Premium,
}

/// Order of the models.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Sort {
    /// Lowest price of a million input and a million output tokens first.
    #[default]
    Cost,
    /// Longest context first.
    Context,
    /// By name.
    Name,
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only models with this capability.
    #[schemars(extend("x-plain-words" = true))]
    pub capability: Option<Capability>,
    /// Only models of this price class.
    #[schemars(extend("x-plain-words" = true))]
    pub tier: Option<Tier>,
    /// Order: lowest `cost`, longest `context` or `name`. Default: `cost`.
    pub sort: Option<Sort>,
    /// Maximum number of items. Default: 20.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
}

/// Result of `platform_list_llms`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Models that match.
    pub items: Vec<ModelRow>,
    /// Number of models that match, including those not returned.
    pub total: usize,
    /// Date of the prices and limits; null if unknown.
    #[schemars(extend("x-ours" = true))]
    pub catalogue_date: Option<String>,
}

impl ReadAction for ListLlms {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_list_llms", Category::Discovery, Permission::DISCOVERY_READ)
            .describe("List language models with prices, context and capabilities. Installed ones: platform_list_workspace_models.")
            .tags(&["model", "llm", "price", "context", "provider"])
            .examples(&["Which is the cheapest model that can call tools?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let rows = models::all(cx.tx).await?;
        let catalogue_date = models::catalogue_date(cx.tx).await?;
        let mut items: Vec<ModelRow> = rows.into_iter().filter(|model| wanted(input, model)).collect();
        match input.sort.unwrap_or_default() {
            Sort::Cost => items.sort_by_key(|model| (cost(model), model.model.clone())),
            Sort::Context => items.sort_by_key(|model| (Reverse(model.context_tokens), model.model.clone())),
            Sort::Name => items.sort_by_key(|model| (model.name.to_lowercase(), model.model.clone())),
        }
        let total = items.len();
        items.truncate(usize::try_from(input.limit.unwrap_or(20)).unwrap_or(20));
        Ok(Output { items, total, catalogue_date })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Listed {} of {}", output.items.len(), count(output.total, "model"))
    }
}

fn cost(model: &ModelRow) -> i64 {
    model.input_microusd_per_mtok.saturating_add(model.output_microusd_per_mtok)
}

fn wanted(input: &Input, model: &ModelRow) -> bool {
    let capability = input.capability.map(|capability| match capability {
        Capability::Tools => "tools",
        Capability::Vision => "vision",
        Capability::Reasoning => "reasoning",
        Capability::Json => "json",
    });
    let tier = input.tier.map(|tier| match tier {
        Tier::Free => "free",
        Tier::Budget => "budget",
        Tier::Mid => "mid",
        Tier::Premium => "premium",
    });
    capability.is_none_or(|word| model.capabilities.iter().any(|known| known == word))
        && tier.is_none_or(|word| model.tier == word)
}
