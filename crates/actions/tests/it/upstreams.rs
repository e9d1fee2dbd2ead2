//! Upstreams: stored without their secrets, changed with what depends on them, and called with the right
//! secret only.

use std::sync::Arc;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use toolcrib_access::{Caller, Principal};
use toolcrib_actions::imagined;
use toolcrib_auth::Authenticated;
use toolcrib_engine::{
    OperatorRules,
    upstreams::{CatalogUpstream, find_upstream, upstream_secret},
};
use toolcrib_model::{Id, Role, Surface};
use toolcrib_testkit::{TestDb, assert_has, both_databases};
use toolcrib_toolset::{CheckContext, ToolsetSource, check};

use crate::harness::{App, new_agent, pointers, service_key, with_cipher};

const SECRET: &str = "geheim-4711-token";

fn forge(owner: &str) -> Value {
    json!({
        "name": "forge", "kind": "http", "base_url": "https://api.forge.example/v2/",
        "auth": {"kind": "bearer", "owner": owner}
    })
}

/// A toolset with one read over HTTP.
fn desk(upstream: &str) -> Value {
    let document = json!({
        "schema": "toolcrib.toolset/1", "slug": "desk", "title": "Support desk",
        "tools": [{
            "name": "get_ticket", "description": "One ticket.", "permission_level": "read",
            "accessible_by": "everyone",
            "parameters": {"required": ["id"], "properties": {"id": {"type": "integer", "minimum": 1}}},
            "http": {"upstream": upstream, "method": "GET", "path": "tickets/{id}"}
        }]
    });
    json!({"slug": "desk", "document": document})
}

/// The secret with which the user of workspace A with this role calls, or the error's code and hint.
async fn sent(app: &App, name: &str, user: Role) -> Result<Option<String>, (String, String)> {
    sent_in(app, app.a.workspace, name, app.a.user(user)).await
}

async fn sent_in(app: &App, workspace: Id, name: &str, user: Id) -> Result<Option<String>, (String, String)> {
    sent_by(app, name, &imagined(workspace, user, Some(Role::Member), "api", None)).await
}

async fn sent_by(app: &App, name: &str, caller: &Caller) -> Result<Option<String>, (String, String)> {
    let (rules, workspace) = (app.engine.catalog().rules(), caller.workspace);
    let mut tx = app.db.read(workspace).await.unwrap();
    let upstream = find_upstream(&mut tx, rules, name).await.unwrap();
    let found = upstream_secret(&mut tx, rules, caller, &upstream).await;
    tx.end().await.unwrap();
    let opened = found.map(|secret| secret.map(|secret| secret.expose_secret().to_owned()));
    opened.map_err(|error| (error.code.as_str().to_owned(), error.hint.unwrap_or_default()))
}

/// Whether the tool is available, and the digest of its definition.
async fn tool(app: &App, authenticated: &Authenticated) -> (bool, String) {
    let admitted = app.engine.admit_with_catalog(authenticated, Surface::Rest).await.unwrap();
    let meta = admitted.catalog.registry().get("desk__get_ticket").unwrap();
    (admitted.catalog.available("desk__get_ticket"), meta.definition().to_owned())
}

