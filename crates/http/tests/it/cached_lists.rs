//! Cached lists: whatever a list depends on changes, the cache returns what is made without it.

mod facts;

use serde_json::{Value, json};
use toolcrib_model::{Role, Surface};
use toolcrib_registry::Format;
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, Client};

/// The requests whose lists are compared.
const LISTS: [&str; 5] = [
    "/v1/tools",
    "/v1/tools?strategy=all&format=anthropic&defer=true",
    "/v1/tools?strategy=filtered&query=create+a+task&format=gemini",
    "/v1/tools?strategy=filtered",
    "/v1/tools?strategy=dispatcher_only&detail=names&max_tokens=900",
];

fn desk() -> Value {
    let tool = |name: &str, level: &str, access: Value| {
        json!({
            "name": name, "description": format!("Does what `{name}` says."), "permission_level": level,
            "accessible_by": access, "client": {},
            "parameters": {"required": ["id"], "properties": {"id": {"type": "integer", "minimum": 1}}},
            "output": {"type": "object", "properties": {"state": {"type": "string"}}}
        })
    };
    json!({
        "schema": "toolcrib.toolset/1", "slug": "desk", "title": "Support desk",
        "tools": [
            tool("look", "read", json!("everyone")), tool("change", "write", json!("everyone")),
            tool("channel", "read", json!({"types": ["channel"], "names": []})),
            tool("chosen", "read", json!({"types": [], "names": ["chosen"]}))
        ]
    })
}

/// Sends every request of [`LISTS`] to the app, twice, and to a router with an empty cache. Returns the
/// lists.
async fn lists(app: &App, caller: &Client<'_>, what: &str) -> Vec<String> {
    let mut lists = Vec::new();
    for path in LISTS {
        let fresh = app.fresh_router();
        let expected = caller.of(&fresh).get(path).await;
        for _ in 0..2 {
            let reply = caller.get(path).await;
            assert_eq!((reply.status, &reply.text), (expected.status, &expected.text), "{what}: {path}");
            let tag = reply.header("etag");
            assert_eq!(tag, expected.header("etag"), "{what}: {path}");
            let again = caller.with("If-None-Match", tag).get(path).await;
            assert_eq!((again.status.as_u16(), &*again.text, again.header("etag")), (304, "", tag), "{path}");
        }
        lists.push(expected.text);
    }
    lists
}

async fn key(app: &App, body: Value) -> Client<'_> {
    app.owner().bearer(app.new_key(body).await["secret"].as_str().unwrap())
}

/// An agent's key.
async fn agent<'a>(app: &'a App, name: &str) -> Client<'a> {
    let made = app.owner().run("create_agent", json!({ "name": name })).await.ok(200);
    let editor = app.as_role(Role::Editor).get("/v1/me").await.ok(200)["user"]["user_id"].take();
    let body = json!({
        "kind": "agent", "name": name, "agent": made["data"]["id"], "runs_as": editor,
        "scopes": ["*:read", "tools:read"], "caller_types": ["mission"],
    });
    key(app, body).await
}

async fn service<'a>(app: &'a App, scopes: &[&str]) -> Client<'a> {
    let body = json!({"kind": "service", "name": "runtime", "role": "editor", "scopes": scopes});
    key(app, body).await
}

#[both_databases]
async fn callers_with_other_facts_have_other_lists(db: TestDb) {
    let app = App::new(db).await;
    app.owner().send("PUT", "/v1/toolsets/desk", desk()).await.ok(200);
    let mission = app.owner().run("create_mission", json!({"goal": "Answer"})).await.ok(200);
    let mission = mission["data"]["id"].as_str().unwrap().to_owned();
    let editor = app.as_role(Role::Editor);
    let callers = [
        ("editor", editor.clone()),
        ("viewer", app.as_role(Role::Viewer)),
        ("owner", app.owner()),
        ("type", editor.with("X-Caller-Type", "channel")),
        ("mission", editor.with("X-Mission-Id", &mission)),
        ("agent", agent(&app, "Other").await),
        ("chosen agent", agent(&app, "Chosen").await),
        ("key", service(&app, &["*:read"]).await),
        ("key of the toolset", service(&app, &["tools:read", "desk:read"]).await),
        ("workspace", app.as_role_b(Role::Editor)),
    ];
    let mut seen: Vec<(&str, String)> = Vec::new();
    for (what, caller) in &callers {
        // The second list has every action.
        let list = lists(&app, caller, what).await.remove(1);
        if let Some((twin, _)) = seen.iter().find(|(_, known)| *known == list) {
            panic!("{what} and {twin} have the same list, which tests nothing");
        }
        seen.push((what, list));
    }
}

#[both_databases]
async fn a_workspace_without_a_pack_has_lists_of_its_own(db: TestDb) {
    let app = App::with_pack(db).await;
    let (a, b) = (app.as_role(Role::Editor), app.as_role_b(Role::Editor));
    let (on, off) = (lists(&app, &a, "on").await, lists(&app, &b, "off").await);
    for (path, (on, off)) in LISTS.iter().zip(on.iter().zip(&off)) {
        assert!(on.contains("game_list_projects") && !off.contains("game_"), "{path}");
        // What the other workspace has cached is not what this one has.
        let tags = [a.get(path).await, b.get(path).await].map(|reply| reply.header("etag").to_owned());
        for (caller, other, own) in [(&a, &tags[1], on), (&b, &tags[0], off)] {
            let reply = caller.with("If-None-Match", other).get(path).await;
            assert_eq!((reply.status.as_u16(), &reply.text), (200, own), "{path}");
        }
    }
    for (owner, enabled) in [(app.owner(), false), (app.as_role_b(Role::Owner), true)] {
        owner.send("PATCH", "/v1/packs/game", json!({ "enabled": enabled })).await.ok(200);
    }
    assert_eq!((lists(&app, &a, "off").await, lists(&app, &b, "on").await), (off, on));
}

