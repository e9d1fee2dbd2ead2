//! What the document's own schema finds.

use serde_json::{Value, json};
use toolcrib_toolset::schema;

use crate::{
    json_pointers::set,
    support::{base, checked, defects, each_is_the_one_defect},
};

#[test]
fn the_base_document_has_no_defect() {
    assert_eq!(checked(&base()).tools.len(), 3);
}

#[test]
fn each_place_that_does_not_match_the_schema_is_named() {
    each_is_the_one_defect(&[
        ("/schema", json!("toolcrib.toolset/2"), "/schema", "must be `toolcrib.toolset/1`"),
        ("/schema", Value::Null, "/schema", "`schema` is required"),
        ("/slug", Value::Null, "/slug", "`slug` is required"),
        ("/slug", json!("Desk"), "/slug", "such as `desk`"),
        ("/slug", json!("d"), "/slug", "2 to 20 lower-case letters"),
        ("/title", json!(""), "/title", "must not be empty"),
        ("/tools/2/nam", json!("x"), "/tools/2/nam", "unknown; did you mean `name`"),
        ("/tools/0/http/pth", json!("x"), "/tools/0/http/pth", "unknown; did you mean `path`"),
        ("/tools/0/http/zzzzzzzz", json!(1), "/tools/0/http/zzzzzzzz", "the keys here are upstream, method"),
        ("/tools/0/a~1b", json!(1), "/tools/0/a~1b", "unknown"),
        ("/tools/1/name", json!("get__x"), "/tools/1/name", "without `__`"),
        ("/tools/1/name", json!("1x"), "/tools/1/name", "starting with a letter"),
        ("/tools/1/name", Value::Null, "/tools/1/name", "`name` is required"),
        ("/tools/1/description", json!("x".repeat(1001)), "/tools/1/description", "at most 1000 characters"),
        ("/tools/1/permission_level", Value::Null, "/tools/1/permission_level", "is required"),
        ("/tools/1/permission_level", json!("admin"), "/tools/1/permission_level", "`destructive`"),
        ("/tools/1/min_role", json!("boss"), "/tools/1/min_role", "must be one of `viewer`"),
        ("/tools/1/timeout_seconds", json!(61), "/tools/1/timeout_seconds", "must be at most 60"),
        ("/tools/1/timeout_seconds", json!(0), "/tools/1/timeout_seconds", "must be at least 1"),
        ("/tools/1/timeout_seconds", json!("9"), "/tools/1/timeout_seconds", "must be an integer"),
        ("/tools/1/promoted", json!("yes"), "/tools/1/promoted", "must be `true` or `false`"),
        ("/tools/1/tags", json!(["a", 1]), "/tools/1/tags/1", "must be a string"),
        ("/tools/1/mcp/pin", json!("sha256:1"), "/tools/1/mcp/pin", "64 hexadecimal digits"),
        ("/tools/1/mcp/pin", Value::Null, "/tools/1/mcp/pin", "`pin` is required"),
        ("/tools/1/mcp", json!("forge"), "/tools/1/mcp", "must be an object"),
        ("/tools/1", json!("x"), "/tools/1", "must be an object"),
        ("/tools", json!([]), "/tools", "at least 1 item"),
        ("/tools", json!({}), "/tools", "must be a list"),
        ("/tools/2/client/claim_seconds", json!(1), "/tools/2/client/claim_seconds", "at least 10"),
        ("/tools/2/client/run_seconds", json!(86_401), "/tools/2/client/run_seconds", "at most 86400"),
        ("/tools/0/accessible_by", json!("all"), "/tools/0/accessible_by", "must be one of `everyone`"),
        ("/tools/0/accessible_by", json!(3), "/tools/0/accessible_by", "must be a string or an object"),
        ("/tools/0/accessible_by", json!({ "type": [] }), "/tools/0/accessible_by/type", "mean `types`"),
        ("/tools/0/escalations/0/when", json!("true"), "/tools/0/escalations/0/when", "`present`, `is_true`"),
        ("/tools/0/escalations/0/when", json!({}), "/tools/0/escalations/0/when/equals", "required"),
        ("/tools/0/http/method", json!("get"), "/tools/0/http/method", "`GET`"),
        ("/tools/0/http/query/x", json!([1]), "/tools/0/http/query/x", "must be"),
        ("/tools/0/http/response/max_bytes", json!(9_000_000), "/tools/0/http/response/max_bytes", "8388608"),
        ("/upstreams/0/kind", json!("grpc"), "/upstreams/0/kind", "must be one of `http`, `mcp`"),
        ("/upstreams/0/kind", json!("openai"), "/upstreams/0/kind", "must be one of `http`, `mcp`"),
        ("/upstreams/0/auth/kind", json!("oauth"), "/upstreams/0/auth/kind", "must be one of `none`"),
        ("/defaults/confirmation", json!("simple"), "/defaults/confirmation", "unknown"),
    ]);
}

