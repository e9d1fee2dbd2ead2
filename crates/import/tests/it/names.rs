//! Names that a tool can't have are made to fit. What was told apart stays so, and the service gets its own.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use toolcrib_import::{McpImport, McpImportOptions, import_mcp_tools};
use toolcrib_toolset::UpstreamTool;

use crate::support::{has_note, import, parameters, tool, with, with_body, with_parameter};

/// Names of which several become one.
const KEYS: [&str; 9] = ["page[size]", "page_size", "page(size)", "$top", "top", "ids[]", "ids", "ä", "日本"];
const NAMES: [&str; 9] =
    ["page_size_3", "page_size", "page_size_2", "top_2", "top", "ids_2", "ids", "parameter", "parameter_2"];

fn text() -> Value {
    json!({ "type": "string" })
}

/// The name of each key.
fn expected() -> BTreeMap<String, String> {
    NAMES.iter().zip(KEYS).map(|(name, key)| ((*name).to_owned(), key.to_owned())).collect()
}

fn import_mcp(tools: &[UpstreamTool]) -> McpImport {
    let options = McpImportOptions {
        slug: "desk".into(),
        upstream: "desk".into(),
        title: None,
        include: Vec::new(),
        exclude: Vec::new(),
    };
    import_mcp_tools(tools, &options).unwrap()
}

fn mcp_tool(name: &str, keys: &[&str]) -> UpstreamTool {
    let properties: Map<String, Value> = keys.iter().map(|key| ((*key).to_owned(), text())).collect();
    UpstreamTool {
        name: name.into(),
        description: None,
        input_schema: json!({ "type": "object", "properties": properties, "required": keys }),
        output_schema: None,
        destructive_hint: false,
    }
}

/// The keys in their order, and backwards.
fn orders() -> [Vec<&'static str>; 2] {
    [KEYS.to_vec(), KEYS.iter().rev().copied().collect()]
}

/// The template's parameter, with its key.
fn pair((key, template): (&String, &Value)) -> (String, String) {
    (template.as_str().unwrap().trim_matches(['{', '}']).to_owned(), key.clone())
}

#[test]
fn parameters_of_a_query_and_a_body_are_told_apart() {
    for keys in orders() {
        let list: Vec<Value> =
            keys.iter().map(|key| json!({ "name": key, "in": "query", "schema": text() })).collect();
        let get = json!({ "operationId": "get", "parameters": list });
        let imported = import(&with("/paths", json!({ "/t": { "get": get } })));
        let http = tool(&imported, "get").http.as_ref().unwrap();
        let pairs: BTreeMap<String, String> = http.query.as_ref().unwrap().iter().map(pair).collect();
        assert_eq!(pairs, expected());
        let properties: Map<String, Value> = keys.iter().map(|key| ((*key).to_owned(), text())).collect();
        let imported = import(&with_body(json!({ "properties": properties })));
        let body = tool(&imported, "add").http.as_ref().unwrap().body.as_ref().unwrap().as_object().unwrap();
        assert_eq!(body.iter().map(pair).collect::<BTreeMap<_, _>>(), expected());
        let names: BTreeSet<&str> =
            parameters(&imported)["properties"].as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names, NAMES.into_iter().collect());
    }
}

#[test]
fn parameters_of_an_mcp_tool_are_told_apart() {
    for keys in orders() {
        let imported = import_mcp(&[mcp_tool("look", &keys)]);
        let tool = &imported.toolset.tools.as_ref().unwrap()[0];
        let mapping = tool.mcp.as_ref().unwrap();
        let properties = tool.parameters.as_ref().unwrap()["properties"].as_object().unwrap();
        let pairs: BTreeMap<String, String> =
            properties.keys().map(|name| (name.clone(), mapping.key(name).to_owned())).collect();
        assert_eq!(pairs, expected());
        assert_eq!(mapping.keys.as_ref().unwrap().len(), 6, "those that differ");
    }
    let plain = import_mcp(&[mcp_tool("look", &["a", "b"])]);
    assert_eq!(plain.toolset.tools.unwrap()[0].mcp.as_ref().unwrap().keys, None);
}

#[test]
fn a_path_keeps_its_parameters() {
    let list =
        ["a[b]", "a_b"].map(|key| json!({ "name": key, "in": "path", "required": true, "schema": text() }));
    let get = json!({ "operationId": "get", "parameters": list });
    let imported = import(&with("/paths", json!({ "/t/{a[b]}/{a_b}": { "get": get } })));
    assert_eq!(tool(&imported, "get").http.as_ref().unwrap().path.as_deref(), Some("t/{a_b_2}/{a_b}"));
}