#[both_databases]
async fn an_upstream_is_added_changed_and_deleted(db: TestDb) {
    let app = App::ruled(db, with_cipher()).await;
    let admin = app.as_role(Role::Admin);
    let made = admin.done("upstreams.create", forge("workspace")).await;
    assert_eq!(made["auth"], json!({"kind": "bearer", "owner": "workspace"}));
    assert_has(&made, json!({"version": 1, "has_secret": false, "source": "workspace"}));
    assert_eq!(admin.refused("upstreams.create", forge("user")).await, "conflict");
    let set = admin.done("upstreams.set_secret", json!({"name": "forge", "secret": SECRET})).await;
    assert_eq!((&set["has_secret"], &set["set_by"]), (&json!(true), &json!(app.a.user(Role::Admin))));
    assert_eq!(sent(&app, "forge", Role::Viewer).await, Ok(Some(SECRET.into())));
    // The same origin keeps the secret, another one does not.
    let path = json!({"name": "forge", "base_url": "https://api.forge.example:443/v3/"});
    assert_eq!(pointers(&admin.call("upstreams.update", path).await), ["/base_url"], "not the normal form");
    let path = json!({"name": "forge", "base_url": "https://api.forge.example/v3/", "if_match": "\"1\""});
    let changed = admin.done("upstreams.update", path.clone()).await;
    assert_has(&changed, json!({"changed": true, "secrets_deleted": 0, "version": 2, "has_secret": true}));
    assert_eq!(admin.refused("upstreams.update", path).await, "precondition_failed");
    let same = json!({"name": "forge", "base_url": "https://api.forge.example/v3/"});
    assert_eq!(admin.done("upstreams.update", same).await["changed"], json!(false));
    let other = json!({"name": "forge", "base_url": "https://evil.example/v3/"});
    let moved = admin.done("upstreams.update", other).await;
    assert_eq!((&moved["secrets_deleted"], &moved["has_secret"]), (&json!(1), &json!(false)));
    let (code, hint) = sent(&app, "forge", Role::Viewer).await.unwrap_err();
    assert!(code == "connector_not_configured" && hint.contains("PUT /v1/upstreams/forge/secret"), "{hint}");
    let listed = admin.done("upstreams.list", json!({})).await;
    assert_eq!(listed["items"][0]["base_url"], json!("https://evil.example/v3/"));
    let old = json!({"name": "forge", "if_match": "1"});
    assert_eq!(admin.refused("upstreams.delete", old).await, "precondition_failed");
    admin.done("upstreams.set_secret", json!({"name": "forge", "secret": SECRET})).await;
    let gone = admin.done("upstreams.delete", json!({"name": "forge"})).await;
    assert_eq!(gone["secrets_deleted"], json!(1));
    assert_eq!(admin.refused("upstreams.delete", json!({"name": "forge"})).await, "not_found");
    // A later upstream with the name has no secret, and no version that was read before.
    let again = admin.done("upstreams.create", forge("workspace")).await;
    assert_eq!(again["has_secret"], json!(false));
    assert!(again["version"].as_i64().unwrap() > moved["version"].as_i64().unwrap(), "{again}");
}

#[both_databases]
async fn addresses_and_headers_that_can_not_be_called_are_refused(db: TestDb) {
    let rules = OperatorRules {
        upstream_hosts: vec!["inside.test:8080".into(), "own.test".into()],
        public_url: Some("http://own.test".into()),
        ..with_cipher()
    };
    let app = App::ruled(db, rules).await;
    let admin = app.as_role(Role::Admin);
    let addresses = "http://api.forge.example/ https://10.1.2.3/ https://127.0.0.1/ \
        https://169.254.169.254/ https://[::1]/ https://[fd00::1]/ https://localhost/ http://inside.test/ \
        ftp://a.example/ https://u:p@a.example/ https://a.example/?q=1 https://a.example/#x \
        https://a.example https://a.example/v2 https://a.example/a/../b/ https://a.example/\\b/ \
        HTTPS://a.example/ http://own.test/ http://own.test:80/ http://own.test./";
    for base_url in addresses.split(' ').chain(["no url"]) {
        let mut wish = forge("workspace");
        wish["base_url"] = json!(base_url);
        assert_eq!(pointers(&admin.call("upstreams.create", wish).await), ["/base_url"], "{base_url}");
    }
    for (auth, pointer) in [
        (json!({"kind": "header"}), "/auth/name"),
        (json!({"kind": "bearer", "name": "X-Key"}), "/auth/name"),
        (json!({"kind": "header", "name": "Host"}), "/auth/name"),
        (json!({"kind": "header", "name": "X-Key: a"}), "/auth/name"),
        (json!({"kind": "header", "name": "X-Key", "env": "KEY"}), "/auth/env"),
    ] {
        let mut wish = forge("workspace");
        wish["auth"] = auth;
        assert_eq!(pointers(&admin.call("upstreams.create", wish.clone()).await), [pointer], "{wish}");
    }
    assert_eq!(admin.done("upstreams.list", json!({})).await["items"], json!([]));
    for (name, base_url) in [("inside", "http://inside.test:8080/"), ("other", "http://own.test:81/")] {
        let wish = json!({"name": name, "kind": "http", "base_url": base_url});
        let refused = admin.call("upstreams.create", wish).await;
        let allowed = name == "inside" || base_url.contains(":81");
        assert!(matches!(refused.outcome, toolcrib_engine::Outcome::Completed(_)) == allowed, "{base_url}");
    }
}

