//! Gate 8, from the request of a confirmation to its execution.

use serde_json::json;
use toolcrib_engine::{ApproveRequest, Approved, ConfirmationFilter, Outcome};
use toolcrib_model::{GrantedBy, Via};
use toolcrib_testkit::{App, TestDb, both_databases, change_workspace};

use crate::{
    people::{dangerous, decisions, in_session, rows, service},
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
async fn the_same_call_in_another_conversation_has_its_own_confirmation(db: TestDb) {
    let app = app(db).await;
    let key = service(&app, &["*:*"], None).await;
    let [a, b] = ["user-a", "user-b"].map(|talk| app.as_identity(in_session(&key, talk)));
    let first = a.pending("create_thing", dangerous("x")).await;
    assert_eq!(a.pending("create_thing", dangerous("x")).await, first);
    let second = b.pending("create_thing", dangerous("x")).await;
    assert_eq!(b.pending("create_thing", dangerous("x")).await, second);
    let filter = ConfirmationFilter { session: Some("user-b".into()), ..Default::default() };
    let listed = app.engine.confirmations(&b.authenticated, &filter).await.unwrap().items;
    assert_eq!(listed.iter().map(|view| view.id).collect::<Vec<_>>(), [second]);
    assert_eq!(a.confirmation(first).await.unwrap().status.as_str(), "pending");
    let owner = app.owner();
    owner.done("create_thing", json!({"name": "old"})).await;
    for talk in ["talk-1", "talk-2"] {
        let person = app.as_identity(in_session(&owner.authenticated, talk));
        person.pending("delete_thing", json!({"name": "old"})).await;
    }
    let filter = ConfirmationFilter::default();
    let listed = app.engine.confirmations(&owner.authenticated, &filter).await.unwrap().items;
    let of_both = listed.iter().filter(|view| view.action.ends_with("delete_thing"));
    assert_eq!(of_both.map(|view| view.status.as_str()).collect::<Vec<_>>(), ["pending"; 2]);
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

async fn approval_mode(app: &App, mode: &str) {
    change_workspace(&app.db, app.a.workspace, |row| mode.clone_into(&mut row.settings.approval_mode)).await;
}

/// Such a target has no version, so that its name alone says that it is another one.
#[both_databases]
async fn a_target_with_another_name_is_asked_about_anew(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    let six = json!({"name": "six"});
    approval_mode(&app, "confirm_writes").await;
    let first = owner.pending("picky_thing", six.clone()).await;
    approval_mode(&app, "standard").await;
    owner.done("create_thing", json!({"name": "renamed"})).await;
    approval_mode(&app, "confirm_writes").await;
    let second = owner.pending("picky_thing", six).await;
    assert_eq!(owner.confirmation(first).await.unwrap().status.as_str(), "superseded");
    assert!(second != first);
    owner.approve(second).await.unwrap();
}

#[both_databases]
async fn an_approval_runs_nothing_on_a_target_with_another_name(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    approval_mode(&app, "confirm_writes").await;
    let id = owner.pending("picky_thing", json!({"name": "six"})).await;
    approval_mode(&app, "standard").await;
    owner.done("create_thing", json!({"name": "renamed"})).await;
    assert_eq!(owner.approve(id).await.unwrap_err().code.as_str(), "void");
}

#[both_databases]
async fn a_read_only_workspace_denies_now_and_approves_later(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    owner.done("create_thing", json!({"name": "x"})).await;
    let unwanted = owner.pending("create_thing", dangerous("y")).await;
    let id = owner.pending("delete_thing", json!({"name": "x"})).await;
    approval_mode(&app, "read_only").await;
    let direct = owner.problem("delete_thing", json!({"name": "x"})).await;
    let error = owner.approve_once(id, ApproveRequest::default()).await.unwrap_err();
    assert_eq!((error.code, error.detail), (direct.code, direct.detail));
    let hint = "ask the owner of the workspace to end read-only mode; the confirmation stays open";
    assert!(error.hint.unwrap().starts_with(hint));
    let refused = ("approval_mode".to_owned(), Some("permission_denied".to_owned()));
    assert_eq!(decisions(&app, id).await, [refused]);
    for open in [id, unwanted] {
        assert!(owner.confirmation(open).await.unwrap().can_decide.allowed);
    }
    owner.deny(unwanted, "no").await.unwrap();
    approval_mode(&app, "standard").await;
    owner.approve(id).await.unwrap();
}

#[both_databases]
async fn an_action_that_has_changed_is_not_offered_for_a_decision(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    owner.done("create_thing", json!({"name": "x"})).await;
    let id = owner.pending("delete_thing", json!({"name": "x"})).await;
    assert!(owner.confirmation(id).await.unwrap().can_decide.allowed);
    app.db.raw_sql("UPDATE confirmations SET schema_digest = 'of yesterday'").await;
    let card = owner.confirmation(id).await.unwrap();
    assert!(!card.can_decide.allowed, "{card:?}");
    assert!(card.can_decide.reason.unwrap().contains("the action's definition changed"));
    let error = owner.approve_once(id, ApproveRequest::default()).await.unwrap_err();
    assert_eq!(error.code.as_str(), "void", "a person is not asked for the phrase");
    assert_eq!(owner.confirmation(id).await.unwrap().status.as_str(), "void");
    assert_eq!(decisions(&app, id).await, [("void".to_owned(), Some("void".to_owned()))]);
}
