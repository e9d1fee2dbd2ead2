//! Session grants: given with an approval, used at gate 8, void when what they depend on changes.

mod store;

use serde_json::json;
use toolcrib_access::{ApprovalMode, Principal};
use toolcrib_auth::{Authenticated, Credential};
use toolcrib_engine::{
    ApproveRequest, DecisionMeta, Outcome, Remember,
    grants::{GRANT_SECONDS, Grant, GrantKey, Grants as _},
};
use toolcrib_model::{ErrorCode, GrantedBy, Id, Role};
use toolcrib_testkit::{
    App, NOW, Person, TestDb, both_databases, change_workspace, decision_meta, user_identity,
};

use crate::{
    people::{agent, in_session, key_of, minted_by, rows, service, set_role},
    things,
};

/// An app whose workspace confirms every write.
async fn app(db: toolcrib_testkit::TestDb) -> App {
    let app = things::app(db).await;
    change_workspace(&app.db, app.a.workspace, |row| {
        row.settings.approval_mode = ApprovalMode::ConfirmWrites.as_str().into();
    })
    .await;
    app
}

fn chat<'a>(app: &'a App, role: Role, session: &str) -> Person<'a> {
    app.as_identity(in_session(&user_identity(app.a.workspace, app.a.user(role)), session))
}

fn remember() -> ApproveRequest {
    ApproveRequest { remember: Some(Remember::Session), ..ApproveRequest::default() }
}

/// Creates a thing with an approval for the rest of the conversation. Returns the confirmation's id.
async fn granted(person: &Person<'_>, name: &str) -> Id {
    let id = person.pending("create_thing", json!({ "name": name })).await;
    person.approve_once(id, remember()).await.unwrap();
    id
}

