//! What a tool list shows, and how it is rendered in the shape of a provider.
#![deny(missing_docs)]

use std::{collections::HashSet, sync::Arc};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use toolcrib_registry::{
    ActionMeta, Allocation, CallerDefaults, Detail, Dispatcher, Format, Tool, allocate_strict,
    estimated_tokens, render, tool_choice,
};

use super::{Strategy, Strict};
use crate::catalog::Catalog;

/// About how many bytes a value takes for each token of its JSON, which has four characters.
const BYTES_PER_TOKEN: usize = 24;

/// A tool list.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ToolList {
    /// Tools, in the provider's format.
    pub tools: Value,
    /// Value of `tool_choice`, in the provider's format. Absent without tools: then leave both out of the request to the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<Value>,
    /// Strategy by which the tools were chosen.
    pub strategy: Strategy,
    /// Format of the provider.
    pub format: Format,
    /// Number of actions that this caller may call.
    pub actions: usize,
    /// Estimated tokens of the tools.
    pub tokens: usize,
    /// Names of the tools that are strict.
    pub strict: Vec<String>,
    /// Why the other tools are not strict, and how the provider's budget was spent. Absent unless strict tools were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict_explained: Option<Allocation>,
    /// Names of the tools that the budget left out.
    pub left_out: Vec<String>,
    /// Version of the catalogue: another one after every change of an action.
    pub catalog_version: String,
}

impl ToolList {
    /// Returns how many tools the list has.
    pub fn count(&self) -> usize {
        let tools = self.tools.as_array().map(Vec::as_slice).unwrap_or_default();
        match self.format {
            // One object has all functions.
            Format::Gemini => tools
                .iter()
                .filter_map(|one| one.get("functionDeclarations"))
                .filter_map(Value::as_array)
                .map(Vec::len)
                .sum(),
            _ => tools.len(),
        }
    }

    /// Returns about how many bytes the tools take as values.
    pub fn bytes(&self) -> usize {
        self.tokens * BYTES_PER_TOKEN
    }
}

/// The actions of a list and how they are shown.
#[derive(Clone, Debug)]
pub(crate) struct Choice {
    pub format: Format,
    pub strategy: Strategy,
    pub strict: Strict,
    pub detail: Detail,
    /// The dispatcher of declared tools does not name them.
    pub unlisted: bool,
    pub max_tokens: Option<usize>,
    /// The values that the caller has, on which schemas depend.
    pub defaults: CallerDefaults,
    /// How many actions the caller may call.
    pub allowed: usize,
    /// Actions that are tools of their own, by rank.
    pub direct: Vec<Arc<str>>,
    /// Actions behind a dispatcher, in the order of the catalogue.
    pub behind: Vec<Arc<str>>,
    /// Actions with deferred schemas, for the provider's own tool search.
    pub deferred: Vec<Arc<str>>,
}

impl Choice {
    /// Returns what a dispatcher shows of the actions behind it. `None`: the model searches for them.
    pub fn lines(&self, which: Dispatcher) -> Option<Detail> {
        (which != Dispatcher::Declared || !self.unlisted).then_some(self.detail)
    }
}

/// The rendered tools of a choice, their estimated number of tokens, and which are strict.
pub(crate) struct RenderedTools {
    pub tools: Value,
    pub tokens: usize,
    pub strict: Option<Allocation>,
}

/// Renders the actions of a choice.
pub(crate) fn render_tools(catalog: &Catalog, choice: &Choice) -> RenderedTools {
    let meta =
        |name: &Arc<str>| catalog.registry().get(name).map(|meta| meta.shown_to(choice.defaults).as_ref());
    let [direct, deferred] = [&choice.direct, &choice.deferred].map(|names| set_of(names));
    let mut tools: Vec<Tool<'_>> = Vec::new();
    // The platform's tools come first, so that a toolset changes nothing before its own tools.
    for which in Dispatcher::ALL {
        let own = |name: &&Arc<str>| Dispatcher::of_action(name) == which;
        let behind: Vec<&ActionMeta> = choice.behind.iter().filter(own).filter_map(meta).collect();
        tools.extend(
            choice
                .direct
                .iter()
                .filter(own)
                .filter_map(meta)
                .map(|meta| Tool { defer: deferred.contains(&*meta.spec.name), ..Tool::of(meta) }),
        );
        tools.extend(Tool::dispatcher(which, &behind, choice.lines(which)));
    }
    let own = |name: &&Arc<str>| !direct.contains(&***name);
    tools.extend(choice.deferred.iter().filter(own).filter_map(meta).map(|meta| {
        let mut tool = Tool::of(meta);
        tool.defer = true;
        tool
    }));
    let strict = match choice.strict {
        Strict::Off => None,
        Strict::Auto => Some(allocate_strict(choice.format, &mut tools)),
    };
    // Gemini's shape has an object even if there are no tools.
    let tools = if tools.is_empty() { Value::Array(Vec::new()) } else { render(choice.format, &tools) };
    let tokens = estimated_tokens(&tools);
    RenderedTools { tools, tokens, strict }
}

/// Returns names as a set: a workspace may have 2,000 tools.
pub(super) fn set_of(names: &[Arc<str>]) -> HashSet<&str> {
    names.iter().map(AsRef::as_ref).collect()
}

/// Returns the tool list with the rendered tools.
pub(crate) fn list(
    catalog: &Catalog,
    choice: &Choice,
    rendered: RenderedTools,
    left_out: &[Arc<str>],
) -> ToolList {
    let empty = rendered.tools.as_array().is_some_and(Vec::is_empty);
    ToolList {
        tools: rendered.tools,
        tool_choice: if empty { None } else { tool_choice(choice.format, false) },
        strategy: choice.strategy,
        format: choice.format,
        actions: choice.allowed,
        tokens: rendered.tokens,
        strict: rendered.strict.as_ref().map(|told| told.strict.clone()).unwrap_or_default(),
        strict_explained: rendered.strict,
        left_out: left_out.iter().map(ToString::to_string).collect(),
        catalog_version: catalog.registry().version().to_owned(),
    }
}
