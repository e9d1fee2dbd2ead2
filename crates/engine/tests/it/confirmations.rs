//! Gate 8, from the request of a confirmation to its execution.

use std::sync::Arc;

use serde_json::json;
use toolcrib_engine::{ApproveRequest, Approved, Outcome};
use toolcrib_model::{GrantedBy, Role, Via};
use toolcrib_testkit::{TestDb, both_databases};

use crate::{
    people::{rows, set_role},
    things::app,
};

#[both_databases]
async fn typed_takes_two_steps_and_the_exact_phrase(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    owner.done("create_thing", json!({"name": "x"})).await;
    let id = owner.pending("delete_thing", json!({"name": "x"})).await;
    let early = ApproveRequest { phrase: Some("x".into()), ..Default::default() };
    let first = owner.approve_once(id, early).await.unwrap();
    assert!(
        matches!(first, Approved::PhraseRequired(_)),
        "a phrase in the first call skips nothing: {first:?}"
    );
    for wrong in ["x ", "X", "\u{445}", "platform_delete_thing"] {
        let request = ApproveRequest { phrase: Some(wrong.into()), ..Default::default() };
        assert_eq!(owner.approve_once(id, request).await.unwrap_err().code.as_str(), "phrase_mismatch");
    }
    let answer = owner.approve(id).await.unwrap();
    let Outcome::Completed(done) = answer.outcome else { panic!("{answer:?}") };
    assert_eq!((done.via, done.granted_by), (Some(Via::Confirmation), Some(GrantedBy::User)));
    assert_eq!(owner.confirmation(id).await.unwrap().status.as_str(), "executed");
    assert_eq!(owner.approve(id).await.unwrap_err().code.as_str(), "already_decided");
    assert_eq!(owner.refused("get_thing", json!({"name": "x"})).await, "not_found");
}

#[both_databases]
async fn the_action_is_typed_where_the_name_is_not_what_it_looks_like(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    for (name, phrase) in [("Invoice Checker", "Invoice Checker"), ("\u{445}", "platform_delete_thing")] {
        owner.done("create_thing", json!({ "name": name })).await;
        let id = owner.pending("delete_thing", json!({ "name": name })).await;
        assert_eq!(owner.confirmation(id).await.unwrap().phrase.as_deref(), Some(phrase));
        owner.approve_once(id, ApproveRequest::default()).await.unwrap();
        let other = if name == phrase { "platform_delete_thing" } else { name };
        let request = ApproveRequest { phrase: Some(other.into()), ..Default::default() };
        assert_eq!(owner.approve_once(id, request).await.unwrap_err().code.as_str(), "phrase_mismatch");
        owner.approve(id).await.unwrap();
    }
}

#[both_databases]
async fn five_wrong_phrases_void_it(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    owner.done("create_thing", json!({"name": "x"})).await;
    let id = owner.pending("delete_thing", json!({"name": "x"})).await;
    owner.approve_once(id, ApproveRequest::default()).await.unwrap();
    for _ in 0..5 {
        let request = ApproveRequest { phrase: Some("no".into()), ..Default::default() };
        owner.approve_once(id, request).await.unwrap_err();
    }
    assert_eq!(owner.confirmation(id).await.unwrap().status.as_str(), "void");
    assert_eq!(owner.approve(id).await.unwrap_err().code.as_str(), "void");
    owner.done("get_thing", json!({"name": "x"})).await;
}

#[both_databases]
async fn denied_and_expired_confirmations_never_run(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    owner.done("create_thing", json!({"name": "x"})).await;
    let id = owner.pending("delete_thing", json!({"name": "x"})).await;
    let denied = owner.deny(id, "not today").await.unwrap();
    assert_eq!((denied.reason.as_deref(), denied.status.as_str()), (Some("not today"), "denied"));
    assert_eq!(json!(denied), json!(owner.confirmation(id).await.unwrap()), "as it is read afterwards");
    assert_eq!(owner.approve(id).await.unwrap_err().code.as_str(), "already_decided");
    let id = owner.pending("delete_thing", json!({"name": "x"})).await;
    app.clock.advance(901);
    assert_eq!(owner.confirmation(id).await.unwrap().status.as_str(), "expired");
    assert_eq!(owner.approve(id).await.unwrap_err().code.as_str(), "expired");
    owner.done("get_thing", json!({"name": "x"})).await;
}

