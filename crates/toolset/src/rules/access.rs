//! Which callers reach a tool.

use std::collections::BTreeSet;

use toolcrib_registry::slug_form;

use crate::{
    context::CheckContext,
    defect::{below, quoted},
    document::{AccessLists, DeclaredAccess, DeclaredTool, Toolset},
    note::{CheckReport, NoteKind},
    rules::ToolScope,
};

/// Returns the access of a tool: its own or that of the defaults.
pub fn resolve_access<'a>(tool: &'a DeclaredTool, toolset: &'a Toolset) -> Option<&'a DeclaredAccess> {
    let defaults = || toolset.defaults.as_ref()?.accessible_by.as_ref();
    tool.accessible_by.as_ref().or_else(defaults)
}

pub fn check(scope: &ToolScope<'_>, report: &mut CheckReport) {
    let at = below(&scope.at, "accessible_by");
    if let Some(DeclaredAccess::Lists(lists)) = &scope.tool.accessible_by {
        check_lists(lists, &at, scope.caller_types, scope.context, report);
    }
    if !scope.has("accessible_by") {
        check_default(&at, scope, report);
    } else if is_empty(scope.tool.accessible_by.as_ref()) {
        report.note(NoteKind::Access, at, "both lists are empty: nobody reaches the tool");
    }
}

fn check_default(at: &str, scope: &ToolScope<'_>, report: &mut CheckReport) {
    let defaults = scope.toolset.defaults.as_ref().and_then(|defaults| defaults.accessible_by.as_ref());
    match defaults {
        None if report.defects.is_within("/defaults") => {}
        None if scope.tool.draft == Some(true) => {
            report.note(NoteKind::Draft, at, "needed before the tool is no draft any more");
        }
        None => report
            .defect(at, "required here or in `defaults`: `\"everyone\"`, or `{ types = […], names = […] }`"),
        defaults if is_empty(defaults) => {
            report.note(NoteKind::Access, at, "the lists in `defaults` are empty: nobody reaches the tool");
        }
        Some(_) => report.note(NoteKind::Access, at, "from `defaults`"),
    }
}

/// Checks the types and names of a tool or of the defaults.
pub fn check_lists(
    lists: &AccessLists,
    at: &str,
    caller_types: &BTreeSet<String>,
    context: &CheckContext,
    report: &mut CheckReport,
) {
    for (position, name) in lists.types.iter().enumerate() {
        let at = below(&below(at, "types"), position);
        if !caller_types.contains(name) {
            let known: Vec<&str> = caller_types.iter().map(String::as_str).collect();
            let near = toolcrib_registry::nearest(name, &known);
            let repair = near.map_or_else(
                || format!("; the caller types are {}", known.join(", ")),
                |near| format!("; did you mean `{near}`"),
            );
            report.defect(at, format!("{} is not a configured caller type{repair}", quoted(name)));
        }
    }
    for (position, name) in lists.names.iter().enumerate() {
        let at = below(&below(at, "names"), position);
        let slug = slug_form(name);
        if slug.is_empty() {
            report.defect(at, "must not be empty");
        } else {
            note_agent(&slug, at, context, report);
        }
    }
}

fn note_agent(slug: &str, at: String, context: &CheckContext, report: &mut CheckReport) {
    let Some(agents) = &context.agent_slugs else { return };
    let message = if agents.contains(slug) {
        format!("admits the existing agent {}", quoted(slug))
    } else {
        format!("no agent is called {} yet", quoted(slug))
    };
    report.note(NoteKind::Access, at, message);
}

fn is_empty(access: Option<&DeclaredAccess>) -> bool {
    matches!(access, Some(DeclaredAccess::Lists(lists)) if lists.types.is_empty() && lists.names.is_empty())
}
