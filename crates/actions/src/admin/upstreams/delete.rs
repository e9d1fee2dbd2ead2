//! Deletes an upstream that no tool uses.

use toolcrib_engine::{OperatorRules, prelude::*, upstreams::named_upstream, workspace_toolsets};
use toolcrib_store::{Tx, upstream_tools, upstreams, upstreams::UpstreamRow};
use toolcrib_toolset::ToolsetSource;

use super::rules;
use crate::admin::guard;

/// The most tools that a refusal names.
const MAX_NAMED_TOOLS: usize = 10;

pub struct DeleteUpstream;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Name of the upstream.
    pub name: String,
    /// `version` of the upstream that you read. The call is refused if the upstream has changed since.
    pub if_match: Option<String>,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Name of the upstream.
    pub name: String,
    /// Number of secrets that were deleted with it.
    pub secrets_deleted: u64,
    /// Always `true`.
    pub deleted: bool,
}

impl WriteAction for DeleteUpstream {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("upstreams.delete", Level::Write, Permission::INTEGRATIONS_MANAGE)
            .deletes()
            .describe("Delete an upstream with its secrets. Refused while a tool of this workspace calls it.")
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        find(cx.tx, cx.tools.catalog.rules(), input).await?;
        Ok(Target { label: rules::label(&input.name), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        guard::lock(cx).await?;
        let row = find(cx.tx, cx.tools.catalog.rules(), input).await?;
        if !upstreams::delete(cx.tx, &row.name, row.version).await? {
            return Err(rules::changed_meanwhile());
        }
        let secrets_deleted = upstreams::delete_secrets(cx.tx, &row.name).await?;
        upstream_tools::delete(cx.tx, &row.name).await?;
        cx.emit("upstream.changed", "integrations:manage", json!({ "name": row.name, "deleted": true }));
        Ok(Output { name: row.name, secrets_deleted, deleted: true })
    }

    fn describe(_: &Input, output: &Output) -> String {
        format!("Deleted the upstream `{}`", output.name)
    }
}

/// Returns the upstream, if nothing prevents its deletion.
async fn find(tx: &mut Tx, rules: &OperatorRules, input: &Input) -> Result<UpstreamRow, ActionError> {
    let row = rules::own(tx, rules, &input.name).await?;
    rules::matches(&row, input.if_match.as_deref())?;
    let toolsets = workspace_toolsets::all(tx, rules).await?;
    let own = toolsets.iter().filter(|toolset| toolset.source == ToolsetSource::Workspace);
    let tools = own.flat_map(|own| &own.toolset.tools);
    let calls_it =
        tools.filter(|tool| named_upstream(&tool.executor).is_some_and(|(name, _)| name == row.name));
    let names: Vec<String> = calls_it.map(|tool| format!("`{}`", tool.full_name)).collect();
    if names.is_empty() {
        return Ok(row);
    }
    let shown = names.iter().take(MAX_NAMED_TOOLS).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = match names.len().saturating_sub(MAX_NAMED_TOOLS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Err(ActionError::conflict(format!("these tools call `{}`: {shown}{more}", row.name))
        .hint("remove them from their toolsets first, or let them call another upstream"))
}
