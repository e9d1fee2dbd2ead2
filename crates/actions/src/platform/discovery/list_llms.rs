//! List the models of the catalogue.

use std::cmp::Reverse;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolcrib_engine::{ActionError, ReadAction, ReadCx};
use toolcrib_registry::{Category, Permission, Spec};
use toolcrib_store::models;

use crate::shared::models::ModelView;

/// The action.
pub struct ListLlms;

/// What a model can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Capability {
    /// Calls tools.
    Tools,
    /// Looks at images.
    Vision,
    /// Thinks before it answers.
    Reasoning,
    /// Answers in a given JSON shape.
    Json,
}

/// What a model costs, roughly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Tier {
    /// Nothing but one's own machines.
    Free,
    /// Little.
    Budget,
    /// More.
    Mid,
    /// Much.
    Premium,
}

/// In which order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Sort {
    /// Cheapest first: a million tokens in and a million out.
    #[default]
    Cost,
    /// Longest context first.
    Context,
    /// By name.
    Name,
}

/// What it takes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only models that can do this.
    pub capability: Option<Capability>,
    /// Only models of this price class.
    pub tier: Option<Tier>,
    /// The order; cost unless said.
    pub sort: Option<Sort>,
    /// How many; 20 unless said.
    #[schemars(range(min = 1, max = 100))]
    pub limit: Option<i64>,
}

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The models.
    pub items: Vec<ModelView>,
    /// How many fit, shown or not.
    pub total: usize,
    /// The day that prices and limits are of; null where it is not known.
    #[schemars(extend("x-ours" = true))]
    pub catalogue_date: Option<String>,
}

impl ReadAction for ListLlms {
    const SPEC: Spec = Spec::read("platform_list_llms", Category::Discovery, Permission::DISCOVERY_READ)
        .describe("List language models with prices, context and capabilities. Installed ones: platform_list_workspace_models.")
        .tags(&["model", "llm", "price", "context", "provider"])
        .examples(&["Which is the cheapest model that can call tools?"]);
    type Input = Input;
    type Output = Output;

    async fn run(cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let rows = models::all(cx.tx).await?;
        let mut items: Vec<ModelView> =
            rows.into_iter().map(ModelView::from).filter(|model| wanted(input, model)).collect();
        match input.sort.unwrap_or_default() {
            Sort::Cost => items.sort_by_key(|model| (cost(model), model.model.clone())),
            Sort::Context => items.sort_by_key(|model| (Reverse(model.context_tokens), model.model.clone())),
            Sort::Name => items.sort_by_key(|model| (model.name.to_lowercase(), model.model.clone())),
        }
        let total = items.len();
        items.truncate(usize::try_from(input.limit.unwrap_or(20)).unwrap_or(20));
        Ok(Output { items, total, catalogue_date: models::catalogue_date(cx.tx).await? })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Listed {} of {} models", output.items.len(), output.total)
    }
}

fn cost(model: &ModelView) -> i64 {
    model.input_microusd_per_mtok.saturating_add(model.output_microusd_per_mtok)
}

fn wanted(input: &Input, model: &ModelView) -> bool {
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
