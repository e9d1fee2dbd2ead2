//! Callers who are not members: system admins, operator keys, people without a workspace.

use serde_json::json;
use toolcrib_access::Scopes;
use toolcrib_auth::{Authenticated, Credential, OperatorKey, RequestedContext, UserToken};
use toolcrib_engine::{CallResponse, Outcome};
use toolcrib_model::{Id, Role, Ts};
use toolcrib_testkit::Person;

use crate::harness::App;

/// A system admin's token, with or without a user's row and a workspace.
pub fn system(app: &App, user_id: Option<Id>, workspace: Option<Id>) -> Person<'_> {
    token(app, user_id, workspace, true)
}

/// A user's token, with or without a user's row and a workspace.
pub fn user(app: &App, user_id: Option<Id>, workspace: Option<Id>) -> Person<'_> {
    token(app, user_id, workspace, false)
}

fn token(app: &App, user_id: Option<Id>, workspace: Option<Id>, system_admin: bool) -> Person<'_> {
    let token = UserToken {
        user_id,
        issuer: "test".into(),
        subject: "somebody".into(),
        workspace: None,
        system_admin,
        expires_at: Ts::from_micros(i64::MAX),
        console: false,
    };
    app.as_identity(Authenticated { credential: Credential::User(token), requested: requested(workspace) })
}

/// An operator key with these scopes.
pub fn operator<'a>(app: &'a App, scopes: &[&str], workspace: Option<Id>) -> Person<'a> {
    let words: Vec<String> = scopes.iter().map(|&word| word.to_owned()).collect();
    let key = OperatorKey { key_id: Id::from_u128(0x0e), scopes: Scopes::from(Some(words)) };
    app.as_identity(Authenticated { credential: Credential::Operator(key), requested: requested(workspace) })
}

fn requested(workspace: Option<Id>) -> RequestedContext {
    RequestedContext { workspace: workspace.map(|id| id.to_string()), ..RequestedContext::default() }
}

/// The pointers of the errors in a refusal.
pub fn pointers(answer: &CallResponse) -> Vec<String> {
    match &answer.outcome {
        Outcome::Refused(problem) => problem.errors.iter().map(|error| error.pointer.clone()).collect(),
        other => panic!("it was not refused: {other:?}"),
    }
}

/// Whether the call completed; panics if it did neither that nor was denied.
pub fn allowed(answer: &CallResponse) -> bool {
    match &answer.outcome {
        Outcome::Completed(_) => true,
        Outcome::Refused(problem) if problem.code.as_str() == "permission_denied" => false,
        other => panic!("neither done nor denied: {other:?}"),
    }
}

/// Adds a member and returns their id.
pub async fn add(app: &App, subject: &str, role: Role) -> Id {
    let made = app.owner().done("members.add", json!({"subject": subject, "role": role})).await;
    made["user_id"].as_str().unwrap().parse().unwrap()
}
