//! Renders the pages as HTML.

use std::fmt::Write as _;

use serde_json::Value;
use toolcrib_model::ErrorCode;

/// The style sheet of all pages.
pub(super) const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}code{font-family:ui-monospace,monospace;font-size:.9em}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #d8dee4;vertical-align:top}a{color:#0b5cad}@media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}td,th{border-color:#30363d}a{color:#6cb6ff}}";

const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// Renders every operation of the OpenAPI document, grouped by tag.
pub(super) fn reference(document: &Value) -> String {
    let mut tags: Vec<(&str, String)> = Vec::new();
    for (path, operations) in document.get("paths").and_then(Value::as_object).into_iter().flatten() {
        for method in METHODS {
            let Some(operation) = operations.get(method) else { continue };
            let tag = operation.pointer("/tags/0").and_then(Value::as_str).unwrap_or("Other");
            let summary = operation.get("summary").and_then(Value::as_str).unwrap_or_default();
            let row = format!(
                "<tr><td><code>{} {}</code></td><td>{}</td></tr>",
                method.to_uppercase(),
                escape(path),
                escape(summary)
            );
            match tags.iter_mut().find(|(known, _)| *known == tag) {
                Some((_, rows)) => rows.push_str(&row),
                None => tags.push((tag, row)),
            }
        }
    }
    let mut body = String::from(
        "<p>The whole contract is in <a href=\"/openapi.json\">openapi.json</a> (OpenAPI 3.1). Errors are explained \
         <a href=\"/docs/errors\">by their codes</a>.</p>",
    );
    for (tag, rows) in tags {
        // Writing into a string can't fail.
        let _ = write!(body, "<h2>{}</h2><table>{rows}</table>", escape(tag));
    }
    html("Toolcrib API", &body)
}

/// Renders the table of all error codes.
pub(super) fn errors() -> String {
    let mut body = String::from("<table><tr><th>Code</th><th>Status</th><th>Meaning</th></tr>");
    for code in ErrorCode::ALL {
        let word = code.as_str();
        let _ = write!(
            body,
            "<tr><td><a href=\"/docs/errors/{word}\"><code>{word}</code></a></td><td>{}</td><td>{}</td></tr>",
            code.status(),
            code_words(code.about())
        );
    }
    body.push_str("</table>");
    html("Error codes", &body)
}

/// Renders the description of one error code.
pub(super) fn error(code: ErrorCode) -> String {
    let again = if code.retryable() {
        "The same call may succeed later without a change."
    } else {
        "The same call fails again until something is changed."
    };
    let body = format!(
        "<p>{}</p><p>Code <code>{}</code>, HTTP status {}. {again}</p><p><a href=\"/docs/errors\">All codes</a></p>",
        code_words(code.about()),
        code.as_str(),
        code.status()
    );
    html(code.title(), &body)
}

/// Renders what a person sees at an address where nothing is.
pub(super) fn no_such_page() -> String {
    let body = "<p>Nothing is at this address.</p><p><a href=\"/console/\">Go to the console</a></p>\
        <p><a href=\"/docs\">Look into the reference of the API</a></p>";
    html("There is no such page", body)
}

fn html(title: &str, body: &str) -> String {
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>{0}</title><style>{STYLE}</style></head><body><h1>{0}</h1>{body}</body></html>\n",
        escape(title)
    )
}

/// Escapes a text and renders the words in backticks as `<code>`.
fn code_words(text: &str) -> String {
    let parts = text.split('`').enumerate();
    let shown = parts.map(|(i, part)| {
        let part = escape(part);
        if i % 2 == 1 { format!("<code>{part}</code>") } else { part }
    });
    shown.collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_escaped() {
        let document = serde_json::json!({"paths": {"/v1/<x>": {"get": {"summary": "a & \"b\""}}}});
        let page = reference(&document);
        assert!(page.contains("GET /v1/&lt;x&gt;") && page.contains("a &amp; &quot;b&quot;"));
        assert_eq!(code_words("send `X<Y`"), "send <code>X&lt;Y</code>");
    }
}
