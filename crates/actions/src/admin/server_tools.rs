//! What the MCP server of an upstream listed last, read from the database.

use std::{collections::BTreeMap, sync::Arc};

use toolcrib_engine::{
    ActionError, OperatorRules,
    upstreams::{CatalogUpstream, find_upstream},
};
use toolcrib_store::{Tx, upstream_tools, upstream_tools::UpstreamToolRow};
use toolcrib_toolset::{UpstreamKind, UpstreamTool};

/// A definition that a server listed.
pub struct KnownTool {
    /// When and whether it is listed.
    pub row: UpstreamToolRow,
    pub definition: UpstreamTool,
}

/// What the server of an upstream listed.
pub struct ServerTools {
    pub upstream: Arc<CatalogUpstream>,
    /// Whether the server was ever asked.
    pub was_asked: bool,
    /// The definitions that are kept, by name of the tool and digest.
    pub tools: BTreeMap<String, BTreeMap<String, KnownTool>>,
}

/// Reads what the server of this upstream listed. `at` is the pointer to its name in the arguments. 404 for an unknown
/// upstream, 422 for one of another kind.
pub async fn read(
    tx: &mut Tx,
    rules: &OperatorRules,
    reference: &str,
    at: &str,
) -> Result<ServerTools, ActionError> {
    let upstream = mcp_only(find_upstream(tx, rules, reference).await?, at)?;
    let rows = upstream_tools::definitions(tx, &upstream.reference).await?;
    let was_asked = !rows.is_empty() || !upstream_tools::of_upstream(tx, reference).await?.is_empty();
    let mut tools: BTreeMap<String, BTreeMap<String, KnownTool>> = BTreeMap::new();
    for found in rows {
        // A definition that can't be read is as one that is not known.
        let Ok(definition) = serde_json::from_str(&found.definition) else { continue };
        let (row, digest) = (found.row.clone(), found.row.digest);
        tools.entry(row.tool.clone()).or_default().insert(digest, KnownTool { row, definition });
    }
    Ok(ServerTools { upstream, was_asked, tools })
}

/// Returns the upstream that the argument at `at` names, or 422 if it is no MCP server.
pub fn mcp_only(upstream: Arc<CatalogUpstream>, at: &str) -> Result<Arc<CatalogUpstream>, ActionError> {
    if upstream.kind == UpstreamKind::Mcp {
        return Ok(upstream);
    }
    let (reference, kind) = (&upstream.reference, upstream.kind);
    let message = format!("`{reference}` is of the kind `{kind}`; only an MCP server lists its tools");
    Err(ActionError::invalid(at, "kind", message))
}

/// The 409 for an upstream of which no tool is known.
pub fn nothing_listed(reference: &str, was_asked: bool) -> ActionError {
    let what = if was_asked { "lists no tools" } else { "was not asked yet" };
    ActionError::conflict(format!("the server of `{reference}` {what}"))
        .hint(format!("`POST /v1/upstreams/{reference}/discover` asks it now"))
}

impl ServerTools {
    /// Returns the tools that the server lists, by name.
    pub fn current(&self) -> Vec<UpstreamTool> {
        let known = self.tools.values().flat_map(BTreeMap::values);
        known.filter(|known| known.row.is_current).map(|known| known.definition.clone()).collect()
    }
}