/// Who granted the call; `None` if it needs a confirmation.
async fn granted_by(person: &Person<'_>, name: &str) -> Option<&'static str> {
    match person.call("create_thing", json!({ "name": name })).await.outcome {
        Outcome::Completed(done) => done.granted_by.map(GrantedBy::as_str),
        Outcome::Waiting(_) => None,
        other => panic!("{other:?}"),
    }
}

pub fn grant(app: &App, action: &str, session: &str) -> Grant {
    let digest = app.engine.catalog().registry().get(action).unwrap().input.digest().to_owned();
    let key = GrantKey {
        workspace: app.a.workspace,
        principal: Principal::User { user_id: app.a.owner },
        session: session.into(),
        action: action.into(),
        schema_digest: digest,
    };
    let expires_at = NOW.plus_seconds(GRANT_SECONDS);
    Grant {
        id: Id::from_u128(1),
        key,
        role: None,
        membership: Some(NOW),
        granted_by: app.a.owner,
        granted_at: NOW,
        expires_at,
    }
}

#[both_databases]
async fn an_approval_counts_for_the_conversation(db: TestDb) {
    let app = app(db).await;
    let owner = chat(&app, Role::Owner, "s1");
    let id = granted(&owner, "a").await;
    assert_eq!(granted_by(&owner, "b").await, Some("session"));
    let call = rows(&app, "call", None).await.pop().unwrap();
    assert_eq!(
        (call.granted_by.as_deref(), call.always_allow, call.decision.as_str()),
        (Some("session"), true, "auto_allowed")
    );
    let given = rows(&app, "grant", None).await;
    let user = format!(r#"{{"principal":"user","principal_id":"{0}","user_id":"{0}"}}"#, app.a.owner);
    assert_eq!(
        (given[0].decision.as_str(), given[0].granted_by.as_deref(), given[0].outcome.as_str()),
        ("approved", Some("user"), "succeeded")
    );
    assert_eq!((&*given[0].arguments, given[0].confirmation_id), (user.as_str(), Some(id)));
    assert_eq!(
        (given.len(), given[0].always_allow, given[0].session.as_deref(), given[0].reason.as_deref()),
        (1, true, Some("s1"), Some("given"))
    );
    let decision = rows(&app, "confirmation", None).await.pop().unwrap();
    assert_eq!((decision.always_allow, decision.decision.as_str()), (true, "approved"));
    // Another conversation, no conversation, another person and another action each need a confirmation.
    let elsewhere = [chat(&app, Role::Owner, "s2"), app.owner(), chat(&app, Role::Admin, "s1")];
    for person in &elsewhere {
        assert_eq!(granted_by(person, "c").await, None);
    }
    owner.pending("half_thing", json!({"name": "d"})).await;
    app.clock.advance(GRANT_SECONDS);
    assert_eq!(granted_by(&owner, "e").await, None, "after eight hours it is over");
}

#[both_databases]
async fn a_check_shows_who_would_grant_the_call(db: TestDb) {
    let app = app(db).await;
    let owner = chat(&app, Role::Owner, "s1");
    assert_eq!(owner.check("create_thing", json!({"name": "b"})).await.granted_by, None);
    granted(&owner, "a").await;
    let view = owner.check("create_thing", json!({"name": "b"})).await;
    assert_eq!((view.granted_by.as_deref(), view.requires_confirmation), (Some("session"), false));
}

#[both_databases]
async fn what_is_destructive_or_typed_is_asked_each_time(db: TestDb) {
    let app = app(db).await;
    let owner = chat(&app, Role::Owner, "s1");
    let id = owner.pending("create_thing", json!({"name": "x"})).await;
    owner.approve(id).await.unwrap();
    for action in ["delete_thing", "wipe_thing"] {
        let id = owner.pending(action, json!({"name": "x"})).await;
        assert!(!owner.confirmation(id).await.unwrap().allow_session_grant);
        let refused = owner.approve_once(id, remember()).await.unwrap_err();
        assert_eq!(
            (refused.code, refused.errors[0].pointer.as_str()),
            (ErrorCode::InvalidArguments, "/remember"),
            "{action}"
        );
        assert_eq!(owner.confirmation(id).await.unwrap().status.as_str(), "pending", "{action}");
        assert!(app.grants.list(app.a.workspace, Some("s1")).await.unwrap().is_empty());
        // A grant that was put into the store directly has no effect for this level.
        app.grants.put(grant(&app, &format!("platform_{action}"), "s1")).await.unwrap();
        assert_eq!(owner.pending(action, json!({"name": "x"})).await, id, "{action}");
        app.grants.remove(&grant(&app, &format!("platform_{action}"), "s1").key).await.unwrap();
    }
    // A grant of a write that was put into the store in the same way does have an effect, so the level
    // decides.
    app.grants.put(grant(&app, "platform_create_thing", "s1")).await.unwrap();
    assert_eq!(granted_by(&owner, "y").await, Some("session"));
}

#[both_databases]
async fn a_session_grant_needs_a_conversation(db: TestDb) {
    let app = app(db).await;
    let id = app.owner().pending("create_thing", json!({"name": "x"})).await;
    assert!(!app.owner().confirmation(id).await.unwrap().allow_session_grant);
    assert_eq!(app.owner().approve_once(id, remember()).await.unwrap_err().code, ErrorCode::InvalidArguments);
    app.owner().approve(id).await.unwrap();
}

#[both_databases]
async fn a_lesser_role_and_another_schema_end_it(db: TestDb) {
    let app = app(db).await;
    let admin = chat(&app, Role::Admin, "s1");
    granted(&admin, "a").await;
    assert_eq!(granted_by(&admin, "b").await, Some("session"));
    // An editor may still create things, but needs a confirmation.
    set_role(&app, app.a.admin, "editor").await;
    assert_eq!(granted_by(&admin, "c").await, None);
    set_role(&app, app.a.admin, "admin").await;
    assert_eq!(granted_by(&admin, "d").await, None, "it stays void when the role comes back");
    let owner = chat(&app, Role::Owner, "s2");
    let mut other = grant(&app, "platform_create_thing", "s2");
    other.key.schema_digest = "of yesterday".into();
    app.grants.put(other).await.unwrap();
    assert_eq!(granted_by(&owner, "e").await, None);
}

#[both_databases]
async fn an_agent_inherits_nothing_of_its_users(db: TestDb) {
    let app = things::app(db).await;
    let worker = agent(&app, "worker", app.a.owner).await;
    change_workspace(&app.db, app.a.workspace, |row| row.settings.approval_mode = "confirm_writes".into())
        .await;
    let (owner, worker) = (chat(&app, Role::Owner, "s1"), app.as_identity(in_session(&worker, "s1")));
    granted(&owner, "a").await;
    assert_eq!(granted_by(&worker, "b").await, None);
    // What its user grants to it is its own, and not its user's.
    let id = worker.pending("create_thing", json!({"name": "b"})).await;
    owner.approve_once(id, remember()).await.unwrap();
    assert_eq!(granted_by(&worker, "c").await, Some("session"));
    let listed = app.engine.session_grants(&worker.authenticated, "s1").await.unwrap().items;
    assert_eq!((listed.len(), listed[0].principal_kind.as_str()), (1, "agent"), "it sees its own alone");
    assert_eq!(app.engine.session_grants(&owner.authenticated, "s1").await.unwrap().items.len(), 2);
}

#[both_databases]
async fn members_revoke_their_own_grants_and_admins_any(db: TestDb) {
    let app = app(db).await;
    let (editor, owner) = (chat(&app, Role::Editor, "s1"), chat(&app, Role::Owner, "s1"));
    granted(&editor, "a").await;
    granted(&owner, "b").await;
    let list = |person: &Person<'_>| {
        let authenticated = person.authenticated.clone();
        let app = &app;
        async move { app.engine.session_grants(&authenticated, "s1").await.unwrap().items }
    };
    assert_eq!((list(&editor).await.len(), list(&app.as_role(Role::Admin)).await.len()), (1, 2));
    assert_eq!(list(&app.as_role(Role::Viewer)).await.len(), 0);
    let revoke = |person: &Person<'_>, only| {
        let authenticated = person.authenticated.clone();
        let app = &app;
        async move {
            let meta: DecisionMeta = decision_meta();
            app.engine.revoke_grants(&authenticated, "s1", only, &meta).await
        }
    };
    let owners = list(&owner).await.into_iter().find(|grant| grant.user_id == Some(app.a.owner)).unwrap();
    assert_eq!(
        revoke(&editor, Some(owners.id)).await.unwrap_err().code,
        ErrorCode::NotFound,
        "not another's"
    );
    assert_eq!(revoke(&app.as_role(Role::Viewer), None).await.unwrap().revoked, 0);
    assert_eq!(revoke(&editor, None).await.unwrap().revoked, 1);
    assert_eq!((granted_by(&editor, "c").await, granted_by(&owner, "d").await), (None, Some("session")));
    assert_eq!(revoke(&app.as_role(Role::Admin), Some(owners.id)).await.unwrap().revoked, 1);
    assert_eq!(granted_by(&owner, "e").await, None);
    let rows = rows(&app, "grant", None).await;
    let told: Vec<_> = rows
        .iter()
        .map(|row| (row.reason.as_deref().unwrap(), row.decision.as_str(), row.granted_by.as_deref()))
        .collect();
    let (given, revoked) = (("given", "approved", Some("user")), ("revoked", "denied", None));
    assert_eq!(told, [given, given, revoked, revoked]);
    // The admin was in no conversation. The row names the grant's conversation.
    assert_eq!((rows[3].user_id, rows[3].session.as_deref()), (Some(app.a.admin), Some("s1")));
}

