//! Packs: switched on for a workspace, off for all others, and refused at the start if they lack something.

use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib_access::Scopes;
use toolcrib_actions::{Infrastructure, catalog_with_packs};
use toolcrib_auth::{Authenticated, Credential, RequestedContext, ServiceKey};
use toolcrib_engine::{
    Action, ActionError, ApproveRequest, CallerTools, Outcome, Pack, ReadAction, ReadCx, Remember,
};
use toolcrib_model::{ConfirmationStatus, Role, Surface};
use toolcrib_registry::{Category, PackInfo, Permission, Spec, Verb};
use toolcrib_testkit::{Person, TestDb, both_databases, pack_schema};

use crate::world::{World, world};

const ADD: &str = "notes_add_note";
const LIST: &str = "notes_list_notes";

async fn switch(person: &Person<'_>, on: bool) -> Value {
    person.done("packs.update", json!({ "slug": "notes", "enabled": on })).await
}

/// The tool list of a person, as text.
async fn list(app: &World, person: &Person<'_>) -> String {
    let admitted = app.engine.admit(&person.authenticated).await.unwrap();
    let tools = CallerTools::new(app.engine.catalog(), &admitted.0, &admitted.1);
    toolcrib_http::tool_list(&tools, json!({ "format": "openai" })).unwrap()["tools"].to_string()
}

#[both_databases]
async fn a_pack_that_is_off_is_in_no_list_and_runs_on_no_path(db: TestDb) {
    let app = world(db).await;
    let (owner, other) = (app.owner(), app.as_role_b(Role::Owner));
    owner.done(ADD, json!({ "text": "kept" })).await;
    let with = list(&app, &other).await;
    switch(&owner, false).await;
    let params = json!({ "text": "x" });
    let through = json!({ "action": ADD, "params": params });
    for (action, arguments) in [(ADD, params.clone()), ("platform_execute", through), (LIST, json!({}))] {
        let refused = owner.as_model("call_1").call(action, arguments).await;
        let Outcome::Refused(problem) = &refused.outcome else { panic!("{action} ran") };
        assert_eq!((problem.code.as_str(), problem.status), ("permission_denied", 403), "{action}");
        assert!(problem.detail.contains("the pack `notes` is not switched on"), "{}", problem.detail);
    }
    // No list, search or hint names it, and the other workspace has it still.
    let without = list(&app, &owner).await;
    assert!(!without.contains("notes_") && with.contains(LIST));
    assert_eq!(list(&app, &other).await, with);
    let found = owner.done("find_tools", json!({ "query": "what notes do we have" })).await;
    assert!(!found.to_string().contains("notes_"), "{found}");
    let near = owner.call("notes_list_note", json!({})).await.outcome.to_value();
    assert!(near["code"] == "unknown_action" && !near["hint"].to_string().contains("notes_"), "{near}");
    for report in ["access.report", "access.matrix"] {
        let [off, on] = [owner.done(report, json!({})).await, other.done(report, json!({})).await];
        assert!(!off.to_string().contains("notes_") && on.to_string().contains("notes_"), "{report}");
        assert!(off["total"].as_u64() < on["total"].as_u64(), "{report}");
    }
    assert_eq!(other.done(LIST, json!({})).await["items"], json!([]));
    // Off keeps the data.
    switch(&owner, true).await;
    assert_eq!(owner.done(LIST, json!({})).await["items"][0]["text"], "kept");
    assert_eq!(list(&app, &owner).await, with);
}

#[both_databases]
async fn what_waited_when_a_pack_was_switched_off_is_void(db: TestDb) {
    let app = world(db).await;
    let owner = app.owner();
    owner.done("settings.update", json!({ "approval_mode": "confirm_writes" })).await;
    let mut waiting = Vec::new();
    for text in ["first", "second"] {
        let Outcome::Waiting(asked) = owner.call(ADD, json!({ "text": text })).await.outcome else {
            panic!("the write waits");
        };
        waiting.push(asked.confirmation.id);
    }
    switch(&owner, false).await;
    let off = owner.approve(waiting[0]).await.unwrap_err();
    assert_eq!(off.code.as_str(), "void", "{off:?}");
    let card = owner.confirmation(waiting[1]).await.unwrap();
    assert_eq!((card.status, card.can_decide.allowed), (ConfirmationStatus::Void, false));
    assert_eq!(card.reason.as_deref(), Some("the pack was switched off"));
    switch(&owner, true).await;
    assert!(!waiting.contains(&owner.pending(ADD, json!({ "text": "second" })).await), "it asks anew");
    let back = owner.approve(waiting[1]).await.unwrap_err();
    assert_eq!(back.code.as_str(), "void", "{back:?}");
    assert_eq!(owner.done(LIST, json!({})).await["items"], json!([]));
}

