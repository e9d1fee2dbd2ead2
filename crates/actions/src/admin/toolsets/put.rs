//! Stores the document of a toolset, whole or not at all.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use toolcrib_engine::{ActionError, ReadCx, Target, WriteAction, WriteCx};
use toolcrib_model::count;
use toolcrib_registry::{Level, Permission, Spec, digest};
use toolcrib_store::{toolsets, toolsets::ToolsetRow};
use toolcrib_toolset::CheckedToolset;

use super::{
    changes::{ToolChange, changes},
    rules::{self, NoteView},
    stored,
    view::ToolsetView,
};
use crate::admin::guard;

/// `toolsets.put`.
pub struct PutToolset;

/// Arguments of the operation.
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
            .large_body()
    }

    async fn resolve(cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        let toolset = checked(cx, input).await?;
        let row = toolsets::get(cx.tx, &input.slug).await?;
        rules::fits(cx, &toolset, row.as_ref()).await?;
        rules::matches(row.as_ref().map(|row| row.version), input.if_match.as_deref())?;
        Ok(Target { label: format!("toolset `{}`", input.slug), ..Target::default() })
    }

    async fn run(cx: &mut WriteCx<'_>, input: &Input) -> Result<Output, ActionError> {
        guard::lock(cx).await?;
        let mut reading = cx.reading();
        let new = checked(&mut reading, input).await?;
        let row = toolsets::get(reading.tx, &input.slug).await?;
        rules::fits(&mut reading, &new, row.as_ref()).await?;
        rules::matches(row.as_ref().map(|row| row.version), input.if_match.as_deref())?;
        let old = match &row {
            Some(_) => Some(stored::find(cx.tx, cx.tools.catalog, &input.slug).await?.toolset),
            None => None,
        };
        let changes = changes(old.as_deref(), &new);
        let changed = store(cx, &new, row).await?;
        if changed {
            let data = json!({ "slug": new.slug, "changes": changes.len() });
            cx.emit("toolset.changed", "toolsets:read", data);
        }
        let now = stored::find(cx.tx, cx.tools.catalog, &input.slug).await?;
        let notes = new.notes.iter().map(NoteView::from).collect();
        Ok(Output { toolset: ToolsetView::of(&now)?, changed, changes, notes })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let slug = &output.toolset.slug;
        if !output.changed {
            return format!("Nothing to change: the toolset `{slug}` is already so");
        }
        format!("Stored the toolset `{slug}`: {} changed", count(output.changes.len(), "tool"))
    }
}

async fn checked(cx: &mut ReadCx<'_>, input: &Input) -> Result<CheckedToolset, ActionError> {
    let toolset = rules::checked(cx, &input.document, "").await?;
    if toolset.slug == input.slug {
        return Ok(toolset);
    }
    let message = format!("must be `{}`, the slug of the path", input.slug);
    Err(ActionError::invalid("/slug", "const", message))
}

/// Stores the document. Returns whether it differs from what is stored in `row`.
async fn store(
    cx: &mut WriteCx<'_>,
    new: &CheckedToolset,
    row: Option<ToolsetRow>,
) -> Result<bool, ActionError> {
    // The stored text keeps the order of the parameters, which lists show. The digest does not depend on it.
    let document = new.to_json();
    let digest = digest(&document);
    let is_known = |row: &ToolsetRow| row.digest.as_deref() == Some(&*digest) && row.document.is_some();
    if row.as_ref().is_some_and(is_known) {
        return Ok(false);
    }
    let before = row.as_ref().map(|row| row.version);
    let first = rules::first_version(cx.tx).await?;
    let kept = |name: &String| new.tools.iter().any(|tool| tool.name == *name);
    let row = ToolsetRow {
        slug: new.slug.clone(),
        version: before.unwrap_or(first),
        document: Some(document.to_string()),
        digest: Some(digest),
        enabled: row.as_ref().is_none_or(|row| row.enabled),
        disabled_tools: row
            .map(|row| row.disabled_tools)
            .unwrap_or_default()
            .into_iter()
            .filter(kept)
            .collect(),
        updated_at: cx.now,
        updated_by: cx.caller.principal.user(),
    };
    let stored = match before {
        Some(version) => toolsets::update(cx.tx, &row, version).await?,
        None => toolsets::insert(cx.tx, &row).await?,
    };
    if stored { Ok(true) } else { Err(rules::changed_meanwhile()) }
}
