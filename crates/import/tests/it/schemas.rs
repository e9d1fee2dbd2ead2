//! Schemas of OpenAPI 3.0 and 3.1 become schemas of tools.

use serde_json::{Value, json};
use toolcrib_import::ImportOptions;
use toolcrib_toolset::{CheckContext, DocumentFormat, ToolExecutor, ToolsetSource, check, parse};

use crate::{
    json_pointers::set,
    support::{
        has_note, import, import_with, options, parameters, reason, tickets, with_body, with_parameter,
    },
};

/// The schema of the property `x` of a body.
fn property(schema: &Value) -> (Value, Vec<String>) {
    let imported = import(&with_body(json!({ "properties": { "x": schema } })));
    let notes = imported.notes.iter().map(|note| note.message.clone()).collect();
    (parameters(&imported)["properties"]["x"].clone(), notes)
}

#[test]
fn keywords_of_both_versions_are_read() {
    for (schema, expected) in [
        (
            json!({ "type": "integer", "minimum": 0, "exclusiveMinimum": true }),
            json!({ "type": "integer", "exclusiveMinimum": 0 }),
        ),
        (
            json!({ "type": "number", "exclusiveMaximum": 5, "multipleOf": 0.5 }),
            json!({ "type": "number", "exclusiveMaximum": 5, "multipleOf": 0.5 }),
        ),
        (
            json!({ "type": "integer", "format": "int64", "maximum": 9_223_372_036_854_775_807_u64 }),
            json!({ "type": "integer" }),
        ),
        (
            json!({ "type": "string", "nullable": true }),
            json!({ "type": ["string", "null"], "x-nullable": true }),
        ),
        (
            json!({ "type": ["string", "null"], "enum": ["a", null] }),
            json!({ "anyOf": [{ "type": "string", "enum": ["a"] }, { "type": "null" }], "x-nullable": true }),
        ),
        (json!({ "const": "a" }), json!({ "type": "string", "enum": ["a"] })),
        (json!({ "enum": [1, 2, 2] }), json!({ "type": "integer", "enum": [1, 2] })),
        (json!({ "type": "integer", "enum": [1.0, 2, 2.0] }), json!({ "type": "integer", "enum": [1, 2] })),
        (
            json!({ "type": "string", "format": "date", "example": "x", "xml": {}, "title": "X" }),
            json!({ "type": "string", "format": "date" }),
        ),
        (json!({ "type": "string", "format": "password" }), json!({ "type": "string", "x-sensitive": true })),
        (
            json!({ "type": "string", "default": "now", "description": "When." }),
            json!({ "type": "string", "description": "When.\nDefault: now." }),
        ),
        (json!({ "minLength": 1 }), json!({ "type": "string", "minLength": 1 })),
        (
            json!({ "type": "array", "items": { "type": "string" }, "maxItems": 3, "uniqueItems": true }),
            json!({ "type": "array", "items": { "type": "string" }, "maxItems": 3, "uniqueItems": true }),
        ),
        (
            json!({ "additionalProperties": { "type": "integer" } }),
            json!({ "type": "object", "additionalProperties": { "type": "integer" }, "maxProperties": 100,
                 "x-free": true }),
        ),
        (
            json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] }),
            json!({ "type": ["string", "null"], "x-nullable": true }),
        ),
        (
            json!({ "oneOf": [{ "type": "string" }, { "type": "integer" }, { "type": "string" }] }),
            json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] }),
        ),
        (
            json!({ "type": ["string", "array"], "items": { "type": "string" } }),
            json!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] }),
        ),
    ] {
        assert_eq!(property(&schema).0, expected, "{schema}");
    }
}

#[test]
fn what_a_schema_can_not_have_is_dropped_with_a_note() {
    for (schema, words) in [
        (json!({ "type": "string", "not": { "enum": ["a"] } }), "the keyword `not` was dropped"),
        (json!({ "type": "string", "pattern": "(?=a)" }), "a pattern that can't be checked"),
        (json!({ "enum": (0..300).collect::<Vec<_>>() }), "more than 250 values"),
        (json!({ "enum": ["a\u{200b}"] }), "an enum with hidden characters"),
        (
            json!({ "type": "object", "properties": { "@id": {}, "a": { "type": "string" } } }),
            "the property `@id` is not listed",
        ),
        (
            json!({ "type": "object", "properties": { "a": { "type": "string" } },
                 "anyOf": [{ "required": ["a"] }] }),
            "a choice between groups of required",
        ),
    ] {
        let (_, notes) = property(&schema);
        assert!(notes.iter().any(|note| note.contains(words)), "{words}: {notes:?}");
    }
}

#[test]
fn parts_of_all_of_are_merged() {
    let mut document = with_body(json!({ "allOf": [
        { "$ref": "#/components/schemas/Ticket" },
        { "required": ["labels"], "properties": {
            "labels": { "type": "array", "items": { "type": "string" } },
            "title": { "description": "The title." }
        } }
    ] }));
    let imported = import(&document);
    let found = parameters(&imported);
    assert_eq!(found["required"], json!(["title", "labels"]));
    let title = json!({ "type": "string", "maxLength": 200, "description": "The title." });
    assert_eq!(found["properties"]["title"], title);
    set(
        &mut document,
        "/components/schemas/Ticket",
        json!({ "allOf": [{ "$ref": "#/components/schemas/Ticket" }] }),
    );
    assert!(has_note(&import(&document), "recursive"));
}