#[both_databases]
async fn a_grant_of_a_conversation_ends_with_the_pack_and_does_not_come_back(db: TestDb) {
    let app = world(db).await;
    let owner = app.owner();
    owner.done("settings.update", json!({ "approval_mode": "confirm_writes" })).await;
    let mut in_session = owner.authenticated.clone();
    in_session.requested.session = Some("s1".into());
    let chat = app.as_identity(in_session);
    let granted = async |action: &str, arguments: Value| {
        matches!(chat.call(action, arguments).await.outcome, Outcome::Completed(_))
    };
    let project = |name: &str| json!({ "name": name });
    for (action, arguments) in [(ADD, json!({ "text": "a" })), ("game_create_project", project("A"))] {
        let id = chat.pending(action, arguments).await;
        let remember = Some(Remember::Session);
        chat.approve_once(id, ApproveRequest { remember, ..ApproveRequest::default() }).await.unwrap();
    }
    assert!(granted(ADD, json!({ "text": "b" })).await);
    switch(&owner, false).await;
    assert!(!granted(ADD, json!({ "text": "c" })).await);
    switch(&owner, true).await;
    assert!(!granted(ADD, json!({ "text": "d" })).await, "the grant came back");
    assert!(granted("game_create_project", project("B")).await, "that of another pack stays");
    assert_eq!(owner.done(LIST, json!({})).await["items"].as_array().unwrap().len(), 2);
}

#[both_databases]
async fn a_pack_is_changed_by_admins_at_the_version_that_they_read(db: TestDb) {
    let app = world(db).await;
    let owner = app.owner();
    for role in [Role::Viewer, Role::Member, Role::Editor] {
        let code =
            app.as_role(role).refused("packs.update", json!({ "slug": "notes", "enabled": false })).await;
        assert_eq!(code, "permission_denied", "{role}");
    }
    let read = owner.done("packs.list", json!({})).await["items"][0].clone();
    assert_eq!(
        (&read["slug"], &read["enabled"], &read["actions"]),
        (&json!("notes"), &json!(true), &json!(2))
    );
    let change = |version: &Value, on: bool| json!({ "slug": "notes", "enabled": on, "if_match": version });
    let changed = owner.done("packs.update", change(&read["version"], false)).await;
    assert_eq!((&changed["changed"], &changed["enabled"]), (&json!(true), &json!(false)));
    let late = owner.refused("packs.update", change(&read["version"], true)).await;
    assert_eq!(late, "precondition_failed");
    let same = owner.done("packs.update", change(&changed["version"], false)).await;
    assert_eq!((&same["changed"], &same["version"]), (&json!(false), &changed["version"]));
    let settings = json!({ "slug": "notes", "settings": { "a": 1 } });
    assert_eq!(owner.refused("packs.update", settings).await, "invalid_arguments");
    assert_eq!(owner.refused("packs.update", json!({ "slug": "note" })).await, "not_found");
}

#[both_databases]
async fn the_tokens_of_a_pack_are_what_it_adds_to_the_list_of_an_admin(db: TestDb) {
    let app = world(db).await;
    let owner = app.owner();
    let switch = async |slug: &str, on: bool| {
        owner.done("packs.update", json!({ "slug": slug, "enabled": on })).await["tokens"].clone()
    };
    let size = async || {
        owner.done("access.tools", json!({ "role": "admin" })).await["list"]["tokens"].as_u64().unwrap()
    };
    let mut of_game = Vec::new();
    for promoted in [json!([]), json!(["game_get_dependency_graph"])] {
        owner.done("promotions.set", json!({ "caller": "api", "actions": promoted })).await;
        let listed = owner.done("packs.list", json!({})).await;
        for pack in listed["items"].as_array().unwrap() {
            let (slug, on) = (pack["slug"].as_str().unwrap(), size().await);
            let when_off = switch(slug, false).await;
            assert_eq!(pack["tokens"], on - size().await, "{slug}");
            assert_eq!([&when_off, &switch(slug, true).await], [&pack["tokens"]; 2], "{slug}");
        }
        of_game.push(listed["items"][2]["tokens"].as_u64().unwrap());
    }
    assert!(of_game[0] > 0 && of_game[0] < of_game[1], "a promoted action costs more: {of_game:?}");
}