#[both_databases]
async fn a_secret_must_fit_its_header(db: TestDb) {
    let app = App::ruled(db, with_cipher()).await;
    let admin = app.as_role(Role::Admin);
    admin.done("upstreams.create", forge("workspace")).await;
    for secret in ["abc", "a b", "a\nb", "é", &"x".repeat(4_097)] {
        let refused = admin.call("upstreams.set_secret", json!({"name": "forge", "secret": secret})).await;
        assert_eq!(pointers(&refused), ["/secret"], "{secret:?}");
    }
    let basic = json!({"name": "forge", "auth": {"kind": "basic"}});
    admin.done("upstreams.update", basic).await;
    let refused = admin.problem("upstreams.set_secret", json!({"name": "forge", "secret": SECRET})).await;
    assert!(refused.errors[0].message.contains("user:password"), "{:?}", refused.errors);
    assert!(!format!("{refused:?}").contains(SECRET), "a refusal does not repeat the secret");
    admin.done("upstreams.update", json!({"name": "forge", "auth": {"kind": "none"}})).await;
    let refused = admin.call("upstreams.set_secret", json!({"name": "forge", "secret": "a:b"})).await;
    assert_eq!(pointers(&refused), ["/secret"]);
    assert_eq!(sent(&app, "forge", Role::Member).await, Ok(None), "requests have no credential");
}

#[both_databases]
async fn users_have_secrets_of_their_own_and_nobody_else_has(db: TestDb) {
    let app = App::ruled(db, with_cipher()).await;
    let admin = app.as_role(Role::Admin);
    admin.done("upstreams.create", forge("user")).await;
    let shared = json!({"name": "forge", "secret": SECRET});
    assert_eq!(admin.refused("upstreams.set_secret", shared).await, "conflict");
    for role in [Role::Viewer, Role::Member, Role::Admin] {
        let secret = json!({"name": "forge", "secret": format!("{SECRET}-{role}")});
        let person = app.as_role(role);
        assert_eq!(person.done("upstreams.set_own_secret", secret.clone()).await["replaced"], json!(false));
        assert_eq!(person.done("upstreams.set_own_secret", secret).await["replaced"], json!(true));
        assert_eq!(sent(&app, "forge", role).await, Ok(Some(format!("{SECRET}-{role}"))));
    }
    let (code, hint) = sent(&app, "forge", Role::Editor).await.unwrap_err();
    assert!(code == "connector_not_configured" && hint.contains("forge/secret/mine"), "{hint}");
    let listed = admin.done("upstreams.list", json!({})).await;
    let item = &listed["items"][0];
    assert_eq!((&item["user_secrets"], &item["has_secret"]), (&json!(3), &json!(false)));
    // An agent acts for its user; a key that acts for nobody has no secret to send.
    let scout = Principal::Agent { agent_id: Id::from_u128(1), runs_as: app.a.user(Role::Member) };
    let member = imagined(app.a.workspace, app.a.user(Role::Member), Some(Role::Member), "api", None);
    let agent = Caller { principal: scout, ..member.clone() };
    assert_eq!(sent_by(&app, "forge", &agent).await, Ok(Some(format!("{SECRET}-member"))));
    let nobody = Principal::Service { key_id: Id::from_u128(2), on_behalf_of: None };
    let (code, hint) = sent_by(&app, "forge", &Caller { principal: nobody, ..member }).await.unwrap_err();
    assert!(code == "connector_not_configured" && hint.contains("on behalf of"), "{hint}");
    let viewer = app.as_role(Role::Viewer);
    viewer.done("upstreams.delete_own_secret", json!({"name": "forge"})).await;
    assert_eq!(viewer.refused("upstreams.delete_own_secret", json!({"name": "forge"})).await, "not_found");
    assert!(sent(&app, "forge", Role::Viewer).await.is_err());
    assert!(sent(&app, "forge", Role::Member).await.is_ok());
    // Whoever is removed leaves no secret.
    let member = json!({"user_id": app.a.user(Role::Member)});
    app.owner().done("members.remove", member).await;
    assert_eq!(admin.done("upstreams.list", json!({})).await["items"][0]["user_secrets"], json!(1));
    // Another owner has other secrets.
    let shared = json!({"name": "forge", "auth": {"kind": "bearer", "owner": "workspace"}});
    assert_eq!(admin.done("upstreams.update", shared).await["secrets_deleted"], json!(1));
    let own = json!({"name": "forge", "secret": SECRET});
    assert_eq!(admin.refused("upstreams.set_own_secret", own).await, "conflict");
}

