//! Repairs of a model's call: what the response and the audit row name, and what access decides first.

use serde_json::{Value, json};
use toolcrib_engine::{Arguments, CallResponse, Outcome};
use toolcrib_model::Role;
use toolcrib_testkit::{App, TestDb, both_databases};

use crate::{people::row_of, things::app};

/// Returns `repaired` of the response and of its audit row.
async fn repaired(app: &App, answer: &CallResponse) -> (Value, Value) {
    let row = row_of(app, answer).await.unwrap();
    let of_response = answer.outcome.to_value().get("repaired").cloned().unwrap_or_default();
    (of_response, serde_json::to_value(&row.repaired).unwrap())
}

#[both_databases]
async fn what_was_read_differently_is_named(db: TestDb) {
    let app = app(db).await;
    app.owner().done("create_thing", json!({"name": "x"})).await;
    let model = app.owner().as_model("m");
    for (text, pointers) in [
        (r#"{"name": "x"}"#, json!([])),
        (r#"{"name": ["x"]}"#, json!(["/name"])),
        (r#"{"name": "x", "dangerous": "no"}"#, json!(["/dangerous"])),
        ("{'name': 'x'}", json!([""])),
        ("{'Name': 'x'}", json!(["", "/name"])),
    ] {
        app.clock.advance(60);
        let answer = model.call_raw("get_thing", Arguments::Text(text.to_owned())).await;
        assert!(matches!(answer.outcome, Outcome::Completed(_)), "{text}: {answer:?}");
        let of_response = if pointers == json!([]) { Value::Null } else { pointers.clone() };
        assert_eq!(repaired(&app, &answer).await, (of_response, pointers), "{text}");
    }
}

#[both_databases]
async fn a_person_is_shown_what_was_read(db: TestDb) {
    let app = app(db).await;
    app.owner().done("create_thing", json!({"name": "x"})).await;
    let answer = app.owner().as_model("m").call("delete_thing", json!({"Name": ["x"]})).await;
    let Outcome::Waiting(waiting) = &answer.outcome else { panic!("{answer:?}") };
    assert_eq!(waiting.repaired, ["/name", "/name"]);
    let view = app.owner().confirmation(waiting.confirmation.id).await.unwrap();
    assert_eq!(view.arguments["name"], "x");
}

#[both_databases]
async fn a_similar_name_of_an_action_that_may_not_be_called_is_unknown(db: TestDb) {
    let app = app(db).await;
    let viewer = app.as_role(Role::Viewer).as_model("m");
    for name in ["platform_create_thng", "platform_delete_thng"] {
        let problem = viewer.problem(name, json!({"name": "x"})).await;
        assert_eq!((problem.code.as_str(), &problem.call), ("unknown_action", &None), "{name}");
        assert!(!problem.hint.unwrap_or_default().contains("create_thing"), "{name}");
    }
    // The same action in another spelling is denied as it is by its own name.
    assert_eq!(viewer.refused("platform_createThing", json!({"name": "x"})).await, "permission_denied");
}

#[both_databases]
async fn a_program_names_an_action_exactly(db: TestDb) {
    let app = app(db).await;
    for name in ["platform_getThing", "platform_get_thng"] {
        assert_eq!(app.owner().refused(name, json!({"name": "x"})).await, "unknown_action", "{name}");
    }
}

#[both_databases]
async fn the_arguments_of_an_approval_are_read_strictly(db: TestDb) {
    let app = app(db).await;
    app.owner().done("create_thing", json!({"name": "x"})).await;
    let asked = app.owner().as_model("m").pending("delete_thing", json!({"name": "x"})).await;
    let edit = json!({"arguments": {"name": ["x"]}});
    let request = serde_json::from_value(edit).unwrap();
    assert!(app.owner().approve_once(asked, request).await.is_err());
}
