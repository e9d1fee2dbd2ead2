//! A tool takes what its service takes: null, any value, bounds however they are written. What is dropped is
//! noted.

use serde_json::{Value, json};
use toolcrib_import::{McpImportOptions, import_mcp_tools};
use toolcrib_registry::InputSchema;
use toolcrib_toolset::UpstreamTool;

use crate::support::{has_note, import, parameters, with_body};

/// The schemas of a property `x` that is required or not: imported from OpenAPI, and from MCP.
fn imported(schema: &Value, required: bool) -> [Value; 2] {
    let needed: &[&str] = if required { &["x"] } else { &[] };
    let object = json!({ "type": "object", "properties": { "x": schema }, "required": needed });
    let of_openapi = parameters(&import(&with_body(object.clone()))).clone();
    let tool = UpstreamTool {
        name: "add".into(),
        description: None,
        input_schema: object,
        output_schema: None,
        destructive_hint: false,
    };
    let options = McpImportOptions {
        slug: "desk".into(),
        upstream: "desk".into(),
        title: None,
        include: Vec::new(),
        exclude: Vec::new(),
    };
    let mut of_mcp = import_mcp_tools(&[tool], &options).unwrap().toolset.tools.unwrap();
    [of_openapi, of_mcp.remove(0).parameters.unwrap()]
}

/// What a call has of these arguments after the check, or its errors.
fn checked(schema: &Value, arguments: Value) -> Result<Value, String> {
    let mut arguments = arguments;
    let errors = InputSchema::accepted(schema).check(&mut arguments);
    if errors.is_empty() { Ok(arguments) } else { Err(format!("{errors:?}")) }
}

/// Schemas that admit null, with another value that they admit and one that they refuse.
fn nullable() -> Vec<(Value, Value, Value)> {
    let text = (json!("a"), json!([1]));
    let of = |schema: Value| (schema, text.0.clone(), text.1.clone());
    vec![
        of(json!({ "type": ["string", "null"] })),
        of(json!({ "type": "string", "nullable": true })),
        of(json!({ "anyOf": [{ "type": "string" }, { "type": "null" }] })),
        of(json!({ "oneOf": [{ "type": "null" }, { "type": "string" }] })),
        of(json!({ "anyOf": [{ "type": ["string", "null"] }, { "type": "integer" }] })),
        of(json!({ "anyOf": [{ "type": "string", "nullable": true }, { "type": "integer" }] })),
        of(json!({ "oneOf": [{ "enum": ["a"] }, { "enum": [null] }] })),
        of(json!({ "oneOf": [{ "enum": ["a"] }, { "const": null }] })),
        of(json!({ "allOf": [{ "type": "string" }], "nullable": true })),
        of(json!({ "allOf": [{ "type": ["string", "null"] }, { "maxLength": 9 }] })),
        of(json!({ "enum": ["a", null] })),
        of(json!({ "type": "string", "enum": ["a", null] })),
        of(json!({ "type": ["string", "null"], "enum": ["a", null] })),
        of(json!({ "type": "string", "enum": ["a"], "nullable": true })),
        (json!({ "type": ["integer", "null"], "enum": [1, 2, null] }), json!(2), json!(3)),
        (json!({ "type": ["array", "null"], "items": { "type": "string" } }), json!(["a"]), json!([1])),
        (json!({ "type": "object", "nullable": true }), json!({ "a": null }), json!("a")),
        (
            json!({ "type": ["object", "null"], "properties": { "a": { "type": ["string", "null"] } },
                "required": ["a"] }),
            json!({ "a": null }),
            json!({ "a": 1 }),
        ),
    ]
}

#[test]
fn null_is_taken_where_the_service_takes_it() {
    for (schema, other, wrong) in nullable() {
        for required in [true, false] {
            for tool in imported(&schema, required) {
                for value in [Value::Null, other.clone()] {
                    let arguments = json!({ "x": value });
                    assert_eq!(checked(&tool, arguments.clone()), Ok(arguments), "{schema}: {tool}");
                }
                assert!(checked(&tool, json!({ "x": wrong })).is_err(), "{schema}: {tool}");
                assert_eq!(checked(&tool, json!({})).is_ok(), !required, "{schema}: {tool}");
            }
        }
    }
}

