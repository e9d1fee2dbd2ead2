//! Helpers: callers with keys, arguments, changes of roles, and rows of what is stored.

use serde_json::{Value, json};
use toolcrib_access::Scopes;
use toolcrib_auth::{AgentKey, Authenticated, Credential, RequestedContext, ServiceKey};
use toolcrib_engine::CallResponse;
use toolcrib_model::{Cursor, Id, IdGen as _, SystemIds};
use toolcrib_store::{
    agents,
    audit::{self, AuditEntry, AuditFilter},
    events::{self, EventEntry},
    keys, members, minters,
    notifications::{self, NotificationEntry, Reader},
};
use toolcrib_testkit::{App, NOW, key_row, write};

/// Arguments of `create_thing` for which it asks.
pub fn dangerous(name: &str) -> Value {
    json!({"name": name, "dangerous": true})
}

/// The number of things in workspace A.
pub async fn count(app: &App) -> usize {
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let names = agents::names(&mut tx).await.unwrap();
    tx.end().await.unwrap();
    names.len()
}

/// The notifications that a user may read, the oldest first.
pub async fn notified(app: &App, id: Id) -> Vec<NotificationEntry> {
    let reader = Reader { id, admin: id == app.a.owner || id == app.a.admin };
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let mut items = notifications::list(&mut tx, reader, None, NOW, Cursor::START, 100).await.unwrap();
    tx.end().await.unwrap();
    items.reverse();
    items
}

/// All events in the outbox of workspace A.
pub async fn outbox(app: &App) -> Vec<EventEntry> {
    events::assign_offsets(&app.db).await.unwrap();
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let rows = events::after(&mut tx, 0, 1_000_000).await.unwrap();
    tx.end().await.unwrap();
    rows
}

/// Gives a member another role.
pub async fn set_role(app: &App, user: Id, role: &str) {
    let done = write(&app.db, app.a.workspace, async |tx| members::update(tx, user, role, true, NOW).await)
        .await
        .unwrap();
    assert!(done);
}

async fn add_key(app: &App, kind: &str) -> Id {
    let id = SystemIds.new_id(NOW);
    insert_key(app, key_row(app.a.workspace, id, kind)).await
}

/// A copy of a service key with its own id, created by `parent`.
pub async fn child_of(app: &App, parent: &Authenticated) -> Authenticated {
    let mut child = parent.clone();
    let Credential::Service(key) = &mut child.credential else { panic!("a service key") };
    let row = key_row(app.a.workspace, SystemIds.new_id(NOW), "service");
    key.key_id = insert_key(app, keys::KeyRow { parent_id: Some(key.key_id), ..row }).await;
    child
}

async fn insert_key(app: &App, row: keys::KeyRow) -> Id {
    let id = row.id;
    write(&app.db, app.a.workspace, async |tx| keys::insert(tx, &row).await).await.unwrap();
    id
}

/// Revokes a key.
pub async fn revoke(app: &App, key: Id) {
    let done = write(&app.db, app.a.workspace, async |tx| keys::revoke(tx, key, NOW).await).await.unwrap();
    assert!(done);
}

fn scopes(words: &[&str]) -> Scopes {
    Scopes::from(Some(words.iter().map(|&word| word.to_owned()).collect()))
}

/// A service key of workspace A with the role editor, which acts for a member or for nobody.
pub async fn service(app: &App, words: &[&str], on_behalf_of: Option<Id>) -> Authenticated {
    let key = ServiceKey {
        key_id: add_key(app, "service").await,
        workspace: app.a.workspace,
        role: "editor".into(),
        scopes: scopes(words),
        caller_types: vec!["api".into(), "chat".into()],
    };
    for_member(
        &Authenticated { credential: Credential::Service(key), requested: RequestedContext::default() },
        on_behalf_of,
    )
}

/// The same credential, acting for another member or for nobody.
pub fn for_member(authenticated: &Authenticated, on_behalf_of: Option<Id>) -> Authenticated {
    let mut other = authenticated.clone();
    other.requested.on_behalf_of = on_behalf_of.map(|id| id.to_string());
    other
}

/// The same credential in a conversation.
pub fn in_session(authenticated: &Authenticated, session: &str) -> Authenticated {
    let mut other = authenticated.clone();
    other.requested.session = Some(session.to_owned());
    other
}

/// The key of an agent that runs as a member. Creates a thing with the agent's name, because things are
/// agents' rows.
pub async fn agent(app: &App, name: &str, runs_as: Id) -> Authenticated {
    let made = app.owner().done("create_thing", json!({ "name": name })).await;
    let key = AgentKey {
        key_id: add_key(app, "agent").await,
        workspace: app.a.workspace,
        agent_id: made["id"].as_str().unwrap().parse().unwrap(),
        runs_as,
        mission: None,
        scopes: scopes(&["*:*"]),
        caller_types: vec!["api".into()],
    };
    Authenticated { credential: Credential::Agent(key), requested: RequestedContext::default() }
}

/// The id of the key in a credential.
pub fn key_of(authenticated: &Authenticated) -> Id {
    match &authenticated.credential {
        Credential::Agent(key) => key.key_id,
        Credential::Service(key) => key.key_id,
        other => panic!("{other:?} is no key"),
    }
}

/// The audit rows of a kind, optionally of one confirmation, the oldest first.
pub async fn rows(app: &App, kind: &str, confirmation_id: Option<Id>) -> Vec<AuditEntry> {
    let filter = AuditFilter { kind: Some(kind.into()), confirmation_id, ..AuditFilter::default() };
    let mut rows = audit_rows(app, &filter).await;
    rows.sort_by_key(|row| row.id);
    rows
}

/// The audit rows that fit, the newest first.
pub async fn audit_rows(app: &App, filter: &AuditFilter) -> Vec<AuditEntry> {
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let rows = audit::list(&mut tx, filter, Cursor::START, 1_000).await.unwrap();
    tx.end().await.unwrap();
    rows
}

/// The audit row of a call.
pub async fn row_of(app: &App, answer: &CallResponse) -> Option<AuditEntry> {
    let id = answer.outcome.call_id()?;
    audit_rows(app, &AuditFilter::default()).await.into_iter().find(|row| row.id == id)
}

/// Reason and error code of each decision row of a confirmation, in order.
pub async fn decisions(app: &App, id: Id) -> Vec<(String, Option<String>)> {
    let rows = rows(app, "confirmation", Some(id)).await;
    rows.into_iter().map(|row| (row.reason.unwrap_or_default(), row.error_code)).collect()
}

/// Records `user` as the only minter of the credential's key.
pub async fn minted_by(app: &App, key: &Authenticated, user: Id) {
    replaced(app, key, user, None).await;
}

/// Records that `user` gave the key a new secret. The minters before know the old secret until `known_until`.
pub async fn replaced(app: &App, key: &Authenticated, user: Id, known_until: Option<i64>) {
    let key = key_of(key);
    write(&app.db, app.a.workspace, async |tx| minters::replace(tx, key, user, known_until).await)
        .await
        .unwrap();
}

/// Ends a membership.
pub async fn remove(app: &App, user: Id) {
    let done = write(&app.db, app.a.workspace, async |tx| members::delete(tx, user).await).await.unwrap();
    assert!(done);
}