#[both_databases]
async fn a_secret_that_is_moved_by_hand_does_not_open(db: TestDb) {
    let app = App::ruled(db, with_cipher()).await;
    for person in [app.as_role(Role::Admin), app.as_role_b(Role::Admin)] {
        for (name, owner) in [("forge", "workspace"), ("other", "workspace"), ("own", "user")] {
            let mut wish = forge(owner);
            wish["name"] = json!(name);
            person.done("upstreams.create", wish).await;
        }
    }
    let admin = app.as_role(Role::Admin);
    admin.done("upstreams.set_secret", json!({"name": "forge", "secret": SECRET})).await;
    admin.done("upstreams.set_own_secret", json!({"name": "own", "secret": SECRET})).await;
    assert_eq!(sent(&app, "forge", Role::Admin).await, Ok(Some(SECRET.into())));
    assert_eq!(sent(&app, "own", Role::Admin).await, Ok(Some(SECRET.into())));
    let id = |id: Id| {
        let hex = id.as_simple().to_string();
        if app.db.url().starts_with("postgres") { format!("'{id}'") } else { format!("x'{hex}'") }
    };
    let (b, editor) = (id(app.b.workspace), id(app.a.user(Role::Editor)));
    let move_to = async |from: &str, change: &str, back: &str| {
        app.db.raw_sql(&format!("UPDATE upstream_secrets SET {change} WHERE upstream = '{from}'")).await;
        let opened = match change {
            "upstream = 'other'" => sent(&app, "other", Role::Admin).await,
            _ if change.starts_with("user_id") => sent(&app, "own", Role::Editor).await,
            _ => sent_in(&app, app.b.workspace, from, app.b.user(Role::Admin)).await,
        };
        assert_eq!(opened.unwrap_err().0, "connector_not_configured", "{from}: {change}");
        let moved = if change == "upstream = 'other'" { "other" } else { from };
        app.db.raw_sql(&format!("UPDATE upstream_secrets SET {back} WHERE upstream = '{moved}'")).await;
    };
    let home = format!("workspace_id = {}", id(app.a.workspace));
    move_to("forge", "upstream = 'other'", "upstream = 'forge'").await;
    move_to("forge", &format!("workspace_id = {b}"), &home).await;
    move_to("own", &format!("user_id = {editor}"), &format!("user_id = {}", id(app.a.user(Role::Admin))))
        .await;
    assert_eq!(sent(&app, "forge", Role::Admin).await, Ok(Some(SECRET.into())), "back where it was");
    assert_eq!(sent(&app, "own", Role::Admin).await, Ok(Some(SECRET.into())), "back where it was");
    // A user's secret as that of the workspace, and another origin.
    app.db.raw_sql("DELETE FROM upstream_secrets WHERE upstream = 'forge'").await;
    app.db.raw_sql("UPDATE upstream_secrets SET upstream = 'forge', user_id = NULL").await;
    assert!(sent(&app, "forge", Role::Admin).await.is_err());
    admin.done("upstreams.set_secret", json!({"name": "forge", "secret": SECRET})).await;
    app.db.raw_sql("UPDATE upstreams SET base_url = 'https://evil.example/v2/'").await;
    let (code, hint) = sent(&app, "forge", Role::Admin).await.unwrap_err();
    assert!(code == "connector_not_configured" && hint.contains("/secret"), "{hint}");
}

