//! The body of a request.

use serde_json::Value;

use crate::{
    defect::below,
    document::HttpMapping,
    grammar::is_media_type,
    note::CheckReport,
    rules::{
        ToolScope,
        placeholders::{TemplatePlace, check_template},
    },
};

/// Checks the body of a request. Adds the names of its parameters to `used`.
pub fn check<'a>(
    mapping: &'a HttpMapping,
    at: &str,
    scope: &ToolScope<'_>,
    report: &mut CheckReport,
    used: &mut Vec<&'a str>,
) {
    let at_body = below(at, "body");
    let Some(body) = &mapping.body else {
        for (key, given) in
            [("form", mapping.form == Some(true)), ("content_type", mapping.content_type.is_some())]
        {
            if given {
                report.defect(below(at, key), "needs a `body`");
            }
        }
        return;
    };
    if mapping.method.is_some_and(|method| !method.has_body()) {
        report.defect(&at_body, "not possible with this method; use `query`, or another method");
    }
    if mapping.form == Some(true) && !is_flat(body) {
        report.defect(&at_body, "a form is an object whose values are strings, numbers and booleans");
    }
    if let Some(content_type) = &mapping.content_type {
        let at = below(at, "content_type");
        if mapping.form == Some(true) {
            report.defect(at, "a form has a type of its own; remove this");
        } else if !is_json_type(content_type) {
            let message = "must be a media type of JSON, such as `application/merge-patch+json`";
            report.defect(at, message);
        }
    }
    visit(body, &at_body, scope, report, used);
}

/// Returns whether a text is a media type of JSON, with or without parameters, that can stand in a header.
pub fn is_json_type(text: &str) -> bool {
    let essence = text.split(';').next().unwrap_or_default().trim_end().to_ascii_lowercase();
    let is_json = matches!(essence.as_str(), "application/json" | "text/json") || essence.ends_with("+json");
    is_json && text.bytes().all(|b| b == b' ' || b.is_ascii_graphic()) && is_media_type(&essence)
}

fn is_flat(body: &Value) -> bool {
    body.as_object().is_some_and(|fields| {
        fields.values().all(|value| value.is_string() || value.is_number() || value.is_boolean())
    })
}

fn visit<'a>(
    value: &'a Value,
    at: &str,
    scope: &ToolScope<'_>,
    report: &mut CheckReport,
    used: &mut Vec<&'a str>,
) {
    match value {
        Value::String(text) => used.extend(check_template(text, TemplatePlace::Body, at, scope, report)),
        Value::Array(items) => {
            for (position, item) in items.iter().enumerate() {
                visit(item, &below(at, position), scope, report, used);
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                let at = below(at, key);
                if key.contains(['{', '}']) {
                    report.defect(&at, "keys are fixed; a parameter can only be a value");
                }
                visit(field, &at, scope, report, used);
            }
        }
        _ => {}
    }
}
