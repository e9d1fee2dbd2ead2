//! Stores the document of a toolset, whole or not at all.

use serde_json::{Map, Value};
use toolcrib_engine::{Catalog, prelude::*};
use toolcrib_store::{Tx, toolsets};
use toolcrib_toolset::CheckedToolset;

use super::{
    apply::{ToolChange, apply},
    pins,
    rules::{self, NoteView},
    view::ToolsetView,
};
use crate::admin::guard;

pub struct PutToolset;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Slug of the toolset, as in the document.
    pub slug: String,
    /// The whole document. `toolcrib toolset schema` prints its JSON Schema.
    #[schemars(extend("x-free" = true, "maxProperties" = 20))]
    pub document: Map<String, Value>,
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
    /// The tools that changed.
    pub changes: Vec<ToolChange>,
    /// What the author of the document may want to know.
    pub notes: Vec<NoteView>,
}

impl WriteAction for PutToolset {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("toolsets.put", Level::Write, Permission::TOOLSETS_MANAGE)
            .describe("Store the document of a toolset. A document with a defect changes nothing.")
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let rules = cx.tools.catalog.rules();
        let toolset = checked(cx.tx, cx.tools.catalog, input).await?;
        let row = toolsets::get(cx.tx, &input.slug).await?;
        rules::fits(cx.tx, rules, &toolset, row.as_ref()).await?;
        pins::are_current(cx.tx, rules, &toolset).await?;
        rules::matches(rules::version(row.as_ref()), input.if_match.as_deref())?;
        Ok(Target { label: format!("toolset `{}`", input.slug), ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        guard::lock(cx).await?;
        let rules = cx.tools.catalog.rules();
        let new = checked(cx.tx, cx.tools.catalog, input).await?;
        let updated_by = cx.caller.principal.user();
        let applied = apply(cx.tx, rules, &new, input.if_match.as_deref(), updated_by, cx.now).await?;
        if applied.changed {
            let data = json!({ "slug": new.slug, "changes": applied.changes.len() });
            cx.emit("toolset.changed", "toolsets:read", data);
        }
        Ok(Output {
            toolset: ToolsetView::of(&applied.toolset),
            changed: applied.changed,
            changes: applied.changes,
            notes: new.notes.iter().map(NoteView::from).collect(),
        })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let slug = &output.toolset.slug;
        if !output.changed {
            return format!("Nothing to change: the toolset `{slug}` is already so");
        }
        format!("Stored the toolset `{slug}`: {} changed", count(output.changes.len(), "tool"))
    }
}

async fn checked(tx: &mut Tx, catalog: &Catalog, input: &Input) -> Result<CheckedToolset, ActionError> {
    let packs = rules::pack_slugs(catalog);
    let toolset = rules::checked(tx, catalog.rules(), packs, &input.document, "").await?;
    if toolset.slug == input.slug {
        return Ok(toolset);
    }
    let message = format!("must be `{}`, the slug of the path", input.slug);
    Err(ActionError::invalid("/slug", "const", message))
}
