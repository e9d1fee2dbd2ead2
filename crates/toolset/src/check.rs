//! Checks a document.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{
    checked::{CheckedTool, CheckedToolset, checked_tool},
    context::{CheckContext, KnownUpstream, ToolsetSource},
    defect::{DocumentDefect, below},
    document::{AuthKind, DeclaredAccess, DeclaredTool, DeclaredUpstream, Toolset},
    note::CheckReport,
    rules::{ToolScope, check_access_lists, check_document, check_tool},
    structure::check_structure,
    text::check_texts,
    tool_schema::{SchemaPurpose, no_parameters, normalise_schema, parameters_of},
};

/// Checks a document and returns its checked form, or every defect: at most 100, in the order of the document.
pub fn check(document: &Value, context: &CheckContext) -> Result<CheckedToolset, Vec<DocumentDefect>> {
    let mut report = CheckReport::default();
    let readable = check_structure(document, &mut report.defects);
    check_texts(document, &mut report);
    let mut toolset: Toolset = match serde_json::from_value(readable) {
        Ok(toolset) => toolset,
        Err(error) => {
            report.defect("", format!("can't be read: {error}"));
            Toolset::default()
        }
    };
    check_document(&toolset, context, &mut report);
    let upstreams = known_upstreams(&toolset, context);
    normalise_schemas(&mut toolset, &mut report);
    check_tools(document, &toolset, upstreams.as_ref(), context, &mut report);
    if !report.defects.is_empty() {
        return Err(report.defects.into_vec());
    }
    let checked = checked(toolset, upstreams.as_ref(), report);
    checked.ok_or_else(|| {
        let message = "a required field is missing".to_owned();
        vec![DocumentDefect { pointer: String::new(), message }]
    })
}

/// Returns the checked form of a document without defects. `None` if a required field is missing.
pub fn checked(
    toolset: Toolset,
    upstreams: Option<&BTreeMap<String, KnownUpstream>>,
    report: CheckReport,
) -> Option<CheckedToolset> {
    let tool = |tool: &DeclaredTool| checked_tool(tool, &toolset, upstreams);
    let tools: Vec<CheckedTool> = toolset.tools.iter().flatten().map(tool).collect::<Option<_>>()?;
    Some(CheckedToolset {
        slug: toolset.slug.clone()?,
        title: toolset.title.clone()?,
        enabled: toolset.enabled.unwrap_or_default(),
        document: toolset,
        tools,
        notes: report.into_notes(),
    })
}

/// Returns the upstreams that tools may name: of an operator's file those that it declares. `None` if they are not
/// known, or if one of them can't be read.
fn known_upstreams(toolset: &Toolset, context: &CheckContext) -> Option<BTreeMap<String, KnownUpstream>> {
    if context.source == ToolsetSource::Workspace {
        return context.upstreams.clone();
    }
    let mut known = context.upstreams.clone().unwrap_or_default();
    for upstream in toolset.upstreams.iter().flatten() {
        let (name, upstream) = known_upstream(upstream)?;
        known.insert(name, upstream);
    }
    Some(known)
}

fn known_upstream(upstream: &DeclaredUpstream) -> Option<(String, KnownUpstream)> {
    let header = upstream.auth.as_ref().filter(|auth| auth.kind == Some(AuthKind::Header));
    let known = KnownUpstream {
        kind: upstream.kind?,
        base_url: upstream.base_url.clone()?,
        auth_header: header.and_then(|auth| auth.name.clone()),
    };
    Some((upstream.name.clone()?, known))
}

/// Normalises the schemas of all tools in place.
fn normalise_schemas(toolset: &mut Toolset, report: &mut CheckReport) {
    for (position, tool) in toolset.tools.iter_mut().flatten().enumerate() {
        let at = below("/tools", position);
        for (key, schema, purpose) in [
            ("parameters", &mut tool.parameters, SchemaPurpose::Parameters),
            ("output", &mut tool.output, SchemaPurpose::Output),
        ] {
            if let Some(schema) = schema {
                *schema = normalise_schema(schema, purpose, &below(&at, key), report);
            }
        }
    }
}

fn check_tools(
    document: &Value,
    toolset: &Toolset,
    upstreams: Option<&BTreeMap<String, KnownUpstream>>,
    context: &CheckContext,
    report: &mut CheckReport,
) {
    let declared_types = toolset.caller_types.iter().flatten();
    let caller_types: BTreeSet<String> = context.caller_types.iter().chain(declared_types).cloned().collect();
    let defaults = toolset.defaults.as_ref().and_then(|defaults| defaults.accessible_by.as_ref());
    if let Some(DeclaredAccess::Lists(lists)) = defaults {
        check_access_lists(lists, "/defaults/accessible_by", &caller_types, context, report);
    }
    for (position, tool) in toolset.tools.iter().flatten().enumerate() {
        let at = below("/tools", position);
        // What is no object has its one defect already.
        let Some(written) = document.pointer(&at).filter(|tool| tool.is_object()) else { continue };
        let parameters = tool.parameters.clone().unwrap_or_else(no_parameters);
        let scope = ToolScope {
            parameters: &parameters_of(&parameters),
            at,
            tool,
            written,
            toolset,
            upstreams,
            caller_types: &caller_types,
            context,
        };
        check_tool(&scope, report);
        if report.defects.is_full() {
            return;
        }
    }
}
