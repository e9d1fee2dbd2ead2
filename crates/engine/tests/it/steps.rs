//! What the audit log says about each step of a confirmation, word for word, and what leaves the record
//! unchanged.

use std::collections::HashMap;

use serde_json::{Value, json};
use toolcrib_auth::Credential;
use toolcrib_engine::{ActionError, ApproveRequest, Approved, ConfirmationFilter, Outcome, Remember};
use toolcrib_model::{ErrorCode, Role};
use toolcrib_testkit::{App, NOW, Person, TestDb, both_databases, change_workspace, user_identity};

use crate::{
    people::{agent, dangerous, for_member, in_session, key_of, rows, service, set_role},
    things::app,
};

/// Decision, reason, outcome and error code of the newest decision row, and the number of such rows.
async fn last(app: &App, id: toolcrib_model::Id) -> ([String; 4], usize) {
    let mut all = rows(app, "confirmation", Some(id)).await;
    let count = all.len();
    let row = all.pop().unwrap();
    let word = |text: Option<String>| text.unwrap_or_else(|| "-".into());
    ([row.decision, word(row.reason), row.outcome, word(row.error_code)], count)
}

fn phrase(text: &str) -> ApproveRequest {
    ApproveRequest { phrase: Some(text.into()), ..Default::default() }
}

fn with(arguments: &Value) -> ApproveRequest {
    ApproveRequest { arguments: arguments.as_object().cloned(), ..Default::default() }
}

const REMEMBER: ApproveRequest =
    ApproveRequest { phrase: None, remember: Some(Remember::Session), arguments: None, user_token: None };

#[both_databases]
async fn a_phrase_is_counted(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    owner.done("create_thing", json!({"name": "x"})).await;
    let id = owner.pending("delete_thing", json!({"name": "x"})).await;
    let asked = |request| owner.approve_once(id, request);
    assert!(matches!(asked(phrase("early")).await.unwrap(), Approved::PhraseRequired(_)));
    assert_eq!(
        last(&app, id).await,
        (["confirmation_required", "phrase_required", "succeeded", "-"].map(String::from), 1)
    );
    assert!(matches!(asked(ApproveRequest::default()).await.unwrap(), Approved::PhraseRequired(_)));
    assert_eq!(last(&app, id).await.1, 1, "to be shown the phrase again is no step");
    for left in [4, 3, 2, 1] {
        let error = asked(phrase("no")).await.unwrap_err();
        let hint = format!("type `x`; attempts left: {left}");
        assert_eq!((error.code, error.hint.unwrap()), (ErrorCode::PhraseMismatch, hint));
        assert_eq!(last(&app, id).await.0, ["invalid", "phrase", "not_run", "phrase_mismatch"]);
        assert_eq!(owner.confirmation(id).await.unwrap().status.as_str(), "awaiting_phrase");
    }
    let error = asked(phrase("no")).await.unwrap_err();
    assert_eq!(error.hint.unwrap(), "the confirmation is now void; make the call again");
    assert_eq!(last(&app, id).await, (["denied", "void", "not_run", "phrase_mismatch"].map(String::from), 6));
    let view = owner.confirmation(id).await.unwrap();
    assert_eq!((view.status.as_str(), view.decided_by), ("void", Some(app.a.owner)));
    assert_eq!(view.reason.as_deref(), Some("the phrase was wrong too many times"));
    assert_eq!(owner.approve(id).await.unwrap_err().code, ErrorCode::Void);
    owner.done("get_thing", json!({"name": "x"})).await;
}