#[both_databases]
async fn settings_that_the_pack_could_not_use_are_refused_with_every_defect(db: TestDb) {
    let app = world(db).await;
    let owner = app.owner();
    let library = |kind: &str, name: &str| {
        json!({
            "kind": kind, "name": name, "root_folder": "/a", "quality_profile": "Any",
        })
    };
    let settings = |zone: &str, names: [(&str, &str); 3]| {
        let libraries = names.map(|(kind, name)| library(kind, name));
        json!({ "slug": "media", "settings": { "time_zone": zone, "libraries": libraries } })
    };
    let same = [("series", "Anime"), ("movie", "anime"), ("series", "anime")];
    let refused = owner.problem("packs.update", settings("Berlin", same)).await;
    let pointers: Vec<&str> = refused.errors.iter().map(|error| &*error.pointer).collect();
    assert_eq!(
        (refused.status, &pointers[..]),
        (422, &["/settings/time_zone", "/settings/libraries/2/name"][..])
    );
    assert_eq!(owner.done("media_get_upcoming_movies", json!({})).await["time_zone"], "UTC");
    let apart = [("series", "Anime"), ("movie", "anime"), ("series", "series")];
    let kept = owner.done("packs.update", settings("Europe/Berlin", apart)).await;
    assert_eq!(kept["settings"]["time_zone"], "Europe/Berlin");
}

#[both_databases]
async fn only_owners_delete_the_data_of_a_pack_and_only_their_own(db: TestDb) {
    let app = world(db).await;
    let (owner, other) = (app.owner(), app.as_role_b(Role::Owner));
    for person in [&owner, &other] {
        person.done(ADD, json!({ "text": "x" })).await;
    }
    let asked = |name: &str| json!({ "slug": "notes", "name": name });
    assert_eq!(
        app.as_role(Role::Admin).refused("packs.delete_data", asked("notes")).await,
        "permission_denied"
    );
    assert_eq!(owner.refused("packs.delete_data", asked("Notes")).await, "invalid_arguments");
    let gone = owner.call("packs.delete_data", asked("notes")).await.outcome.to_value();
    assert_eq!((&gone["data"]["deleted_rows"], &gone["data"]["complete"]), (&json!(1), &json!(true)));
    assert_eq!(gone["description"], "Deleted 1 row of the pack `notes`");
    assert_eq!(owner.done(LIST, json!({})).await["items"], json!([]));
    assert_eq!(other.done(LIST, json!({})).await["items"].as_array().unwrap().len(), 1);
}

#[both_databases]
async fn a_key_for_everything_holds_nothing_of_a_pack(db: TestDb) {
    let app = world(db).await;
    let owner = app.owner();
    let key = |scope: &str| json!({ "kind": "service", "name": scope, "scopes": [scope] });
    for (scope, reads) in [
        ("*:*", false),
        ("*:read", false),
        ("notes:use", false),
        ("notes:read", true),
        ("notes:*", true),
        ("packs:*", true),
    ] {
        let made = owner.done("keys.create", key(scope)).await;
        let service = ServiceKey {
            key_id: made["id"].as_str().unwrap().parse().unwrap(),
            workspace: app.a.workspace,
            role: "editor".into(),
            scopes: Scopes::from(Some(vec![scope.to_owned()])),
            caller_types: vec!["api".into()],
        };
        let requested = RequestedContext::default();
        let holder = app.as_identity(Authenticated { credential: Credential::Service(service), requested });
        let answer = holder.call(LIST, json!({})).await.outcome.to_value();
        assert_eq!(answer["status"] == "completed", reads, "{scope}: {answer}");
    }
    assert_eq!(owner.refused("keys.create", key("games:manage")).await, "invalid_arguments");
}

/// The names of a list's tools in the OpenAI format.
fn tool_names(list: &Value) -> Vec<&str> {
    list["tools"].as_array().unwrap().iter().filter_map(|tool| tool["function"]["name"].as_str()).collect()
}