#[both_databases]
async fn a_secret_stands_in_no_row(db: TestDb) {
    let app = App::ruled(db, with_cipher()).await;
    let admin = app.as_role(Role::Admin);
    admin.done("upstreams.create", forge("user")).await;
    let mut shared = forge("workspace");
    shared["name"] = json!("shared");
    admin.done("upstreams.create", shared).await;
    let secret = |name: &str| json!({"name": name, "secret": SECRET});
    for person in [admin.clone(), admin.with_key("key-1")] {
        person.done("upstreams.set_secret", secret("shared")).await;
        person.done("upstreams.set_own_secret", secret("forge")).await;
    }
    admin.refused("upstreams.set_secret", secret("forge")).await;
    admin.refused("upstreams.set_own_secret", secret("gone")).await;
    app.as_role(Role::Viewer).refused("upstreams.set_secret", secret("shared")).await;
    assert_eq!(sent(&app, "shared", Role::Admin).await, Ok(Some(SECRET.into())));
    let everything = app.db.everything().await;
    let holds = |text: &str| everything.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(holds("api.forge.example"), "the search finds what is there");
    assert!(!holds(SECRET) && !holds("geheim-4711"), "a secret is stored in clear");
}

#[both_databases]
async fn tools_name_upstreams_that_exist_and_change_with_their_address(db: TestDb) {
    let app = App::ruled(db, with_cipher()).await;
    let admin = app.as_role(Role::Admin);
    assert_eq!(pointers(&admin.call("toolsets.put", desk("forge")).await), ["/tools/0/http/upstream"]);
    admin.done("upstreams.create", forge("workspace")).await;
    let wrong = admin.problem("toolsets.put", desk("forgee")).await;
    assert!(wrong.errors[0].message.contains("did you mean `forge`"), "{:?}", wrong.errors);
    let checked = admin.call("toolsets.check", json!({"document": desk("forgee")["document"]})).await;
    assert_eq!(pointers(&checked), ["/document/tools/0/http/upstream"]);
    admin.done("toolsets.put", desk("forge")).await;
    let (available, first) = tool(&app, &admin.authenticated).await;
    assert!(!available, "there is no secret");
    admin.done("upstreams.set_secret", json!({"name": "forge", "secret": SECRET})).await;
    assert_eq!(tool(&app, &admin.authenticated).await, (true, first.clone()));
    assert_eq!(admin.done("toolsets.put", desk("forge")).await["changes"], json!([]));
    // An upstream in use stays.
    let used = admin.problem("upstreams.delete", json!({"name": "forge"})).await;
    assert!(used.code.as_str() == "conflict" && used.detail.contains("`desk__get_ticket`"), "{used:?}");
    let path = json!({"name": "forge", "base_url": "https://api.forge.example/v3/"});
    admin.done("upstreams.update", path).await;
    let (available, second) = tool(&app, &admin.authenticated).await;
    assert!(available && second != first, "the definition contains the address");
    admin.done("upstreams.delete_secret", json!({"name": "forge"})).await;
    assert!(!tool(&app, &admin.authenticated).await.0);
    assert_eq!(admin.refused("upstreams.delete_secret", json!({"name": "forge"})).await, "not_found");
    let own = json!({"name": "forge", "auth": {"kind": "bearer", "owner": "user"}});
    admin.done("upstreams.update", own).await;
    assert!(tool(&app, &admin.authenticated).await.0, "whether a user has a secret is known at the call");
    admin.done("toolsets.delete", json!({"slug": "desk"})).await;
    admin.done("upstreams.delete", json!({"name": "forge"})).await;
}

