//! The pages about error codes.

use serde_json::Value;
use toolcrib_model::ErrorCode;

use super::{
    html::{HOME, Page, Table, code_words, heading, row},
    schema::Schemas,
};

const ERRORS: (&str, &str) = ("/docs/errors", "Error codes");

/// Renders the table of all error codes, and the fields of a refusal.
pub(super) fn list(components: &Value) -> String {
    let about = |code: &ErrorCode| {
        row(&format!("{}<br><small>{}</small>", link(*code), code.status()), &code_words(code.about()))
    };
    let rows: Vec<String> = ErrorCode::ALL.iter().map(about).collect();
    let table = Table { class: "list", caption: "", columns: ["Code and status", "Meaning"] };
    let mut body = String::from(
        "<p>A refusal is <code>application/problem+json</code>. Branch on its <code>code</code>: the texts may change.</p>\n",
    );
    body.push_str(&table.html(&rows.concat()));
    body.push_str(&heading(2, "problem", "The document of a refusal"));
    let problem = components.pointer("/schemas/Problem").unwrap_or(&Value::Null);
    body.push_str(&Schemas { components }.fields(problem, "Fields of a refusal"));
    Page { title: ERRORS.1, above: &[HOME], query: "", body: &body }.html()
}

/// Renders the description of one error code.
pub(super) fn one(code: ErrorCode) -> String {
    let again = if code.retryable() {
        "The same call may succeed later without a change."
    } else if code == ErrorCode::OutcomeUnknown {
        "Without that key, the same call may be done twice."
    } else {
        "The same call fails again until something is changed."
    };
    let body = format!(
        "<p>{}</p>\n<p>Code <code>{}</code>, HTTP status {}. {again}</p>\n<p><a href=\"/docs/errors\">All codes</a></p>\n",
        code_words(code.about()),
        code.as_str(),
        code.status()
    );
    Page { title: code.title(), above: &[HOME, ERRORS], query: "", body: &body }.html()
}

/// Returns a code that links to its page.
pub(super) fn link(code: ErrorCode) -> String {
    let word = code.as_str();
    format!("<a href=\"/docs/errors/{word}\"><code>{word}</code></a>")
}

/// Renders what a person sees at an address where nothing is.
pub(super) fn no_such_page() -> String {
    let body = "<p>Nothing is at this address.</p>\n<p><a href=\"/console/\">Go to the console</a></p>\n\
        <p><a href=\"/docs\">Look into the reference of the API</a></p>\n";
    Page { title: "There is no such page", above: &[HOME], query: "", body }.html()
}
