//! Checks a document without storing it, and shows what a caller would get.

use serde_json::{Map, Value};
use toolcrib_access::{Caller, Rule, decide};
use toolcrib_engine::{WorkspaceToolset, prelude::*, upstreams::WorkspaceUpstreams, workspace_toolsets};
use toolcrib_model::Role;
use toolcrib_registry::{Format, dropped_keywords};
use toolcrib_store::toolsets;
use toolcrib_toolset::{CheckedToolset, ToolsetSource};

use super::{
    apply::{ToolChange, changes},
    pins,
    rules::{self, NoteView},
    view::ToolsetView,
};
use crate::admin::access::words::{imagined, known_caller_type, sentence};

pub struct CheckToolset;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// The whole document.
    #[schemars(extend("x-free" = true, "maxProperties" = 20))]
    pub document: Map<String, Value>,
    /// The caller whose access is shown.
    #[serde(rename = "as")]
    pub caller: Option<CallerInput>,
}

/// A caller.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct CallerInput {
    /// Role of the caller.
    #[schemars(extend("x-plain-words" = true))]
    pub role: Role,
    /// Caller type. Default: `api`.
    pub caller_type: Option<String>,
    /// Slug or name of an agent.
    pub caller_name: Option<String>,
}

/// Result of the operation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// The toolset as it would be.
    #[serde(flatten)]
    pub toolset: ToolsetView,
    /// The tools that would change.
    pub changes: Vec<ToolChange>,
    /// What the author of the document may want to know.
    pub notes: Vec<NoteView>,
    /// Constraints of schemas that a format can't express. The server checks all of them.
    pub dropped_keywords: Vec<DroppedView>,
    /// The decision about each tool; absent without `as`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<Vec<AccessView>>,
}

/// A constraint that a format can't express.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct DroppedView {
    /// Full name of the tool.
    pub tool: String,
    /// The format.
    pub format: Format,
    /// JSON pointer into the schema of the parameters.
    pub pointer: String,
    /// The keyword.
    pub keyword: String,
    /// Where the constraint goes.
    pub went: &'static str,
}

/// The decision about one tool.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(inline)]
pub struct AccessView {
    /// Full name of the tool.
    pub tool: String,
    /// Permission level.
    pub permission_level: Level,
    /// Whether the caller may call it.
    pub allowed: bool,
    /// First rule that fails; null if none fails.
    pub reason: Option<&'static str>,
    /// Why not, in one sentence; absent if the call is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explanation: Option<String>,
}

impl ReadAction for CheckToolset {
    type Input = Input;
    type Output = Output;

    fn spec() -> Spec {
        Spec::program("toolsets.check", Level::Read, Permission::TOOLSETS_MANAGE)
            .describe("Check the document of a toolset without storing it: what would change, and what a caller would get.")
    }

    async fn run(&self, cx: &mut ReadCx<'_>, input: &Input) -> Result<Output, ActionError> {
        let rules = cx.tools.catalog.rules();
        let packs = rules::pack_slugs(cx.tools.catalog);
        let new = rules::checked(cx.tx, rules, packs, &input.document, "/document").await?;
        let row = toolsets::get(cx.tx, &new.slug).await?;
        rules::fits(cx.tx, rules, &new, row.as_ref()).await?;
        pins::checked(cx.tx, rules, &new, "/document").await?;
        let old = match &row {
            Some(_) => Some(workspace_toolsets::find(cx.tx, rules, &new.slug).await?),
            None => None,
        };
        let changes = changes(old.as_ref().map(|old| &*old.toolset), &new);
        let notes = new.notes.iter().map(NoteView::from).collect();
        let pins =
            WorkspaceUpstreams::read(cx.tx, rules).await?.pins().states(ToolsetSource::Workspace, &new);
        let own = WorkspaceToolset {
            pins,
            toolset: new.into(),
            source: ToolsetSource::Workspace,
            version: old.as_ref().map_or(0, |old| old.version),
            enabled: old.as_ref().is_none_or(|old| old.enabled),
            disabled_tools: old.map(|old| old.disabled_tools).unwrap_or_default(),
        };
        let caller = input.caller.as_ref().map(|caller| as_caller(cx, caller)).transpose()?;
        Ok(Output {
            toolset: ToolsetView::of(&own),
            changes,
            notes,
            dropped_keywords: dropped(&own.toolset),
            access: caller.map(|caller| decisions(cx, &own, &caller)),
        })
    }

    fn describe(_: &Input, output: &Output) -> String {
        let slug = &output.toolset.slug;
        format!(
            "The document of `{slug}` has no defect; {} would change",
            count(output.changes.len(), "tool")
        )
    }
}

fn as_caller(cx: &ReadCx<'_>, input: &CallerInput) -> Result<Caller, ActionError> {
    let known = &cx.tools.catalog.rules().caller_types;
    let caller_type = known_caller_type(known, "/as/caller_type", input.caller_type.as_deref())?;
    let name = input.caller_name.as_deref();
    Ok(imagined(cx.caller.workspace, Id::nil(), Some(input.role), caller_type, name))
}

fn decisions(cx: &ReadCx<'_>, own: &WorkspaceToolset, caller: &Caller) -> Vec<AccessView> {
    let decided = own.toolset.tools.iter().map(|tool| {
        let spec = tool.spec(&own.toolset.slug, own.state(tool));
        let decision = decide(caller, &spec, cx.policy);
        AccessView {
            tool: tool.full_name.clone(),
            permission_level: tool.level,
            allowed: decision.allowed,
            reason: decision.reason.map(Rule::as_str),
            explanation: decision.reason.map(|rule| sentence(rule, false, caller, &spec)),
        }
    });
    decided.collect()
}

fn dropped(toolset: &CheckedToolset) -> Vec<DroppedView> {
    let of_tool = toolset.tools.iter().flat_map(|tool| {
        Format::ALL.iter().flat_map(move |format| {
            dropped_keywords(*format, &tool.parameters).into_iter().map(move |dropped| DroppedView {
                tool: tool.full_name.clone(),
                format: *format,
                pointer: dropped.pointer,
                keyword: dropped.keyword,
                went: dropped.went,
            })
        })
    });
    of_tool.collect()
}