#[both_databases]
async fn only_those_with_the_right_manage_upstreams(db: TestDb) {
    let app = App::ruled(db, with_cipher()).await;
    app.owner().done("upstreams.create", forge("user")).await;
    let operations = [
        ("upstreams.list", json!({})),
        ("upstreams.create", forge("user")),
        ("upstreams.update", json!({"name": "forge", "base_url": "https://b.example/"})),
        ("upstreams.delete", json!({"name": "forge"})),
        ("upstreams.set_secret", json!({"name": "forge", "secret": SECRET})),
        ("upstreams.delete_secret", json!({"name": "forge"})),
    ];
    for role in [Role::Viewer, Role::Member, Role::Editor] {
        for (operation, arguments) in &operations {
            let code = app.as_role(role).refused(operation, arguments.clone()).await;
            assert_eq!(code, "permission_denied", "{role} {operation}");
        }
    }
    let agent = new_agent(&app, "Scout", Role::Owner).await;
    for (operation, arguments) in &operations {
        assert_eq!(agent.refused(operation, arguments.clone()).await, "permission_denied", "{operation}");
    }
    let own = json!({"name": "forge", "secret": SECRET});
    for operation in ["upstreams.set_own_secret", "upstreams.delete_own_secret"] {
        let arguments = if operation.contains("set") { own.clone() } else { json!({"name": "forge"}) };
        assert_eq!(agent.refused(operation, arguments.clone()).await, "permission_denied");
        let reader = app.as_identity(service_key(&app, "integrations:read"));
        assert_eq!(reader.refused(operation, arguments.clone()).await, "insufficient_scope");
        let nobody = app.as_identity(service_key(&app, "integrations:*"));
        assert_eq!(nobody.refused(operation, arguments).await, "conflict", "a key that acts for nobody");
    }
    // Another workspace sees nothing and changes nothing.
    let b = app.as_role_b(Role::Owner);
    assert_eq!(b.done("upstreams.list", json!({})).await["items"], json!([]));
    for (operation, arguments) in operations.iter().skip(2) {
        assert_eq!(b.refused(operation, arguments.clone()).await, "not_found", "{operation}");
    }
    assert_eq!(b.refused("upstreams.set_own_secret", own).await, "not_found");
    assert_eq!(pointers(&b.call("toolsets.put", desk("forge")).await), ["/tools/0/http/upstream"]);
    b.done("upstreams.create", forge("workspace")).await;
    let listed = app.owner().done("upstreams.list", json!({})).await;
    assert_eq!(listed["items"][0]["auth"]["owner"], json!("user"), "B's upstream is another one");
}

