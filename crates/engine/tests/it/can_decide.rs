//! What readers see as `can_decide` is what an approval and a denial are told.

use std::collections::BTreeSet;

use serde_json::json;
use toolcrib_auth::{Authenticated, ClientToken, Credential, RequestedContext};
use toolcrib_engine::ApproveRequest;
use toolcrib_model::{Id, Role, Ts};
use toolcrib_testkit::{App, Person, TestDb, both_databases, change_workspace, user_identity};

use crate::{
    people::{agent, for_member, in_session, minted_by, service, set_role},
    things::app,
};

/// The conversation of all calls.
const TALK: &str = "talk";

/// Makes confirmations of one kind: who asks, and whether the confirmation is typed.
struct Asker {
    label: &'static str,
    identity: Authenticated,
    typed: bool,
}

/// The callers of the sweep: who reads and decides, and who asks.
struct Sweep {
    deciders: Vec<(&'static str, Authenticated)>,
    askers: Vec<Asker>,
}

/// A client token of this key for a user.
fn client(key: &Authenticated, user_id: Id) -> Authenticated {
    let Credential::Service(key) = key.credential.clone() else { panic!("a service key") };
    let expires_at = Ts::from_micros(i64::MAX);
    let token = ClientToken { key, user_id, session: TALK.into(), expires_at };
    Authenticated { credential: Credential::Client(token), requested: RequestedContext::default() }
}

async fn sweep(app: &App) -> Sweep {
    let user = |role| user_identity(app.a.workspace, app.a.user(role));
    let worker = agent(app, "worker", app.a.owner).await;
    let editors = agent(app, "editors", app.a.editor).await;
    let bare = service(app, &["*:*"], None).await;
    minted_by(app, &bare, app.a.owner).await;
    let both = service(app, &["*:*", "act_as", "approvals:relay"], Some(app.a.editor)).await;
    let relay = service(app, &["approvals:relay"], Some(app.a.owner)).await;
    let deciders = vec![
        ("owner", user(Role::Owner)),
        ("admin", user(Role::Admin)),
        ("editor", user(Role::Editor)),
        ("member", user(Role::Member)),
        ("viewer", user(Role::Viewer)),
        ("stranger", user_identity(app.a.workspace, app.b.owner)),
        ("agent", worker.clone()),
        ("editor's agent", editors.clone()),
        ("key", bare.clone()),
        ("key that asks for the editor", both.clone()),
        ("key that asks for nobody", for_member(&both, None)),
        ("key for the owner", relay.clone()),
        ("key for the admin", for_member(&relay, Some(app.a.admin))),
        ("key for the editor", for_member(&relay, Some(app.a.editor))),
        ("key for a stranger", for_member(&relay, Some(app.b.owner))),
        ("client token of the owner", client(&relay, app.a.owner)),
        ("client token of the editor", client(&relay, app.a.editor)),
        ("client token of a stranger", client(&relay, app.b.owner)),
        ("client token of the key that asks", client(&both, app.a.editor)),
        ("key without the scope", service(app, &["*:*", "act_as"], Some(app.a.editor)).await),
    ];
    let asker = |label, identity, typed| Asker { label, identity: in_session(&identity, TALK), typed };
    let askers = vec![
        asker("owner", user(Role::Owner), false),
        asker("owner, typed", user(Role::Owner), true),
        asker("admin, typed", user(Role::Admin), true),
        asker("editor", user(Role::Editor), false),
        asker("agent", worker, false),
        asker("editor's agent", editors, false),
        asker("key", bare, false),
        asker("key for the editor", both, false),
    ];
    Sweep { deciders, askers }
}

/// Makes a new confirmation.
async fn asked(app: &App, asker: &Asker, number: usize) -> Id {
    let person = app.as_identity(asker.identity.clone());
    let name = format!("thing-{number}");
    if asker.typed {
        app.owner().done("create_thing", json!({ "name": name })).await;
        return person.pending("delete_thing", json!({ "name": name })).await;
    }
    person.pending("create_thing", json!({ "name": name, "dangerous": true })).await
}

/// Compares what a reader sees with the answers to their denial and approval. Returns the reason that was
/// shown.
async fn compare(app: &App, (asker, decider): (&Asker, &Person<'_>), number: &mut usize, at: &str) -> String {
    let mut shown = BTreeSet::new();
    for approve in [false, true] {
        *number += 1;
        let id = asked(app, asker, *number).await;
        shown.insert(decide(app, (decider, id), approve, at).await);
    }
    assert_eq!(shown.len(), 1, "{at}: {shown:?}");
    shown.pop_first().unwrap()
}

/// Decides one confirmation, and compares the answer with what was shown before.
async fn decide(app: &App, (decider, id): (&Person<'_>, Id), approve: bool, at: &str) -> String {
    let before = app.as_role(Role::Admin).confirmation(id).await.unwrap().status;
    let seen = decider.confirmation(id).await;
    let answer = if approve {
        decider.approve_once(id, ApproveRequest::default()).await.map(|_| ())
    } else {
        decider.deny(id, "no").await.map(|_| ())
    };
    let after = app.as_role(Role::Admin).confirmation(id).await.unwrap().status;
    match (seen, answer) {
        (Ok(view), Ok(())) => {
            assert!(view.can_decide.allowed, "{at}: decided, and {:?} was shown", view.can_decide);
            assert_eq!(view.can_decide.reason, None, "{at}");
            assert_ne!(before, after, "{at}");
            String::new()
        }
        (Ok(view), Err(error)) => {
            assert!(!view.can_decide.allowed, "{at}: {error:?}");
            let relayed =
                ["own token", "key that made the call"].iter().any(|part| error.detail.contains(part));
            assert_eq!(
                view.can_decide.needs_sign_in,
                relayed && !error.detail.contains("person with"),
                "{at}"
            );
            assert_eq!(view.can_decide.reason.as_ref(), Some(&error.detail), "{at}");
            assert_eq!(before, after, "{at}");
            error.detail
        }
        (Err(unseen), Err(error)) => {
            assert_eq!(before, after, "{at}");
            assert_eq!(unseen.code.status() / 100, 4, "{at}: {unseen:?}, {error:?}");
            "unseen".to_owned()
        }
        (Err(error), Ok(())) => panic!("{at}: decided, and could not read it: {error:?}"),
    }
}

#[both_databases]
async fn what_is_shown_is_what_is_enforced(db: TestDb) {
    let app = app(db).await;
    change_workspace(&app.db, app.a.workspace, |row| {
        row.settings.agents_inherit_admin = true;
        (row.settings.open_confirmations, row.settings.open_confirmations_per_caller) = (1_000, 1_000);
    })
    .await;
    let Sweep { deciders, askers } = Box::pin(sweep(&app)).await;
    let (mut number, mut reasons, mut allowed) = (0, BTreeSet::new(), 0);
    for four_eyes in [false, true] {
        change_workspace(&app.db, app.a.workspace, move |row| row.settings.four_eyes = four_eyes).await;
        for asker in &askers {
            for (name, identity) in &deciders {
                let decider = app.as_identity(identity.clone());
                let at = format!("asked by {}, decided by {name}, four eyes {four_eyes}", asker.label);
                let reason = compare(&app, (asker, &decider), &mut number, &at).await;
                allowed += usize::from(reason.is_empty());
                reasons.insert(reason);
            }
        }
    }
    assert!(allowed > 20, "{allowed}");
    for part in
        ["four eyes somebody else", "a key can't", "own token, even when", "key that made the call", "unseen"]
    {
        assert!(reasons.iter().any(|reason| reason.contains(part)), "{part}: {reasons:#?}");
    }
}

#[both_databases]
async fn a_lower_role_and_the_end_are_shown(db: TestDb) {
    let app = app(db).await;
    let (owner, admin) = (app.owner(), app.as_role(Role::Admin));
    for name in ["x", "y"] {
        owner.done("create_thing", json!({ "name": name })).await;
    }
    let reason = async |person: &Person<'_>, id| person.confirmation(id).await.unwrap().can_decide.reason;
    let id = admin.pending("delete_thing", json!({"name": "x"})).await;
    set_role(&app, app.a.admin, "editor").await;
    assert!(reason(&admin, id).await.unwrap().contains("your own role"));
    set_role(&app, app.a.admin, "admin").await;
    assert_eq!(reason(&admin, id).await, None);
    // The first step of a typed confirmation leaves it open.
    admin.approve_once(id, ApproveRequest::default()).await.unwrap();
    assert_eq!(reason(&admin, id).await, None);
    let late = admin.pending("delete_thing", json!({"name": "y"})).await;
    owner.deny(id, "no").await.unwrap();
    for person in [&owner, &admin] {
        assert_eq!(
            reason(person, id).await.as_deref(),
            Some("the confirmation is already decided: `denied`")
        );
        assert_eq!(decide(&app, (person, id), true, "denied").await, reason(person, id).await.unwrap());
    }
    app.clock.advance(901);
    assert_eq!(reason(&owner, late).await.as_deref(), Some("the confirmation was not decided in time"));
    assert_eq!(decide(&app, (&owner, late), false, "late").await, "the confirmation was not decided in time");
}
