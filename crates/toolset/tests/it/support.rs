//! A document without defects, and changes of it.

use serde_json::{Value, json};
use toolcrib_toolset::{CheckContext, CheckedToolset, DocumentDefect, NoteKind, ToolsetSource, check};

use crate::json_pointers::set;

/// An operator's file with one tool for each executor. It has no defects.
pub fn base() -> Value {
    json!({
        "schema": "toolcrib.toolset/1",
        "slug": "desk",
        "title": "Support desk",
        "defaults": { "accessible_by": { "types": ["chat", "mission"], "names": ["triage"] } },
        "upstreams": [
            { "name": "helpdesk", "kind": "http", "base_url": "https://api.helpdesk.example/v2/",
              "auth": { "kind": "header", "name": "X-Api-Key", "env": "HELPDESK_KEY" } },
            { "name": "forge", "kind": "mcp", "base_url": "https://forge.example/mcp" }
        ],
        "tools": [http_tool(), mcp_tool(), client_tool()]
    })
}

fn http_tool() -> Value {
    json!({
        "name": "close_ticket",
        "description": "Close a ticket with a note to the customer.",
        "permission_level": "write",
        "confirmation": "simple",
        "warning": "The customer is told by e-mail.",
        "confirm_text": "Close ticket {id}",
        "result_text": "Closed {id}: {/ticket/subject}",
        "always_show": ["note"],
        "escalations": [{ "parameter": "force", "when": "is_true", "level": "typed" }],
        "parameters": {
            "type": "object",
            "required": ["id", "note"],
            "properties": {
                "id": { "type": "integer", "minimum": 1 },
                "note": { "type": "string", "maxLength": 2000 },
                "force": { "type": "boolean", "default": false },
                "labels": { "type": "array", "maxItems": 5, "items": { "type": "string", "maxLength": 40 } },
                "code": { "type": "string", "maxLength": 40, "x-sensitive": true },
                "mode": { "enum": ["fast", "slow"] }
            },
            "additionalProperties": false
        },
        "http": {
            "upstream": "helpdesk",
            "method": "POST",
            "path": "tickets/{id}/close",
            "query": { "label": "{labels}", "mode": "{mode}", "page": 1 },
            "headers": { "X-Mode": "mode {mode}" },
            "body": { "note": "{note}", "force": "{force}", "code": "{code}" },
            "idempotency_header": "Idempotency-Key",
            "response": { "select": "/ticket", "fields": { "state": "/state" }, "max_items": 20 },
            "target": {
                "path": "tickets/{id}", "label": "{/ticket/subject}", "version": "/ticket/updated_at"
            }
        }
    })
}

fn mcp_tool() -> Value {
    json!({
        "name": "create_issue",
        "description": "File an issue in a repository.",
        "permission_level": "write",
        "accessible_by": "everyone",
        "parameters": {
            "required": ["title"],
            "properties": { "title": { "type": "string", "maxLength": 256 } }
        },
        "mcp": { "upstream": "forge", "tool": "create_issue", "pin": format!("sha256:{}", "0f".repeat(32)) }
    })
}

fn client_tool() -> Value {
    json!({
        "name": "delete_draft",
        "description": "Delete a draft on the operator's desktop.",
        "permission_level": "destructive",
        "warning": "The draft is gone for good.",
        "confirm_text": "Delete the draft {draft_id}",
        "parameters": {
            "required": ["draft_id"],
            "properties": { "draft_id": { "type": "string", "maxLength": 64 } }
        },
        "client": { "claim_seconds": 120, "run_seconds": 600 }
    })
}

pub fn with(pointer: &str, value: Value) -> Value {
    let mut document = base();
    set(&mut document, pointer, value);
    document
}

pub fn operator() -> CheckContext {
    CheckContext::new(ToolsetSource::Operator)
}

pub fn checked(document: &Value) -> CheckedToolset {
    check(document, &operator()).unwrap_or_else(|defects| panic!("{defects:#?}"))
}

pub fn defects(document: &Value) -> Vec<DocumentDefect> {
    check(document, &operator()).err().unwrap_or_default()
}

/// Whether the check notes something of this kind at the pointer.
pub fn notes(document: &Value, kind: NoteKind, pointer: &str) -> bool {
    let notes = checked(document).notes;
    notes.iter().any(|note| note.kind == kind && note.pointer == pointer)
}

/// A change of the base document, and the one defect that it makes.
pub type Row<'a> = (&'a str, Value, &'a str, &'a str);

/// Fails unless each change makes exactly one defect, at its pointer and with its words.
pub fn each_is_the_one_defect(rows: &[Row<'_>]) {
    let mut wrong = Vec::new();
    for (pointer, value, at, words) in rows {
        let found = defects(&with(pointer, value.clone()));
        match found.as_slice() {
            [only] if only.pointer == *at && only.message.contains(words) => {}
            found => wrong.push(format!("{pointer} = {value}: {at} {words}\n  found {found:?}")),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
