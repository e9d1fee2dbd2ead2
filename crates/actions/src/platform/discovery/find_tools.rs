//! Find actions by what somebody wants to do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolcrib_discovery::NO_TOOL_BELOW;
use toolcrib_engine::{ActionError, CallerTools, ReadAction, ReadCx};
use toolcrib_registry::{ActionMeta, Category, Level, Permission, Spec};

use super::tool_view::{CategoryWord, HowToCall};

/// The action.
pub struct FindTools;

/// What it takes.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// What is to be done, in plain words of any language.
    pub query: String,
    /// How many; 8 unless said.
    #[schemars(range(min = 1, max = 25))]
    pub limit: Option<i64>,
}

/// An action that was found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Found {
    /// Its full name.
    #[schemars(extend("x-ours" = true))]
    pub name: &'static str,
    /// How well it fits, 0 to 1.
    pub score: f64,
    /// What it does, when to use it and when not.
    #[schemars(extend("x-ours" = true))]
    pub description: &'static str,
    /// What it may do to data.
    pub permission_level: Level,
    /// The section of the catalogue.
    pub category: CategoryWord,
    /// The call to make.
    pub how_to_call: HowToCall,
    /// The JSON Schema of its parameters.
    #[schemars(extend("x-ours" = true))]
    pub parameters: Value,
}

/// What it gives.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Actions that the caller may call, best first.
    pub items: Vec<Found>,
    /// What to make of the result where nothing fits well; null else.
    #[schemars(extend("x-ours" = true))]
    pub hint: Option<&'static str>,
}

impl ReadAction for FindTools {
    const SPEC: Spec = Spec::read("platform_find_tools", Category::Discovery, Permission::DISCOVERY_READ)
        .promoted()
        .always_offered()
        .describe("Find the actions for a task in plain words. Returns schemas and how to call each. Use it when no tool fits.")
        .tags(&["tools", "search", "capabilities", "actions", "help"])
        .examples(&["Which tool schedules a report?", "Is there anything to export chats?"]);
    type Input = Input;
    type Output = Output;

    async fn run(cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let limit = usize::try_from(input.limit.unwrap_or(8)).unwrap_or(8);
        let items: Vec<Found> = cx
            .tools
            .search(&input.query, None, limit)
            .into_iter()
            .map(|(meta, score)| found(&cx.tools, meta, score))
            .collect();
        let best = items.first().map_or(0.0, |best| best.score);
        let hint = (best < f64::from(NO_TOOL_BELOW))
            .then_some("nothing fits well; say it in other words, or look through `platform_list_tools`");
        Ok(Output { items, hint })
    }

    fn describe(input: &Input, output: &Output) -> String {
        format!("Found {} actions for `{}`", output.items.len(), input.query)
    }
}

fn found(tools: &CallerTools<'_>, meta: &ActionMeta, score: f32) -> Found {
    Found {
        name: meta.spec.name,
        // More decimals than this mean nothing, and make answers long.
        score: (f64::from(score) * 1_000.0).round() / 1_000.0,
        description: meta.spec.description,
        permission_level: meta.spec.level,
        category: CategoryWord(meta.spec.category),
        how_to_call: HowToCall::of(tools, meta),
        parameters: meta.input.value().clone(),
    }
}
