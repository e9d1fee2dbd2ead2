//! Loads the toolsets of a workspace: its own and those of the operator.

use std::{collections::BTreeMap, sync::Arc};

use toolcrib_registry::ToolState;
use toolcrib_store::{Tx, toolsets, toolsets::ToolsetRow};
use toolcrib_toolset::{CheckedTool, CheckedToolset, KnownUpstream, ToolsetSource, read_stored};

use super::{OperatorRules, PinState, UpstreamPins, upstreams::WorkspaceUpstreams};
use crate::base::ActionError;

/// A toolset with the switches of the workspace.
pub struct WorkspaceToolset {
    pub toolset: Arc<CheckedToolset>,
    /// Where the document comes from.
    pub source: ToolsetSource,
    /// Incremented by every change in this workspace; 0 if it has changed nothing of an operator's toolset.
    pub version: i64,
    pub enabled: bool,
    /// Names of the tools that the workspace disabled, without the slug.
    pub disabled_tools: Vec<String>,
    /// How the pins of its tools of MCP servers stand, by name of the tool without the slug.
    pub pins: BTreeMap<String, PinState>,
}

impl WorkspaceToolset {
    pub fn state(&self, tool: &CheckedTool) -> ToolState {
        state(tool, self.enabled, &self.disabled_tools, self.pins.get(&tool.name).copied())
    }
}

/// Returns the state of a tool under the switches of the workspace. `pin` is the state of its pin, if it has one.
pub(super) fn state(
    tool: &CheckedTool,
    enabled: bool,
    disabled_tools: &[String],
    pin: Option<PinState>,
) -> ToolState {
    if tool.draft {
        ToolState::Draft
    } else if !enabled {
        ToolState::ToolsetOff
    } else if disabled_tools.contains(&tool.name) {
        ToolState::Disabled
    } else if pin.is_some_and(|pin| !pin.holds(tool.level)) {
        ToolState::Drifted
    } else {
        ToolState::On
    }
}

/// Returns every toolset of the workspace: the operator's first, then its own, each by slug. A workspace keeps its own
/// toolset if an operator adds one with the same slug later.
pub async fn all(tx: &mut Tx, rules: &OperatorRules) -> Result<Vec<WorkspaceToolset>, ActionError> {
    let rows = toolsets::list(tx).await?;
    let upstreams = WorkspaceUpstreams::read(tx, rules).await?;
    let (known, pins) = (upstreams.known(), upstreams.pins());
    let own: Vec<WorkspaceToolset> = rows.iter().filter_map(|row| own(row, &known, pins)).collect();
    let slugs: Vec<&str> = own.iter().map(|own| own.toolset.slug.as_str()).collect();
    let operators: Vec<WorkspaceToolset> = of_operator(&rows, &slugs, rules, pins).collect();
    Ok(operators.into_iter().chain(own).collect())
}

/// Returns the operator's toolsets with the switches of the workspace, except those with the slugs of its own.
pub(super) fn of_operator(
    rows: &[ToolsetRow],
    own: &[&str],
    rules: &OperatorRules,
    pins: &UpstreamPins,
) -> impl Iterator<Item = WorkspaceToolset> {
    let operators = rules.toolsets.iter().filter(|toolset| !own.contains(&&*toolset.slug));
    operators
        .map(|toolset| operators_toolset(toolset, rows.iter().find(|row| row.slug == toolset.slug), pins))
}

/// Returns the slugs of the operator's toolsets that this workspace does not see, because it has its own with that
/// slug.
pub(super) fn hidden<'r>(rows: &'r [ToolsetRow], rules: &OperatorRules) -> Vec<&'r str> {
    let of_operator = |row: &&ToolsetRow| rules.toolsets.iter().any(|toolset| toolset.slug == row.slug);
    let own = rows.iter().filter(|row| row.document.is_some()).filter(of_operator);
    own.map(|row| row.slug.as_str()).collect()
}