#[test]
fn a_recursive_schema_becomes_a_free_object() {
    let mut document = with_body(json!({ "$ref": "#/components/schemas/Node" }));
    let node = json!({ "type": "object", "properties": {
        "name": { "type": "string" },
        "parent": { "$ref": "#/components/schemas/Node" },
        "children": { "type": "array", "items": { "$ref": "#/components/schemas/Node" } }
    } });
    set(&mut document, "/components/schemas/Node", node);
    let imported = import(&document);
    let free =
        json!({ "type": "object", "additionalProperties": true, "maxProperties": 100, "x-free": true });
    assert_eq!(parameters(&imported)["properties"]["parent"], free);
    assert_eq!(parameters(&imported)["properties"]["children"]["items"], free);
    assert!(has_note(&imported, "a recursive schema became an object with any properties"));
}

#[test]
fn what_is_nested_too_deep_becomes_a_free_object() {
    let mut schema = json!({ "type": "string" });
    for _ in 0..12 {
        schema = json!({ "type": "object", "properties": { "x": schema } });
    }
    let imported = import(&with_body(schema));
    assert!(has_note(&imported, "nested too deep"));
    let at_six = parameters(&imported).pointer(&"/properties/x".repeat(6)).unwrap();
    assert_eq!(at_six["x-free"], true, "{}", parameters(&imported));
}

#[test]
fn fewer_levels_are_read_of_what_is_too_large() {
    let wide = |count: usize, schema: &Value| {
        let properties: serde_json::Map<String, Value> =
            (0..count).map(|at| (format!("p{at}"), schema.clone())).collect();
        json!({ "type": "object", "properties": properties })
    };
    let text = json!({ "type": "string" });
    let imported = import(&with_body(wide(20, &wide(20, &text))));
    assert_eq!(parameters(&imported)["properties"]["p0"]["x-free"], true);
    assert!(reason(&with_body(wide(201, &text))).contains("more than 200 properties"));
    let long =
        json!({ "type": "string", "enum": (0..250).map(|at| format!("{at:0>40}x")).collect::<Vec<_>>() });
    assert!(reason(&with_body(wide(5, &long))).contains("bytes"));
}

#[test]
fn secrets_in_a_body_are_marked() {
    let inner = json!({ "type": "object", "properties": { "token": { "type": "string" } } });
    let (schema, _) = property(&inner);
    assert_eq!(schema["properties"]["token"]["x-sensitive"], true);
}

#[test]
fn values_of_a_url_are_scalars_or_lists() {
    let query = |schema: Value| {
        let imported = import(&with_parameter(json!({ "name": "q", "in": "query", "schema": schema })));
        parameters(&imported)["properties"]["q"].clone()
    };
    let nothing = json!({ "type": "null" });
    let scalar = json!({ "type": ["string", "number", "boolean"] });
    let (integers, words) = (json!({ "type": "integer" }), json!({ "type": "string" }));
    let of = |items: &Value| json!({ "type": "array", "items": items });
    let nullable = |mut schema: Value| {
        schema["x-nullable"] = json!(true);
        schema
    };
    for (schema, expected) in [
        (json!({ "anyOf": [integers, nothing] }), nullable(json!({ "type": ["integer", "null"] }))),
        (json!({ "type": "string", "nullable": true }), nullable(json!({ "type": ["string", "null"] }))),
        (
            json!({ "anyOf": [integers, words, of(&words)] }),
            json!({ "anyOf": [{ "type": ["integer", "string"] }, of(&words)] }),
        ),
        (
            json!({ "anyOf": [of(&words), { "type": "array" }] }),
            json!({ "anyOf": [of(&words), of(&scalar)] }),
        ),
        (
            json!({ "type": ["string", "array"], "items": integers }),
            json!({ "anyOf": [words, of(&integers)] }),
        ),
        (json!({}), nullable(json!({ "anyOf": [scalar, of(&scalar), nothing] }))),
        (json!(true), nullable(json!({ "anyOf": [scalar, of(&scalar), nothing] }))),
        (
            json!({ "enum": ["a", null] }),
            nullable(json!({ "anyOf": [{ "type": "string", "enum": ["a"] }, nothing] })),
        ),
        (
            json!({ "type": "array", "items": { "type": ["string", "null"] }, "minItems": 1.0 }),
            json!({ "type": "array", "items": { "type": ["string", "null"] }, "minItems": 1 }),
        ),
    ] {
        assert_eq!(query(schema.clone()), expected, "{schema}");
    }
    let list = json!({ "type": "array", "items": { "enum": ["a"] } });
    let whole = json!({ "name": "q", "in": "query", "explode": false, "schema": list });
    let imported = import(&with_parameter(whole));
    let text = json!({ "type": "string", "description": "Values separated by commas." });
    assert_eq!(parameters(&imported)["properties"]["q"], text);
    assert!(has_note(&imported, "a list became a text"));
    let path = json!({ "name": "id", "in": "path", "schema": { "type": ["integer", "null"] } });
    let imported = import(&with_parameter(path));
    assert_eq!(parameters(&imported)["properties"]["id"], json!({ "type": "integer" }));
    assert!(has_note(&imported, "`id` can't be null, because it stands in the path"));
}

#[test]
fn the_import_of_our_own_document_is_whole() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../openapi/openapi.json");
    let document: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let options = ImportOptions { server: Some("https://toolcrib.example/".into()), ..options() };
    let imported = import_with(&document, &options);
    let tools = imported.toolset.tools.unwrap();
    println!("{} tools, left out: {:#?}", tools.len(), imported.left_out);
    assert!(tools.len() > 100);
}

#[test]
fn the_tools_of_an_import_are_read_again_from_toml() {
    let imported = import(&tickets());
    let text = imported.toolset.to_toml().unwrap();
    let document = parse(&text, DocumentFormat::Toml).unwrap();
    let checked = check(&document, &CheckContext::new(ToolsetSource::Operator)).unwrap();
    assert_eq!(checked.tools.len(), 6);
    assert!(checked.tools.iter().all(|tool| matches!(tool.executor, ToolExecutor::Http(_))));
}
