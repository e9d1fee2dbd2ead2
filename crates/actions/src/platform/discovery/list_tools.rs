//! Lists the actions that the caller may call.

use std::sync::Arc;

use toolcrib_engine::{CallerTools, prelude::*};
use toolcrib_registry::{ActionMeta, LIST_TOOLS};
use toolcrib_store::connections::{self, ConnectionRow};

use super::tool_view::CategoryWord;

pub struct ListTools;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Only actions of this category.
    pub category: Option<CategoryWord>,
    /// Words of the name, description or tags.
    pub search: Option<String>,
}

/// How an action is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum How {
    /// By its own name.
    Direct,
    /// Through `platform_execute`.
    Dispatcher,
}

/// An action.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ToolView {
    /// Full name of the action.
    #[schemars(extend("x-ours" = true))]
    pub name: Arc<str>,
    /// Category of the action.
    #[schemars(extend("x-ours" = true))]
    pub category: &'static str,
    /// Description of the action.
    #[schemars(extend("x-ours" = true))]
    pub description: Arc<str>,
    /// Permission level.
    pub permission_level: Level,
    /// How the action is called.
    pub how: How,
}

/// A connected app.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AppView {
    /// Slug of the app, as `platform_assign_tool_to_agent` takes it.
    #[schemars(extend("x-untrusted" = "names of connections"))]
    pub app: String,
    /// Name of the connection.
    #[schemars(extend("x-untrusted" = "names of connections"))]
    pub name: String,
}

/// Result of `platform_list_tools`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Actions in the order of the catalogue.
    pub items: Vec<ToolView>,
    /// Number of all actions that the caller may call.
    pub total: usize,
    /// Up to 100 connected apps; empty if `category` is given.
    pub apps: Vec<AppView>,
}

impl ReadAction for ListTools {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read(LIST_TOOLS, Category::Discovery, Permission::DISCOVERY_READ)
            .describe("List the actions you may call and the connected apps. To find one for a task use platform_find_tools.")
            .tags(&["tools", "actions", "catalogue", "abilities", "apps"])
            .examples(&["What can you do?", "Which actions are there for playbooks?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let allowed = cx.tools.allowed();
        let words: Vec<String> =
            input.search.as_deref().unwrap_or_default().split_whitespace().map(str::to_lowercase).collect();
        let wanted = |meta: &ActionMeta| {
            input.category.is_none_or(|word| word.0 == meta.spec.category)
                && words.iter().all(|word| mentions(meta, word))
        };
        let items = allowed.iter().filter(|meta| wanted(meta)).map(|meta| view(&cx.tools, meta)).collect();
        let apps = if input.category.is_none() { apps(cx, &words).await? } else { Vec::new() };
        Ok(Output { items, total: allowed.len(), apps })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Listed {} of {}", output.items.len(), count(output.total, "action"))
    }
}

async fn apps(cx: &mut ReadCx<'_>, words: &[String]) -> Result<Vec<AppView>, ActionError> {
    if !cx.caller.holds(&Permission::INTEGRATIONS_READ) {
        return Ok(Vec::new());
    }
    let rows = connections::list(cx.tx, Cursor::START, 100).await?;
    let mentions = |row: &ConnectionRow, word: &String| {
        row.app.contains(word.as_str()) || row.name.to_lowercase().contains(word.as_str())
    };
    let rows = rows.into_iter().filter(|row| words.iter().all(|word| mentions(row, word)));
    Ok(rows.map(|row| AppView { app: row.app, name: row.name }).collect())
}

fn mentions(meta: &ActionMeta, word: &str) -> bool {
    let spec = &meta.spec;
    spec.name.contains(word)
        || spec.description.to_lowercase().contains(word)
        || spec.tags.iter().any(|tag| tag.contains(word))
}

fn view(tools: &CallerTools<'_>, meta: &ActionMeta) -> ToolView {
    ToolView {
        name: meta.spec.name.clone(),
        category: meta.spec.category.as_str(),
        description: meta.spec.description.clone(),
        permission_level: meta.spec.level,
        how: if tools.promoted(meta) { How::Direct } else { How::Dispatcher },
    }
}