#[both_databases]
async fn approvals_and_denials_are_audited(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    owner.done("create_thing", json!({"name": "x"})).await;
    let id = owner.pending("delete_thing", json!({"name": "x"})).await;
    assert_eq!(rows(&app, "call", Some(id)).await.len(), 1, "the question has its row");
    owner.approve(id).await.unwrap();
    assert_eq!(last(&app, id).await.0, ["approved", "approve", "succeeded", "-"]);
    let call = rows(&app, "call", Some(id)).await.pop().unwrap();
    assert_eq!(
        (call.decision.as_str(), call.granted_by.as_deref(), call.via.as_str()),
        ("approved", Some("user"), "confirmation")
    );
    assert!(
        call.id < rows(&app, "confirmation", Some(id)).await.pop().unwrap().id,
        "the call comes before the decision"
    );
    let view = owner.confirmation(id).await.unwrap();
    assert_eq!((view.call_id, view.decided_by), (Some(call.id), Some(app.a.owner)));
    assert_eq!(owner.approve(id).await.unwrap_err().code, ErrorCode::AlreadyDecided);
    assert_eq!(last(&app, id).await.0, ["denied", "approve", "not_run", "already_decided"]);
    let id = owner.pending("create_thing", dangerous("y")).await;
    assert!(app.as_role(Role::Viewer).deny(id, "no").await.is_err());
    assert_eq!(last(&app, id).await.0, ["denied", "deny", "not_run", "not_found"]);
    let view = app.as_role(Role::Admin).deny(id, "not now").await.unwrap();
    assert_eq!((view.decided_by, view.reason.as_deref()), (Some(app.a.admin), Some("not now")));
    assert_eq!(last(&app, id).await.0, ["denied", "deny", "succeeded", "-"]);
    assert_eq!(json!(view), json!(app.as_role(Role::Admin).confirmation(id).await.unwrap()), "as it is read");
    assert_eq!(owner.approve(id).await.unwrap_err().code, ErrorCode::AlreadyDecided);
    assert_eq!(owner.refused("get_thing", json!({"name": "y"})).await, "not_found");
}

#[both_databases]
async fn session_grants_are_offered_checked_and_audited(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    let talk = app.as_identity(in_session(&owner.authenticated, "talk"));
    let offered = async |action: &str, arguments: Value| {
        let Outcome::Waiting(waiting) = talk.call(action, arguments).await.outcome else { panic!("it asks") };
        assert!(waiting.confirmation.approve_url.ends_with(&format!("/approve/{}", waiting.confirmation.id)));
        (waiting.confirmation.id, waiting.confirmation.allow_session_grant, waiting.description)
    };
    owner.done("create_thing", json!({"name": "x"})).await;
    let (id, may, description) = offered("delete_thing", json!({"name": "x"})).await;
    assert!(!may && description.contains("thing `x`"), "{description}");
    let refused = talk.approve_once(id, REMEMBER).await.unwrap_err();
    assert_eq!(
        (refused.code, refused.errors[0].message.contains("typed")),
        (ErrorCode::InvalidArguments, true)
    );
    assert_eq!(last(&app, id).await.0, ["invalid", "remember", "not_run", "invalid_arguments"]);
    let (id, may, _) = offered("wipe_thing", json!({"name": "x"})).await;
    assert!(
        !may && talk.approve_once(id, REMEMBER).await.unwrap_err().errors[0].message.contains("destructive")
    );
    let alone = owner.pending("create_thing", dangerous("y")).await;
    let refused = owner.approve_once(alone, REMEMBER).await.unwrap_err();
    assert!(refused.errors[0].message.contains("X-Session-Id"));
    let (id, may, _) = offered("create_thing", dangerous("z")).await;
    assert!(may);
    talk.approve_once(id, REMEMBER).await.unwrap();
    assert!(rows(&app, "confirmation", Some(id)).await.pop().unwrap().always_allow);
    talk.done("create_thing", dangerous("granted")).await;
}

#[both_databases]
async fn superseded_void_and_expired_confirmations_are_audited(db: TestDb) {
    let app = app(db).await;
    let admin = app.as_role(Role::Admin);
    app.owner().done("create_thing", json!({"name": "x"})).await;
    let first = admin.pending("delete_thing", json!({"name": "x"})).await;
    let second = admin.pending("delete_thing", json!({"name": "x", "password": "y"})).await;
    assert_eq!(last(&app, first).await.0, ["denied", "superseded", "not_run", "void"]);
    set_role(&app, app.a.admin, "viewer").await;
    let told = "the requester may not make this call now, because their role is `viewer`";
    let edit = app.owner().approve_once(second, with(&json!({"name": "y"}))).await.unwrap_err();
    assert_eq!((edit.detail.as_str(), edit.hint), (told, None));
    let void = app.owner().approve(second).await.unwrap_err();
    assert_eq!(void.code, ErrorCode::Void);
    assert_eq!((void.detail, void.hint), (format!("the confirmation no longer applies: {told}"), None));
    assert_eq!(last(&app, second).await.0, ["denied", "void", "not_run", "void"]);
    assert_eq!(app.owner().confirmation(second).await.unwrap().reason.as_deref(), Some(told));
    let third = app.owner().pending("create_thing", dangerous("y")).await;
    app.clock.advance(900);
    app.engine.expire_overdue().await.unwrap();
    assert_eq!(last(&app, third).await.0, ["expired", "expired", "not_run", "expired"]);
}

