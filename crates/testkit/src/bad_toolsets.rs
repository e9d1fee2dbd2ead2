//! A document of declared tools, and changes of it that are refused: the rows of the design's table of bad input.
//! Tests of the API and of the command line use the same rows.

use serde_json::{Value, json};

/// A change of [`valid_toolset`] that makes a defect.
#[derive(Clone, Debug)]
pub struct BadToolset {
    /// The JSON pointer of what is replaced; null removes it.
    pub replaced: &'static str,
    pub value: Value,
    /// The JSON pointer of the defect.
    pub pointer: &'static str,
    /// Words of the defect's message.
    pub words: &'static str,
}

impl BadToolset {
    pub fn document(&self) -> Value {
        let mut document = valid_toolset();
        let (parent, key) = self.replaced.rsplit_once('/').expect("a pointer");
        match document.pointer_mut(parent).expect("a parent") {
            Value::Object(fields) if self.value.is_null() => drop(fields.remove(key)),
            Value::Object(fields) => drop(fields.insert(key.to_owned(), self.value.clone())),
            other => panic!("{}: {other}", self.replaced),
        }
        document
    }
}

/// A document without a defect: a tool over HTTP with a sensitive parameter, and a destructive one that the caller
/// runs. It needs the upstream `helpdesk`.
pub fn valid_toolset() -> Value {
    json!({
        "schema": "toolcrib.toolset/1", "slug": "desk", "title": "Support desk",
        "tools": [
            {
                "name": "close_ticket", "description": "Close a ticket.", "permission_level": "write",
                "accessible_by": "everyone",
                "parameters": {"required": ["id", "code"], "properties": {
                    "id": {"type": "integer"},
                    "code": {"type": "string", "maxLength": 40, "x-sensitive": true}
                }},
                "http": {"upstream": "helpdesk", "method": "POST", "path": "tickets/{id}/close",
                    "headers": {}, "query": {}, "body": {"code": "{code}"}}
            },
            {
                "name": "drop_queue", "description": "Drop a queue.", "permission_level": "destructive",
                "accessible_by": "everyone", "warning": "Its tickets are gone.", "client": {}
            }
        ]
    })
}

/// Returns a row for each kind of defect that the design names.
pub fn bad_toolsets() -> Vec<BadToolset> {
    let path = "/tools/0/http/path";
    let new = "/tools/0/parameters/properties/new";
    let new_reference = "/tools/0/parameters/properties/new/$ref";
    let new_patterns = "/tools/0/parameters/properties/new/patternProperties";
    let new_deep = "/tools/0/parameters/properties/new/properties/a/properties/a/properties/a/properties/a\
                    /properties/a/properties/a/properties/a";
    let row = |replaced, value, pointer, words| BadToolset { replaced, value, pointer, words };
    let same = |pointer, value, words| BadToolset { replaced: pointer, value, pointer, words };
    let mut deep = json!({"type": "string", "maxLength": 9});
    for _ in 0..9 {
        deep = json!({"type": "object", "properties": {"a": deep}});
    }
    vec![
        same("/tools/0/http/pth", json!("x"), "unknown; did you mean `path`"),
        same("/tools/0/permission_level", Value::Null, "is required"),
        same("/tools/0/accessible_by", Value::Null, "required"),
        row("/tools/1/client", Value::Null, "/tools/1", "one of `http`, `mcp` and `client`"),
        row("/tools/0/client", json!({}), "/tools/0", "has the executors"),
        same("/tools/1/warning", Value::Null, "required for a destructive tool"),
        same(path, json!("tickets/{idd}/close"), "did you mean `{id}`"),
        same(path, json!("tickets/{id}/{code}"), "the body only"),
        same("/tools/0/http/query/x", json!("{code}"), "the body only"),
        same("/tools/0/http/headers/Cookie", json!("a"), "reserved"),
        same("/tools/0/http/headers/X-A", json!("{code}"), "the body only"),
        same(path, json!("../tickets/{id}"), "`..`"),
        same(path, json!("https://other.example/{id}"), "scheme"),
        row(new, json!({"$ref": "https://x.example/a.json"}), new_reference, "another document"),
        row(new, json!({"$ref": "#"}), new_reference, "recursive"),
        row(new, json!({"patternProperties": {".*": {}}}), new_patterns, "not supported"),
        row(new, deep, new_deep, "deeper than 8 levels"),
        same("/tools/0/parameters/properties/password", json!({"type": "string"}), "x-sensitive"),
        row(
            "/tools/0/accessible_by",
            json!({"types": ["mision"]}),
            "/tools/0/accessible_by/types/0",
            "mission",
        ),
        same("/tools/0/http/upstream", json!("helpdes"), "did you mean `helpdesk`"),
        same("/slug", json!("platform"), "reserved"),
        same("/tools/1/name", json!("Close_Ticket"), "taken"),
        same("/tools/1/name", json!("x".repeat(59)), "at most 64"),
        same("/tools/1/name", json!("a__b"), "without `__`"),
        same("/tools/0/description", json!("Close\u{202e} a ticket."), "hidden"),
        same("/tools/0/description", json!("Send sk-proj-Ab3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY."), "secret"),
    ]
}
