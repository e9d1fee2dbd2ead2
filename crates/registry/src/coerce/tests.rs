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
        "days": {"type": "integer"}, "ttl_seconds": {"type": "integer"},
        "window": {"type": "integer", "description": "Window, in minutes."},
        "share": {"type": "number", "maximum": 1}, "ids": {"type": "array", "items": {"type": "integer"}},
        "hours": {"type": "object", "properties": {"start": {"type": "integer"}}},
        "status": {"type": "string", "enum": ["in_progress", "done"]}, 
        "every": {"enum": [15, 30], "description": "Minutes between two."},
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
        (json!({"limit": {"value": "5"}}), json!({"limit": 5})),
        (json!({"title": {"name": "x"}}), json!({"title": "x"})),
        (json!({"title": {"title": 3}}), json!({"title": "3"})),
        (json!({"limit": "null", "status": "None", "tags": {}}), json!({})),
        (json!({"enabled": "undefined", "title": {}}), json!({})),
        (json!({"days": "7 days", "ttl_seconds": "5m"}), json!({"days": 7, "ttl_seconds": 300})),
        (json!({"days": "2 weeks", "window": "1 h"}), json!({"days": 14, "window": 60})),
        (json!({"every": "30 min"}), json!({"every": 30})),
        (json!({"days": "P7D", "share": "80%"}), json!({"days": 7, "share": 0.8})),
        (json!({"tags": "[a, b]"}), json!({"tags": ["a", "b"]})),
        (json!({"ids": "1, 2;"}), json!({"ids": [1, 2]})),
        (json!({"ids": "-1\n2"}), json!({"ids": [-1, 2]})),
        (json!({"enabled": "True"}), json!({"enabled": true})),
        (json!({"enabled": "false"}), json!({"enabled": false})),
        (json!({"enabled": "off"}), json!({"enabled": false})),
        (json!({"enabled": 1}), json!({"enabled": true})),
        (json!({"enabled": ["No"]}), json!({"enabled": false})),
        (json!({"title": ["x"]}), json!({"title": "x"})),
        (json!({"limit": ["5"]}), json!({"limit": 5})),
        (json!({"status": ["In-Progress"]}), json!({"status": "in_progress"})),
        (json!({"tag": "urgent"}), json!({"tags": ["urgent"]})),
        (json!({"limits": 5}), json!({"limit": 5})),
        (json!({"limit": " ", "title": "x"}), json!({"title": "x"})),
        (json!({"status": ""}), json!({})),
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
        json!({"limit": 5.5}),
        json!({"limit": true}),
        json!({"enabled": 2}),
        json!({"enabled": "maybe"}),
        json!({"enabled": [true, false]}),
        json!({"title": [["x"]]}),
        json!({"titles": "x", "title": "y"}),
        json!({"title": true}),
        json!({"title": 1.5}),
        json!({"tags": "a, b"}),
        json!({"title": "none"}),
        json!({"title": {"name": "x", "id": "y"}}),
        json!({"title": {"colour": "x"}}),
        json!({"days": "12 hours"}),
        json!({"limit": "7 days"}),
        json!({"limit": "20 items"}),
        json!({"temperature": "80%"}),
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

#[test]
fn an_id_stands_for_the_one_parameter_that_takes_it() {
    let one = json!({"type": "object", "required": ["agent"], "properties": {
        "agent": {"type": "string"}, "name": {"type": "string"}}});
    let mut value = json!({"id": "Researcher"});
    assert_eq!(coerce(&one, &mut value), ["/agent"]);
    assert_eq!(value, json!({"agent": "Researcher"}));
    let task = json!({"type": "object", "required": ["task_id"], "properties": {
        "task_id": {"type": "string", "format": "uuid"}, "agent": {"type": "string"}}});
    for given in [json!({"id": "x"}), json!({"taskId": "x"}), json!({"task": "x"})] {
        let mut value = given;
        coerce(&task, &mut value);
        assert_eq!(value, json!({"task_id": "x"}));
    }
    let two = json!({"type": "object", "properties": {
        "task_id": {"type": "string"}, "parent_id": {"type": "string"}}});
    let mut value = json!({"id": "x"});
    assert!(coerce(&two, &mut value).is_empty(), "it may be either");
}

#[test]
fn programs_may_write_an_integer_with_a_zero_fraction_and_nothing_else() {
    let mut value = json!({"limit": 3.0, "every": 15.0, "temperature": 1.0, "enabled": "true", "Limit": "4"});
    coerce_integers(&schema(), &mut value);
    let wanted = json!({"limit": 3, "every": 15, "temperature": 1.0, "enabled": "true", "Limit": "4"});
    assert_eq!(value.to_string(), wanted.to_string());
}

#[test]
fn a_date_is_the_begin_of_its_day_in_the_time_zone_of_the_call() {
    let schema = json!({"type": "object", "properties": {
        "due_at": {"type": "string", "format": "date-time"}, "timezone": {"type": "string"}}});
    for (given, wanted) in [
        (json!({"due_at": "2026-12-01"}), "2026-12-01T00:00:00Z"),
        (json!({"due_at": "2026-12-01T09:30"}), "2026-12-01T09:30:00Z"),
        (json!({"due_at": "2026-12-01 09:30:00"}), "2026-12-01T09:30:00Z"),
        (json!({"due_at": "2026-07-01", "timezone": "Europe/Berlin"}), "2026-06-30T22:00:00Z"),
        (json!({"due_at": "2026-12-01T09:30:00+02:00"}), "2026-12-01T09:30:00+02:00"),
        (json!({"due_at": "tomorrow"}), "tomorrow"),
        (json!({"due_at": "2026-12-01", "timezone": "Mars/Base"}), "2026-12-01"),
    ] {
        let mut value = given.clone();
        let changed = coerce(&schema, &mut value);
        assert_eq!(value["due_at"], wanted, "{given}");
        assert_eq!(changed.is_empty(), given["due_at"] == wanted, "{given}");
    }
}

#[test]
fn a_value_of_one_of_several_types_stays_as_it_is() {
    let any = json!({"type": ["string", "number", "boolean", "object", "array", "null"], "items": {}});
    let schema = json!({"type": "object", "properties": {"x": any, "y": {"type": ["integer", "string"]}}});
    for value in [json!([1]), json!(["a"]), json!(5), json!("5"), json!(true), json!({"a": 1}), json!(null)] {
        let mut arguments = json!({"x": value, "y": "5"});
        assert_eq!(coerce(&schema, &mut arguments), [""; 0]);
        assert_eq!(arguments, json!({"x": value, "y": "5"}));
    }
}