#[both_databases]
async fn overdue_confirmations_expire_in_all_workspaces_at_once(db: TestDb) {
    let app = app(db).await;
    for _ in 0..5 {
        let key = service(&app, &["*:*"], None).await;
        let caller = app.as_identity(key);
        for n in 0..10 {
            caller.pending("create_thing", dangerous(&format!("t{n}"))).await;
        }
    }
    for n in 0..3 {
        app.as_role_b(Role::Owner).pending("create_thing", dangerous(&format!("b{n}"))).await;
    }
    app.clock.advance(900);
    assert_eq!(app.engine.expire_overdue().await.unwrap(), 53);
    assert_eq!(app.engine.expire_overdue().await.unwrap(), 0);
}

#[both_databases]
async fn a_requester_who_left_voids_it(db: TestDb) {
    let app = app(db).await;
    let id = app.as_role(Role::Editor).pending("create_thing", dangerous("x")).await;
    app.db.raw_sql("UPDATE members SET active = FALSE WHERE role = 'editor'").await;
    let error = app.owner().approve(id).await.unwrap_err();
    assert!(error.code == ErrorCode::Void && error.hint.is_none(), "{error:?}");
    assert!(error.detail.ends_with("because they are not an active member of this workspace"), "{error:?}");
    assert_eq!(app.owner().confirmation(id).await.unwrap().status.as_str(), "void");
}

#[both_databases]
async fn a_key_that_ended_voids_it(db: TestDb) {
    let app = app(db).await;
    for (name, seconds, runs) in [("ended", 0, false), ("ends later", 1, true)] {
        let key = service(&app, &["*:*"], None).await;
        let id = app.as_identity(key.clone()).pending("create_thing", dangerous(name)).await;
        let end = NOW.plus_seconds(seconds).as_micros();
        app.db.raw_sql(&format!("UPDATE keys SET expires_at = {end}")).await;
        assert_eq!(app.owner().approve(id).await.is_ok(), runs, "{name}");
        assert_eq!(
            app.owner().confirmation(id).await.unwrap().status.as_str(),
            if runs { "executed" } else { "void" },
            "{name}"
        );
        assert_eq!(app.owner().confirmation(id).await.unwrap().requester.id, key_of(&key));
    }
}

#[both_databases]
async fn an_internal_error_leaves_the_confirmation_unchanged(db: TestDb) {
    let app = app(db).await;
    change_workspace(&app.db, app.a.workspace, |row| row.settings.approval_mode = "confirm_writes".into())
        .await;
    let owner = app.owner();
    let id = owner.pending("picky_thing", json!({"name": "fine"})).await;
    // While its target is looked for, and while it runs.
    for name in ["broken", "breaks"] {
        let error = owner.approve_once(id, with(&json!({"name": name}))).await.unwrap_err();
        assert_eq!(
            (error.code, owner.confirmation(id).await.unwrap().status.as_str()),
            (ErrorCode::Internal, "pending"),
            "{name}"
        );
    }
    assert!(rows(&app, "confirmation", Some(id)).await.is_empty());
    owner.approve(id).await.unwrap();
}

#[both_databases]
async fn a_repeated_call_gets_the_confirmations_outcome(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    owner.done("create_thing", json!({"name": "x"})).await;
    let hears = async |key: &str, action: &str, arguments: Value| {
        owner.with_key(key).problem(action, arguments).await
    };
    let denied = owner.with_key("k1").pending("create_thing", dangerous("y")).await;
    owner.deny(denied, "not now").await.unwrap();
    let problem = hears("k1", "create_thing", dangerous("y")).await;
    assert_eq!(
        (problem.code, &*problem.detail),
        (ErrorCode::PermissionDenied, "a person denied the call: `not now`")
    );
    assert!(problem.hint.unwrap().contains("do not repeat the call"));
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let row = toolcrib_store::confirmations::get(&mut tx, denied).await.unwrap().unwrap();
    tx.end().await.unwrap();
    assert_eq!(row.idempotency_key.as_deref(), Some("key:k1"));
    let void = owner.with_key("k2").pending("delete_thing", json!({"name": "x"})).await;
    app.db.raw_sql("UPDATE agents SET version = version + 1").await;
    owner.approve(void).await.unwrap_err();
    assert_eq!(hears("k2", "delete_thing", json!({"name": "x"})).await.code, ErrorCode::Void);
    owner.with_key("k3").pending("create_thing", dangerous("z")).await;
    app.clock.advance(901);
    assert_eq!(hears("k3", "create_thing", dangerous("z")).await.code, ErrorCode::Expired);
}

