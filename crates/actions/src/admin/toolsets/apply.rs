//! Stores a document that was checked, and compares it with the one before: for the operations and the command line.

use toolcrib_engine::{OperatorRules, WorkspaceToolset, prelude::*, workspace_toolsets};
use toolcrib_registry::digest;
use toolcrib_store::{WriteTx, toolsets, toolsets::ToolsetRow};
use toolcrib_toolset::CheckedToolset;

use super::{pins, rules};

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
    rules::matches(rules::version(row.as_ref()), if_match)?;
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

/// What happens to a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum ChangeKind {
    /// It is new.
    Added,
    /// Its definition is another one. Confirmations and grants of the old one are void.
    Redefined,
    /// Its definition is the same. Who may call it or how it is found changes.
    Updated,
    /// It is gone.
    Removed,
}

/// A change of one tool. Tools that stay the same are not listed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct ToolChange {
    /// Full name of the tool.
    pub tool: String,
    /// What happens to it.
    pub change: ChangeKind,
}

/// Returns the changes from the old document, if there is one, to the new one: first in the order of the new document,
/// then what is gone.
pub fn changes(old: Option<&CheckedToolset>, new: &CheckedToolset) -> Vec<ToolChange> {
    let change = |tool: &str, change| ToolChange { tool: tool.to_owned(), change };
    let changed = new.tools.iter().filter_map(|tool| {
        let before = old.and_then(|old| old.tools.iter().find(|known| known.full_name == tool.full_name));
        let kind = match before {
            None => ChangeKind::Added,
            Some(before) if before == tool => return None,
            Some(before) if before.definition == tool.definition => ChangeKind::Updated,
            Some(_) => ChangeKind::Redefined,
        };
        Some(change(&tool.full_name, kind))
    });
    let is_gone = |name: &str| !new.tools.iter().any(|tool| tool.full_name == name);
    let before = old.into_iter().flat_map(|old| &old.tools);
    let gone = before.filter(|tool| is_gone(&tool.full_name));
    changed.chain(gone.map(|tool| change(&tool.full_name, ChangeKind::Removed))).collect()
}