#[test]
fn no_more_than_500_tools_are_possible() {
    let mut document = base();
    let tools = (0..501).map(|at| {
        let mut tool = document["tools"][2].clone();
        tool["name"] = json!(format!("tool_{at}"));
        tool
    });
    let tools: Vec<Value> = tools.collect();
    set(&mut document, "/tools", json!(tools[..500]));
    assert_eq!(defects(&document), []);
    set(&mut document, "/tools", json!(tools));
    let found = defects(&document);
    assert_eq!((found.len(), &*found[0].pointer), (1, "/tools"), "{found:?}");
}

#[test]
fn every_defect_is_named_at_once() {
    let mut document = base();
    for (pointer, value) in [
        ("/slug", json!("tools")),
        ("/tools/0/http/pth", json!("x")),
        ("/tools/0/http/path", json!("../{idd}")),
        ("/tools/0/http/headers/Cookie", json!("a")),
        ("/tools/0/parameters/properties/note/maxLenght", json!(1)),
        ("/tools/1/permission_level", json!("admin")),
        ("/tools/1/title", json!("x")),
        ("/tools/2/warning", Value::Null),
        ("/tools/2/confirm_text", json!("Delete {draft}")),
        ("/tools/2/http", json!({})),
    ] {
        set(&mut document, pointer, value);
    }
    let found: Vec<String> = defects(&document).into_iter().map(|defect| defect.pointer).collect();
    let expected = [
        "/slug",
        "/tools/0/http/headers/Cookie",
        "/tools/0/http/path",
        "/tools/0/http/path",
        "/tools/0/http/pth",
        "/tools/0/parameters/properties/note/maxLenght",
        "/tools/1/permission_level",
        "/tools/1/title",
        "/tools/2",
        "/tools/2/confirm_text",
        "/tools/2/http/method",
        "/tools/2/http/path",
        "/tools/2/http/upstream",
        "/tools/2/warning",
    ];
    assert_eq!(found, expected);
}

#[test]
fn at_most_a_hundred_defects_are_returned() {
    let mut document = base();
    let many: serde_json::Map<String, Value> = (0..5_000).map(|at| (format!("k{at}"), json!(1))).collect();
    set(&mut document, "/tools/2/client", Value::Object(many));
    assert_eq!(defects(&document).len(), 100);
}

#[test]
fn the_schema_describes_every_field() {
    fn visit(schema: &Value, at: &str, missing: &mut Vec<String>) {
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            let at = format!("{at}/{name}");
            if property["description"].as_str().is_none_or(str::is_empty) {
                missing.push(at.clone());
            }
            visit(property, &at, missing);
        }
        visit_items(schema, at, missing);
    }
    fn visit_items(schema: &Value, at: &str, missing: &mut Vec<String>) {
        if schema["items"].is_object() {
            visit(&schema["items"], at, missing);
        }
    }
    let mut missing = Vec::new();
    visit(schema(), "", &mut missing);
    assert_eq!(missing, [] as [String; 0]);
    assert_eq!(schema()["additionalProperties"], false);
}