#[both_databases]
async fn a_relayed_token_is_the_persons_for_this_workspace(db: TestDb) {
    let app = app(db).await;
    let relay = app.as_identity(service(&app, &["approvals:relay"], Some(app.a.owner)).await);
    app.owner().done("create_thing", json!({"name": "x"})).await;
    let id = app.owner().pending("delete_thing", json!({"name": "x"})).await;
    let lost = Err(ActionError::new(ErrorCode::AuthorizationUnavailable, "the keys can't be read"));
    let error = relay.approve_with_token(id, ApproveRequest::default(), lost).await.unwrap_err();
    assert_eq!(error.code, ErrorCode::AuthorizationUnavailable);
    assert!(rows(&app, "confirmation", Some(id)).await.is_empty(), "nobody was refused");
    // A token without a workspace is valid in each workspace of its user.
    let mut credential = user_identity(app.a.workspace, app.a.owner).credential;
    if let Credential::User(token) = &mut credential {
        token.workspace = None;
    }
    let step = relay.approve_with_token(id, ApproveRequest::default(), Ok(credential)).await.unwrap();
    assert!(matches!(step, Approved::PhraseRequired(_)));
    // A key that may not relay sees nothing on behalf of the person whom it names.
    let bare = app.as_identity(service(&app, &["tasks:read"], Some(app.a.owner)).await);
    assert!(bare.confirmation(id).await.is_err());
    let named = app.as_identity(for_member(&relay.authenticated, Some(app.a.viewer)));
    assert!(named.confirmation(id).await.is_err(), "it sees what the named person sees");
}

#[both_databases]
async fn a_list_shows_the_confirmations_that_a_caller_may_see(db: TestDb) {
    let app = app(db).await;
    let (owner, editor, admin) = (app.owner(), app.as_role(Role::Editor), app.as_role(Role::Admin));
    let key = app.as_identity(service(&app, &["*:*"], None).await);
    let worker = app.as_identity(agent(&app, "worker", app.a.owner).await);
    let mut ids = HashMap::new();
    for (name, person) in [("owner", &owner), ("editor", &editor), ("key", &key), ("worker", &worker)] {
        app.clock.advance(1);
        ids.insert(person.pending("create_thing", dangerous(name)).await, name);
    }
    let list = async |person: &Person<'_>, filter: ConfirmationFilter| {
        let page = app.engine.confirmations(&person.authenticated, &filter).await.unwrap();
        (page.items.iter().map(|item| ids[&item.id]).collect::<Vec<_>>(), page.next_cursor)
    };
    let all = ConfirmationFilter::default;
    let mine = || ConfirmationFilter { mine: Some(true), ..all() };
    // The newest first. Owners and admins see all; other callers see those requested by them or on their
    // behalf.
    assert_eq!(list(&owner, all()).await.0, ["worker", "key", "editor", "owner"]);
    assert_eq!(list(&admin, all()).await.0.len(), 4);
    assert_eq!(list(&editor, all()).await.0, ["editor"]);
    assert_eq!(list(&key, all()).await.0, ["key"]);
    assert_eq!(list(&worker, all()).await.0, ["worker"]);
    assert_eq!(list(&owner, mine()).await.0, ["worker", "owner"]);
    assert!(list(&admin, mine()).await.0.is_empty());
    // A caller can look at exactly the confirmations that are listed for them.
    for person in [&owner, &admin, &editor, &key, &worker] {
        let listed = list(person, all()).await.0;
        for (id, name) in &ids {
            assert_eq!(person.confirmation(*id).await.is_ok(), listed.contains(name), "{name}");
        }
    }
    let page = |limit, cursor| ConfirmationFilter { limit: Some(limit), cursor, ..all() };
    let (first, cursor) = list(&owner, page(3, None)).await;
    assert_eq!((first.len(), list(&owner, page(3, cursor)).await), (3, (vec!["owner"], None)));
    assert_eq!(list(&owner, page(4, None)).await.1, None, "there is no page behind the last");
    let wrong = app.engine.confirmations(&owner.authenticated, &page(3, Some("?".into()))).await.unwrap_err();
    assert_eq!(wrong.errors[0].pointer, "/cursor");
    // Only open confirmations expire.
    let (&denied, _) = ids.iter().find(|(_, name)| **name == "editor").unwrap();
    editor.deny(denied, "no").await.unwrap();
    assert_eq!(owner.confirmation(denied).await.unwrap().status.as_str(), "denied");
    app.clock.advance(900);
    for (id, name) in &ids {
        let expected = if *id == denied { "denied" } else { "expired" };
        assert_eq!(owner.confirmation(*id).await.unwrap().status.as_str(), expected, "{name}");
    }
}