#[both_databases]
async fn a_refused_approval_gives_nothing(db: TestDb) {
    let app = app(db).await;
    let owner = chat(&app, Role::Owner, "s1");
    let id = owner.pending("create_thing", json!({"name": "x"})).await;
    app.db.raw_sql("UPDATE confirmations SET schema_digest = 'of yesterday'").await;
    assert_eq!(owner.approve_once(id, remember()).await.unwrap_err().code, ErrorCode::Void);
    assert!(app.grants.list(app.a.workspace, Some("s1")).await.unwrap().is_empty());
    assert!(rows(&app, "grant", None).await.is_empty());
}

#[both_databases]
async fn a_grant_is_void_where_its_giver_could_not_give_it_now(db: TestDb) {
    let app = things::app(db).await;
    let key = agent(&app, "worker", app.a.editor).await;
    change_workspace(&app.db, app.a.workspace, |row| row.settings.approval_mode = "confirm_writes".into())
        .await;
    minted_by(&app, &key, app.a.owner).await;
    let worker = app.as_identity(in_session(&key, "s1"));
    let given = async |name: &str| {
        let id = worker.pending("create_thing", json!({ "name": name })).await;
        app.as_role(Role::Admin).approve_once(id, remember()).await.unwrap();
    };
    given("a").await;
    change_workspace(&app.db, app.a.workspace, |row| row.settings.four_eyes = true).await;
    assert_eq!(granted_by(&worker, "b").await, Some("session"), "somebody else gave it");
    minted_by(&app, &key, app.a.admin).await;
    // Both people who could approve are behind the call now, so the call is refused instead of waiting for a
    // confirmation.
    assert_eq!(worker.refused("create_thing", json!({"name": "c"})).await, "permission_denied");

    change_workspace(&app.db, app.a.workspace, |row| row.settings.four_eyes = false).await;
    minted_by(&app, &key, app.a.owner).await;
    given("d").await;
    assert_eq!(granted_by(&worker, "e").await, Some("session"));
    set_role(&app, app.a.admin, "editor").await;
    assert_eq!(granted_by(&worker, "f").await, None, "they may not agree for others any more");
}

