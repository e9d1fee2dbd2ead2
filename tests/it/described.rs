//! The API's document describes every field of what it names. The descriptions are the `///` of the types.

use serde_json::Value;

/// Parts of the document that are written by hand and have fields that their name and type describe.
const WRITTEN_BY_HAND: [&str; 10] = [
    "/components/schemas/Completed",
    "/components/schemas/CompletedCall",
    "/components/schemas/Problem",
    "/components/schemas/ToRun",
    "/components/schemas/Waiting",
    "/paths//healthz",
    "/paths//readyz",
    "/paths//v1/calls/get/responses",
    "/paths//v1/confirmations/get/responses",
    "/paths//v1/hooks/alertmanager",
];

/// Adds each property without a description to `missing`, and counts the properties.
fn visit(value: &Value, at: &str, count: &mut usize, missing: &mut Vec<String>) {
    for (name, property) in value["properties"].as_object().into_iter().flatten() {
        *count += 1;
        if !is_described(property) {
            missing.push(format!("{at}/{name}"));
        }
    }
    match value {
        Value::Object(object) => {
            for (key, inner) in object {
                visit(inner, &format!("{at}/{key}"), count, missing);
            }
        }
        Value::Array(list) => list.iter().for_each(|inner| visit(inner, at, count, missing)),
        _ => {}
    }
}

/// Whether a property has a text of its own, is a type that is described elsewhere, or has one value only.
fn is_described(property: &Value) -> bool {
    let refers = |schema: &Value| schema.get("$ref").is_some();
    let choices = ["anyOf", "allOf"].iter().filter_map(|key| property[*key].as_array());
    property["description"].as_str().is_some_and(|text| !text.is_empty())
        || property.get("const").is_some()
        || refers(property)
        || choices.flatten().any(refers)
}

#[test]
fn every_field_of_the_api_is_described() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../openapi/openapi.json");
    let document: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let (mut count, mut missing) = (0, Vec::new());
    visit(&document, "", &mut count, &mut missing);
    assert!(count > 3_000, "{count} fields were found");
    missing.retain(|at| !WRITTEN_BY_HAND.iter().any(|part| at.starts_with(&format!("{part}/"))));
    assert!(missing.is_empty(), "add `///` to these fields: {missing:#?}");
}
