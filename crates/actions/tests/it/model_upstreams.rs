//! Upstreams with language models: their models are named and changed as the rest of an upstream, and no
//! declared tool calls them.

use serde_json::{Value, json};
use toolcrib_engine::{OperatorRules, Outcome};
use toolcrib_model::Role;
use toolcrib_testkit::{
    TestDb, assert_has, both_databases,
    outside::{RestService, ServiceAnswer},
};

use crate::harness::{App, pointers, with_cipher};

const SECRET: &str = "geheim-4711-token";

fn router() -> Value {
    json!({
        "name": "router", "kind": "openai", "base_url": "https://models.example/v1",
        "auth": {"kind": "bearer"}, "models": ["org/large-2", "qwen3:8b"]
    })
}

/// `router` with other values; null removes one.
fn with(changes: Value) -> Value {
    let mut wish = router();
    for (key, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => _ = wish.as_object_mut().unwrap().remove(key),
            value => wish[key] = value.clone(),
        }
    }
    wish
}

#[both_databases]
async fn an_upstream_has_the_models_that_it_names(db: TestDb) {
    let app = App::ruled(db, with_cipher()).await;
    let admin = app.as_role(Role::Admin);
    let made = admin.done("upstreams.create", router()).await;
    let value = (&made["kind"], &made["models"], made.get("context_tokens"), &made["version"]);
    assert_eq!(value, (&json!("openai"), &json!(["org/large-2", "qwen3:8b"]), None, &json!(1)));
    for (name, kind, base_url) in [
        ("responses", "openai_responses", "https://api.openai.com/v1"),
        ("claude", "anthropic", "https://api.anthropic.com"),
    ] {
        let wish = json!({"name": name, "kind": kind, "base_url": base_url, "context_tokens": 200_000,
            "models": ["m"], "auth": {"kind": "header", "name": "x-api-key", "owner": "user"}});
        let made = admin.done("upstreams.create", wish).await;
        assert_eq!((&made["kind"], &made["context_tokens"]), (&json!(kind), &json!(200_000)));
    }
    let change = |changes: Value| with_name(&changes);
    let changed = admin.done("upstreams.update", change(json!({"models": ["b"], "if_match": "\"1\""}))).await;
    assert_has(&changed, json!({"models": ["b"], "version": 2, "base_url": router()["base_url"]}));
    let changed = admin.done("upstreams.update", change(json!({"context_tokens": 8_000}))).await;
    assert_eq!((&changed["models"], &changed["context_tokens"]), (&json!(["b"]), &json!(8_000)));
    let same =
        admin.done("upstreams.update", change(json!({"models": ["b"], "context_tokens": 8_000}))).await;
    assert_eq!((&same["changed"], &same["version"]), (&json!(false), &json!(3)));
    let unknown = admin.done("upstreams.update", change(json!({"context_tokens": null}))).await;
    assert_eq!((unknown.get("context_tokens"), &unknown["models"]), (None, &json!(["b"])));
    let old = change(json!({"models": ["c"], "if_match": "1"}));
    assert_eq!(admin.refused("upstreams.update", old).await, "precondition_failed");
    // Secrets stay with other models, and go with another origin.
    admin.done("upstreams.set_secret", json!({"name": "router", "secret": SECRET})).await;
    let kept = admin.done("upstreams.update", change(json!({"models": ["c", "d"]}))).await;
    assert_eq!((&kept["secrets_deleted"], &kept["has_secret"]), (&json!(0), &json!(true)));
    let moved = admin.done("upstreams.update", change(json!({"base_url": "https://other.example/v1"}))).await;
    assert_eq!((&moved["secrets_deleted"], &moved["models"]), (&json!(1), &json!(["c", "d"])));
    let listed = admin.done("upstreams.list", json!({})).await;
    let of =
        |name: &str| listed["items"].as_array().unwrap().iter().find(|item| item["name"] == name).unwrap();
    assert_eq!((&of("router")["models"], &of("claude")["models"]), (&json!(["c", "d"]), &json!(["m"])));
    let own = json!({"name": "claude", "secret": SECRET});
    let found = app.as_role(Role::Viewer).done("upstreams.set_own_secret", own).await;
    assert_eq!(found["has_secret"], json!(true));
    assert_eq!(admin.done("upstreams.delete", json!({"name": "claude"})).await["secrets_deleted"], json!(1));
}

