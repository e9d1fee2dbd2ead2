//! Callers that are kept apart: the users of one service key, the members that one agent runs as, and people
//! without a row in the database.

use std::collections::HashSet;

use serde_json::json;
use toolcrib_auth::{Authenticated, Credential, RequestedContext, UserToken};
use toolcrib_engine::{ConfirmationFilter, Outcome};
use toolcrib_model::{ErrorCode, Id, Role};
use toolcrib_store::users;
use toolcrib_testkit::{App, TestDb, both_databases};

use crate::{
    people::{agent, for_member, rows, service},
    things::app,
};

/// One service key that acts for two members, and one agent that runs as two members.
async fn pairs(app: &App) -> [[Authenticated; 2]; 2] {
    let key = service(app, &["*:*", "act_as"], Some(app.a.editor)).await;
    let other = for_member(&key, Some(app.a.admin));
    let worker = agent(app, "worker", app.a.editor).await;
    let mut as_admin = worker.clone();
    let Credential::Agent(agent) = &mut as_admin.credential else { panic!("an agent") };
    agent.runs_as = app.a.admin;
    [[key, other], [worker, as_admin]]
}

/// A system admin without a row in the database.
fn system_admin(app: &App, subject: &str) -> Authenticated {
    let token = UserToken {
        user_id: None,
        issuer: "https://id.example/".into(),
        subject: subject.into(),
        workspace: None,
        system_admin: true,
        expires_at: toolcrib_testkit::NOW.plus_seconds(3_600),
        console: false,
    };
    let requested =
        RequestedContext { workspace: Some(app.a.workspace.to_string()), ..RequestedContext::default() };
    Authenticated { credential: Credential::User(token), requested }
}

#[both_databases]
async fn repeated_calls_are_known_by_key_and_user(db: TestDb) {
    let app = app(db).await;
    for (at, [one, other]) in pairs(&app).await.into_iter().enumerate() {
        let (one, other) = (app.as_identity(one), app.as_identity(other));
        let name = |who: &str| json!({"name": format!("{who} {at}")});
        // If both shared the key, the second call would be a mismatch because its arguments differ. Repeated
        // arguments are replayed.
        one.with_key("k").done("create_thing", name("one")).await;
        other.with_key("k").done("create_thing", name("other")).await;
        let replayed = one.with_key("k").call("create_thing", name("one")).await;
        assert!(replayed.replayed);
        // A model provider's call id `call_0`, without a session.
        let (one, other) = (one.as_model("call_0"), other.as_model("call_0"));
        let twin = json!({"name": format!("twin {at}")});
        assert!(matches!(one.call("create_thing", twin.clone()).await.outcome, Outcome::Completed(_)));
        let second = other.call("create_thing", twin).await.outcome;
        assert!(
            matches!(&second, Outcome::Refused(problem) if problem.code == ErrorCode::Conflict),
            "it ran: {second:?}"
        );
    }
}

#[both_databases]
async fn confirmations_belong_to_key_and_user(db: TestDb) {
    let app = app(db).await;
    let pairs = pairs(&app).await;
    for (at, [one, other]) in pairs.clone().into_iter().enumerate() {
        let arguments = json!({"name": format!("x {at}"), "dangerous": true});
        let (one, other) = (app.as_identity(one), app.as_identity(other));
        let first = one.pending("create_thing", arguments.clone()).await;
        assert_eq!(
            one.pending("create_thing", arguments.clone()).await,
            first,
            "the same call is one question"
        );
        let second = other.pending("create_thing", arguments).await;
        assert_ne!(first, second, "and another's call another one");
        assert_eq!(one.confirmation(second).await.unwrap_err().code, ErrorCode::NotFound);
        let listed =
            app.engine.confirmations(&one.authenticated, &ConfirmationFilter::default()).await.unwrap();
        assert_eq!(listed.items.iter().map(|view| view.id).collect::<Vec<_>>(), [first]);
    }
    // A denied call on the same target does not supersede the confirmation that another member requested.
    app.owner().done("create_thing", json!({"name": "target"})).await;
    let [[one, other], _] = pairs;
    let (one, other) = (app.as_identity(one), app.as_identity(other));
    let first = other.pending("delete_thing", json!({"name": "target"})).await;
    assert_eq!(
        one.refused("delete_thing", json!({"name": "target", "password": "y"})).await,
        "permission_denied"
    );
    assert_eq!(other.confirmation(first).await.unwrap().status.as_str(), "pending");
}

#[both_databases]
async fn each_pair_of_key_and_user_has_ten_open_confirmations(db: TestDb) {
    let app = app(db).await;
    let [[one, other], _] = pairs(&app).await;
    let (one, other) = (app.as_identity(one), app.as_identity(other));
    for at in 0..10 {
        one.pending("create_thing", json!({"name": format!("x{at}"), "dangerous": true})).await;
    }
    assert_eq!(
        one.refused("create_thing", json!({"name": "y", "dangerous": true})).await,
        "too_many_pending"
    );
    other.pending("create_thing", json!({"name": "y", "dangerous": true})).await;
}

#[both_databases]
async fn nobody_is_anonymous(db: TestDb) {
    let app = app(db).await;
    let subjects = ["alice", "bob"];
    for subject in subjects {
        let person = app.as_identity(system_admin(&app, subject));
        assert_eq!(
            person.with_key("k").refused("create_thing", json!({"name": "x"})).await,
            "permission_denied"
        );
    }
    let rows: Vec<_> = rows(&app, "call", None).await.into_iter().filter(|row| row.system_admin).collect();
    let ids: HashSet<Id> = rows.iter().map(|row| row.principal.id).collect();
    let expected = subjects.map(|subject| users::id_of("https://id.example/", subject));
    assert_eq!(ids, HashSet::from(expected));
    assert!(rows.iter().all(|row| row.issuer.as_deref() == Some("https://id.example/")));
    let named: HashSet<&str> = rows.iter().filter_map(|row| row.subject.as_deref()).collect();
    assert_eq!(named, HashSet::from(subjects));
    // A user with a row is identified by it, so the audit row has no issuer and subject.
    drop(app.as_role(Role::Viewer).refused("create_thing", json!({"name": "x"})).await);
    let row = crate::people::rows(&app, "call", None).await.pop().unwrap();
    assert_eq!((row.issuer, row.subject, row.minters.as_deref()), (None, None, None));
}
