//! Arguments that a person changes while approving: exactly these run.

use serde_json::{Value, json};
use toolcrib_engine::{ApproveRequest, Approved, PhraseRequired};
use toolcrib_model::{ErrorCode, Id};
use toolcrib_testkit::{Person, TestDb, both_databases};

use crate::{people::rows, things::app};

fn first(arguments: &Value) -> ApproveRequest {
    ApproveRequest { arguments: arguments.as_object().cloned(), ..ApproveRequest::default() }
}

fn typed(phrase: &str, arguments: Option<&Value>) -> ApproveRequest {
    ApproveRequest {
        phrase: Some(phrase.into()),
        arguments: arguments.and_then(Value::as_object).cloned(),
        ..ApproveRequest::default()
    }
}

async fn phrase(person: &Person<'_>, id: Id, request: ApproveRequest) -> PhraseRequired {
    match person.approve_once(id, request).await.unwrap() {
        Approved::PhraseRequired(required) => *required,
        other => panic!("{other:?}"),
    }
}

#[both_databases]
async fn arguments_of_the_first_step_run_in_the_second(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    for name in ["a", "b", "c"] {
        owner.done("create_thing", json!({"name": name})).await;
    }
    let id = owner.pending("delete_thing", json!({"name": "b"})).await;
    let shown = phrase(&owner, id, first(&json!({"name": "a"}))).await;
    assert_eq!(shown.arguments.unwrap()["name"], owner.confirmation(id).await.unwrap().arguments["name"]);
    assert_eq!(shown.summary.unwrap()[0].value, "a");
    let view = owner.confirmation(id).await.unwrap();
    assert_eq!((view.status.as_str(), view.summary[0].value.as_str()), ("awaiting_phrase", "a"));
    assert!(view.description.contains("`a`") && view.history.last().unwrap().replaced_arguments.is_some());
    // The second step may only repeat the arguments that were kept, and can't change them.
    for other in [json!({"name": "b"}), json!({"name": "c"})] {
        let refused = owner.approve_once(id, typed("a", Some(&other))).await.unwrap_err();
        assert_eq!(
            (refused.code, refused.errors[0].pointer.as_str()),
            (ErrorCode::InvalidArguments, "/arguments")
        );
    }
    let Approved::Executed(..) =
        owner.approve_once(id, typed("a", Some(&json!({"name": "a"})))).await.unwrap()
    else {
        panic!("it runs")
    };
    assert_eq!(owner.refused("get_thing", json!({"name": "a"})).await, "not_found");
    for left in ["b", "c"] {
        owner.done("get_thing", json!({"name": left})).await;
    }
    let call = rows(&app, "call", Some(id)).await.pop().unwrap();
    assert_eq!((call.edited_by, call.target.as_deref()), (Some(app.a.owner), Some("thing `a`")));
    let decisions = rows(&app, "confirmation", Some(id)).await;
    let kept: Value = serde_json::from_str(&decisions[0].arguments).unwrap();
    assert!(kept["asked"].is_object() && kept["approved"].is_object(), "{kept}");
}

#[both_databases]
async fn invalid_changes_are_refused_and_leave_the_record(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    owner.done("create_thing", json!({"name": "b"})).await;
    let id = owner.pending("delete_thing", json!({"name": "b"})).await;
    let before = owner.confirmation(id).await.unwrap().arguments;
    for (nonsense, code) in [
        (json!({"nam": "b"}), ErrorCode::InvalidArguments),
        (json!({"name": 7}), ErrorCode::InvalidArguments),
        (json!({"name": "nobody"}), ErrorCode::NotFound),
    ] {
        assert_eq!(owner.approve_once(id, first(&nonsense)).await.unwrap_err().code, code, "{nonsense}");
        let view = owner.confirmation(id).await.unwrap();
        assert_eq!((view.status.as_str(), &view.arguments), ("pending", &before));
    }
    let refused = owner.approve_once(id, first(&json!({"name": 7}))).await.unwrap_err();
    assert_eq!(refused.errors[0].pointer, "/arguments/name", "a pointer into the body of the approval");
    assert!(refused.detail.starts_with("`arguments/name` must be"), "{}", refused.detail);
    // To repeat the requested arguments is not a change.
    let shown = phrase(&owner, id, first(&json!({"name": "b"}))).await;
    assert_eq!((shown.arguments, shown.summary), (None, None));
    assert!(matches!(owner.approve_once(id, typed("b", None)).await.unwrap(), Approved::Executed(..)));
    assert_eq!(rows(&app, "call", Some(id)).await.pop().unwrap().edited_by, None);
}
