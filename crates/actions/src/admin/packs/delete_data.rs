//! Deletes all rows that a pack has in this workspace.

use toolcrib_engine::prelude::*;
use toolcrib_store::pack_schemas;

use super::view::find;

/// Statements of a call. Each deletes up to 1,000 rows.
const MAX_STATEMENTS: usize = 20;

pub struct DeletePackData;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Slug of the pack.
    pub slug: String,
    /// Exact slug of the pack again, as a confirmation.
    pub name: String,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// Slug of the pack.
    pub slug: &'static str,
    /// Number of rows that this call deleted.
    pub deleted_rows: u64,
    /// Whether all rows are gone. If not, repeat the call.
    pub complete: bool,
}

impl WriteAction for DeletePackData {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("packs.delete_data", Level::Write, Permission::WORKSPACE_DELETE).deletes().describe(
            "Delete all data that a pack has in this workspace, for good. Its slug must be repeated.",
        )
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let pack = find(cx.tools.catalog, &input.slug)?;
        if input.name != pack.slug() {
            return Err(ActionError::invalid("/name", "phrase", "must be the pack's exact slug"));
        }
        Ok(Target { label: format!("data of the pack `{}`", pack.slug()), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let pack = find(cx.tools.catalog, &input.slug)?;
        let slug = pack.slug();
        let mut output = Output { slug, deleted_rows: 0, complete: pack.pack.schema.is_none() };
        for _ in 0..MAX_STATEMENTS {
            let Some(schema) = pack.pack.schema.as_ref().filter(|_| !output.complete) else { break };
            let deleted = pack_schemas::delete_rows(cx.tx, schema).await?;
            output.deleted_rows += deleted;
            output.complete = deleted == 0;
        }
        cx.emit("pack.data_deleted", "toolsets:read", json!({ "slug": slug, "complete": output.complete }));
        Ok(output)
    }

    fn describe(_: &Input, output: &Output) -> String {
        let rest = if output.complete { "" } else { "; there are more" };
        format!("Deleted {} of the pack `{}`{rest}", count(output.deleted_rows, "row"), output.slug)
    }
}