#[test]
fn tools_are_told_apart() {
    let mut all = Vec::new();
    let names = ["get.note", "get_note", "GET_NOTE", "get note", "get_note_2", "same", "same"];
    for names in [names.to_vec(), names.iter().rev().copied().collect()] {
        let tools: Vec<UpstreamTool> = names.iter().map(|name| mcp_tool(name, &[])).collect();
        let imported = import_mcp(&tools);
        let of = |tool: &toolcrib_toolset::DeclaredTool| {
            (tool.name.clone().unwrap(), tool.mcp.as_ref().unwrap().tool.clone().unwrap())
        };
        let pairs: BTreeMap<String, String> = imported.toolset.tools.iter().flatten().map(of).collect();
        let folded: BTreeSet<String> = pairs.keys().map(|name| name.to_lowercase()).collect();
        assert_eq!((pairs.len(), folded.len(), imported.left_out.len()), (5, 5, 2));
        assert_eq!(imported.left_out[0].reason, "has a name that the server lists twice");
        assert!(imported.notes.iter().any(|note| note.message.contains("so this one has a number")));
        all.push(pairs);
    }
    assert_eq!(all[0], all[1], "whatever the order is");
    assert_eq!(all[0]["get_note_2"], "get_note_2");
}

#[test]
fn operations_are_told_apart() {
    let get = |id: &str| json!({ "get": { "operationId": id } });
    let paths = json!({
        "/a": get("repos/get"), "/b": get("repos_get"), "/c": get("repos.get"), "/d": get("x"), "/e": get("x")
    });
    let imported = import(&with("/paths", paths));
    let names: BTreeSet<&str> =
        imported.toolset.tools.iter().flatten().filter_map(|tool| tool.name.as_deref()).collect();
    assert_eq!(names, BTreeSet::from(["repos_get", "repos_get_2", "repos_get_3", "x", "x_2"]));
    assert_eq!(tool(&imported, "repos_get").http.as_ref().unwrap().path.as_deref(), Some("b"));
    assert!(imported.left_out.is_empty() && has_note(&imported, "another tool has the name `x`"));
}

#[test]
fn a_long_name_is_noted() {
    for (length, noted) in [(44, false), (45, true), (58, true)] {
        let name = "x".repeat(length);
        let note = format!("its full name has {} characters", length + 6);
        let of_mcp = import_mcp(&[mcp_tool(&name, &[])]);
        assert_eq!(of_mcp.notes.iter().any(|found| found.message.contains(&note)), noted, "{length}");
        let document = with("/paths", json!({ "/t": { "get": { "operationId": name } } }));
        assert_eq!(has_note(&import(&document), &note), noted, "{length}");
    }
}

#[test]
fn the_reason_is_the_true_one() {
    let required = |name: &str, place: &str| {
        let parameter = json!({ "name": name, "in": place, "required": true, "schema": text() });
        crate::support::reason(&with_parameter(parameter))
    };
    assert!(required("a b", "header").contains("a header with a name that is none"));
    assert!(required("Cookie", "header").contains("a reserved header"));
    assert!(required("q{a}", "query").contains("has a name that is not possible"));
    let body = json!({ "properties": { "a{b}": text() }, "required": ["a{b}"] });
    assert!(crate::support::reason(&with_body(body)).contains("has a name that is not possible"));
    let of = |schema: Value| {
        let tool = UpstreamTool { input_schema: schema, ..mcp_tool("look", &[]) };
        import_mcp(&[tool]).left_out[0].reason.clone()
    };
    assert_eq!(of(json!({ "type": "array" })), "has parameters that are no object");
    assert!(
        of(json!({ "properties": { "a\u{200b}": text() }, "required": ["a\u{200b}"] }))
            .contains("has a name")
    );
    let choice = json!({ "anyOf": [{ "properties": { "a": text() } }, { "properties": { "b": text() } }] });
    assert!(of(choice).contains("a choice between lists of parameters"));
}

#[test]
fn a_body_is_sent_with_the_media_type_of_the_document() {
    for (name, sent) in [
        ("application/json", None),
        ("*/*", None),
        ("application/merge-patch+json", Some("application/merge-patch+json")),
        ("application/vnd.api+json", Some("application/vnd.api+json")),
        ("application/json-patch+json; charset=utf-8", Some("application/json-patch+json; charset=utf-8")),
    ] {
        let schema = json!({ "type": "object", "properties": { "a": text() } });
        for schema in [schema, json!({ "type": "array", "items": text() })] {
            let content = json!({ "content": { name: { "schema": schema } } });
            let patch = json!({ "operationId": "change", "requestBody": content });
            let imported = import(&with("/paths", json!({ "/t": { "patch": patch } })));
            let http = tool(&imported, "change").http.as_ref().unwrap();
            assert_eq!(http.content_type.as_deref(), sent, "{name}");
            assert!(!has_note(&imported, "the service expects"));
        }
    }
    let patch = json!({ "operationId": "change", "requestBody": { "content": { "application/json": {} } } });
    let imported = import(&with("/paths", json!({ "/t": { "patch": patch } })));
    assert_eq!(tool(&imported, "change").http.as_ref().unwrap().body, Some(json!("{body}")));
}
