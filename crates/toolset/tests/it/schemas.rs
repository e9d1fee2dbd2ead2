//! Schemas of parameters and results.

use serde_json::{Value, json};
use toolcrib_toolset::NoteKind;

use crate::{
    json_pointers::set,
    support::{Row, base, checked, defects, each_is_the_one_defect, notes, with},
};

const PARAMETERS: &str = "/tools/1/parameters";

/// The base document with one more property of the second tool.
fn with_property(schema: Value) -> Value {
    with("/tools/1/parameters/properties/x", schema)
}

fn normalised(schema: Value) -> Value {
    checked(&with_property(schema)).tools[1].parameters["properties"]["x"].clone()
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(
        json!({ "type": "boolean" }),
        |inner, _| json!({ "type": "object", "properties": { "y": inner } }),
    )
}

#[test]
fn objects_strings_and_lists_get_bounds_and_each_is_noted() {
    let at = "/tools/1/parameters/properties/x";
    for (schema, expected, kind) in [
        (
            json!({ "type": "string" }),
            json!({ "type": "string", "maxLength": 8192 }),
            NoteKind::StringBounded,
        ),
        (
            json!({ "type": ["string", "null"] }),
            json!({ "type": ["string", "null"], "maxLength": 8192 }),
            NoteKind::StringBounded,
        ),
        (
            json!({ "type": "array", "items": { "type": "integer" } }),
            json!({ "type": "array", "items": { "type": "integer" }, "maxItems": 100 }),
            NoteKind::ListBounded,
        ),
        (
            json!({ "type": "object", "properties": {} }),
            json!({ "type": "object", "properties": {}, "additionalProperties": false }),
            NoteKind::ObjectClosed,
        ),
        (
            json!({ "properties": {}, "additionalProperties": false }),
            json!({ "properties": {}, "additionalProperties": false, "type": "object" }),
            NoteKind::TypeAdded,
        ),
    ] {
        assert!(notes(&with_property(schema.clone()), kind, at), "{schema}");
        assert_eq!(normalised(schema), expected);
    }
    for same in [
        json!({ "type": "string", "maxLength": 9000 }),
        json!({ "type": "string", "enum": ["a"] }),
        json!({ "const": "a" }),
        json!({ "type": "array", "items": { "type": "integer" }, "maxItems": 200 }),
        json!({ "type": "object", "additionalProperties": { "type": "integer" }, "maxProperties": 9 }),
        json!({ "type": "string", "maxLength": 9, "not": { "type": "string", "pattern": "^a" } }),
        json!({ "type": "integer", "anyOf": [{ "minimum": 5 }, { "maximum": 2 }] }),
    ] {
        assert_eq!(normalised(same.clone()), same);
    }
}

#[test]
fn the_options_of_a_choice_are_closed_each() {
    let option = json!({ "type": "object", "properties": { "a": { "type": "integer" } } });
    let closed = normalised(json!({ "anyOf": [option, { "type": "null" }] }));
    assert_eq!(closed["anyOf"][0]["additionalProperties"], false);
    assert_eq!(closed.get("additionalProperties"), None);
}

#[test]
fn a_tool_without_parameters_has_a_closed_schema() {
    let document = with(PARAMETERS, Value::Null);
    let expected = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    assert_eq!(checked(&document).tools[1].parameters, expected);
}

#[test]
fn references_are_inlined() {
    let mut document = with_property(json!({ "$ref": "#/$defs/who", "description": "The author." }));
    let who = json!({ "type": "object", "description": "A person.", "properties": {
        "name": { "$ref": "#/$defs/name" }
    }});
    let defs = json!({ "who": who, "name": { "type": "string", "maxLength": 9 } });
    set(&mut document, "/tools/1/parameters/$defs", defs);
    let parameters = checked(&document).tools[1].parameters.clone();
    assert_eq!(parameters.get("$defs"), None);
    let expected = json!({
        "type": "object", "description": "The author.",
        "properties": { "name": { "type": "string", "maxLength": 9 } }, "additionalProperties": false
    });
    assert_eq!(parameters["properties"]["x"], expected);
    assert!(notes(&document, NoteKind::ReferenceInlined, "/tools/1/parameters/properties/x/$ref"));
    // A defect of a definition is where it is written.
    set(&mut document, "/tools/1/parameters/$defs/name/maxLenght", json!(1));
    assert_eq!(defects(&document)[0].pointer, "/tools/1/parameters/$defs/name/maxLenght");
}

