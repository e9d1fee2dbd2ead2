//! A service key relays the decision of the person whom it names.

use serde_json::json;
use toolcrib_auth::Credential;
use toolcrib_engine::{ActionError, ApproveRequest, Approved, Remember};
use toolcrib_model::{ErrorCode, Id};
use toolcrib_testkit::{TestDb, both_databases, user_identity};

use crate::{
    people::{decisions, for_member, key_of, rows, service},
    things::app,
};

const RELAY: &[&str] = &["approvals:relay"];

fn token(workspace: Id, user: Id) -> Credential {
    user_identity(workspace, user).credential
}

#[both_databases]
async fn a_key_relays_a_named_persons_decision(db: TestDb) {
    let app = app(db).await;
    let relay = service(&app, RELAY, Some(app.a.owner)).await;
    let key = key_of(&relay);
    let relay = app.as_identity(relay);
    let id = app.owner().pending("create_thing", json!({"name": "x", "dangerous": true})).await;
    assert_eq!(
        relay.confirmation(id).await.unwrap().status.as_str(),
        "pending",
        "it is shown what it is to ask about"
    );
    relay.approve(id).await.unwrap();
    let view = app.owner().confirmation(id).await.unwrap();
    let last = view.history.last().unwrap();
    assert_eq!(
        (view.status.as_str(), view.decided_by, last.by, last.relayed_by),
        ("executed", Some(app.a.owner), Some(app.a.owner), Some(key))
    );
    let decision = rows(&app, "confirmation", Some(id)).await.pop().unwrap();
    assert_eq!(
        (decision.decision.as_str(), decision.user_id, decision.relayed_by),
        ("approved", Some(app.a.owner), Some(key))
    );
    let call = rows(&app, "call", Some(id)).await.pop().unwrap();
    assert_eq!((call.outcome.as_str(), call.relayed_by), ("succeeded", Some(key)));
    let denied = app.owner().pending("create_thing", json!({"name": "y", "dangerous": true})).await;
    assert_eq!(relay.deny(denied, "no").await.unwrap().status.as_str(), "denied");
}

#[both_databases]
async fn a_key_without_the_scope_relays_nothing(db: TestDb) {
    let app = app(db).await;
    let id = app.owner().pending("create_thing", json!({"name": "x", "dangerous": true})).await;
    for scopes in [&["*:*", "act_as"] as &[&str], &["*:*"], &["records:write"]] {
        let bare = service(&app, scopes, Some(app.a.owner)).await;
        let refused = app.as_identity(bare).approve(id).await.unwrap_err();
        assert_eq!(refused.code, ErrorCode::InsufficientScope, "{scopes:?}");
    }
    let written = decisions(&app, id).await;
    assert_eq!(written.len(), 3);
    assert!(written.iter().all(|(_, error)| error.as_deref() == Some("insufficient_scope")), "{written:?}");
    assert_eq!(app.owner().confirmation(id).await.unwrap().status.as_str(), "pending");
}

#[both_databases]
async fn a_key_never_relays_a_decision_on_its_own_call(db: TestDb) {
    let app = app(db).await;
    let both = service(&app, &["*:*", "act_as", "approvals:relay"], Some(app.a.owner)).await;
    let app_key = app.as_identity(both.clone());
    let id = app_key.pending("create_thing", json!({"name": "x", "dangerous": true})).await;
    for request in [
        ApproveRequest::default(),
        ApproveRequest { remember: Some(Remember::Session), ..Default::default() },
    ] {
        let refused = app_key.approve_once(id, request).await.unwrap_err();
        assert_eq!(
            (refused.code, refused.detail.contains("made the call")),
            (ErrorCode::PermissionDenied, true)
        );
    }
    let proven = app_key
        .approve_with_token(id, ApproveRequest::default(), Ok(token(app.a.workspace, app.a.owner)))
        .await;
    assert_eq!(proven.unwrap_err().code, ErrorCode::PermissionDenied, "not with a token either");
    let bare = app.as_identity(for_member(&both, None));
    let own = bare.pending("create_thing", json!({"name": "y", "dangerous": true})).await;
    assert_eq!(app_key.approve(own).await.unwrap_err().code, ErrorCode::PermissionDenied);
    assert_eq!(app.owner().confirmation(id).await.unwrap().status.as_str(), "pending");
    let other = service(&app, RELAY, Some(app.a.owner)).await;
    app.as_identity(other).approve(id).await.unwrap();
}