fn agent_id(authenticated: &Authenticated) -> Id {
    match &authenticated.credential {
        Credential::Agent(key) => key.agent_id,
        other => panic!("{other:?} is no agent's key"),
    }
}

#[both_databases]
async fn members_see_grants_of_principals_that_act_for_them(db: TestDb) {
    let app = things::app(db).await;
    let (worker, robot) = (agent(&app, "worker", app.a.editor).await, service(&app, &["*:*"], None).await);
    let principals = [
        Principal::User { user_id: app.a.editor },
        Principal::Agent { agent_id: agent_id(&worker), runs_as: app.a.editor },
        Principal::Service { key_id: key_of(&robot), on_behalf_of: Some(app.a.editor) },
        Principal::Service { key_id: key_of(&robot), on_behalf_of: None },
    ];
    for (n, principal) in (1..).zip(principals) {
        let mut one = grant(&app, "platform_create_thing", "s1");
        (one.id, one.key.principal) = (Id::from_u128(n), principal);
        app.grants.put(one).await.unwrap();
    }
    let user = |role| user_identity(app.a.workspace, app.a.user(role));
    for (name, authenticated, sees) in [
        ("the member", user(Role::Editor), vec![1, 2, 3]),
        ("the agent", worker, vec![2]),
        ("the application of its own", robot, vec![4]),
        ("another member", user(Role::Member), vec![]),
        ("an admin", user(Role::Admin), vec![1, 2, 3, 4]),
    ] {
        let mut seen: Vec<_> = app
            .engine
            .session_grants(&authenticated, "s1")
            .await
            .unwrap()
            .items
            .iter()
            .map(|item| item.id)
            .collect();
        seen.sort_unstable();
        assert_eq!(seen, sees.into_iter().map(Id::from_u128).collect::<Vec<_>>(), "{name}");
    }
}
