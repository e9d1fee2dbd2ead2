//! Stores what an MCP server listed, and reports the pinned tools whose state changed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use toolcrib_model::{ErrorCode, NotificationKind, count};
use toolcrib_registry::Level;
use toolcrib_store::{
    Tx, WriteTx, upstream_tools,
    upstream_tools::{ListedTool, ToolListing},
    upstreams,
};
use toolcrib_toolset::{ToolsetSource, UpstreamTool};

use super::{
    OperatorRules, PinState, WorkspaceToolset,
    pins::{PinnedTool, UpstreamPins},
    upstreams::CatalogUpstream,
    workspace_toolsets,
};
use crate::{
    base::ActionError,
    events::emit::{self, NotificationText, Stamp},
};

/// Stores what a server listed. Emits `upstream.drifted` and notifies the admins if a pin now stands otherwise. Returns
/// whether anything changed; without a change nothing is written. 409 if the upstream changed since it was asked.
/// A server may show a user fewer tools, so the list of a user's own session says of no tool that it is gone: it is not
/// complete.
pub(crate) async fn store_discovered(
    tx: &mut WriteTx,
    rules: &OperatorRules,
    stamp: Stamp<'_>,
    upstream: &CatalogUpstream,
    listing: &ToolListing<'_>,
) -> Result<bool, ActionError> {
    let reference = listing.upstream;
    if !upstream_tools::differs(tx, listing).await? {
        return Ok(false);
    }
    // The upstream must not change between this look at it and the commit.
    upstreams::lock(tx).await?;
    if !is_unchanged(tx, upstream).await? {
        return Err(changed_meanwhile(reference));
    }
    let toolsets = workspace_toolsets::all(tx, rules).await?;
    let pinned = pinned(&toolsets, reference);
    let before = UpstreamPins::of_rows(upstream_tools::of_upstream(tx, reference).await?);
    if !upstream_tools::store(tx, listing, &pinned, stamp.now).await? {
        return Ok(false);
    }
    let after = UpstreamPins::of_rows(upstream_tools::of_upstream(tx, reference).await?);
    let drifts = drifts(&toolsets, reference, &before, &after);
    report(tx, stamp, reference, &drifts).await?;
    Ok(true)
}

/// Returns what is stored of a tool. Computes its digests, so call it outside of a transaction.
pub(crate) fn listed(tool: &UpstreamTool) -> ListedTool {
    ListedTool {
        tool: tool.name.clone(),
        digest: tool.digest(),
        schema_digest: tool.schema_digest(),
        definition: serde_json::to_string(tool).unwrap_or_default(),
    }
}

/// Returns whether the workspace's upstream still has the address that was asked. Those of operators never change.
async fn is_unchanged(tx: &mut Tx, upstream: &CatalogUpstream) -> Result<bool, ActionError> {
    if upstream.source == ToolsetSource::Operator {
        return Ok(true);
    }
    let row = upstreams::get(tx, &upstream.name).await?;
    let now = row.and_then(|row| CatalogUpstream::of_row(&row, false));
    Ok(now.is_some_and(|now| now.base_url == upstream.base_url && now.kind == upstream.kind))
}

fn changed_meanwhile(reference: &str) -> ActionError {
    let detail = format!("the upstream `{reference}` changed while its server was asked");
    ActionError::new(ErrorCode::Conflict, detail).hint("repeat the call")
}

/// Returns the definitions of the upstream's tools that documents pin, drafts included: a person compares them.
fn pinned(toolsets: &[WorkspaceToolset], reference: &str) -> BTreeSet<(String, String)> {
    let tools = toolsets.iter().flat_map(|own| {
        let pin = |executor| PinnedTool::of(own.source, &own.toolset.slug, executor);
        own.toolset.tools.iter().filter_map(move |tool| pin(&tool.executor))
    });
    let of_upstream = tools.filter(|pin| pin.reference == reference);
    of_upstream.map(|pin| (pin.tool.to_owned(), pin.digest.to_owned())).collect()
}

