//! Switches a toolset, or single tools of it, on or off in this workspace.

use std::collections::BTreeSet;

use toolcrib_engine::{WorkspaceToolset, prelude::*, workspace_toolsets};
use toolcrib_registry::{ArgError, nearest};
use toolcrib_store::{toolsets, toolsets::ToolsetRow};

use super::{rules, view::ToolsetView};
use crate::admin::guard;

pub struct UpdateToolset;

/// Arguments of the operation. An omitted field keeps its value.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Slug of the toolset. It may be an operator's.
    pub slug: String,
    /// Whether the toolset is on in this workspace.
    pub enabled: Option<bool>,
    /// Tools that are off in this workspace, without the slug. Replaces the list.
    #[schemars(length(max = 500), inner(length(min = 1, max = 64)))]
    pub disabled_tools: Option<Vec<String>>,
    /// `version` of the toolset that you read. The call is refused if the toolset has changed since.
    pub if_match: Option<String>,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The toolset as it is now.
    #[serde(flatten)]
    pub toolset: ToolsetView,
    /// Whether anything changed.
    pub changed: bool,
}

impl WriteAction for UpdateToolset {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("toolsets.update", Level::Write, Permission::TOOLSETS_MANAGE)
            .describe("Switch a toolset, or single tools of it, on or off in this workspace.")
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let own = workspace_toolsets::find(cx.tx, cx.tools.catalog.rules(), &input.slug).await?;
        check(&own, input)?;
        Ok(Target { label: format!("toolset `{}`", input.slug), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        guard::lock(cx).await?;
        let own = workspace_toolsets::find(cx.tx, cx.tools.catalog.rules(), &input.slug).await?;
        check(&own, input)?;
        let enabled = input.enabled.unwrap_or(own.enabled);
        let disabled: BTreeSet<&String> =
            input.disabled_tools.as_ref().unwrap_or(&own.disabled_tools).iter().collect();
        let disabled_tools: Vec<String> = disabled.into_iter().cloned().collect();
        let changed = (enabled, &disabled_tools) != (own.enabled, &own.disabled_tools);
        if changed {
            store(cx, &own, enabled, disabled_tools).await?;
            cx.emit("toolset.changed", "toolsets:read", json!({ "slug": input.slug, "enabled": enabled }));
        }
        let now = workspace_toolsets::find(cx.tx, cx.tools.catalog.rules(), &input.slug).await?;
        Ok(Output { toolset: ToolsetView::of(&now), changed })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let ToolsetView { slug, enabled, disabled_tools, .. } = &output.toolset;
        let state = if *enabled { "on" } else { "off" };
        format!("The toolset `{slug}` is {state}, with {} of its tools disabled", disabled_tools.len())
    }
}

/// Refuses another version, and names of tools that the toolset does not have.
fn check(own: &WorkspaceToolset, input: &Input) -> Result<(), ActionError> {
    rules::matches(Some(own.version), input.if_match.as_deref())?;
    let known: Vec<&str> = own.toolset.tools.iter().map(|tool| tool.name.as_str()).collect();
    let names = input.disabled_tools.iter().flatten().enumerate();
    let unknown = names.filter(|(_, name)| !known.contains(&name.as_str()));
    let errors: Vec<ArgError> = unknown
        .map(|(at, name)| {
            let hint =
                nearest(name, &known).map(|near| format!("; did you mean `{near}`")).unwrap_or_default();
            let message = format!("`{}` has no tool `{name}`{hint}", input.slug);
            ArgError::new(&format!("/disabled_tools/{at}"), "unknown_tool", message)
        })
        .collect();
    if errors.is_empty() { Ok(()) } else { Err(ActionError::invalid_all(errors)) }
}

async fn store(
    cx: &mut WriteCx<'_>,
    own: &WorkspaceToolset,
    enabled: bool,
    disabled_tools: Vec<String>,
) -> Result<(), ActionError> {
    let slug = &own.toolset.slug;
    // There is no row for an operator's toolset that was never switched.
    let (document, digest) =
        toolsets::get(cx.tx, slug).await?.map(|row| (row.document, row.digest)).unwrap_or_default();
    let row = ToolsetRow {
        slug: slug.clone(),
        version: rules::first_version(cx.tx).await?,
        document,
        digest,
        enabled,
        disabled_tools,
        updated_at: cx.now,
        updated_by: cx.caller.principal.user(),
    };
    let is_stored = match own.version {
        0 => toolsets::insert(cx.tx, &row).await?,
        version => toolsets::update(cx.tx, &row, version).await?,
    };
    if is_stored { Ok(()) } else { Err(rules::changed_meanwhile()) }
}