#[both_databases]
async fn the_requester_is_judged_again(db: TestDb) {
    let app = app(db).await;
    app.owner().done("create_thing", json!({"name": "x"})).await;
    let admin = app.as_role(Role::Admin);
    let id = admin.pending("delete_thing", json!({"name": "x"})).await;
    set_role(&app, app.a.admin, "viewer").await;
    assert_eq!(app.owner().approve(id).await.unwrap_err().code.as_str(), "void");
    assert_eq!(app.owner().confirmation(id).await.unwrap().status.as_str(), "void");
    app.owner().done("get_thing", json!({"name": "x"})).await;
}

#[both_databases]
async fn a_target_that_is_gone_voids_it(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    owner.done("create_thing", json!({"name": "x"})).await;
    let first = owner.pending("delete_thing", json!({"name": "x"})).await;
    let other = app.as_role(Role::Admin);
    other.confirmed("delete_thing", json!({"name": "x"})).await;
    owner.done("create_thing", json!({"name": "x"})).await;
    app.db.raw_sql("UPDATE agents SET version = version + 1").await;
    assert_eq!(owner.approve(first).await.unwrap_err().code.as_str(), "void", "another thing of that name");
    owner.done("get_thing", json!({"name": "x"})).await;
}

#[both_databases]
async fn only_those_whom_it_concerns_see_and_decide(db: TestDb) {
    let app = app(db).await;
    app.owner().done("create_thing", json!({"name": "x"})).await;
    let id = app.as_role(Role::Admin).pending("delete_thing", json!({"name": "x"})).await;
    let look = |role| {
        let person = app.as_role(role);
        async move { person.confirmation(id).await.is_ok() }
    };
    assert!(look(Role::Owner).await && look(Role::Admin).await);
    assert!(!look(Role::Viewer).await && !look(Role::Editor).await);
    assert_eq!(app.as_role(Role::Editor).approve(id).await.unwrap_err().code.as_str(), "not_found");
    assert_eq!(app.as_role_b(Role::Owner).approve(id).await.unwrap_err().code.as_str(), "not_found");
    app.as_role(Role::Admin).approve(id).await.unwrap();
}

#[both_databases]
async fn the_same_call_joins_the_open_confirmation(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    owner.done("create_thing", json!({"name": "x"})).await;
    let id = owner.pending("delete_thing", json!({"name": "x"})).await;
    assert_eq!(owner.pending("delete_thing", json!({"name": " x "})).await, id);
    for n in 0..9 {
        owner.pending("create_thing", json!({"name": format!("n{n}"), "dangerous": true})).await;
    }
    assert_eq!(
        owner.refused("create_thing", json!({"name": "n9", "dangerous": true})).await,
        "too_many_pending"
    );
}

#[both_databases]
async fn what_waits_in_runs_leaves_their_person_the_own_confirmations(db: TestDb) {
    let app = app(db).await;
    let (owner, run) = (app.owner(), app.owner().in_a_run());
    owner.done("create_thing", json!({"name": "x"})).await;
    let open = owner.pending("delete_thing", json!({"name": "x"})).await;
    for n in 0..10 {
        run.pending("create_thing", json!({"name": format!("n{n}"), "dangerous": true})).await;
    }
    assert_eq!(run.refused("delete_thing", json!({"name": "x", "password": "a"})).await, "too_many_pending");
    for n in 10..19 {
        owner.pending("create_thing", json!({"name": format!("n{n}"), "dangerous": true})).await;
    }
    owner.approve(open).await.unwrap();
}