/// A change of `router`.
fn with_name(changes: &Value) -> Value {
    let mut change = json!({"name": "router"});
    change.as_object_mut().unwrap().extend(changes.as_object().unwrap().clone());
    change
}

#[both_databases]
async fn models_are_names_and_only_of_kinds_that_have_some(db: TestDb) {
    let app = App::ruled(db, with_cipher()).await;
    let admin = app.as_role(Role::Admin);
    let names = |count: usize| (0..count).map(|at| format!("m{at}")).collect::<Vec<_>>();
    for (changes, pointer, says) in [
        (json!({"models": null}), "/models", "required for the kind `openai`"),
        (json!({"models": []}), "/models", "at least 1"),
        (json!({"models": names(51)}), "/models", "at most 50"),
        (json!({"models": ["a", ""]}), "/models/1", ""),
        (json!({"models": ["x".repeat(201)]}), "/models/0", "at most 200"),
        (json!({"models": ["a", "b c"]}), "/models/1", "visible ASCII without spaces"),
        (json!({"models": ["é"]}), "/models/0", "visible ASCII without spaces"),
        (json!({"models": ["a", "b", "a"]}), "/models/2", "named twice"),
        (json!({"context_tokens": 999}), "/context_tokens", "1000"),
        (json!({"context_tokens": 1_000.5}), "/context_tokens", ""),
        (json!({"kind": "gemini"}), "/kind", "openai_responses"),
        (
            json!({"kind": "http", "base_url": "https://models.example/"}),
            "/models",
            "not possible for the kind `http`",
        ),
        (json!({"kind": "mcp"}), "/models", "not possible for the kind `mcp`"),
        (
            json!({"kind": "mcp", "models": null, "context_tokens": 8_000}),
            "/context_tokens",
            "for the kind `mcp`",
        ),
        (json!({"base_url": "https://api.openai.com/v1"}), "/kind", "`openai_responses`"),
        (json!({"base_url": "https://10.0.0.1/v1"}), "/base_url", ""),
        (json!({"base_url": "http://models.example/v1"}), "/base_url", ""),
    ] {
        let answer = admin.call("upstreams.create", with(changes.clone())).await;
        assert_eq!(pointers(&answer), [pointer], "{changes}");
        let Outcome::Refused(problem) = &answer.outcome else { panic!("not refused") };
        assert!(problem.errors[0].message.contains(says), "{changes}: {:?}", problem.errors);
    }
    assert_eq!(admin.done("upstreams.list", json!({})).await["items"], json!([]));
    let most =
        admin.done("upstreams.create", with(json!({"models": names(50), "context_tokens": 1_000}))).await;
    assert_eq!(most["models"].as_array().unwrap().len(), 50);
    for (changes, pointer) in [
        (json!({"models": ["a", "a"]}), "/models/1"),
        (json!({"models": []}), "/models"),
        (json!({"context_tokens": 10}), "/context_tokens"),
        (json!({"base_url": "https://api.openai.com/v1"}), "/base_url"),
    ] {
        let answer = admin.call("upstreams.update", with_name(&changes)).await;
        assert_eq!(pointers(&answer), [pointer], "{changes}");
    }
    let rest = json!({"name": "rest", "kind": "http", "base_url": "https://rest.example/"});
    admin.done("upstreams.create", rest).await;
    let answer = admin.call("upstreams.update", json!({"name": "rest", "models": ["a"]})).await;
    assert_eq!(pointers(&answer), ["/models"]);
}

#[both_databases]
async fn no_tool_calls_an_upstream_with_models(db: TestDb) {
    let rules = OperatorRules { upstream_hosts: vec!["127.0.0.1".into()], ..with_cipher() };
    let app = App::ruled(db, rules).await;
    let admin = app.as_role(Role::Admin);
    // The operator may list a private host for models too.
    admin.done("upstreams.create", with(json!({"base_url": "http://127.0.0.1:11434/v1"}))).await;
    let document = json!({
        "schema": "toolcrib.toolset/1", "slug": "desk", "title": "Support desk",
        "tools": [{
            "name": "get_ticket", "description": "One ticket.", "permission_level": "read",
            "accessible_by": "everyone",
            "http": {"upstream": "router", "method": "GET", "path": "tickets"}
        }]
    });
    let refused = admin.problem("toolsets.put", json!({"slug": "desk", "document": document})).await;
    assert_eq!(
        (refused.errors[0].pointer.as_str(), refused.errors[0].message.as_str()),
        ("/tools/0/http/upstream", "`router` is of the kind `openai`, and the tool needs `http`")
    );
    let refused = admin.problem("upstreams.tools", json!({"name": "router"})).await;
    assert_eq!(
        refused.errors[0].message,
        "`router` is of the kind `openai`; only an MCP server lists its tools"
    );
}

