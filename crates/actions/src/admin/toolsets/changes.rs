//! What a new document changes, tool by tool.

use toolcrib_engine::prelude::*;
use toolcrib_toolset::CheckedToolset;

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
