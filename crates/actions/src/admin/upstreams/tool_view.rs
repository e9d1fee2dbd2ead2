//! The tools of an MCP server as admins see them: each beside the definitions that documents pin.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;
use toolcrib_engine::{
    OperatorRules, PinnedTool, prelude::*, upstreams::WorkspaceUpstreams, workspace_toolsets,
};
use toolcrib_store::Tx;
use toolcrib_toolset::tool_warnings;

use crate::admin::server_tools::{KnownTool, ServerTools};

/// A tool of an MCP server.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct UpstreamToolView {
    /// Name of the tool at the server.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub tool: String,
    /// Whether the server listed the tool when it was last asked.
    pub current: bool,
    /// Digest of the definition, which a `pin` names. Of a tool that is not listed any more, that of the last known
    /// definition. Null if none is known.
    pub digest: Option<String>,
    /// What the server says that the tool does.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub description: Option<String>,
    /// JSON Schema of the parameters.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub input_schema: Option<Value>,
    /// JSON Schema of the result; absent if the server gives none.
    #[schemars(extend("x-untrusted" = "documents"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Whether the server says that the tool may destroy something.
    pub destructive_hint: bool,
    /// When the tool got this definition, as far as is known.
    pub seen_at: Option<Ts>,
    /// The declared tools that call it, in toolsets that this workspace sees.
    pub pins: Vec<PinView>,
    /// What to look at before the text is accepted: names of other tools, addresses, hidden characters.
    #[schemars(extend("x-untrusted" = "documents"))]
    pub warnings: Vec<String>,
}

/// A pin of a declared tool.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct PinView {
    /// Slug of the toolset.
    pub slug: String,
    /// Full name of the declared tool.
    pub tool: String,
    /// Digest of the accepted definition.
    pub pin: String,
    /// How it stands: `equal`; `text` or `schema`, the definition differs in its text only or in its schemas; `gone`, the
    /// server does not list the tool; `unknown`, the server lists the tool and never listed the pinned definition;
    /// `unasked`, the server was not asked yet.
    pub state: &'static str,
    /// Whether the tool is a draft, which nobody can call whatever its pin is.
    pub draft: bool,
    /// Description that was accepted, if it is known and differs.
    #[schemars(extend("x-untrusted" = "documents"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned_description: Option<String>,
    /// Schema of the parameters that was accepted, if it is known and differs.
    #[schemars(extend("x-untrusted" = "documents"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pinned_input_schema: Option<Value>,
}

/// Describes the tools that the server lists, and those that are pinned and not listed any more.
pub async fn views(
    tx: &mut Tx,
    rules: &OperatorRules,
    found: &ServerTools,
) -> Result<Vec<UpstreamToolView>, ActionError> {
    let mut pins = pins(tx, rules, found).await?;
    let listed: BTreeSet<&str> = found
        .tools
        .values()
        .filter_map(|known| current(known))
        .map(|known| known.row.tool.as_str())
        .collect();
    let names: BTreeSet<String> =
        listed.iter().map(|name| (*name).to_owned()).chain(pins.keys().cloned()).collect();
    let none = BTreeMap::new();
    let view = |name: String| {
        let known = found.tools.get(&name).unwrap_or(&none);
        let shown = current(known).or_else(|| known.values().max_by_key(|known| known.row.seen_at));
        let warnings = shown.map(|shown| tool_warnings(&shown.definition, listed.iter().copied()));
        let definition = shown.map(|shown| &shown.definition);
        UpstreamToolView {
            current: listed.contains(name.as_str()),
            digest: shown.map(|shown| shown.row.digest.clone()),
            description: definition.and_then(|tool| tool.description.clone()),
            input_schema: definition.map(|tool| tool.input_schema.clone()),
            output_schema: definition.and_then(|tool| tool.output_schema.clone()),
            destructive_hint: definition.is_some_and(|tool| tool.destructive_hint),
            seen_at: shown.map(|shown| shown.row.seen_at),
            pins: pins.remove(&name).unwrap_or_default(),
            warnings: warnings.unwrap_or_default(),
            tool: name,
        }
    };
    Ok(names.into_iter().map(view).collect())
}

fn current(known: &BTreeMap<String, KnownTool>) -> Option<&KnownTool> {
    known.values().find(|known| known.row.is_current)
}

/// Returns the pins of the upstream's tools, by name of the tool at the server.
async fn pins(
    tx: &mut Tx,
    rules: &OperatorRules,
    found: &ServerTools,
) -> Result<BTreeMap<String, Vec<PinView>>, ActionError> {
    let upstreams = WorkspaceUpstreams::read(tx, rules).await?;
    let mut by_tool: BTreeMap<String, Vec<PinView>> = BTreeMap::new();
    for own in workspace_toolsets::all(tx, rules).await? {
        for tool in &own.toolset.tools {
            let pin = PinnedTool::of(own.source, &own.toolset.slug, &tool.executor);
            let Some(pin) = pin.filter(|pin| pin.reference == found.upstream.reference) else { continue };
            let known = found.tools.get(pin.tool);
            let accepted =
                known.and_then(|known| known.get(pin.digest)).filter(|known| !known.row.is_current);
            let accepted = accepted.map(|known| &known.definition);
            by_tool.entry(pin.tool.to_owned()).or_default().push(PinView {
                slug: own.toolset.slug.clone(),
                tool: tool.full_name.clone(),
                pin: pin.digest.to_owned(),
                state: upstreams.pins().state(&pin.reference, pin.tool, pin.digest).as_str(),
                draft: tool.draft,
                pinned_description: accepted.and_then(|tool| tool.description.clone()),
                pinned_input_schema: accepted.map(|tool| tool.input_schema.clone()),
            });
        }
    }
    Ok(by_tool)
}
