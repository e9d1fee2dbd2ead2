//! Checks that all changes of toolsets share.

use std::collections::BTreeSet;

use serde::de::IgnoredAny;
use serde_json::{Map, Value};
use toolcrib_engine::{Catalog, CatalogPack, OperatorRules, prelude::*, upstreams::WorkspaceUpstreams};
use toolcrib_registry::ArgError;
use toolcrib_store::{Tx, agents, toolsets, toolsets::ToolsetRow};
use toolcrib_toolset::{
    CheckContext, CheckedToolset, MAX_DOCUMENT_BYTES, NoteKind, ToolsetNote, ToolsetSource, check,
};

/// The most toolsets of a workspace.
const MAX_TOOLSETS: usize = 20;
/// The most declared tools of a workspace.
const MAX_TOOLS: usize = 2_000;

/// Something that the author of a document may want to know. Not a defect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct NoteView {
    /// JSON pointer into the document.
    pub pointer: String,
    /// What the note is about.
    #[schemars(with = "String")]
    pub kind: NoteKind,
    /// The note as a sentence.
    pub message: String,
}

impl From<&ToolsetNote> for NoteView {
    fn from(note: &ToolsetNote) -> Self {
        Self { pointer: note.pointer.clone(), kind: note.kind, message: note.message.clone() }
    }
}

/// Returns the slugs that only packs have.
pub fn pack_slugs(catalog: &Catalog) -> BTreeSet<&'static str> {
    catalog.packs().iter().map(CatalogPack::slug).collect()
}

/// Checks a document for this workspace. Every defect is one error of the 422, with its pointer below `at`.
pub async fn checked(
    tx: &mut Tx,
    rules: &OperatorRules,
    pack_slugs: BTreeSet<&'static str>,
    document: &Map<String, Value>,
    at: &str,
) -> Result<CheckedToolset, ActionError> {
    let document = Value::Object(document.clone());
    if document.to_string().len() > MAX_DOCUMENT_BYTES {
        let detail = format!("a document has at most {MAX_DOCUMENT_BYTES} bytes");
        return Err(
            ActionError::new(ErrorCode::PayloadTooLarge, detail).hint("split it into several toolsets")
        );
    }
    let context = CheckContext {
        source: ToolsetSource::Workspace,
        caller_types: rules.caller_types.iter().cloned().collect(),
        // An operator's slug is a conflict and no defect of the document.
        operator_slugs: BTreeSet::new(),
        pack_slugs,
        upstreams: Some(WorkspaceUpstreams::read(tx, rules).await?.known()),
        agent_slugs: Some(agents::slugs(tx).await?.into_iter().collect()),
    };
    check(&document, &context).map_err(|defects| {
        let errors = defects.iter().map(|defect| {
            ArgError::new(&format!("{at}{}", defect.pointer), "toolset", defect.message.clone())
        });
        ActionError::invalid_all(errors.collect())
            .hint("correct the document and send it again; nothing was stored")
    })
}

/// Refuses a slug that the operator uses, and a document beyond the limits of the workspace. `row` is what is stored
/// under the slug.
pub async fn fits(
    tx: &mut Tx,
    rules: &OperatorRules,
    toolset: &CheckedToolset,
    row: Option<&ToolsetRow>,
) -> Result<(), ActionError> {
    let slug = &toolset.slug;
    if version(row).is_none() && rules.toolsets.iter().any(|known| known.slug == *slug) {
        return Err(ActionError::conflict(format!("`{slug}` is the slug of an operator's toolset"))
            .hint("choose another slug"));
    }
    let rows = toolsets::list(tx).await?;
    let documents = rows.iter().filter(|row| row.slug != *slug).filter_map(|row| row.document.as_deref());
    let others: Vec<usize> = documents.map(tool_count).collect();
    if others.len() >= MAX_TOOLSETS {
        return Err(ActionError::conflict(format!("a workspace has at most {MAX_TOOLSETS} toolsets"))
            .hint("delete one, or add the tools to one that exists"));
    }
    let tools: usize = others.iter().sum();
    if tools + toolset.tools.len() > MAX_TOOLS {
        return Err(ActionError::conflict(format!(
            "a workspace has at most {MAX_TOOLS} declared tools, and the other toolsets have {tools}"
        )));
    }
    Ok(())
}

/// Returns the number of tools in a stored document.
fn tool_count(document: &str) -> usize {
    #[derive(Deserialize)]
    struct Tools {
        tools: Vec<IgnoredAny>,
    }
    serde_json::from_str::<Tools>(document).map_or(0, |document| document.tools.len())
}

/// Refuses a change if `if_match` names another version than the current one, which is `None` if there is no toolset.
/// `*` is any version of one that exists.
pub fn matches(current: Option<i64>, if_match: Option<&str>) -> Result<(), ActionError> {
    let Some(wanted) = if_match.map(|tag| tag.trim_matches('"')) else { return Ok(()) };
    let Some(version) = current else {
        return Err(ActionError::new(ErrorCode::PreconditionFailed, "there is no toolset with this slug")
            .hint("leave `If-Match` out to create it"));
    };
    if wanted == "*" || version.to_string() == wanted { Ok(()) } else { Err(changed_meanwhile()) }
}

/// Returns the version of the toolset in a row. A row without a document has only the switches of an operator's
/// toolset.
pub fn version(row: Option<&ToolsetRow>) -> Option<i64> {
    row.filter(|row| row.document.is_some()).map(|row| row.version)
}

/// Returns the version of a new row. It is higher than those of all earlier rows, so that an `ETag` of a deleted
/// toolset does not match one that was created later under the same slug.
pub async fn first_version(tx: &mut Tx) -> Result<i64, ActionError> {
    Ok(toolsets::version(tx).await?.saturating_add(1))
}

/// The 412 for a toolset that somebody else changed.
pub fn changed_meanwhile() -> ActionError {
    ActionError::new(ErrorCode::PreconditionFailed, "the toolset changed since it was read")
        .hint("read it again, and send its `version` in `If-Match`")
}
