//! Deletes a toolset of the workspace.

use toolcrib_engine::{WorkspaceToolset, prelude::*, workspace_toolsets};
use toolcrib_store::toolsets;
use toolcrib_toolset::ToolsetSource;

use super::rules;
use crate::admin::guard;

pub struct DeleteToolset;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Slug of the toolset.
    pub slug: String,
    /// `version` of the toolset that you read. The call is refused if the toolset has changed since.
    pub if_match: Option<String>,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Slug of the toolset.
    pub slug: String,
    /// Number of tools that are gone.
    pub tools: usize,
    /// Always `true`.
    pub deleted: bool,
}

impl WriteAction for DeleteToolset {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("toolsets.delete", Level::Write, Permission::TOOLSETS_MANAGE).deletes()
            .describe("Delete a toolset of this workspace with its tools. An operator's toolset is switched off instead.")
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
        if !toolsets::delete(cx.tx, &input.slug, Some(own.version)).await? {
            return Err(rules::changed_meanwhile());
        }
        cx.emit("toolset.changed", "toolsets:read", json!({ "slug": input.slug, "deleted": true }));
        Ok(Output { slug: input.slug.clone(), tools: own.toolset.tools.len(), deleted: true })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Deleted the toolset `{}` with {}", output.slug, count(output.tools, "tool"))
    }
}

fn check(own: &WorkspaceToolset, input: &Input) -> Result<(), ActionError> {
    if own.source == ToolsetSource::Operator {
        let slug = &input.slug;
        return Err(ActionError::conflict(format!(
            "`{slug}` is an operator's toolset, which a workspace can't delete"
        ))
        .hint("switch it off: `PATCH` it with `enabled` false"));
    }
    rules::matches(Some(own.version), input.if_match.as_deref())
}