pub async fn exists(tx: &mut Tx, rules: &OperatorRules, slug: &str) -> Result<bool, ActionError> {
    if rules.toolsets.iter().any(|toolset| toolset.slug == slug) {
        return Ok(true);
    }
    Ok(toolsets::get(tx, slug).await?.is_some_and(|row| row.document.is_some()))
}

pub async fn find(tx: &mut Tx, rules: &OperatorRules, slug: &str) -> Result<WorkspaceToolset, ActionError> {
    let row = toolsets::get(tx, slug).await?;
    let upstreams = WorkspaceUpstreams::read(tx, rules).await?;
    if let Some(row) = row.as_ref().filter(|row| row.document.is_some())
        && let Some(own) = own(row, &upstreams.known(), upstreams.pins())
    {
        return Ok(own);
    }
    let operators = rules.toolsets.iter().find(|toolset| toolset.slug == slug);
    let toolset = operators.ok_or_else(|| ActionError::not_found("toolset", slug))?;
    Ok(operators_toolset(toolset, row.as_ref(), upstreams.pins()))
}

/// Returns a row with a document as a toolset of the workspace. A row without one holds the switches of an operator's
/// toolset. The definitions of its tools contain the addresses of the upstreams, so that a changed address makes
/// confirmations and grants void.
fn own(
    row: &ToolsetRow,
    upstreams: &BTreeMap<String, KnownUpstream>,
    pins: &UpstreamPins,
) -> Option<WorkspaceToolset> {
    let toolset = read_stored(row.document.as_deref()?, Some(upstreams))?;
    Some(WorkspaceToolset {
        pins: pins.states(ToolsetSource::Workspace, &toolset),
        toolset: Arc::new(toolset),
        source: ToolsetSource::Workspace,
        version: row.version,
        enabled: row.enabled,
        disabled_tools: row.disabled_tools.clone(),
    })
}

fn operators_toolset(
    toolset: &Arc<CheckedToolset>,
    row: Option<&ToolsetRow>,
    pins: &UpstreamPins,
) -> WorkspaceToolset {
    WorkspaceToolset {
        pins: pins.states(ToolsetSource::Operator, toolset),
        toolset: toolset.clone(),
        source: ToolsetSource::Operator,
        version: row.map_or(0, |row| row.version),
        enabled: row.map_or(toolset.enabled, |row| row.enabled),
        disabled_tools: row.map(|row| row.disabled_tools.clone()).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolcrib_model::Ts;
    use toolcrib_toolset::{CheckContext, check};

    use super::*;

    fn row(slug: &str, document: Option<&str>) -> ToolsetRow {
        ToolsetRow {
            slug: slug.to_owned(),
            version: 1,
            document: document.map(str::to_owned),
            digest: None,
            enabled: true,
            disabled_tools: Vec::new(),
            updated_at: Ts::from_micros(0),
            updated_by: None,
        }
    }

    #[test]
    fn a_slug_that_the_workspace_has_too_hides_the_operators() {
        let document = json!({
            "schema": "toolcrib.toolset/1", "slug": "desk", "title": "Desk",
            "tools": [{
                "name": "look", "description": "Look.", "permission_level": "read",
                "accessible_by": "everyone", "client": {}
            }]
        });
        let operators = check(&document, &CheckContext::new(ToolsetSource::Operator)).unwrap();
        let rules = OperatorRules { toolsets: vec![Arc::new(operators)], ..OperatorRules::default() };
        let (text, pins) = (document.to_string(), UpstreamPins::default());
        assert_eq!(hidden(&[row("desk", Some(&text)), row("mail", Some(&text))], &rules), ["desk"]);
        assert!(hidden(&[row("desk", None)], &rules).is_empty(), "a row of switches is no toolset");
        assert_eq!(of_operator(&[], &[], &rules, &pins).count(), 1);
        assert_eq!(of_operator(&[row("desk", Some(&text))], &["desk"], &rules, &pins).count(), 0);
    }
}