#[both_databases]
async fn a_run_replaces_its_own_confirmation_of_a_target_alone(db: TestDb) {
    let app = app(db).await;
    let (owner, run) = (app.owner(), app.owner().in_a_run());
    owner.done("create_thing", json!({"name": "x"})).await;
    let of_the_person = owner.pending("delete_thing", json!({"name": "x"})).await;
    let of_the_run = run.pending("delete_thing", json!({"name": "x", "password": "a"})).await;
    assert_eq!(owner.confirmation(of_the_person).await.unwrap().status.as_str(), "pending");
    run.pending("delete_thing", json!({"name": "x", "password": "b"})).await;
    assert_eq!(owner.confirmation(of_the_run).await.unwrap().status.as_str(), "superseded");
}

#[both_databases]
async fn a_repeated_keyed_call_gets_the_confirmations_outcome(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner().with_key("k");
    let id = owner.pending("create_thing", json!({"name": "x", "dangerous": true})).await;
    assert_eq!(owner.pending("create_thing", json!({"name": "x", "dangerous": true})).await, id);
    let about: Vec<_> =
        rows(&app, "call", Some(id)).await.into_iter().map(|row| row.reason.unwrap()).collect();
    assert_eq!(about, ["confirmation", "replayed"], "both rows name it");
    app.owner().approve(id).await.unwrap();
    let model = owner.as_model("call_9");
    let after = model.call("create_thing", json!({"name": "x", "dangerous": true})).await;
    let told = after.outcome.to_value();
    assert_eq!((after.status(), &told["data"]["name"]), (200, &json!("x")));
    assert_eq!((&told["replayed"], &told["tool_call_id"]), (&json!(true), &json!("call_9")));
}

#[both_databases]
async fn changed_arguments_pass_the_gates_again(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    let id = owner.pending("create_thing", json!({"name": "x", "dangerous": true})).await;
    let with = |value: serde_json::Value| ApproveRequest {
        arguments: value.as_object().cloned(),
        ..Default::default()
    };
    assert_eq!(
        owner.approve_once(id, with(json!({"nam": "y"}))).await.unwrap_err().code.as_str(),
        "invalid_arguments"
    );
    owner.approve_once(id, with(json!({"name": "y"}))).await.unwrap();
    let view = owner.confirmation(id).await.unwrap();
    assert_eq!(view.arguments, json!({"name": "y"}));
    assert_eq!(
        view.history.last().unwrap().replaced_arguments,
        Some(json!({"name": "x", "dangerous": true}))
    );
    owner.done("get_thing", json!({"name": "y"})).await;
}

#[both_databases]
async fn a_stored_call_of_an_unknown_format_is_refused(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    let model = owner.as_model("call_1");
    let id = model.pending("create_thing", json!({"name": "x", "dangerous": true})).await;
    app.db.raw_sql("UPDATE confirmations SET tool_format = 'other'").await;
    assert_eq!(owner.approve(id).await.unwrap_err().code.as_str(), "internal");
    assert_eq!(owner.confirmation(id).await.unwrap().status.as_str(), "pending");
    assert_eq!(owner.refused("get_thing", json!({"name": "x"})).await, "not_found");
}

#[both_databases]
async fn of_32_parallel_approvals_one_wins(db: TestDb) {
    let app = Arc::new(app(db).await);
    let id = app.owner().pending("create_thing", json!({"name": "x", "dangerous": true})).await;
    let tasks = (0..32).map(|_| {
        let app = app.clone();
        tokio::spawn(async move { app.owner().approve(id).await })
    });
    let mut won = 0;
    for task in tasks.collect::<Vec<_>>() {
        match task.await.unwrap() {
            Ok(_) => won += 1,
            Err(error) => assert_eq!(error.code.as_str(), "already_decided"),
        }
    }
    assert_eq!(won, 1);
}
