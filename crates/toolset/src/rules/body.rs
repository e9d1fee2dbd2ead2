//! The body of a request.

use serde_json::Value;

use crate::{
    defect::below,
    document::HttpMapping,
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
        if mapping.form == Some(true) {
            report.defect(below(at, "form"), "needs a `body`");
        }
        return;
    };
    if mapping.method.is_some_and(|method| !method.has_body()) {
        report.defect(&at_body, "not possible with this method; use `query`, or another method");
    }
    if mapping.form == Some(true) && !is_flat(body) {
        report.defect(&at_body, "a form is an object whose values are strings, numbers and booleans");
    }
    visit(body, &at_body, scope, report, used);
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
