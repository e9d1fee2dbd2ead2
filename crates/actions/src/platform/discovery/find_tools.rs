//! Finds actions for a task.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_discovery::no_tool_hint;
use toolcrib_engine::{CallerTools, mask_query, prelude::*};
use toolcrib_registry::{ActionMeta, FIND_TOOLS};

use super::tool_view::HowToCall;
use crate::shared::words::found;

pub struct FindTools;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The task in plain words of any language.
    #[schemars(length(min = 1, max = 2_000))]
    pub query: String,
    /// Maximum number of actions. Default: 8.
    #[schemars(range(min = 1, max = 25))]
    pub limit: Option<i64>,
}

/// An action that fits the task.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Found {
    /// Full name of the action.
    #[schemars(extend("x-ours" = true))]
    pub name: Arc<str>,
    /// Relevance, 0 to 1.
    pub score: f64,
    /// Description of the action.
    #[schemars(extend("x-ours" = true))]
    pub description: Arc<str>,
    /// Permission level.
    pub permission_level: Level,
    /// Category of the action.
    #[schemars(extend("x-ours" = true))]
    pub category: &'static str,
    /// The call to make.
    pub how_to_call: HowToCall,
    /// JSON Schema of the parameters.
    #[schemars(extend("x-ours" = true))]
    pub parameters: Value,
}

/// Result of `platform_find_tools`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Actions that the caller may call, best match first.
    pub items: Vec<Found>,
    /// Advice if no action fits well; otherwise null.
    #[schemars(extend("x-ours" = true))]
    pub hint: Option<String>,
}

impl ReadAction for FindTools {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read(FIND_TOOLS, Category::Discovery, Permission::DISCOVERY_READ)
            .promoted()
            .always_offered()
            .describe("Find the actions for a task in plain words. Returns schemas and how to call each. Use it when no tool fits.")
            .tags(&["tools", "search", "capabilities", "actions", "help"])
            .examples(&["Which tool schedules a report?", "Is there anything to export chats?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let limit = usize::try_from(input.limit.unwrap_or(8)).unwrap_or(8);
        let query = mask_query(cx.tx, cx.tools.catalog.search(), &input.query).await?;
        let hits = cx.tools.search(&query, None, limit);
        let hint = no_tool_hint(hits.first().map_or(0.0, |(_, score)| *score));
        let items = hits.into_iter().map(|(meta, score)| hit(&cx.tools, meta, score)).collect();
        Ok(Output { items, hint })
    }

    fn describe(input: &Input, output: &Output) -> String {
        let weak = if output.hint.is_some() { "; no action fits well" } else { "" };
        found(output.items.len(), "action", &input.query) + weak
    }
}

fn hit(tools: &CallerTools<'_>, meta: &ActionMeta, score: f32) -> Found {
    Found {
        name: meta.spec.name.clone(),
        // More decimals carry no information.
        score: (f64::from(score) * 1_000.0).round() / 1_000.0,
        description: meta.spec.description.clone(),
        permission_level: meta.spec.level,
        category: meta.spec.category.as_str(),
        how_to_call: HowToCall::of(tools, meta),
        parameters: meta.input.read().into_owned(),
    }
}
