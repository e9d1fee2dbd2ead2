//! Keys that create keys, keys that are adopted, and what is reported when a person leaves on whom keys
//! depend.

use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib_auth::{
    Authenticated, Authenticator, Credential, RequestedContext, Resource, issuer::LocalIssuer, secret,
};
use toolcrib_model::{Clock as _, Id, Role, Ts};
use toolcrib_store::minters;
use toolcrib_testkit::{TestDb, TestIds, assert_has, both_databases};

use crate::harness::{App, add, pointers};

/// The caller that a key's text authenticates, as for a request; `None` if it is refused.
pub async fn opened(app: &App, text: &str) -> Option<Authenticated> {
    let folder = tempfile::tempdir().unwrap();
    let issuer = LocalIssuer::load_or_create(folder.path(), &TestIds::default(), app.clock.now()).unwrap();
    let (db, settings) = ((*app.db).clone(), LocalIssuer::settings());
    let auth = Authenticator::new(db, app.clock.clone(), settings, Arc::new(issuer), Arc::default());
    let header = format!("Bearer {text}");
    let credential = auth.authenticate(Resource::Api, Some(&header), [127, 0, 0, 1].into()).await.ok()?;
    Some(Authenticated { credential, requested: RequestedContext::default() })
}

/// The caller of a created key, acting for a member.
async fn acting(app: &App, made: &Value, member: Id) -> Authenticated {
    let mut authenticated = opened(app, made["secret"].as_str().unwrap()).await.unwrap();
    authenticated.requested.on_behalf_of = Some(member.to_string());
    authenticated
}

fn service(name: &str, scopes: &Value) -> Value {
    json!({"kind": "service", "name": name, "scopes": scopes})
}

fn at(time: Ts) -> Value {
    json!(time.to_string())
}

/// The key with this name, as an owner sees it.
async fn listed(app: &App, name: &str) -> Value {
    let all = app.owner().done("keys.list", json!({"limit": 100})).await;
    let found = all["items"].as_array().unwrap().iter().find(|key| key["name"] == name);
    found.cloned().unwrap_or_else(|| panic!("no key `{name}`"))
}

#[both_databases]
async fn a_key_gives_no_caller_type_that_it_lacks(db: TestDb) {
    let app = App::new(db).await;
    let with = |name: &str, types: &[&str]| {
        let mut key = service(name, &json!(["*:read", "keys:manage", "act_as"]));
        key["caller_types"] = json!(types);
        key
    };
    let parent = app.owner().done("keys.create", with("Parent", &["chat", "mission"])).await;
    let key = app.as_identity(acting(&app, &parent, app.a.owner).await);
    let wider = key.call("keys.create", with("Child", &["chat", "api", "heartbeat"])).await;
    assert_eq!(pointers(&wider), ["/caller_types/1", "/caller_types/2"]);
    let unsaid = key.call("keys.create", service("Child", &json!(["*:read"]))).await;
    assert_eq!(pointers(&unsaid), ["/caller_types"]);
    let child = key.done("keys.create", with("Child", &["mission"])).await;
    assert_eq!(child["caller_types"], json!(["mission"]));
}

#[both_databases]
async fn a_key_shows_its_minters_and_its_remaining_rights(db: TestDb) {
    let app = App::new(db).await;
    let made = app
        .as_role(Role::Admin)
        .done("keys.create", service("App", &json!(["*:read", "records:write"])))
        .await;
    assert_has(&made, json!({"minters": [app.a.admin], "role_now": "editor", "limited_by": []}));
    app.owner().done("members.update", json!({"user_id": app.a.admin, "role": "member"})).await;
    let key = listed(&app, "App").await;
    assert_eq!((&key["role"], &key["role_now"]), (&json!("editor"), &json!("member")));
    assert_eq!(key["limited_by"].as_array().unwrap().len(), 2, "{key}");
    app.owner().done("members.remove", json!({"user_id": app.a.admin})).await;
    let key = listed(&app, "App").await;
    assert_eq!(key["role_now"], Value::Null);
    assert!(key["limited_by"][0].as_str().unwrap().contains("adopted"), "{key}");
}

