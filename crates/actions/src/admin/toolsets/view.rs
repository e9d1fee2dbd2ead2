//! Toolsets as callers see them.

use toolcrib_engine::{WorkspaceToolset, prelude::*};
use toolcrib_registry::{ActionMeta, Format, Tool, ToolState, estimated_tokens, render};
use toolcrib_toolset::{CheckedToolset, ToolsetSource};

/// How many tools are in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct ToolCounts {
    /// Tools that callers may call.
    pub on: usize,
    /// Tools that are off because the toolset is.
    pub toolset_off: usize,
    /// Tools that the workspace disabled.
    pub disabled: usize,
    /// Drafts, which nobody may call.
    pub draft: usize,
    /// Tools that are off because their server defines them otherwise than they were accepted.
    pub drifted: usize,
}

/// A toolset.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ToolsetView {
    /// Prefix of the tools' full names.
    pub slug: String,
    /// Title for people.
    pub title: String,
    /// Where the toolset comes from.
    pub source: ToolsetSource,
    /// Version of the toolset in this workspace: the value of `ETag` and of `If-Match`. 0 for an operator's toolset of
    /// which the workspace changed nothing.
    pub version: i64,
    /// Whether the toolset is on in this workspace.
    pub enabled: bool,
    /// Tools that the workspace disabled, without the slug.
    pub disabled_tools: Vec<String>,
    /// Number of tools by state.
    pub tools: ToolCounts,
    /// About how many tokens the promoted tools cost in a tool list.
    pub tokens: usize,
}

impl ToolsetView {
    /// Describes a toolset with the switches of the workspace.
    pub fn of(own: &WorkspaceToolset) -> Self {
        let toolset = &own.toolset;
        let mut tools = ToolCounts::default();
        for tool in &toolset.tools {
            match own.state(tool) {
                ToolState::On => tools.on += 1,
                ToolState::ToolsetOff | ToolState::NotOffered => tools.toolset_off += 1,
                ToolState::Disabled => tools.disabled += 1,
                ToolState::Draft => tools.draft += 1,
                ToolState::Drifted => tools.drifted += 1,
            }
        }
        Self {
            slug: toolset.slug.clone(),
            title: toolset.title.clone(),
            source: own.source,
            version: own.version,
            enabled: own.enabled,
            disabled_tools: own.disabled_tools.clone(),
            tools,
            tokens: tokens(toolset),
        }
    }
}

/// Returns about how many tokens the promoted tools cost in the OpenAI format, drafts aside: see
/// [`estimated_tokens`].
pub fn tokens(toolset: &CheckedToolset) -> usize {
    let promoted = toolset.tools.iter().filter(|tool| tool.promoted && !tool.draft);
    let metas: Vec<ActionMeta> = promoted.map(|tool| tool.meta(&toolset.slug, ToolState::On)).collect();
    let tools: Vec<Tool<'_>> = metas.iter().map(Tool::of).collect();
    estimated_tokens(&render(Format::Openai, &tools))
}
