//! Rules for the document as a whole: its slug, what only an operator's file may have, its names.

use std::collections::BTreeMap;

use toolcrib_model::count;
use toolcrib_registry::is_reserved_slug;

use crate::{
    context::{CheckContext, ToolsetSource},
    defect::{below, quoted},
    document::Toolset,
    limits::{MAX_FULL_NAME, MAX_PROMOTED},
    note::CheckReport,
    rules::upstreams,
};

/// Checks what concerns more than one tool.
pub fn check_document(toolset: &Toolset, context: &CheckContext, report: &mut CheckReport) {
    check_slug(toolset, context, report);
    check_source(toolset, context, report);
    check_names(toolset, report);
    check_caller_types(toolset, report);
    upstreams::check(toolset.upstreams.as_deref().unwrap_or_default(), report);
    let promoted = toolset.tools.iter().flatten().filter(|tool| tool.promoted == Some(true)).count();
    if promoted > MAX_PROMOTED {
        let found = count(promoted, "promoted tool");
        report.defect("/tools", format!("has {found}; at most {MAX_PROMOTED} are possible"));
    }
}

fn check_slug(toolset: &Toolset, context: &CheckContext, report: &mut CheckReport) {
    let Some(slug) = toolset.slug.as_deref() else { return };
    let taken = if is_reserved_slug(slug) {
        "is reserved, as names or scopes with it are those of the platform"
    } else if context.pack_slugs.contains(slug) {
        "is the slug of a pack, whose scopes would cover these tools too"
    } else if context.operator_slugs.contains(slug) {
        "is the slug of an operator's toolset"
    } else {
        return;
    };
    report.defect("/slug", format!("{} {taken}; choose another slug", quoted(slug)));
}

fn check_source(toolset: &Toolset, context: &CheckContext, report: &mut CheckReport) {
    if context.source == ToolsetSource::Operator {
        return;
    }
    let only = "only possible in an operator's file";
    if toolset.upstreams.is_some() {
        report.defect("/upstreams", format!("{only}; a workspace uses `POST /v1/upstreams`"));
    }
    if toolset.caller_types.is_some() {
        report.defect("/caller_types", format!("{only}; ask the operator to configure the caller types"));
    }
    if toolset.enabled.is_some() {
        report.defect("/enabled", format!("{only}; a workspace uses `PATCH /v1/toolsets/{{slug}}`"));
    }
}

fn check_names(toolset: &Toolset, report: &mut CheckReport) {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for (position, tool) in toolset.tools.iter().flatten().enumerate() {
        let Some(name) = tool.name.as_deref() else { continue };
        let at = below(&below("/tools", position), "name");
        if let Some(slug) = toolset.slug.as_deref() {
            let length = slug.len() + 2 + name.len();
            if length > MAX_FULL_NAME {
                let full = quoted(&format!("{slug}__{name}"));
                report.defect(
                    &at,
                    format!(
                        "the full name {full} has {length} characters; at most {MAX_FULL_NAME} are possible"
                    ),
                );
            }
        }
        if let Some(first) = seen.get(&name.to_lowercase()) {
            let message = format!("taken by `/tools/{first}`; names are unique without regard to case");
            report.defect(&at, message);
        } else {
            seen.insert(name.to_lowercase(), position);
        }
    }
}

fn check_caller_types(toolset: &Toolset, report: &mut CheckReport) {
    let types = toolset.caller_types.as_deref().unwrap_or_default();
    for (position, name) in types.iter().enumerate() {
        let at = below("/caller_types", position);
        if name.chars().any(char::is_whitespace) {
            report.defect(&at, "must not contain spaces");
        }
        if types.iter().take(position).any(|before| before == name) {
            report.defect(&at, format!("{} is listed twice", quoted(name)));
        }
    }
}