#[both_databases]
async fn a_list_has_no_more_tools_than_the_provider_takes(db: TestDb) {
    let app = world(db).await;
    let owner = app.owner();
    let listed = async || {
        let admitted = app.engine.admit(&owner.authenticated).await.unwrap();
        let tools = CallerTools::new(app.engine.catalog(), &admitted.0, &admitted.1);
        let list = |format| toolcrib_http::tool_list(&tools, json!({ "format": format, "strategy": "all" }));
        (tools.allowed().len(), list("openai").unwrap(), list("anthropic").unwrap())
    };
    let (allowed, openai, anthropic) = listed().await;
    assert!(allowed > 128);
    assert_eq!(anthropic["tools"].as_array().unwrap().len(), allowed);
    let names = tool_names(&openai);
    assert_eq!(names.len(), 128);
    // The dispatcher has the last actions of the packs by slug and name, and nothing of the platform.
    let behind = openai["tools"].as_array().unwrap().iter().find_map(|tool| {
        tool.pointer("/function/parameters/properties/action/enum")
            .filter(|_| tool["function"]["name"] == "platform_execute")
    });
    let behind: Vec<&str> = behind.unwrap().as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(behind.len(), allowed - 127);
    assert!(behind.iter().all(|name| name.starts_with("notes_") || name.starts_with("media_")), "{behind:?}");
    // What the workspace promotes keeps its tool.
    let last = behind[behind.len() - 1];
    let promoted = json!({ "caller": "api", "actions": [last] });
    owner.done("promotions.set", promoted).await;
    let (_, promoted, _) = listed().await;
    assert!(tool_names(&promoted).contains(&last) && tool_names(&promoted).len() == 128);
}

/// A toolset of 16 tools, all promoted.
fn promoted_toolset(slug: &str) -> Value {
    let tool = |n: i32| {
        json!({
            "name": format!("tool_{n:02}"), "description": format!("Does the work {n}."),
            "permission_level": "read", "accessible_by": "everyone", "promoted": true,
            "parameters": { "properties": {} }, "client": {}
        })
    };
    let tools: Vec<Value> = (0..16).map(tool).collect();
    json!({ "schema": "toolcrib.toolset/1", "slug": slug, "title": slug, "tools": tools })
}

#[both_databases]
async fn promoted_tools_of_toolsets_end_where_the_provider_takes_no_more(db: TestDb) {
    let app = world(db).await;
    let owner = app.owner();
    for n in 1..=9 {
        let slug = format!("desk{n}");
        owner.done("toolsets.put", json!({ "slug": slug, "document": promoted_toolset(&slug) })).await;
    }
    let admitted = app.engine.admit_with_catalog(&owner.authenticated, Surface::Rest).await.unwrap();
    let tools = admitted.tools();
    for strategy in ["full", "all"] {
        let list = toolcrib_http::tool_list(&tools, json!({ "format": "openai", "strategy": strategy }));
        let list = list.unwrap();
        let names = tool_names(&list);
        assert_eq!(names.len(), 128, "{strategy}");
        // Those that lost their tool are behind the dispatcher of declared tools.
        let text = list["tools"].to_string();
        assert!(names.contains(&"desk1__tool_00") && !names.contains(&"desk9__tool_15"), "{strategy}");
        assert!(text.contains("desk9__tool_15"), "{strategy}");
    }
}

#[both_databases]
async fn no_toolset_has_the_slug_of_a_pack(db: TestDb) {
    let app = world(db).await;
    let owner = app.owner();
    let document = promoted_toolset("notes");
    for (action, arguments, pointer) in [
        ("toolsets.put", json!({ "slug": "notes", "document": document }), "/slug"),
        ("toolsets.check", json!({ "document": document }), "/document/slug"),
    ] {
        let errors = owner.problem(action, arguments).await.errors;
        assert!(errors[0].pointer == pointer && errors[0].message.contains("slug of a pack"), "{errors:?}");
    }
}

static SHOP: PackInfo =
    PackInfo { slug: "shop", title: "Shop", description: "A shop.", sources: &[], events: &[] };

/// An action without words.
struct ListOrders;

#[derive(Clone, Debug, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

impl ReadAction for ListOrders {
    type Input = Nothing;
    type Output = Nothing;

    fn spec() -> Spec {
        let permission = Permission::of_pack("shop", Verb::Read);
        Spec::read("shop_list_orders", Category::Pack(&SHOP), permission).describe("List orders.")
    }

    async fn run(&self, _: &mut ReadCx<'_>, _: &Nothing) -> Result<Nothing, ActionError> {
        Ok(Nothing {})
    }

    fn describe(_: &Nothing, _: &Nothing) -> String {
        "Listed the orders".into()
    }
}

fn shop() -> Pack {
    Pack {
        phrases: "shop_list_orders\ta\nshop_list_orders\tb\nshop_list_orders\tc\n",
        calls: r#"[{"action": "shop_list_orders", "params": {}}]"#,
        ..Pack::new(&SHOP, || vec![Action::read(ListOrders)])
    }
}

