//! Tests of what is converted and what is left for validation.

use serde_json::{Value, json};

use super::*;

fn schema() -> Value {
    json!({"type": "object", "properties": {
        "limit": {"type": "integer"}, "temperature": {"type": "number"}, "enabled": {"type": "boolean"},
        "title": {"type": "string"}, "tags": {"type": "array", "items": {"type": "string"}},
        "steps": {
            "type": "array",
            "items": {"type": "object", "properties": {"max_rows": {"type": "integer"}}}
        },
        "hours": {"type": "object", "properties": {"start": {"type": "integer"}}},
        "status": {"type": "string", "enum": ["in_progress", "done"]}, "every": {"enum": [15, 30]},
        "when": {"anyOf": [{"type": "integer"}, {"type": "null"}]}}})
}

fn read(given: Value) -> Value {
    let mut value = given;
    coerce(&schema(), &mut value);
    value
}

#[test]
fn what_is_certain_is_read() {
    let table = [
        (json!({"limit": "5"}), json!({"limit": 5})),
        (json!({"limit": " 5.0 "}), json!({"limit": 5})),
        (json!({"limit": 5.0}), json!({"limit": 5})),
        (json!({"temperature": "0.5"}), json!({"temperature": 0.5})),
        (json!({"enabled": "True"}), json!({"enabled": true})),
        (json!({"enabled": "false"}), json!({"enabled": false})),
        (json!({"title": 42}), json!({"title": "42"})),
        (json!({"tags": "urgent"}), json!({"tags": ["urgent"]})),
        (json!({"tags": "[\"a\",\"b\"]"}), json!({"tags": ["a", "b"]})),
        (json!({"tags": [1]}), json!({"tags": ["1"]})),
        (json!({"hours": "{\"start\":\"9\"}"}), json!({"hours": {"start": 9}})),
        (json!({"steps": {"maxRows": "2"}}), json!({"steps": [{"max_rows": 2}]})),
        (json!({"status": "In Progress"}), json!({"status": "in_progress"})),
        (json!({"every": "15"}), json!({"every": 15})),
        (json!({"every": 15.0}), json!({"every": 15})),
        (json!({"when": "3"}), json!({"when": 3})),
        (json!({"Limit": 1}), json!({"limit": 1})),
    ];
    for (given, wanted) in table {
        // Compare as text, because 5 and 5.0 are equal as values.
        assert_eq!(read(given.clone()).to_string(), wanted.to_string(), "{given}");
    }
}

#[test]
fn what_is_not_certain_is_left_alone() {
    let table = [
        json!({"limit": "five"}),
        json!({"limit": ""}),
        json!({"limit": 5.5}),
        json!({"limit": true}),
        json!({"limit": "99999999999999999999"}),
        json!({"enabled": 1}),
        json!({"enabled": "yes"}),
        json!({"title": true}),
        json!({"title": 1.5}),
        json!({"tags": "a, b"}),
        json!({"tags": null}),
        json!({"hours": "nine"}),
        json!({"hours": "{\"start\":1,\"start\":2}"}),
        json!({"status": "finished"}),
        json!({"limit": 1, "Limit": 2}),
        json!({"other": "5"}),
        json!([1]),
    ];
    for given in table {
        assert_eq!(read(given.clone()), given);
    }
}

#[test]
fn each_place_is_named() {
    let mut value = json!({"limit": "5", "tags": ["a", 2]});
    assert_eq!(coerce(&schema(), &mut value), ["/limit", "/tags/1"]);
    assert!(coerce(&schema(), &mut value).is_empty());
}