#[test]
fn null_is_the_only_value_of_what_says_so() {
    for schema in [json!({ "type": "null" }), json!({ "enum": [null] }), json!({ "const": null })] {
        for tool in imported(&schema, true) {
            assert_eq!(checked(&tool, json!({ "x": null })), Ok(json!({ "x": null })), "{tool}");
            assert!(checked(&tool, json!({ "x": "a" })).is_err(), "{tool}");
        }
    }
}

#[test]
fn null_is_refused_where_the_service_refuses_it() {
    for schema in
        [json!({ "type": "string" }), json!({ "enum": ["a"] }), json!({ "type": "array", "items": {} })]
    {
        for tool in imported(&schema, true) {
            assert!(checked(&tool, json!({ "x": null })).is_err(), "{tool}");
        }
    }
}

#[test]
fn any_value_is_any_value() {
    let list = |schema: Value| json!({ "type": "array", "items": schema });
    let values = [
        json!(null),
        json!("a"),
        json!(1.5),
        json!(true),
        json!({ "a": null }),
        json!([[1], null, { "a": [] }]),
    ];
    for schema in [
        json!({}),
        json!(true),
        json!({ "description": "Anything." }),
        json!({ "anyOf": [{}, { "type": "null" }] }),
        json!({ "nullable": true }),
    ] {
        for tool in imported(&schema, true) {
            for value in &values {
                let arguments = json!({ "x": value });
                assert_eq!(checked(&tool, arguments.clone()), Ok(arguments), "{schema}: {tool}");
            }
            assert!(checked(&tool, json!({})).is_err());
        }
        let of_lists = [list(schema.clone()), json!({ "type": "array" })];
        let of_maps =
            [json!({ "type": "object", "additionalProperties": schema }), json!({ "type": "object" })];
        for tool in of_lists.iter().flat_map(|schema| imported(schema, true)) {
            let arguments = json!({ "x": values });
            assert_eq!(checked(&tool, arguments.clone()), Ok(arguments), "{schema}: {tool}");
        }
        for tool in of_maps.iter().flat_map(|schema| imported(schema, true)) {
            let arguments = json!({ "x": { "a": null, "b": [values] } });
            assert_eq!(checked(&tool, arguments.clone()), Ok(arguments), "{schema}: {tool}");
        }
    }
}

#[test]
fn a_recursive_value_is_any_value_unless_it_is_an_object() {
    let mut document = with_body(json!({ "properties": { "x": { "$ref": "#/components/schemas/Json" } } }));
    let json = json!({ "$ref": "#/components/schemas/Json" });
    document["components"]["schemas"]["Json"] = json!({ "anyOf": [
        { "type": "string" }, { "type": "null" }, { "type": "array", "items": json },
        { "type": "object", "additionalProperties": json }
    ] });
    let imported = import(&document);
    for value in [json!([["a", null]]), json!({ "a": [{ "b": "c" }] }), json!("a")] {
        let arguments = json!({ "x": value });
        assert_eq!(checked(parameters(&imported), arguments.clone()), Ok(arguments));
    }
    assert!(has_note(&imported, "a recursive schema became any value"));
}

#[test]
fn the_schema_of_a_result_admits_what_the_server_says() {
    for (schema, value) in [
        (json!({}), json!([1, null])),
        (json!({ "type": "array", "items": true }), json!([[null]])),
        (json!({ "enum": ["a", null] }), json!(null)),
        (json!({ "type": ["string", "null"] }), json!(null)),
    ] {
        let output = json!({ "type": "object", "properties": { "x": schema }, "required": ["x"] });
        let tool = UpstreamTool {
            name: "look".into(),
            description: None,
            input_schema: json!({ "type": "object" }),
            output_schema: Some(output),
            destructive_hint: false,
        };
        let options = McpImportOptions {
            slug: "desk".into(),
            upstream: "desk".into(),
            title: None,
            include: Vec::new(),
            exclude: Vec::new(),
        };
        let tools = import_mcp_tools(&[tool], &options).unwrap().toolset.tools.unwrap();
        let result = json!({ "x": value });
        assert_eq!(checked(tools[0].output.as_ref().unwrap(), result.clone()), Ok(result), "{schema}");
    }
}