#[both_databases]
async fn typed_needs_the_persons_own_token(db: TestDb) {
    let app = app(db).await;
    app.owner().done("create_thing", json!({"name": "x"})).await;
    let id = app.owner().pending("delete_thing", json!({"name": "x"})).await;
    let relay = service(&app, RELAY, Some(app.a.owner)).await;
    let relay = app.as_identity(relay);
    let without = relay.approve(id).await.unwrap_err();
    assert_eq!((without.code, without.detail.contains("typed")), (ErrorCode::PermissionDenied, true));
    assert_eq!(relay.deny(id, "no").await.unwrap_err().code, ErrorCode::PermissionDenied);
    let unauthenticated = Err(ActionError::new(ErrorCode::Unauthenticated, "no token"));
    let agent = crate::people::agent(&app, "worker", app.a.owner).await.credential;
    let (own, first) = (Ok(token(app.a.workspace, app.a.owner)), ApproveRequest::default());
    for bad in [
        Ok(token(app.a.workspace, app.a.admin)),
        Ok(token(app.b.workspace, app.a.owner)),
        unauthenticated,
        Ok(agent),
    ] {
        let refused = relay.approve_with_token(id, first.clone(), bad).await.unwrap_err();
        assert!(
            matches!(refused.code, ErrorCode::PermissionDenied | ErrorCode::WorkspaceMismatch),
            "{refused:?}"
        );
    }
    assert_eq!(app.owner().confirmation(id).await.unwrap().status.as_str(), "pending");
    assert_eq!(decisions(&app, id).await.len(), 6, "every attempt is written down");
    let Approved::PhraseRequired(phrase) = relay.approve_with_token(id, first, own.clone()).await.unwrap()
    else {
        panic!("a phrase is asked for")
    };
    let second = ApproveRequest { phrase: Some(phrase.phrase), ..Default::default() };
    // Each step needs the token.
    assert_eq!(relay.approve_once(id, second.clone()).await.unwrap_err().code, ErrorCode::PermissionDenied);
    relay.approve_with_token(id, second, own).await.unwrap();
    assert_eq!(app.owner().confirmation(id).await.unwrap().status.as_str(), "executed");
}

#[both_databases]
async fn the_named_persons_own_rights_decide(db: TestDb) {
    let app = app(db).await;
    let id = app.owner().pending("create_thing", json!({"name": "x", "dangerous": true})).await;
    let named = |user: Option<Id>| {
        let app = &app;
        async move { service(app, RELAY, user).await }
    };
    let viewer = named(Some(app.a.viewer)).await;
    assert_eq!(app.as_identity(viewer).approve(id).await.unwrap_err().code, ErrorCode::NotFound);
    let stranger = named(Some(app.b.owner)).await;
    assert_eq!(app.as_identity(stranger).approve(id).await.unwrap_err().code, ErrorCode::PermissionDenied);
    crate::people::set_role(&app, app.a.admin, "viewer").await;
    let demoted = named(Some(app.a.admin)).await;
    assert_eq!(app.as_identity(demoted).approve(id).await.unwrap_err().code, ErrorCode::NotFound);
    assert_eq!(decisions(&app, id).await.len(), 3);
    // The person may also be named by their subject.
    let mut by_subject = named(None).await;
    by_subject.requested.on_behalf_of = Some("owner".into());
    app.as_identity(by_subject).approve(id).await.unwrap();
}

#[test]
fn a_token_is_never_shown() {
    let request: ApproveRequest = serde_json::from_value(json!({"user_token": "eyJsecret"})).unwrap();
    assert!(!format!("{request:?}").contains("eyJsecret"));
}