fn defects(packs: &[Pack], offered: Option<&[String]>) -> String {
    let built = catalog_with_packs(&Infrastructure::default(), packs, offered);
    let defects = built.err().unwrap_or_default();
    defects.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_pack_that_lacks_something_is_refused_at_the_start() {
    assert_eq!(defects(&[shop(), notes::pack()], None), "");
    let two = "shop_list_orders\ta\nshop_list_orders\tb\n";
    let foreign =
        r#"[{"action": "shop_list_orders", "params": {}}, {"action": "platform_list_agents", "params": {}}]"#;
    let schema = notes::pack().schema;
    for (packs, part) in [
        (vec![shop(), shop()], "`shop`: another pack has the same slug"),
        (vec![Pack { phrases: two, ..shop() }], "`shop_list_orders` has 2 phrases; it needs at least 3"),
        (vec![Pack { calls: "", ..shop() }], "`shop_list_orders` is not in the pack's calls"),
        (vec![Pack { calls: "[{]", ..shop() }], "its calls can't be read"),
        (vec![Pack { calls: foreign, ..shop() }], "name `platform_list_agents`, which is no action of it"),
        (vec![Pack { schema, ..shop() }], "its tables have another slug"),
        (vec![Pack { actions: notes::pack().actions, ..shop() }], "has another category than its pack"),
    ] {
        let found = defects(&packs, None);
        assert!(found.contains(part), "{part}: {found}");
    }
    assert!(defects(&[shop()], Some(&["shops".into()])).contains("this build has no such pack"));
}

/// Tables that lack a wall, or are not the pack's own, with what the start says.
const NO_WALLS: [(&str, &str, &[&str], &str); 5] = [
    (
        "CREATE TABLE shop_orders (workspace_id BLOB, id BLOB NOT NULL PRIMARY KEY) STRICT",
        "CREATE TABLE shop_orders (workspace_id UUID, id UUID PRIMARY KEY); \
         SELECT guard_tenant('shop_orders', 'SELECT')",
        &["shop_orders"],
        "the primary key of `shop_orders` must begin with `workspace_id`",
    ),
    (
        "CREATE TABLE shop_orders (workspace_id BLOB, id BLOB, PRIMARY KEY (workspace_id, id)) STRICT",
        "CREATE TABLE shop_orders (workspace_id UUID, id UUID, PRIMARY KEY (workspace_id, id))",
        &["shop_orders"],
        "`shop_orders` has no policy by workspace",
    ),
    (
        "CREATE TABLE shop_orders (workspace_id BLOB, id BLOB, PRIMARY KEY (workspace_id, id)) STRICT",
        "CREATE TABLE shop_orders (workspace_id UUID, PRIMARY KEY (workspace_id)); \
         SELECT guard_tenant('shop_orders', 'SELECT')",
        &[],
        "the table `shop_orders` is not in its list of tables",
    ),
    (
        "DROP TABLE tasks",
        "DROP TABLE tasks",
        &[],
        "may only create and change tables and indexes that begin with `shop_`",
    ),
    (
        "CREATE TABLE orders (id BLOB)",
        "CREATE TABLE orders (id UUID)",
        &["orders"],
        "must begin with `shop_`",
    ),
];

#[both_databases]
async fn tables_without_a_wall_are_refused_at_the_start(db: TestDb) {
    for (sqlite, postgres, tables, part) in NO_WALLS {
        let schema = pack_schema("shop", sqlite, postgres, tables);
        let refused = db.migrate_packs(&[Arc::new(schema)]).await;
        db.raw_sql("DROP TABLE IF EXISTS shop_orders; DROP TABLE IF EXISTS _sqlx_migrations_shop").await;
        // SQLite has no policies: the tests read the statements of packs instead.
        if db.kind() == "sqlite" && part.contains("no policy") {
            refused.unwrap();
            continue;
        }
        let error = refused.unwrap_err().to_string();
        assert!(error.contains("pack `shop`") && error.contains(part), "{part}: {error}");
    }
}

#[both_databases]
async fn a_build_without_the_pack_leaves_its_tables_alone(db: TestDb) {
    let schemas = [notes::pack().schema.unwrap()];
    db.migrate_packs(&schemas).await.unwrap();
    db.migrate_packs(&[]).await.unwrap();
    db.migrate_packs(&schemas).await.unwrap();
}
