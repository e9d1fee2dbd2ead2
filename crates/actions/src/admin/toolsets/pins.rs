//! Compares the pins of a document with what the servers listed last.

use toolcrib_engine::{ActionError, OperatorRules, PinnedTool, upstreams::WorkspaceUpstreams};
use toolcrib_registry::ArgError;
use toolcrib_store::Tx;
use toolcrib_toolset::{CheckedToolset, ToolsetSource};

/// The most pins that one refusal names.
const MAX_NAMED_PINS: usize = 20;

/// A pin that is not the digest of the tool's current definition.
struct WrongPin {
    pointer: String,
    tool: String,
    upstream: String,
    given: String,
    /// The digest of the current definition; `None` if the server does not list the tool.
    current: Option<String>,
    /// Whether the server was ever asked.
    was_asked: bool,
}

impl WrongPin {
    /// Says what is wrong, without the tool.
    fn message(&self) -> String {
        match (&self.current, self.was_asked) {
            (Some(current), _) => format!("pins `{}`, and the current definition is `{current}`", self.given),
            (None, true) => {
                format!("pins `{}`, and the server of `{}` does not list the tool", self.given, self.upstream)
            }
            (None, false) => {
                format!("pins `{}`, and the server of `{}` was not asked yet", self.given, self.upstream)
            }
        }
    }

    /// Says how to mend it.
    fn repair(&self) -> String {
        let name = &self.upstream;
        match (&self.current, self.was_asked) {
            (Some(_), _) => format!(
                "compare the definitions with `GET /v1/upstreams/{name}/tools`, and accept the current one with its \
                 digest as `pin`"
            ),
            (None, true) => "remove the tool, or mark it as `draft`".to_owned(),
            (None, false) => format!("`POST /v1/upstreams/{name}/discover` asks it"),
        }
    }
}

/// Refuses a document with a pin that is not current: 409, which names each such pin. Nobody can call a draft, so its
/// pin need not be current.
pub async fn are_current(
    tx: &mut Tx,
    rules: &OperatorRules,
    toolset: &CheckedToolset,
) -> Result<(), ActionError> {
    let wrong = wrong_pins(tx, rules, toolset).await?;
    let Some(first) = wrong.first() else { return Ok(()) };
    let named = wrong.iter().take(MAX_NAMED_PINS).map(|pin| format!("`{}` {}", pin.tool, pin.message()));
    let mut detail = named.collect::<Vec<_>>().join("; ");
    if wrong.len() > MAX_NAMED_PINS {
        detail = format!("{detail}; and {} more", wrong.len() - MAX_NAMED_PINS);
    }
    Err(ActionError::conflict(detail).hint(first.repair()))
}

/// Like [`are_current`], as errors of the document: 422 with a pointer below `at` for each pin.
pub async fn checked(
    tx: &mut Tx,
    rules: &OperatorRules,
    toolset: &CheckedToolset,
    at: &str,
) -> Result<(), ActionError> {
    let wrong = wrong_pins(tx, rules, toolset).await?;
    if wrong.is_empty() {
        return Ok(());
    }
    let errors = wrong.iter().map(|pin| {
        let message = format!("{}: {}", pin.message(), pin.repair());
        ArgError::new(&format!("{at}{}", pin.pointer), "pin", message)
    });
    Err(ActionError::invalid_all(errors.collect()))
}

async fn wrong_pins(
    tx: &mut Tx,
    rules: &OperatorRules,
    toolset: &CheckedToolset,
) -> Result<Vec<WrongPin>, ActionError> {
    let source = ToolsetSource::Workspace;
    let upstreams = WorkspaceUpstreams::read(tx, rules).await?;
    let pins = upstreams.pins();
    let tools = toolset.tools.iter().enumerate().filter(|(_, tool)| !tool.draft);
    let wrong = tools.filter_map(|(position, tool)| {
        let pin = PinnedTool::of(source, &toolset.slug, &tool.executor)?;
        let current = pins.current(&pin.reference, pin.tool);
        (current != Some(pin.digest)).then(|| WrongPin {
            pointer: format!("/tools/{position}/mcp/pin"),
            tool: tool.full_name.clone(),
            given: pin.digest.to_owned(),
            current: current.map(str::to_owned),
            was_asked: pins.was_asked(&pin.reference),
            upstream: pin.reference,
        })
    });
    Ok(wrong.collect())
}