/// A tool whose pin stands otherwise than before.
struct PinDrift {
    full_name: String,
    level: Level,
    /// How the pin stands now.
    state: PinState,
}

fn drifts(
    toolsets: &[WorkspaceToolset],
    reference: &str,
    before: &UpstreamPins,
    after: &UpstreamPins,
) -> Vec<PinDrift> {
    let mut drifts = Vec::new();
    for own in toolsets {
        for tool in own.toolset.tools.iter().filter(|tool| !tool.draft) {
            let pin = PinnedTool::of(own.source, &own.toolset.slug, &tool.executor);
            let Some(pin) = pin.filter(|pin| pin.reference == reference) else { continue };
            let of = |pins: &UpstreamPins| pins.state(reference, pin.tool, pin.digest);
            let (was, state) = (of(before), of(after));
            if was != state && (was, state) != (PinState::Unasked, PinState::Equal) {
                drifts.push(PinDrift { full_name: tool.full_name.clone(), level: tool.level, state });
            }
        }
    }
    drifts
}

async fn report(
    tx: &mut WriteTx,
    stamp: Stamp<'_>,
    reference: &str,
    drifts: &[PinDrift],
) -> Result<(), ActionError> {
    if drifts.is_empty() {
        return Ok(());
    }
    let tools = drifts.iter().map(|drift| {
        let is_on = drift.state.holds(drift.level);
        json!({ "tool": drift.full_name, "change": drift.state.as_str(), "on": is_on })
    });
    let data = json!({ "upstream": reference, "tools": tools.collect::<Vec<Value>>() });
    stamp.emit(tx, "upstream.drifted", "toolsets:read", data.clone());
    let title = format!("The server of `{reference}` changed {}", count(drifts.len(), "accepted tool"));
    let text = NotificationText { kind: NotificationKind::UpstreamDrifted, title, body: sentences(drifts) };
    Ok(emit::notify_admins(stamp, tx, None, text, &data).await?)
}

/// The most tools that a notification names for each change.
const MAX_NAMED_TOOLS: usize = 10;

/// Returns what changed, for people.
fn sentences(drifts: &[PinDrift]) -> String {
    let mut by_change: BTreeMap<(PinState, bool), Vec<&str>> = BTreeMap::new();
    for drift in drifts {
        let key = (drift.state, drift.state.holds(drift.level));
        by_change.entry(key).or_default().push(&drift.full_name);
    }
    let sentences = by_change.into_iter().map(|((state, is_on), names)| {
        let shown: Vec<String> = names.iter().take(MAX_NAMED_TOOLS).map(|name| format!("`{name}`")).collect();
        let more = names.len().saturating_sub(MAX_NAMED_TOOLS);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let (before, after) = change_words(state, is_on);
        format!("{before} {}{more}{after}.", shown.join(", "))
    });
    sentences.collect::<Vec<_>>().join(" ")
}

/// Returns the words before and after the names of the tools. They say nothing of the switches of the toolset, which may
/// be off.
const fn change_words(state: PinState, holds: bool) -> (&'static str, &'static str) {
    match (state, holds) {
        (PinState::Unasked | PinState::Equal, _) => ("The server lists", " as accepted again"),
        (PinState::Text, true) => ("The server changed the text of", "; callers are shown the accepted one"),
        (PinState::Text, false) => {
            ("The server changed the text of", "; calls are refused until the new text is accepted")
        }
        (PinState::Schema, _) => {
            ("The server changed the schema of", "; calls are refused until the new one is accepted")
        }
        (PinState::Gone, _) => ("The server no longer lists", "; calls are refused"),
        (PinState::Unknown, _) => (
            "The server has another definition than the pinned one of",
            "; calls are refused until it is accepted",
        ),
    }
}

#[cfg(test)]
mod tests;
