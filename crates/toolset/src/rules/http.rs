//! Rules for the request of a tool.

use serde_json::Value;
use toolcrib_registry::Level;

use crate::{
    defect::{below, quoted},
    document::{HttpMapping, HttpMethod, ResponseMapping, TargetMapping},
    limits::{MAX_HEADER_VALUE, MAX_RESULT_DEFAULT},
    note::{CheckReport, NoteKind},
    rules::{
        ToolScope, body,
        headers::wrong_header,
        path::wrong_path,
        placeholders::{TemplatePlace, check_template},
    },
    template::is_pointer,
};

pub fn check(mapping: &HttpMapping, at: &str, scope: &ToolScope<'_>, report: &mut CheckReport) {
    let mut used = Vec::new();
    if mapping.method == Some(HttpMethod::Delete) && scope.tool.permission_level == Some(Level::Read) {
        let message = "`DELETE` is not a read; set `permission_level` to `write` or `destructive`";
        report.defect(below(at, "method"), message);
    }
    if let Some(path) = &mapping.path {
        used.extend(check_path(path, &below(at, "path"), scope, report));
    }
    for (key, value) in mapping.query.iter().flatten() {
        let at = below(&below(at, "query"), key);
        check_query_key(key, &at, report);
        if let Value::String(text) = value {
            used.extend(check_template(text, TemplatePlace::Query, &at, scope, report));
        }
    }
    check_headers(mapping, at, scope, report, &mut used);
    body::check(mapping, at, scope, report, &mut used);
    if let Some(response) = &mapping.response {
        check_response(response, &below(at, "response"), report);
    }
    if let Some(target) = &mapping.target {
        check_target(target, &below(at, "target"), scope, report);
    }
    let unused = scope.parameters.iter().filter(|parameter| !used.contains(&parameter.name.as_str()));
    for parameter in unused {
        let at = below(&format!("{}/parameters/properties", scope.at), &parameter.name);
        let message = format!("{} stands nowhere in the request", quoted(&parameter.name));
        report.note(NoteKind::Unused, at, message);
    }
}

fn check_path<'a>(path: &'a str, at: &str, scope: &ToolScope<'_>, report: &mut CheckReport) -> Vec<&'a str> {
    if let Some(message) = wrong_path(path) {
        report.defect(at, message);
    }
    check_template(path, TemplatePlace::Path, at, scope, report)
}

fn check_query_key(key: &str, at: &str, report: &mut CheckReport) {
    if key.is_empty() || key.contains(['{', '}']) {
        report.defect(at, "keys are fixed and not empty; a parameter can only be a value");
    }
}

fn check_headers<'a>(
    mapping: &'a HttpMapping,
    at: &str,
    scope: &ToolScope<'_>,
    report: &mut CheckReport,
    used: &mut Vec<&'a str>,
) {
    let upstream = scope.upstream(mapping.upstream.as_ref());
    let auth_header = upstream.and_then(|upstream| upstream.auth_header.as_deref());
    let wrong = |name: &str| {
        let is_auth = auth_header.is_some_and(|header| header.eq_ignore_ascii_case(name));
        wrong_header(name).or(is_auth.then_some("is the header of the upstream's credential; remove it"))
    };
    for (name, value) in mapping.headers.iter().flatten() {
        let at = below(&below(at, "headers"), name);
        if let Some(message) = wrong(name) {
            report.defect(&at, message);
        }
        if value.len() > MAX_HEADER_VALUE || !value.chars().all(|c| c.is_ascii_graphic() || c == ' ') {
            report.defect(&at, format!("must be visible ASCII, at most {MAX_HEADER_VALUE} characters"));
        }
        used.extend(check_template(value, TemplatePlace::Header, &at, scope, report));
    }
    let Some(name) = &mapping.idempotency_header else { return };
    let at = below(at, "idempotency_header");
    if let Some(message) = wrong(name) {
        report.defect(&at, message);
    }
    if mapping.headers.iter().flatten().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
        report.defect(&at, "is set in `headers` too; remove it there");
    }
}

fn check_response(response: &ResponseMapping, at: &str, report: &mut CheckReport) {
    if let Some(select) = &response.select {
        check_pointer(select, &below(at, "select"), report);
    }
    if let Some(default) = &response.default {
        check_default(default, response, &below(at, "default"), report);
    }
    for (name, pointer) in response.fields.iter().flatten() {
        check_pointer(pointer, &below(&below(at, "fields"), name), report);
    }
}

fn check_default(default: &Value, response: &ResponseMapping, at: &str, report: &mut CheckReport) {
    if response.select.is_none() {
        report.defect(at, "is used where `select` finds nothing; set `select`, or remove this");
    }
    if default.to_string().len() > MAX_RESULT_DEFAULT {
        report.defect(at, format!("must have at most {MAX_RESULT_DEFAULT} bytes of JSON"));
    }
}

fn check_target(target: &TargetMapping, at: &str, scope: &ToolScope<'_>, report: &mut CheckReport) {
    if let Some(path) = &target.path {
        check_path(path, &below(at, "path"), scope, report);
    }
    if let Some(label) = &target.label {
        check_template(label, TemplatePlace::SentenceAfter, &below(at, "label"), scope, report);
    }
    if let Some(version) = &target.version {
        check_pointer(version, &below(at, "version"), report);
    }
    if scope.tool.permission_level == Some(Level::Read) {
        report.note(NoteKind::Unused, at, "has no effect: nobody is asked about a `read` tool");
    }
}

fn check_pointer(text: &str, at: &str, report: &mut CheckReport) {
    if !is_pointer(text) {
        report.defect(at, "must be a JSON pointer, such as `/ticket/subject`");
    }
}
