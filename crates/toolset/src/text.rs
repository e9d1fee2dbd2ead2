//! Rules for every text of a document: no character that a reader does not see, and nothing that looks like a
//! secret.

mod secrets;

use serde_json::Value;
use toolcrib_model::{characters, code_point, is_private_use};

pub use secrets::looks_secret;

use crate::{defect::below, note::CheckReport};

/// Keys whose texts may have several lines.
const MULTI_LINE: [&str; 2] = ["description", "body"];

/// Checks every text and key of the document.
pub fn check_texts(document: &Value, report: &mut CheckReport) {
    visit(document, "", "", false, report);
}

fn visit(value: &Value, at: &str, key: &str, lines: bool, report: &mut CheckReport) {
    if report.defects.is_full() {
        return;
    }
    let lines = lines || MULTI_LINE.contains(&key);
    match value {
        Value::String(text) => check_text(text, at, key, lines, report),
        Value::Array(items) => {
            for (position, item) in items.iter().enumerate() {
                visit(item, &below(at, position), key, lines, report);
            }
        }
        Value::Object(fields) => {
            for (key, field) in fields {
                let at = below(at, key);
                check_text(key, &at, "", false, report);
                visit(field, &at, key, lines, report);
            }
        }
        _ => {}
    }
}

fn check_text(text: &str, at: &str, key: &str, lines: bool, report: &mut CheckReport) {
    if let Some(c) = hidden_character(text, lines) {
        report.defect(at, format!("contains the hidden character `{}`; remove it", code_point(c)));
    }
    // A pin is a digest, and a pattern lists characters.
    if !matches!(key, "pin" | "pattern") && looks_secret(text) {
        report.defect(
            at,
            "contains something that looks like a secret; remove it, and give the secret to the upstream",
        );
    }
}

/// Returns the first character that a reader does not see or that fonts show differently.
pub fn hidden_character(text: &str, lines: bool) -> Option<char> {
    if text.bytes().all(|b| (b' '..=b'~').contains(&b)) {
        return None;
    }
    let found = characters(text).find(|(c, hides)| {
        let line_break = lines && matches!(c, '\n' | '\r' | '\t');
        (*hides && !line_break) || is_private_use(*c)
    });
    found.map(|(c, _)| c)
}