/// An app whose workspaces may name the service, with `router` at it.
async fn served(db: TestDb, changes: Value) -> (App, RestService) {
    let service = RestService::start().await;
    let rules = OperatorRules { upstream_hosts: vec![service.host.clone()], ..with_cipher() };
    let app = App::ruled(db, rules).await;
    let mut wish = with(changes);
    wish["base_url"] = json!(service.url.trim_end_matches('/'));
    app.owner().done("upstreams.create", wish).await;
    let models = json!({"data": [{"id": "qwen3:8b"}, {"id": "new-1", "owned_by": SECRET}]});
    service.answer(ServiceAnswer::Json(200, models));
    (app, service)
}

#[both_databases]
async fn a_service_lists_its_models(db: TestDb) {
    let (app, service) = served(db, json!({})).await;
    let admin = app.as_role(Role::Admin);
    let ask = json!({"name": "router"});
    let problem = admin.problem("upstreams.discover", ask.clone()).await;
    assert_eq!(problem.code.as_str(), "connector_not_configured");
    assert!(problem.hint.unwrap().contains("PUT /v1/upstreams/router/secret"));
    admin.done("upstreams.set_secret", json!({"name": "router", "secret": SECRET})).await;
    let found = admin.done("upstreams.discover", ask.clone()).await;
    assert_eq!(
        found,
        json!({
            "name": "router", "tools": [], "left_out": [], "complete": true,
            "models": [{"name": "qwen3:8b", "chosen": true}, {"name": "new-1", "chosen": false}]
        })
    );
    let received = service.received();
    assert_eq!(service.lines(), ["GET /v2/models"]);
    assert_eq!(received[0].headers["authorization"], format!("Bearer {SECRET}"));
    // Nothing is taken over.
    let listed = admin.done("upstreams.list", json!({})).await;
    assert_eq!(listed["items"][0]["models"], router()["models"]);
    for (answer, says) in [
        (ServiceAnswer::Json(401, json!({"error": SECRET})), "401"),
        (ServiceAnswer::Json(200, json!({"error": SECRET})), "broken"),
        (ServiceAnswer::Half, "broken"),
    ] {
        service.answer(answer);
        let problem = admin.problem("upstreams.discover", ask.clone()).await;
        assert_eq!(problem.code.as_str(), "upstream_error");
        assert!(problem.detail.starts_with("`router` does not list its models"), "{problem:?}");
        assert!(problem.detail.contains(says) && !format!("{problem:?}").contains(SECRET), "{problem:?}");
    }
}

#[both_databases]
async fn messages_are_listed_with_the_users_own_key(db: TestDb) {
    let auth = json!({"kind": "header", "name": "x-api-key", "owner": "user"});
    let (app, service) = served(db, json!({"kind": "anthropic", "auth": auth})).await;
    let (admin, owner) = (app.as_role(Role::Admin), app.owner());
    let ask = json!({"name": "router"});
    admin.done("upstreams.set_own_secret", json!({"name": "router", "secret": SECRET})).await;
    admin.done("upstreams.discover", ask.clone()).await;
    assert_eq!(owner.refused("upstreams.discover", ask).await, "connector_not_configured");
    let received = service.received();
    assert_eq!(service.lines(), ["GET /v2/models?limit=1000"]);
    assert_eq!(received[0].headers["x-api-key"], SECRET);
    assert_eq!(received[0].headers["anthropic-version"], "2023-06-01");
}

#[both_databases]
async fn a_test_asks_for_the_models_with_the_secret(db: TestDb) {
    let (app, service) = served(db, json!({})).await;
    let admin = app.as_role(Role::Admin);
    admin.done("upstreams.set_secret", json!({"name": "router", "secret": SECRET})).await;
    let tested = admin.done("upstreams.test", json!({"name": "router"})).await;
    assert_eq!((&tested["ok"], &tested["status"]), (&json!(true), &json!(200)));
    service.answer(ServiceAnswer::Json(401, json!({})));
    let tested = admin.done("upstreams.test", json!({"name": "router"})).await;
    assert_eq!((&tested["ok"], &tested["problem"]), (&json!(false), &json!("secret")));
    assert_eq!(service.lines(), ["GET /v2/models"; 2]);
}