#[both_databases]
async fn a_key_that_mints_makes_nothing_larger_than_itself(db: TestDb) {
    let app = App::new(db).await;
    let end = app.clock.now().plus_seconds(3_600);
    let mut parent = service("Parent", &json!(["*:*", "act_as"]));
    parent["scopes"] = json!(["*:read", "tasks:use", "keys:manage", "act_as"]);
    parent["expires_at"] = at(end);
    let parent = app.owner().done("keys.create", parent).await;
    let key = app.as_identity(acting(&app, &parent, app.a.admin).await);
    let child = key.done("keys.create", service("Child", &json!(["*:read", "tasks:use"]))).await;
    let mut both = [app.a.admin, app.a.owner];
    both.sort_unstable();
    assert_eq!((&child["minters"], &child["parent"]), (&json!(both), &parent["id"]));
    assert_eq!(child["expires_at"], at(end), "it ends with its parent");
    let mut later = service("Later", &json!(["*:read"]));
    later["expires_at"] = at(end.plus_seconds(1));
    assert_eq!(key.refused("keys.create", later).await, "invalid_arguments");
    for more in ["memory:use", "records:write", "approvals:relay"] {
        let code = key.refused("keys.create", service("More", &json!([more]))).await;
        assert_eq!(code, "permission_denied", "{more}");
    }
    // Acting for the owner, the key may create a key that acts for members. That key may create none.
    let owner_key = app.as_identity(acting(&app, &parent, app.a.owner).await);
    let acts = owner_key.done("keys.create", service("Acts", &json!(["keys:manage", "act_as"]))).await;
    let grandchild = app.as_identity(acting(&app, &acts, app.a.owner).await);
    let refused = grandchild.problem("keys.create", service("Grandchild", &json!(["keys:manage"]))).await;
    assert!(refused.detail.contains("made by a key"), "{}", refused.detail);
    // If either of the two people behind the child loses their rights, the child does too.
    let child_works = async || {
        let child = opened(&app, child["secret"].as_str().unwrap()).await.unwrap();
        app.as_identity(child).call("list_tasks", json!({})).await.status()
    };
    assert_eq!(child_works().await, 200);
    app.owner().done("members.update", json!({"user_id": app.a.admin, "active": false})).await;
    assert_eq!(child_works().await, 403);
    app.owner().done("members.update", json!({"user_id": app.a.admin, "active": true})).await;
    app.owner().done("keys.revoke", json!({"id": parent["id"]})).await;
    assert!(opened(&app, child["secret"].as_str().unwrap()).await.is_none(), "revoked with its parent");
}

#[both_databases]
async fn who_knew_a_key_stands_behind_what_it_made_until_that_ends(db: TestDb) {
    let app = App::new(db).await;
    let (owner, admin, now) = (app.owner(), app.as_role(Role::Admin), app.clock.now());
    owner.done("members.update", json!({"user_id": app.a.admin, "role": "owner"})).await;
    let parent = service("Parent", &json!(["*:read", "keys:manage", "act_as"]));
    let parent = admin.done("keys.create", parent).await;
    owner.done("keys.adopt", json!({"id": parent["id"]})).await;
    // The admin still knows the secret, and can act for the owner with it.
    let key = app.as_identity(acting(&app, &parent, app.a.owner).await);
    let child = key.done("keys.create", service("Child", &json!(["*:read"]))).await;
    assert_eq!((&child["minters"], &child["expires_at"]), (&json!([app.a.owner]), &Value::Null));
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let id = child["id"].as_str().unwrap().parse().unwrap();
    let people = minters::people_behind(&mut tx, id, now.plus_seconds(999_999)).await.unwrap();
    tx.end().await.unwrap();
    let mut both = vec![app.a.admin, app.a.owner];
    both.sort_unstable();
    assert_eq!(people, both);

    // If the parent gets a new secret, keys that were created with the old one end with it.
    let until = now.plus_seconds(600);
    let renewed = json!({"id": parent["id"], "new_secret": true, "old_until": at(until)});
    owner.done("keys.adopt", renewed).await;
    let sleeper = key.done("keys.create", service("Sleeper", &json!(["*:read"]))).await;
    let child_now = listed(&app, "Child").await;
    assert_eq!((&sleeper["expires_at"], &child_now["expires_at"]), (&at(until), &at(until)));
    app.clock.advance(600);
    for made in [&child, &sleeper] {
        assert!(opened(&app, made["secret"].as_str().unwrap()).await.is_none(), "{made}");
    }
}