#[test]
fn bounds_are_taken_however_whole_numbers_are_written() {
    for (schema, bound) in [
        (json!({ "type": "string", "minLength": 1.0 }), ("minLength", 1)),
        (json!({ "type": "string", "maxLength": 2e1 }), ("maxLength", 20)),
        (json!({ "type": "array", "items": { "type": "string" }, "minItems": 1.0 }), ("minItems", 1)),
        (json!({ "type": "array", "items": { "type": "string" }, "maxItems": 3.0 }), ("maxItems", 3)),
        (json!({ "type": "object", "minProperties": 1.0 }), ("minProperties", 1)),
        (json!({ "type": "object", "maxProperties": 200.0 }), ("maxProperties", 200)),
        (
            json!({ "type": "object", "properties": { "a": { "type": "string" } }, "maxProperties": 1 }),
            ("maxProperties", 1),
        ),
    ] {
        for tool in imported(&schema, true) {
            assert_eq!(tool["properties"]["x"][bound.0], json!(bound.1), "{schema}: {tool}");
        }
    }
}

#[test]
fn what_is_dropped_is_noted() {
    let odd = |keyword: &str, value: Value| json!({ "type": "string", keyword: value });
    let big = json!(9_223_372_036_854_775_807_u64);
    for (schema, words) in [
        (odd("minLength", json!(1.5)), "the keyword `minLength` was dropped: `1.5` is no whole number"),
        (odd("maxLength", json!(-1)), "the keyword `maxLength` was dropped"),
        (odd("maxLength", json!("5")), "the keyword `maxLength` was dropped"),
        (odd("maxLength", big.clone()), "the keyword `maxLength` was dropped"),
        (odd("pattern", json!(1)), "the keyword `pattern` was dropped"),
        (odd("enum", json!("a")), "the keyword `enum` was dropped"),
        (odd("required", json!(true)), "the keyword `required` was dropped"),
        (json!({ "type": "integer", "maximum": big }), "the keyword `maximum` was dropped"),
        (json!({ "type": "number", "minimum": "1" }), "the keyword `minimum` was dropped"),
        (json!({ "type": "number", "multipleOf": 0 }), "the keyword `multipleOf` was dropped"),
        (json!({ "type": "array", "uniqueItems": "yes" }), "the keyword `uniqueItems` was dropped"),
        (json!({ "type": "array", "minContains": 1 }), "the keyword `minContains` was dropped"),
        (json!({ "type": "array", "items": [{ "type": "string" }] }), "the keyword `items` was dropped"),
        (json!({ "type": "integer", "enum": [1, 18_446_744_073_709_551_615_u64] }), "an enum with a number"),
        (json!({ "type": "string", "enum": ["a", true] }), "not of its types"),
        (json!({ "enum": ["a", ["b"]] }), "an enum of lists or objects was dropped"),
        (
            json!({ "anyOf": [{ "type": "string" }, { "$ref": "#/none" }] }),
            "an option of a choice was dropped: it refers to `#/none`",
        ),
    ] {
        let imported = import(&with_body(json!({ "properties": { "x": schema } })));
        assert!(has_note(&imported, words), "{words}: {:?}", imported.notes);
        assert!(parameters(&imported)["properties"].get("x").is_some(), "{schema}");
    }
}

#[test]
fn a_required_property_that_is_not_described_can_be_given() {
    let nested =
        json!({ "type": "object", "required": ["a", "@id"], "properties": { "b": { "type": "string" } } });
    for tool in imported(&nested, true) {
        let arguments = json!({ "x": { "a": [1], "@id": "x", "b": "c" } });
        assert_eq!(checked(&tool, arguments.clone()), Ok(arguments), "{tool}");
        assert!(checked(&tool, json!({ "x": { "b": "c" } })).is_err(), "{tool}");
    }
    let root =
        json!({ "type": "object", "required": ["a", "b"], "properties": { "b": { "type": "string" } } });
    let imported = import(&with_body(root));
    assert_eq!(parameters(&imported)["required"], json!(["b", "a"]));
}