#[both_databases]
async fn a_change_is_in_the_next_list(db: TestDb) {
    let app = App::new(db).await;
    let (owner, editor) = (app.owner(), app.as_role(Role::Editor));
    let members = owner.get("/v1/members").await.ok(200);
    let mut members = members["items"].as_array().unwrap().iter();
    let member = members.find(|member| member["role"] == "editor").unwrap()["user_id"].as_str().unwrap();
    let role = format!("/v1/members/{member}");
    let promoted = json!({"actions": ["platform_list_tasks", "desk__look"]});
    let mut text = desk();
    text["tools"][0]["description"] = "Does something else.".into();
    let changes = [
        ("PUT", "/v1/toolsets/desk", desk()),
        ("PATCH", "/v1/toolsets/desk", json!({"disabled_tools": ["look"]})),
        ("PATCH", "/v1/toolsets/desk", json!({"enabled": false})),
        ("PATCH", "/v1/toolsets/desk", json!({"enabled": true, "disabled_tools": []})),
        ("PUT", "/v1/toolsets/desk", text),
        ("PUT", "/v1/promotions/api", promoted),
        ("PATCH", "/v1/settings", json!({"approval_mode": "read_only"})),
        ("PATCH", "/v1/settings", json!({"approval_mode": "standard"})),
        ("PATCH", role.as_str(), json!({"role": "viewer"})),
    ];
    let mut before = lists(&app, &editor, "at the beginning").await;
    for (method, path, body) in changes {
        let what = format!("{method} {path} {body}");
        let reply = owner.send(method, path, body).await;
        assert!(reply.status.is_success(), "{what}: {}", reply.text);
        let after = lists(&app, &editor, &what).await;
        assert_ne!(before, after, "{what}");
        before = after;
    }
}

#[both_databases]
async fn each_parameter_of_a_request_has_its_own_list(db: TestDb) {
    let app = App::new(db).await;
    app.owner().send("PUT", "/v1/toolsets/desk", desk()).await.ok(200);
    let requests = [
        json!({}),
        json!({"format": "anthropic"}),
        json!({"strategy": "all"}),
        json!({"strict": "auto"}),
        json!({"format": "anthropic", "defer": true}),
        json!({"detail": "names"}),
        json!({"max_tokens": 1_500}),
        json!({"strategy": "filtered"}),
        json!({"strategy": "filtered", "query": "create a task"}),
        json!({"strategy": "filtered", "query": "which documents are there"}),
        json!({"strategy": "filtered", "query": "yes", "context": ["Shall I delete the agent Researcher?"]}),
    ];
    let mut seen: Vec<String> = Vec::new();
    for body in requests.iter().chain(&requests) {
        let cached = app.owner().post("/v1/tools", body.clone()).await;
        let expected = app.owner().of(&app.fresh_router()).post("/v1/tools", body.clone()).await;
        assert_eq!((cached.status.as_u16(), &cached.text), (200, &expected.text), "{body}");
        seen.push(cached.text);
    }
    let (first, second) = seen.split_at(requests.len());
    assert_eq!(first, second);
    for (at, list) in first.iter().enumerate() {
        let twin = first.iter().take(at).position(|known| known == list);
        assert_eq!(twin, None, "{} has the list of another request", requests[at]);
    }
}

/// The actions, operations and declared tools of the owner's catalogue whose schemas are in memory as values.
async fn parsed(app: &App) -> Vec<String> {
    let owner = app.authenticated_owner().await;
    let admitted = app.engine.admit_with_catalog(&owner, Surface::Rest).await.unwrap();
    let parsed =
        admitted.catalog.registry().all().filter(|meta| meta.input.is_parsed() || meta.output.is_parsed());
    parsed.map(|meta| meta.spec.name.to_string()).collect()
}

#[both_databases]
async fn lists_and_searches_keep_no_schema_in_memory(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.send("PUT", "/v1/toolsets/desk", desk()).await.ok(200);
    for format in Format::ALL {
        for strategy in ["full", "filtered", "dispatcher_only", "all"] {
            owner.get(&format!("/v1/tools?format={format}&strategy={strategy}")).await.ok(200);
            owner.get(&format!("/v1/tools?format={format}&strategy={strategy}&strict=auto")).await.ok(200);
        }
        assert_eq!(parsed(&app).await, ["toolsets.put"], "{format}");
    }
    for path in ["/v1/actions?limit=100", "/v1/actions/desk__look", "/v1/tools/openapi", "/openapi.json"] {
        owner.get(path).await.ok(200);
        assert_eq!(parsed(&app).await, ["toolsets.put"], "{path}");
    }
    assert_eq!(owner.get("/v1/tools/prompt?include_promoted=true").await.status.as_u16(), 200);
    owner.post("/v1/tools/search", json!({"query": "look at the desk"})).await.ok(200);
    owner.run("find_tools", json!({"query": "look at the desk"})).await.ok(200);
    owner.run("list_tools", json!({})).await.ok(200);
    let called = ["platform_find_tools", "platform_list_tools", "toolsets.put"];
    assert_eq!(parsed(&app).await, called, "searches");
    owner.post("/v1/actions/desk__look", json!({"id": 1})).await.ok(202);
    assert_eq!(parsed(&app).await, [&called[..], &["desk__look"]].concat());
}
