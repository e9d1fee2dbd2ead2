//! Who runs a tool.

use std::collections::BTreeSet;

use crate::{
    context::ToolsetSource,
    defect::{below, quoted},
    document::{McpMapping, UpstreamKind},
    note::{CheckReport, NoteKind},
    rules::{ToolScope, http},
};

const EXECUTORS: [&str; 3] = ["http", "mcp", "client"];

/// Checks that a tool has exactly one executor, and that executor's rules.
pub fn check(scope: &ToolScope<'_>, report: &mut CheckReport) {
    let given: Vec<&str> = EXECUTORS.into_iter().filter(|key| scope.has(key)).collect();
    match given.as_slice() {
        [] => report.defect(&scope.at, "does not say who runs it; add one of `http`, `mcp` and `client`"),
        [_] => {}
        given => {
            let list = given.join("` and `");
            report.defect(&scope.at, format!("has the executors `{list}`; keep exactly one"));
        }
    }
    if let Some(mapping) = &scope.tool.http {
        let at = below(&scope.at, "http");
        check_upstream(mapping.upstream.as_ref(), UpstreamKind::Http, &at, scope, report);
        http::check(mapping, &at, scope, report);
    }
    if let Some(mapping) = &scope.tool.mcp {
        let at = below(&scope.at, "mcp");
        check_upstream(mapping.upstream.as_ref(), UpstreamKind::Mcp, &at, scope, report);
        check_keys(mapping, &below(&at, "keys"), scope, report);
    }
    if scope.tool.client.is_some() && scope.tool.timeout_seconds.is_some() {
        let message = "has no effect: a client-run tool has `claim_seconds` and `run_seconds`";
        report.note(NoteKind::Unused, below(&scope.at, "timeout_seconds"), message);
    }
}

/// Checks that each parameter has one name at the server, and no two have the same.
fn check_keys(mapping: &McpMapping, at: &str, scope: &ToolScope<'_>, report: &mut CheckReport) {
    let mut known = BTreeSet::new();
    for parameter in scope.parameters {
        let key = mapping.key(&parameter.name);
        if !known.insert(key) {
            let message = format!("two parameters have the name {} at the server", quoted(key));
            report.defect(below(at, &parameter.name), message);
        }
    }
    for name in mapping.keys.iter().flatten().map(|(name, _)| name) {
        if scope.parameter(name).is_none() {
            report.defect(below(at, name), format!("{} is no parameter", quoted(name)));
        }
    }
}

fn check_upstream(
    name: Option<&String>,
    kind: UpstreamKind,
    at: &str,
    scope: &ToolScope<'_>,
    report: &mut CheckReport,
) {
    let (Some(name), Some(upstreams)) = (name, scope.upstreams) else { return };
    let at = below(at, "upstream");
    match upstreams.get(name) {
        None => {
            let known: Vec<&str> = upstreams.keys().map(String::as_str).collect();
            let near = toolcrib_registry::nearest(name, &known);
            let repair = match (near, scope.context.source) {
                (Some(near), _) => format!("did you mean `{near}`"),
                (None, ToolsetSource::Workspace) => "add it with `POST /v1/upstreams`".to_owned(),
                (None, ToolsetSource::Operator) => {
                    "declare it in `upstreams`; a workspace's document is checked with `--workspace`"
                        .to_owned()
                }
            };
            report.defect(at, format!("{} is no upstream; {repair}", quoted(name)));
        }
        Some(upstream) if upstream.kind != kind => {
            let message = format!(
                "{} is of the kind `{}`, and the tool needs `{}`",
                quoted(name),
                upstream.kind.as_str(),
                kind.as_str()
            );
            report.defect(at, message);
        }
        Some(_) => {}
    }
}