#[both_databases]
async fn the_operator_may_forbid_upstreams_and_has_some(db: TestDb) {
    let document = json!({
        "schema": "toolcrib.toolset/1", "slug": "desk", "title": "Desk", "enabled": true,
        "upstreams": [
            {"name": "forge", "kind": "http", "base_url": "https://forge.example/",
             "auth": {"kind": "header", "name": "X-Key", "env": "FORGE_KEY"}},
            {"name": "own", "kind": "http", "base_url": "https://own.example/",
             "auth": {"kind": "bearer", "owner": "user"}}
        ],
        "tools": desk("forge")["document"]["tools"]
    });
    let toolset = check(&document, &CheckContext::new(ToolsetSource::Operator)).unwrap();
    let [forge_file, own_file] = toolset.document.upstreams.as_deref().unwrap() else { panic!("two") };
    let secret = Some(SecretString::from(SECRET));
    let upstreams = vec![
        Arc::new(CatalogUpstream::of_operator("desk", forge_file, secret, None).unwrap()),
        Arc::new(CatalogUpstream::of_operator("desk", own_file, None, None).unwrap()),
    ];
    let toolsets = vec![Arc::new(toolset)];
    let rules = OperatorRules { toolsets, upstreams, workspace_upstreams: false, ..with_cipher() };
    let app = App::ruled(db, rules).await;
    let admin = app.as_role(Role::Admin);
    let refused = admin.problem("upstreams.create", forge("workspace")).await;
    assert!(refused.detail.contains("the setting `upstreams` is off"), "{refused:?}");
    let listed = admin.done("upstreams.list", json!({})).await;
    let item = &listed["items"][0];
    assert_has(item, json!({"name": "desk.forge", "source": "operator", "has_secret": true}));
    assert!(!listed.to_string().contains(SECRET));
    assert!(tool(&app, &admin.authenticated).await.0);
    assert_eq!(sent(&app, "desk.forge", Role::Viewer).await, Ok(Some(SECRET.into())));
    let own = json!({"name": "desk.own", "secret": "my-token"});
    app.as_role(Role::Viewer).done("upstreams.set_own_secret", own).await;
    assert_eq!(sent(&app, "desk.own", Role::Viewer).await, Ok(Some("my-token".into())));
    assert!(sent(&app, "desk.own", Role::Admin).await.is_err());
    let theirs = sent_in(&app, app.b.workspace, "desk.own", app.a.user(Role::Viewer)).await;
    assert_eq!(theirs.unwrap_err().0, "connector_not_configured", "a user's secret is of one workspace");
    for (operation, arguments) in [
        ("upstreams.delete", json!({"name": "desk.forge"})),
        ("upstreams.delete_secret", json!({"name": "desk.forge"})),
    ] {
        assert_eq!(admin.refused(operation, arguments).await, "conflict", "{operation}");
    }
    let set = json!({"name": "desk.forge", "secret": SECRET});
    assert_eq!(admin.refused("upstreams.set_secret", set.clone()).await, "permission_denied");
}

#[both_databases]
async fn the_limits_of_upstreams_hold(db: TestDb) {
    let app = App::ruled(db, with_cipher()).await;
    let admin = app.as_role(Role::Admin);
    for number in 0..50 {
        let wish = json!({"name": format!("u{number}"), "kind": "mcp", "base_url": "https://a.example/mcp"});
        admin.done("upstreams.create", wish).await;
    }
    assert_eq!(admin.refused("upstreams.create", forge("user")).await, "conflict");
    admin.done("upstreams.delete", json!({"name": "u7"})).await;
    admin.done("upstreams.create", forge("user")).await;
    let own = json!({"name": "forge", "secret": SECRET});
    app.as_role(Role::Viewer).done("upstreams.set_own_secret", own.clone()).await;
    let users = if app.db.url().starts_with("postgres") {
        format!(
            "SELECT '{}', 'forge', gen_random_uuid(), 'x', 0 FROM generate_series(1, 9999)",
            app.a.workspace
        )
    } else {
        let place = app.a.workspace.as_simple().to_string();
        format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9999) \
             SELECT x'{place}', 'forge', randomblob(16), 'x', 0 FROM n"
        )
    };
    let columns = "workspace_id, upstream, user_id, sealed, set_at";
    app.db.raw_sql(&format!("INSERT INTO upstream_secrets ({columns}) {users}")).await;
    assert_eq!(app.as_role(Role::Member).refused("upstreams.set_own_secret", own.clone()).await, "conflict");
    let replaced = app.as_role(Role::Viewer).done("upstreams.set_own_secret", own).await;
    assert_eq!(replaced["replaced"], json!(true));
}