#[both_databases]
async fn a_key_that_was_revoked_before_takes_its_children_along(db: TestDb) {
    let app = App::new(db).await;
    let parent = service("Parent", &json!(["*:read", "keys:manage", "act_as"]));
    let parent = app.owner().done("keys.create", parent).await;
    let key = app.as_identity(acting(&app, &parent, app.a.owner).await);
    app.owner().done("keys.revoke", json!({"id": parent["id"]})).await;
    let late = key.problem("keys.create", service("Late", &json!(["*:read"]))).await;
    assert!(late.detail.contains("revoked"), "{}", late.detail);
}

#[both_databases]
async fn an_adopter_becomes_the_only_minter(db: TestDb) {
    let app = App::new(db).await;
    let made = app.as_role(Role::Admin).done("keys.create", service("App", &json!(["*:read"]))).await;
    let id = made["id"].clone();
    app.owner().done("members.remove", json!({"user_id": app.a.admin})).await;
    assert_eq!(app.as_role_b(Role::Owner).refused("keys.adopt", json!({"id": id})).await, "not_found");
    let adopted = app.owner().done("keys.adopt", json!({"id": id})).await;
    assert_has(&adopted, json!({"minters": [app.a.owner], "secret": null, "role_now": "editor"}));
    let same = opened(&app, made["secret"].as_str().unwrap()).await.unwrap();
    app.as_identity(same).done("list_tasks", json!({})).await;
}

#[both_databases]
async fn a_new_secret_ends_the_old_one_at_a_stated_time(db: TestDb) {
    let app = App::new(db).await;
    let made = app.as_role(Role::Admin).done("keys.create", service("App", &json!(["*:read"]))).await;
    let (id, old) = (made["id"].clone(), made["secret"].as_str().unwrap());
    let owner = app.owner();
    let now = app.clock.now();
    for (wrong, pointer) in [
        (json!({"id": id, "old_until": at(now)}), "/old_until"),
        (json!({"id": id, "new_secret": true, "old_until": at(now.plus_seconds(86_401))}), "/old_until"),
    ] {
        assert_eq!(owner.problem("keys.adopt", wrong).await.errors[0].pointer, pointer);
    }
    let until = now.plus_seconds(600);
    let adopted =
        owner.done("keys.adopt", json!({"id": id, "new_secret": true, "old_until": at(until)})).await;
    let new = adopted["secret"].as_str().unwrap();
    let found = (adopted["old_until"].clone(), secret::parse_key(new).unwrap().0.to_string());
    assert_eq!(found, (at(until), id.as_str().unwrap().to_owned()));
    assert!(opened(&app, old).await.is_some() && opened(&app, new).await.is_some());
    app.clock.advance(600);
    assert!(opened(&app, old).await.is_none() && opened(&app, new).await.is_some());
    let past = json!({"id": id, "new_secret": true, "old_until": at(now)});
    assert_eq!(owner.done("keys.adopt", past).await["old_until"], at(app.clock.now()), "at once");
    assert!(opened(&app, new).await.is_none());
    assert!(!owner.done("keys.list", json!({})).await.to_string().contains("secret_hash"));
}

