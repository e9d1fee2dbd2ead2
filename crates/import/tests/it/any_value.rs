//! An import ends for every JSON value, and what it makes is sound.

use proptest::{collection, prelude::*};
use serde_json::{Map, Value, json};
use toolcrib_import::import_openapi;
use toolcrib_toolset::ToolsetSource;

use crate::{
    json_pointers::{pointers, set},
    support::{assert_sound, options, tickets},
};

/// Keys of OpenAPI documents and schemas, so that arbitrary values get past the first rule.
const KEYS: &[&str] = &[
    "$ref",
    "allOf",
    "anyOf",
    "oneOf",
    "type",
    "properties",
    "items",
    "required",
    "enum",
    "const",
    "pattern",
    "nullable",
    "default",
    "description",
    "additionalProperties",
    "name",
    "in",
    "schema",
    "content",
    "get",
    "post",
    "parameters",
    "requestBody",
    "application/json",
    "application/x-www-form-urlencoded",
    "operationId",
    "servers",
    "url",
    "minimum",
    "exclusiveMinimum",
    "style",
    "explode",
    "readOnly",
    "x",
    "a/b~",
    "",
];

const WORDS: &[&str] = &[
    "#/components/schemas/Ticket",
    "#/paths",
    "#",
    "other.yaml",
    "object",
    "array",
    "string",
    "null",
    "integer",
    "path",
    "query",
    "header",
    "cookie",
    "id",
    "token",
    "Host",
    "(a)\\1",
    "{id}",
    "ä\u{200b}",
    "../x",
    "https://x.example/",
    "pipeDelimited",
    "password",
    "",
];

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-3..300_i64).prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        prop::sample::select(WORDS).prop_map(Value::from),
    ];
    leaf.prop_recursive(6, 64, 6, |inner| {
        let key = prop::sample::select(KEYS).prop_map(str::to_owned);
        prop_oneof![
            collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            collection::vec((key, inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn import_ends(document: &Value) {
    if let Ok(imported) = import_openapi(document, &options()) {
        assert_sound(&imported, ToolsetSource::Operator);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn an_import_ends_for_every_value(paths in any_value(), components in any_value()) {
        let mut document = tickets();
        document["paths"] = paths;
        document["components"] = components.clone();
        import_ends(&document);
        import_ends(&components);
    }

    #[test]
    fn an_import_ends_for_every_value_at_every_place(
        values in collection::vec((any_value(), any::<prop::sample::Index>()), 1..4),
    ) {
        let mut document = tickets();
        for (value, at) in values {
            let mut places = Vec::new();
            pointers(&document, "", &mut places);
            let value = if value.is_null() { json!({}) } else { value };
            set(&mut document, at.get::<String>(&places), value);
        }
        import_ends(&document);
    }
}

#[test]
fn an_import_ends_for_references_that_multiply() {
    let mut schemas = Map::new();
    for at in 0..40 {
        let next = json!({ "$ref": format!("#/components/schemas/S{}", at + 1) });
        let schema =
            json!({ "allOf": [next, next], "properties": { "a": next, "b": next }, "oneOf": [next, next] });
        schemas.insert(format!("S{at}"), schema);
    }
    let body =
        json!({ "content": { "application/json": { "schema": { "$ref": "#/components/schemas/S0" } } } });
    let paths: Map<String, Value> =
        (0..20).map(|at| (format!("/t{at}"), json!({ "post": { "requestBody": body } }))).collect();
    let mut document = tickets();
    document["paths"] = json!(paths);
    document["components"] = json!({ "schemas": schemas });
    let imported = import_openapi(&document, &options()).unwrap();
    assert_eq!(imported.left_out.len(), 20);
}
