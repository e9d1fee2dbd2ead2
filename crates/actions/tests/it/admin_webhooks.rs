//! Webhooks as a resource.

use std::{collections::BTreeSet, fs, path::Path};

use serde_json::{Value, json};
use toolcrib_engine::{DatasourceRules, EVENT_NAMES};
use toolcrib_model::Role;
use toolcrib_store::webhooks;
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use crate::harness::{App, audit_rows, new_agent, pointers};

const URL: &str = "https://hooks.example.com/toolcrib";

/// The operations on one webhook or delivery.
const OF_ONE: &str =
    "webhooks.delete webhooks.update webhooks.rotate webhooks.list_deliveries webhooks.retry_delivery";

fn hook(url: &str) -> Value {
    json!({ "url": url, "types": ["agent.*", "awaiting_permission"] })
}

/// The event names in the sources: string literals in calls of the functions that write events.
fn told() -> BTreeSet<String> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut folders = vec![crates.join("actions/src"), crates.join("engine/src")];
    let mut names = BTreeSet::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            for call in ["emit(", "happened(", ".emit(", ".event("] {
                for after in text.split(call).skip(1) {
                    let Some(literal) = after.split(';').next().and_then(|call| call.split('"').nth(1))
                    else {
                        continue;
                    };
                    let word = |part: &str| {
                        !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
                    };
                    if literal.split_once('.').is_some_and(|(resource, verb)| word(resource) && word(verb)) {
                        names.insert(literal.to_owned());
                    }
                }
            }
        }
    }
    names
}

#[test]
fn every_event_that_is_told_has_its_name_in_the_list() {
    assert!(EVENT_NAMES.is_sorted());
    let told = told();
    assert!(told.len() > 40, "{told:?}");
    let missing: Vec<&String> = told.iter().filter(|name| !EVENT_NAMES.contains(&name.as_str())).collect();
    assert!(missing.is_empty(), "add to `EVENT_NAMES`: {missing:?}");
}

#[both_databases]
async fn a_webhook_is_made_changed_and_removed(db: TestDb) {
    let app = App::sending(db, &[]).await;
    let admin = app.as_role(Role::Admin);
    let made = admin.done("webhooks.create", hook(URL)).await;
    let secret = made["secret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_") && secret.len() >= 40, "{secret}");
    assert_has(&made, json!({"url": URL, "types": ["agent.*", "awaiting_permission"], "enabled": true}));
    assert_eq!((&made["created_by"], &made["previous_secret_until"]), (&json!(app.a.admin), &json!(null)));
    let id = made["id"].clone();
    let changed = admin.done("webhooks.update", json!({"id": id, "enabled": false, "types": ["*"]})).await;
    assert_has(&changed, json!({"enabled": false, "types": ["*"], "url": URL}));
    let changed = admin.done("webhooks.update", json!({"id": id, "url": "https://other.example.com"})).await;
    assert_eq!((&changed["url"], &changed["enabled"]), (&json!("https://other.example.com/"), &json!(false)));
    let rotated = admin.done("webhooks.rotate", json!({"id": id})).await;
    assert_ne!(rotated["secret"], made["secret"]);
    assert_eq!(rotated["previous_secret_until"], "2026-01-16T10:00:00.000000Z");
    let listed = admin.done("webhooks.list", json!({})).await;
    assert_eq!((&listed["items"][0]["id"], listed["items"].as_array().unwrap().len()), (&id, 1));
    let shown = format!("{listed}{changed}");
    assert!(!shown.contains("whsec_") && !shown.contains("encrypted"), "the secret is shown once: {shown}");
    assert_eq!(admin.done("webhooks.list_deliveries", json!({"id": id})).await["items"], json!([]));
    let gone = admin.done("webhooks.delete", json!({"id": id})).await;
    assert_eq!((&gone["id"], &gone["deleted"]), (&id, &json!(true)));
    for operation in OF_ONE.split(' ') {
        assert_eq!(admin.refused(operation, json!({"id": id})).await, "not_found", "{operation}");
    }
}

#[both_databases]
async fn a_type_that_no_event_has_is_refused(db: TestDb) {
    let app = App::sending(db, &[]).await;
    let admin = app.as_role(Role::Admin);
    let given = json!({
        "url": URL,
        "types": ["agent.created", "agent.exploded", "agents.*", "*", "agent.*", "tool_used"]
    });
    let problem = admin.problem("webhooks.create", given).await;
    let pointers: Vec<&str> = problem.errors.iter().map(|error| error.pointer.as_str()).collect();
    let found = (problem.code.as_str(), pointers);
    assert_eq!(found, ("invalid_arguments", vec!["/types/1", "/types/2", "/types/5"]));
    let hint = problem.hint.unwrap();
    assert!(hint.contains("agent.created") && hint.contains("`*`"), "{hint}");
    let made = admin.done("webhooks.create", json!({ "url": URL, "types": EVENT_NAMES[..50] })).await;
    assert_eq!(
        admin.refused("webhooks.update", json!({"id": made["id"], "types": ["memory.eaten"]})).await,
        "invalid_arguments"
    );
    admin.done("webhooks.update", json!({"id": made["id"], "types": ["*", "memory.*"]})).await;
}

