//! Stores a document that was checked: for the operation and for the command line.

use toolcrib_engine::{OperatorRules, WorkspaceToolset, prelude::*, workspace_toolsets};
use toolcrib_registry::digest;
use toolcrib_store::{WriteTx, toolsets, toolsets::ToolsetRow};
use toolcrib_toolset::CheckedToolset;

use super::{
    changes::{ToolChange, changes},
    pins, rules,
};

pub struct AppliedToolset {
    pub toolset: WorkspaceToolset,
    /// Whether anything changed.
    pub changed: bool,
    pub changes: Vec<ToolChange>,
}

/// Stores the document, if the version that `if_match` names is the current one. `updated_by` is the user who
/// changes it.
pub async fn apply(
    tx: &mut WriteTx,
    rules: &OperatorRules,
    new: &CheckedToolset,
    if_match: Option<&str>,
    updated_by: Option<Id>,
    updated_at: Ts,
) -> Result<AppliedToolset, ActionError> {
    let row = toolsets::get(tx, &new.slug).await?;
    rules::fits(tx, rules, new, row.as_ref()).await?;
    pins::are_current(tx, rules, new).await?;
    rules::matches(row.as_ref().map(|row| row.version), if_match)?;
    let old = match &row {
        Some(row) if row.document.is_some() => {
            Some(workspace_toolsets::find(tx, rules, &new.slug).await?.toolset)
        }
        _ => None,
    };
    let changed = store(tx, new, row, updated_by, updated_at).await?;
    let toolset = workspace_toolsets::find(tx, rules, &new.slug).await?;
    Ok(AppliedToolset { toolset, changed, changes: changes(old.as_deref(), new) })
}

/// Stores the document. Returns whether it differs from what is stored in `row`.
async fn store(
    tx: &mut WriteTx,
    new: &CheckedToolset,
    row: Option<ToolsetRow>,
    updated_by: Option<Id>,
    updated_at: Ts,
) -> Result<bool, ActionError> {
    // The stored text keeps the order of the parameters, which lists show. The digest does not depend on it.
    let document = new.to_json();
    let digest = digest(&document);
    let is_known = |row: &ToolsetRow| row.digest.as_deref() == Some(&*digest) && row.document.is_some();
    if row.as_ref().is_some_and(is_known) {
        return Ok(false);
    }
    let before = row.as_ref().map(|row| row.version);
    let first = rules::first_version(tx).await?;
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
        updated_at,
        updated_by,
    };
    let is_stored = match before {
        Some(version) => toolsets::update(tx, &row, version).await?,
        None => toolsets::insert(tx, &row).await?,
    };
    if is_stored { Ok(true) } else { Err(rules::changed_meanwhile()) }
}