#[test]
fn references_are_internal_and_not_recursive() {
    let at = "/tools/1/parameters/properties/x/$ref";
    for (reference, words) in [
        ("https://x.example/schema.json", "another document"),
        ("other.json#/a", "another document"),
        ("#/$defs/missing", "no schema of this document"),
        ("#", "recursive"),
    ] {
        let found = defects(&with_property(json!({ "$ref": reference })));
        assert_eq!((found.len(), &*found[0].pointer), (1, at), "{found:?}");
        assert!(found[0].message.contains(words), "{found:?}");
    }
    let mut document = with_property(json!({ "$ref": "#/$defs/a" }));
    let list = |to: &str| json!({ "type": "array", "maxItems": 2, "items": { "$ref": to } });
    set(
        &mut document,
        "/tools/1/parameters/$defs",
        json!({ "a": list("#/$defs/b"), "b": list("#/$defs/a") }),
    );
    let found = defects(&document);
    assert_eq!((found.len(), &*found[0].pointer), (1, "/tools/1/parameters/$defs/b/items/$ref"), "{found:?}");
}

#[test]
fn references_that_multiply_are_refused_quickly() {
    let twice = |to: &str| json!({ "anyOf": vec![json!({ "$ref": to }); 200] });
    let mut document = with_property(json!({ "$ref": "#/$defs/a" }));
    let defs = json!({
        "a": twice("#/$defs/b"), "b": twice("#/$defs/c"), "c": twice("#/$defs/d"), "d": { "type": "integer" }
    });
    set(&mut document, "/tools/1/parameters/$defs", defs);
    let found = defects(&document);
    assert!(found.iter().any(|defect| defect.message.contains("more than 2000 parts")), "{found:?}");
}

#[test]
fn keywords() {
    let rows = [
        ("maxLenght", json!(1), "did you mean `maxLength`"),
        ("zzzzzzzzzz", json!(1), "not a keyword of JSON Schema"),
        ("if", json!({}), "not supported"),
        ("patternProperties", json!({}), "not supported"),
        ("unevaluatedProperties", json!(false), "not supported"),
        ("$dynamicRef", json!("#x"), "not supported"),
        ("maxLength", json!("9"), "whole number"),
        ("maxLength", json!(9.5), "whole number"),
        ("x-free", json!(false), "can only be `true`"),
        ("minimum", json!("9"), "must be a number"),
        ("uniqueItems", json!(1), "`true` or `false`"),
        ("type", json!("text"), "must be one of string"),
        ("enum", json!([]), "at least 1 item"),
        ("enum", json!((0..251).map(|at| at.to_string()).collect::<Vec<_>>()), "at most 250"),
        ("description", json!("x".repeat(321)), "at most 320"),
        ("x-sensitive", json!(false), "can only be `true`"),
        ("pattern", json!("a(?=b)"), "look-around"),
        ("pattern", json!("(a)\\1"), "back-references"),
        ("pattern", json!("("), "regular expression"),
        ("pattern", json!("\\p{L}{900}"), "size limit"),
        ("default", json!(5), "does not match its own schema"),
        ("required", json!(["y"]), "no property"),
    ];
    for (key, value, words) in rows {
        let mut schema = json!({ "type": "string", "maxLength": 9, "properties": {} });
        schema[key] = value;
        let found = defects(&with_property(schema));
        let at = format!("/tools/1/parameters/properties/x/{key}");
        let is_found = |defect: &toolcrib_toolset::DocumentDefect| {
            defect.pointer.starts_with(&at) && defect.message.contains(words)
        };
        assert!(found.len() == 1 && found.iter().all(is_found), "{key}: {found:?}");
    }
    let extension = json!({ "type": "integer", "x-order": 1 });
    assert!(notes(
        &with_property(extension),
        NoteKind::UnknownKeyword,
        "/tools/1/parameters/properties/x/x-order"
    ));
}

#[test]
fn lengths_may_be_written_with_a_fraction_of_zeros() {
    let written = json!({ "type": "array", "items": { "type": "string", "maxLength": 9.0 }, "minItems": 1.0,
        "maxItems": 2e1 });
    let items = json!({ "type": "string", "maxLength": 9 });
    let expected = json!({ "type": "array", "items": items, "minItems": 1, "maxItems": 20 });
    assert_eq!(normalised(written), expected);
}

#[test]
fn any_value_is_possible_where_it_is_said() {
    for schema in [
        json!({ "x-free": true }),
        json!({ "type": "array", "items": { "x-free": true }, "maxItems": 9 }),
        json!({ "anyOf": [{ "x-free": true }, { "type": "null" }] }),
    ] {
        assert_eq!(normalised(schema.clone()), schema);
    }
}