#[both_databases]
async fn nobody_adopts_a_key_that_they_could_not_create(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "Bot"})).await;
    let acts = owner.done("keys.create", service("Acts", &json!(["act_as"]))).await;
    let admin = app.as_role(Role::Admin);
    let refused = admin.problem("keys.adopt", json!({"id": acts["id"]})).await;
    assert!(refused.detail.contains("members:impersonate"), "{}", refused.detail);
    let gone = add(&app, "gone", Role::Viewer).await;
    let agent =
        json!({"kind": "agent", "name": "Agent", "agent": "bot", "runs_as": gone, "scopes": ["*:read"]});
    let agent = owner.done("keys.create", agent).await;
    let as_owner = json!({
        "kind": "agent", "name": "As owner", "agent": "bot", "runs_as": app.a.owner,
        "scopes": ["*:read"]
    });
    let as_owner = owner.done("keys.create", as_owner).await;
    assert_eq!(admin.refused("keys.adopt", json!({"id": as_owner["id"]})).await, "permission_denied");
    owner.done("members.remove", json!({"user_id": gone})).await;
    assert_eq!(owner.refused("keys.adopt", json!({"id": agent["id"]})).await, "conflict");
    owner.done("keys.revoke", json!({"id": acts["id"]})).await;
    assert_eq!(owner.refused("keys.adopt", json!({"id": acts["id"]})).await, "conflict");
    // A key may not adopt a key, whatever its scopes are.
    let all = owner.done("keys.create", service("All", &json!(["*:*", "act_as"]))).await;
    let key = app.as_identity(acting(&app, &all, app.a.owner).await);
    assert!(matches!(key.authenticated.credential, Credential::Service(_)));
    assert_eq!(key.refused("keys.adopt", json!({"id": all["id"]})).await, "permission_denied");
}

#[both_databases]
async fn who_goes_is_shown_adopted_and_said(db: TestDb) {
    let app = App::new(db).await;
    let (owner, admin) = (app.owner(), app.as_role(Role::Admin));
    admin.done("create_agent", json!({"name": "Bot"})).await;
    let bot = json!({"kind": "agent", "name": "Bot's", "agent": "bot", "scopes": ["*:read"]});
    admin.done("keys.create", bot).await;
    admin.done("keys.create", service("Chat", &json!(["*:read"]))).await;
    let delegates = owner.done("members.get", json!({"user_id": app.a.admin})).await["delegates"].clone();
    let names = |part: &str| {
        delegates[part].as_array().unwrap().iter().map(|key| key["name"].clone()).collect::<Vec<_>>()
    };
    assert_eq!((names("minted_keys"), names("agent_keys")), (vec![json!("Chat")], vec![json!("Bot's")]));
    assert_eq!(delegates["minted_keys"][0]["adoptable"], json!(true));
    let seen = app.as_role(Role::Viewer).done("members.get", json!({"user_id": app.a.admin})).await;
    assert_eq!((&seen["delegates"], &seen["role"]), (&Value::Null, &json!("admin")));
    // Without adoption, the response and notifications to the other admins say which keys lost rights.
    let other = add(&app, "other", Role::Admin).await;
    let done = owner.done("members.update", json!({"user_id": app.a.admin, "role": "viewer"})).await;
    let weak: Vec<&Value> = done["weakened"].as_array().unwrap().iter().map(|key| &key["name"]).collect();
    assert_eq!(weak, ["Bot's", "Chat"]);
    let told = app.as_identity(toolcrib_testkit::user_identity(app.a.workspace, other));
    let notices = told.done("notifications.list", json!({})).await;
    assert!(notices.to_string().contains("2 keys lost rights"), "{notices}");
    assert!(!owner.done("notifications.list", json!({})).await.to_string().contains("lost rights"));
    // If the keys are adopted in the same commit, the chatbot keeps its rights. The agent that runs as the
    // removed member does not.
    owner.done("members.update", json!({"user_id": app.a.admin, "role": "admin"})).await;
    let gone = owner.done("members.remove", json!({"user_id": app.a.admin, "adopt": true})).await;
    let weak: Vec<&Value> = gone["weakened"].as_array().unwrap().iter().map(|key| &key["name"]).collect();
    assert_eq!(weak, ["Bot's"]);
    assert_eq!(listed(&app, "Chat").await["minters"], json!([app.a.owner]));
}

#[both_databases]
async fn a_later_row_of_a_person_takes_the_id_they_were_known_by(db: TestDb) {
    let app = App::new(db).await;
    let expected = toolcrib_store::users::id_of("https://id.example/", "new");
    let member = json!({"subject": "new", "issuer": "https://id.example/", "role": "viewer"});
    assert_eq!(app.owner().done("members.add", member).await["user_id"], json!(expected));
}
