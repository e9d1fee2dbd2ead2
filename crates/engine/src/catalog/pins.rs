//! Whether the pins of declared tools hold. Decides by rows that were read before; asks no server.

use std::collections::{BTreeMap, HashMap};

use toolcrib_registry::Level;
use toolcrib_store::upstream_tools::UpstreamToolRow;
use toolcrib_toolset::{CheckedTool, CheckedToolset, ToolExecutor, ToolsetSource};

use super::upstreams::operators_reference;

toolcrib_model::closed_set! {
    "a pin state",
    /// How the pin of a tool stands against what its server listed last.
    #[derive(Ord, PartialOrd)]
    PinState {
        /// The server was never asked.
        Unasked = "unasked",
        /// The definition is the pinned one.
        Equal = "equal",
        /// The definition has another text than the pinned one, and the same schemas.
        Text = "text",
        /// The definition has other schemas than the pinned one.
        Schema = "schema",
        /// The server does not list the tool.
        Gone = "gone",
        /// The server lists the tool, and never listed the pinned definition.
        Unknown = "unknown",
    }
}

impl PinState {
    /// Returns whether a tool of this level can be called. Nobody is shown the new text of a read, and its schemas are
    /// the accepted ones.
    pub fn holds(self, level: Level) -> bool {
        match self {
            Self::Unasked | Self::Equal => true,
            Self::Text => level == Level::Read,
            Self::Schema | Self::Gone | Self::Unknown => false,
        }
    }
}

/// The definitions of one tool that are known: digest and digest of the schemas.
#[derive(Clone, Debug, Default)]
struct KnownDefinitions {
    current: Option<(String, String)>,
    earlier: Vec<(String, String)>,
}

impl KnownDefinitions {
    fn state(&self, pin: &str) -> PinState {
        let Some((digest, schemas)) = &self.current else { return PinState::Gone };
        if digest == pin {
            return PinState::Equal;
        }
        match self.earlier.iter().find(|(digest, _)| digest == pin) {
            Some((_, pinned)) if pinned == schemas => PinState::Text,
            Some(_) => PinState::Schema,
            None => PinState::Unknown,
        }
    }
}

/// What the servers of a workspace's upstreams listed, by reference of the upstream and name of the tool.
#[derive(Clone, Debug, Default)]
pub struct UpstreamPins {
    upstreams: HashMap<String, HashMap<String, KnownDefinitions>>,
}

impl UpstreamPins {
    /// Keeps what the rows say.
    pub fn of_rows(rows: Vec<UpstreamToolRow>) -> Self {
        let mut upstreams: HashMap<String, HashMap<String, KnownDefinitions>> = HashMap::new();
        for row in rows {
            let known = upstreams.entry(row.upstream).or_default().entry(row.tool).or_default();
            let definition = (row.digest, row.schema_digest);
            if row.is_current {
                known.current = Some(definition);
            } else {
                known.earlier.push(definition);
            }
        }
        Self { upstreams }
    }

    /// Returns how the pin of a tool stands. `reference` is that of the upstream.
    pub fn state(&self, reference: &str, tool: &str, pin: &str) -> PinState {
        let Some(tools) = self.upstreams.get(reference) else { return PinState::Unasked };
        tools.get(tool).map_or(PinState::Gone, |known| known.state(pin))
    }

    /// Returns whether the server of this upstream was ever asked.
    pub fn was_asked(&self, reference: &str) -> bool {
        self.upstreams.contains_key(reference)
    }

    /// Returns the digest of the tool's current definition, if its server lists it.
    pub fn current(&self, reference: &str, tool: &str) -> Option<&str> {
        let known = self.upstreams.get(reference)?.get(tool)?;
        known.current.as_ref().map(|(digest, _)| digest.as_str())
    }

    /// Returns how the pin of a declared tool stands; `None` for a tool that no MCP server runs.
    pub fn of_tool(&self, source: ToolsetSource, slug: &str, tool: &CheckedTool) -> Option<PinState> {
        let pin = PinnedTool::of(source, slug, &tool.executor)?;
        Some(self.state(&pin.reference, pin.tool, pin.digest))
    }

    /// Returns the states of the pins of a toolset, by name of the tool without the slug. Other tools are left out.
    pub fn states(&self, source: ToolsetSource, toolset: &CheckedToolset) -> BTreeMap<String, PinState> {
        let tools = toolset.tools.iter();
        let states =
            tools.filter_map(|tool| Some((tool.name.clone(), self.of_tool(source, &toolset.slug, tool)?)));
        states.collect()
    }
}

/// What a tool of an MCP server pins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PinnedTool<'t> {
    pub reference: String,
    /// Name of the tool at the server.
    pub tool: &'t str,
    /// Digest of the accepted definition.
    pub digest: &'t str,
}

impl<'t> PinnedTool<'t> {
    /// Returns the pin of a tool; `None` for a tool that no MCP server runs. The check of a document refuses a mapping
    /// that lacks a field.
    pub fn of(source: ToolsetSource, slug: &str, executor: &'t ToolExecutor) -> Option<Self> {
        let ToolExecutor::Mcp(mapping) = executor else { return None };
        let upstream = mapping.upstream.as_deref()?;
        let reference = match source {
            ToolsetSource::Operator => operators_reference(slug, upstream),
            ToolsetSource::Workspace => upstream.to_owned(),
        };
        Some(Self { reference, tool: mapping.tool.as_deref()?, digest: mapping.pin.as_deref()? })
    }
}

#[cfg(test)]
mod tests {
    use toolcrib_model::Ts;

    use super::*;

    fn row(tool: &str, digest: &str, schemas: &str, is_current: bool) -> UpstreamToolRow {
        UpstreamToolRow {
            upstream: "forge".into(),
            tool: tool.into(),
            digest: digest.into(),
            schema_digest: schemas.into(),
            is_current,
            seen_at: Ts::from_micros(0),
        }
    }

    #[test]
    fn the_state_follows_from_the_pinned_and_the_current_definition() {
        let pins = UpstreamPins::of_rows(vec![
            row("look", "a", "s", false),
            row("look", "b", "s", true),
            row("look", "c", "t", false),
            row("lost", "a", "s", false),
        ]);
        for (upstream, tool, pin, state) in [
            ("forge", "look", "b", PinState::Equal),
            ("forge", "look", "a", PinState::Text),
            ("forge", "look", "c", PinState::Schema),
            ("forge", "look", "d", PinState::Unknown),
            ("forge", "lost", "a", PinState::Gone),
            ("forge", "never", "a", PinState::Gone),
            ("other", "look", "a", PinState::Unasked),
        ] {
            assert_eq!(pins.state(upstream, tool, pin), state, "{upstream} {tool} {pin}");
        }
        assert_eq!((pins.current("forge", "look"), pins.current("forge", "lost")), (Some("b"), None));
    }

    #[test]
    fn a_server_that_lists_nothing_has_no_tool() {
        let asked = UpstreamPins::of_rows(vec![row("", "", "", false)]);
        assert_eq!(asked.state("forge", "look", "a"), PinState::Gone);
    }

    #[test]
    fn another_text_leaves_reads_on_and_another_schema_nothing() {
        for (state, on) in [
            (PinState::Unasked, [true, true, true]),
            (PinState::Equal, [true, true, true]),
            (PinState::Text, [true, false, false]),
            (PinState::Schema, [false, false, false]),
            (PinState::Gone, [false, false, false]),
            (PinState::Unknown, [false, false, false]),
        ] {
            let levels = [Level::Read, Level::Write, Level::Destructive];
            assert_eq!(levels.map(|level| state.holds(level)), on, "{state:?}");
        }
    }
}