#[test]
fn unbounded_schemas_are_refused() {
    let at = "/tools/1/parameters/properties/x";
    let additional = "/tools/1/parameters/properties/x/additionalProperties";
    let properties = json!({ "a": { "type": "integer" } });
    let choice = json!([{ "properties": { "b": { "type": "integer" } } }]);
    let rows: [Row<'_>; 7] = [
        (at, json!({}), at, "admits any value"),
        (at, json!(true), at, "must be a schema"),
        (at, json!({ "type": "array" }), at, "add `items`"),
        (at, json!({ "type": "object", "additionalProperties": true }), additional, "unbounded"),
        (at, json!({ "type": "object", "additionalProperties": 1 }), additional, "or a schema"),
        (at, json!({ "type": "object", "properties": properties, "anyOf": choice }), at, "can't be closed"),
        (at, json!({ "type": "object", "allOf": choice }), at, "can't be closed"),
    ];
    each_is_the_one_defect(&rows);
}

#[test]
fn the_root_of_parameters_is_an_object() {
    each_is_the_one_defect(&[
        (PARAMETERS, json!("x"), PARAMETERS, "must be an object"),
        (PARAMETERS, json!({ "type": "string" }), "/tools/1/parameters/type", "must be `object`"),
        (PARAMETERS, json!({ "anyOf": [] }), "/tools/1/parameters/anyOf", "not possible at the root"),
        (
            PARAMETERS,
            json!({ "additionalProperties": true }),
            "/tools/1/parameters/additionalProperties",
            "must be `false`",
        ),
    ]);
}

#[test]
fn totals() {
    let properties = |count: usize| {
        let named = (0..count).map(|at| (format!("p{at}"), json!({ "type": "boolean" })));
        json!({ "properties": named.collect::<serde_json::Map<_, _>>() })
    };
    assert_eq!(defects(&with(PARAMETERS, properties(200))), []);
    let long = |count: usize| {
        let word = |at: usize| json!(format!("{at} {}", "word ".repeat(60)));
        let words = (0..4).map(|part| {
            let values: Vec<Value> = (0..count).map(|at| word(part * 1000 + at)).collect();
            (format!("p{part}"), json!({ "enum": values }))
        });
        json!({ "properties": words.collect::<serde_json::Map<_, _>>() })
    };
    assert_eq!(defects(&with(PARAMETERS, long(20))), []);
    let patterns = |count: usize| {
        let named = (0..count).map(|at| (format!("p{at}"), json!({ "type": "string", "pattern": "^a" })));
        json!({ "properties": named.collect::<serde_json::Map<_, _>>() })
    };
    assert_eq!(defects(&with(PARAMETERS, patterns(20))), []);
    let deep = "/tools/1/parameters/properties/x";
    let eighth = format!("{deep}{}", "/properties/y".repeat(7));
    each_is_the_one_defect(&[
        (PARAMETERS, properties(201), PARAMETERS, "has 201 properties; at most 200"),
        (PARAMETERS, patterns(21), PARAMETERS, "has 21 patterns; at most 20"),
        (PARAMETERS, long(40), PARAMETERS, "at most 32768 are possible"),
        (deep, nested(7), &eighth, "nested deeper than 8 levels"),
    ]);
    assert_eq!(defects(&with_property(nested(6))), []);
}

#[test]
fn names_of_parameters() {
    let secret = "has the name of a secret";
    let text = json!({ "type": "string", "maxLength": 9 });
    for (name, words) in [
        ("password", secret),
        ("apiKey", secret),
        ("access_token", secret),
        ("key", secret),
        ("a b", "letters, digits"),
        ("", "letters, digits"),
    ] {
        let pointer = format!("/tools/1/parameters/properties/{name}");
        each_is_the_one_defect(&[(&pointer, text.clone(), &pointer, words)]);
    }
    let nested = json!({ "type": "object", "properties": { "secret": text } });
    let at = "/tools/1/parameters/properties/x/properties/secret";
    each_is_the_one_defect(&[("/tools/1/parameters/properties/x", nested, at, secret)]);
    let sensitive = json!({ "type": "string", "maxLength": 9, "x-sensitive": true });
    assert_eq!(defects(&with("/tools/1/parameters/properties/password", sensitive)), []);
    let output = json!({ "type": "object", "properties": { "token": text } });
    assert_eq!(defects(&with("/tools/1/output", output)), []);
}

#[test]
fn a_result_is_checked_like_parameters() {
    let mut document = base();
    let list = json!({ "type": "array", "items": { "type": "string" } });
    set(&mut document, "/tools/1/output", list);
    let output = checked(&document).tools[1].output.clone().unwrap();
    let expected =
        json!({ "type": "array", "items": { "type": "string", "maxLength": 8192 }, "maxItems": 100 });
    assert_eq!(output, expected);
    set(&mut document, "/tools/1/output", json!({ "type": "object", "additionalProperties": true }));
    assert_eq!(defects(&document)[0].pointer, "/tools/1/output/additionalProperties");
}