#[both_databases]
async fn its_secret_is_nowhere_in_the_clear(db: TestDb) {
    let app = App::sending(db, &[]).await;
    let owner = app.owner().with_key("once");
    let made = owner.done("webhooks.create", hook(URL)).await;
    let secret = made["secret"].as_str().unwrap().trim_start_matches("whsec_").to_owned();
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let webhook = made["id"].as_str().unwrap().parse().unwrap();
    let sealed = webhooks::encrypted_secret(&mut tx, webhook).await.unwrap().unwrap();
    tx.end().await.unwrap();
    let log = audit_rows(&app, app.a.workspace, None).await;
    assert!(!format!("{sealed:?}{log:?}").contains(&secret));
    let again = owner.call("webhooks.create", hook(URL)).await.outcome.to_value();
    assert_eq!((&again["data"]["secret"], &again["secret_shown"]), (&json!(null), &json!(true)));
}

#[both_databases]
async fn of_its_address_host_and_path_alone_are_written_down(db: TestDb) {
    let app = App::sending(db, &[]).await;
    let owner = app.owner();
    let address = |token: &str| format!("https://hooks.example.com/in?token={token}");
    let made = owner.done("webhooks.create", hook(&address("canary-1"))).await;
    assert_eq!(made["url"], address("canary-1"), "whoever made it is shown what it is");
    let id = json!({"id": made["id"]});
    owner.done("webhooks.update", json!({"id": made["id"], "url": address("canary-2")})).await;
    owner.done("webhooks.rotate", id.clone()).await;
    owner.refused("webhooks.create", hook("https://me:canary-3@hooks.example.com/in")).await;
    owner.refused("webhooks.create", hook("ftp://hooks.example.com/canary-4")).await;
    owner.done("webhooks.delete", id).await;
    let log = format!("{:?}", audit_rows(&app, app.a.workspace, None).await);
    assert!(log.contains("https://hooks.example.com/in?•••") && !log.contains("canary"), "{log}");
}

#[both_databases]
async fn another_tenants_webhook_is_not_there(db: TestDb) {
    let app = App::sending(db, &[]).await;
    let made = app.owner().done("webhooks.create", hook(URL)).await;
    let stranger = app.as_role_b(Role::Owner);
    for id in [made["id"].clone(), json!("01890a5d-ac96-774b-bcce-b302099a8057")] {
        for operation in OF_ONE.split(' ') {
            assert_eq!(stranger.refused(operation, json!({"id": id})).await, "not_found", "{operation}");
        }
    }
    assert_eq!(stranger.done("webhooks.list", json!({})).await["items"], json!([]));
    assert_eq!(app.owner().done("webhooks.list", json!({})).await["items"][0]["enabled"], true);
}

#[both_databases]
async fn an_agent_makes_no_webhook(db: TestDb) {
    let app = App::sending(db, &[]).await;
    let agent = new_agent(&app, "Bot", Role::Owner).await;
    assert_eq!(agent.refused("webhooks.create", hook(URL)).await, "permission_denied");
}

#[both_databases]
async fn private_addresses_and_unknown_event_types_are_refused(db: TestDb) {
    let app = App::sending(db, &["hooks.internal"]).await;
    let owner = app.owner();
    for bad in [
        "x",
        "http://hooks.example.com/",
        "https://127.0.0.1/",
        "https://localhost:8787/v1/me",
        "https://169.254.169.254/",
        "https://[::1]/",
        "https://a:b@hooks.example.com/",
        "ftp://hooks.internal/",
        "https://10.1.2.3/",
    ] {
        assert_eq!(pointers(&owner.call("webhooks.create", hook(bad)).await), ["/url"], "{bad}");
    }
    let made = owner.done("webhooks.create", hook("http://hooks.internal/x")).await;
    assert_eq!(made["url"], "http://hooks.internal/x", "the operator allowed it");
    let answer = owner.call("webhooks.update", json!({"id": made["id"], "url": "https://10.0.0.1/"})).await;
    assert_eq!(pointers(&answer), ["/url"]);
    for bad in [&["Agent.created"][..], &["agent.*.x"], &["a*"], &[""], &["agent created"], &[]] {
        let found = pointers(&owner.call("webhooks.create", json!({"url": URL, "types": bad})).await);
        assert!(
            !found.is_empty() && found.iter().all(|pointer| pointer.starts_with("/types")),
            "{bad:?}: {found:?}"
        );
    }
    let answer = owner.call("webhooks.list_deliveries", json!({"id": made["id"], "status": "lost"})).await;
    assert_eq!(pointers(&answer), ["/status"]);
}

#[both_databases]
async fn a_workspace_has_ten_at_most(db: TestDb) {
    let app = App::sending(db, &[]).await;
    for _ in 0..10 {
        app.owner().done("webhooks.create", hook(URL)).await;
    }
    assert_eq!(app.owner().refused("webhooks.create", hook(URL)).await, "conflict");
    app.as_role_b(Role::Owner).done("webhooks.create", hook(URL)).await;
}

#[both_databases]
async fn a_webhook_needs_a_key_for_secrets(db: TestDb) {
    let app = App::reaching(db, DatasourceRules::default()).await;
    assert_eq!(app.owner().refused("webhooks.create", hook(URL)).await, "connector_not_configured");
}
