//! Declared tools in lists and calls: what the list shows is what may be run.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use crate::harness::{App, Client, openai};

/// A read for everyone, which is promoted, and a destructive tool for agents of one name.
fn desk() -> Value {
    json!({
        "schema": "toolcrib.toolset/1", "slug": "desk", "title": "Support desk",
        "tools": [
            {
                "name": "getTicket", "description": "One ticket with its messages. For a ticket's number.",
                "permission_level": "read", "accessible_by": "everyone", "promoted": true,
                "parameters": {"required": ["id"], "properties": {"id": {"type": "integer", "minimum": 1}}},
                "client": {}
            },
            {
                "name": "create_task", "description": "Add a task to a ticket.",
                "permission_level": "write", "accessible_by": "everyone",
                "parameters": {"required": ["id"], "properties": {"id": {"type": "integer"}}}, "client": {}
            },
            {
                "name": "drop_queue", "description": "Drop a queue.", "permission_level": "destructive",
                "accessible_by": "everyone", "warning": "Its tickets are gone.", "client": {}
            }
        ]
    })
}

async fn with_desk(app: &App) -> Client<'_> {
    app.owner().send("PUT", "/v1/toolsets/desk", desk()).await.ok(200);
    app.owner()
}

fn names(list: &Value) -> Vec<&str> {
    list["tools"].as_array().unwrap().iter().map(|tool| tool["function"]["name"].as_str().unwrap()).collect()
}

fn behind<'l>(list: &'l Value, dispatcher: &str) -> Vec<&'l str> {
    let tools = list["tools"].as_array().unwrap();
    let tool = tools.iter().find(|tool| tool["function"]["name"] == dispatcher);
    let names =
        tool.and_then(|tool| tool["function"]["parameters"]["properties"]["action"]["enum"].as_array());
    names.into_iter().flatten().filter_map(Value::as_str).collect()
}

#[both_databases]
async fn declared_tools_are_listed_found_and_run(db: TestDb) {
    let app = App::new(db).await;
    a_toolset_changes_nothing_before_its_own_tools(&app).await;
    declared_tools_are_found_by_those_who_may_call_them(&app).await;
    another_workspaces_tool_is_a_name_that_never_was(&app).await;
    either_dispatcher_runs_a_tool_and_its_name_may_be_spelled_differently(&app).await;
    errors_show_the_call_through_the_right_dispatcher(&app).await;
    foreign_calls_are_those_outside_of_the_workspaces_toolsets(&app).await;
    a_name_that_an_action_and_a_tool_have_is_that_of_the_dispatcher(&app).await;
    a_workspace_may_promote_a_declared_tool(&app).await;
}

async fn a_toolset_changes_nothing_before_its_own_tools(app: &App) {
    let before = app.owner().get("/v1/tools").await.ok(200);
    let owner = with_desk(app).await;
    let after = owner.get("/v1/tools").await.ok(200);
    let (old, new) = (before["tools"].as_array().unwrap(), after["tools"].as_array().unwrap());
    assert_eq!(old[..], new[..old.len()]);
    assert_eq!(names(&after)[old.len()..], ["desk__getTicket", "tools_execute"]);
    assert_eq!(behind(&after, "tools_execute"), ["desk__create_task", "desk__drop_queue"]);
    assert_eq!(after["actions"].as_u64().unwrap(), before["actions"].as_u64().unwrap() + 3);
    assert_ne!(after["catalog_version"], before["catalog_version"]);
    let others = app.as_role_b(Role::Owner).get("/v1/tools").await.ok(200);
    assert_has(&others, json!({"tools": before["tools"], "catalog_version": before["catalog_version"]}));
}

#[both_databases]
async fn lists_are_cached_for_one_version_of_the_toolsets(db: TestDb) {
    let app = App::new(db).await;
    let owner = with_desk(&app).await;
    let first = owner.get("/v1/tools").await;
    let tag = first.header("etag").to_owned();
    let known = owner.with("If-None-Match", &tag);
    assert_eq!(known.get("/v1/tools").await.status, 304);
    let mut changed = desk();
    changed["tools"][0]["description"] = json!("One ticket.");
    owner.send("PUT", "/v1/toolsets/desk", changed).await.ok(200);
    let second = known.get("/v1/tools").await;
    assert!(second.ok(200).to_string().contains("\"One ticket.\""));
    owner.send("PUT", "/v1/toolsets/desk", desk()).await.ok(200);
    assert_eq!(known.get("/v1/tools").await.status, 304, "the same tools have the same tag");
    owner.send("PATCH", "/v1/toolsets/desk", json!({"disabled_tools": ["getTicket"]})).await.ok(200);
    assert!(!names(&known.get("/v1/tools").await.ok(200)).contains(&"desk__getTicket"));
}

#[both_databases]
async fn a_tool_that_is_off_is_in_no_list_and_says_who_switches_it_on(db: TestDb) {
    let app = App::new(db).await;
    let owner = with_desk(&app).await;
    owner.send("PATCH", "/v1/toolsets/desk", json!({"disabled_tools": ["drop_queue"]})).await.ok(200);
    let off = owner.post("/v1/actions/desk__drop_queue", json!({})).await.problem(403, "permission_denied");
    assert!(off["detail"].as_str().unwrap().contains("this workspace disabled it"), "{off}");
    owner.send("PATCH", "/v1/toolsets/desk", json!({"enabled": false})).await.ok(200);
    let list = owner.get("/v1/tools").await.ok(200);
    assert!(!list.to_string().contains("desk__"));
    let refused = owner.post("/v1/actions/desk__getTicket", json!({"id": 1})).await;
    let refused = refused.problem(403, "permission_denied");
    assert!(refused["detail"].as_str().unwrap().contains("its toolset is not enabled"), "{refused}");
    assert!(refused["hint"].as_str().unwrap().contains("workspace admin"), "{refused}");
    let rows = owner.get("/v1/audit?action=desk__getTicket").await.ok(200);
    assert_eq!(rows["items"][0]["reason"], "enabled", "{rows}");
    owner.send("DELETE", "/v1/toolsets/desk", json!({})).await.ok(200);
    owner.post("/v1/actions/desk__getTicket", json!({"id": 1})).await.problem(404, "unknown_action");
}

async fn another_workspaces_tool_is_a_name_that_never_was(app: &App) {
    with_desk(app).await;
    let other = app.as_role_b(Role::Owner);
    for path in ["/v1/actions/desk__getTicket", "/v1/actions/desk__getTicket/check"] {
        let known = other.post(path, json!({"id": 1})).await.problem(404, "unknown_action");
        let never = other.post(&path.replace("Ticket", "Zebra"), json!({"id": 1})).await;
        let never = never.problem(404, "unknown_action").to_string().replace("Zebra", "Ticket");
        let same = |problem: &str| {
            let words = problem.split("\"executed_at\"").next().unwrap();
            words.split("\"request_id\"").next().unwrap().to_owned()
        };
        assert_eq!(same(&known.to_string()), same(&never));
    }
    let call = json!({"action": "desk__getTicket", "params": {"id": 1}});
    let calls = json!({"format": "openai", "tool_calls": [openai("c", "tools_execute", &call)]});
    let answer = other.post("/v1/tools/calls", calls).await.ok(200);
    assert_eq!(answer["results"][0]["error"]["code"], "unknown_action", "{answer}");
    other.get("/v1/actions/desk__getTicket").await.problem(404, "unknown_action");
}

async fn one_call(client: &Client<'_>, name: &str, arguments: &Value) -> Value {
    let calls = json!({"format": "openai", "tool_calls": [openai("c1", name, arguments)]});
    client.post("/v1/tools/calls", calls).await.ok(200)["results"][0].clone()
}

async fn either_dispatcher_runs_a_tool_and_its_name_may_be_spelled_differently(app: &App) {
    let owner = with_desk(app).await;
    let through = |action: &str| json!({"action": action, "params": {"id": 1}});
    for (name, arguments) in [
        ("desk__getTicket", json!({"id": 1})),
        ("desk__get_ticket", json!({"id": 1})),
        ("getTicket", json!({"id": "1"})),
        ("tools_execute", through("desk__getTicket")),
        ("tools_execute", through("get_ticket")),
        ("tools-execute", through("desk.getTicket")),
        ("platform_execute", through("desk__getTicket")),
        ("desk__getTicket", json!({"action": "desk__getTicket", "params": {"id": 1}})),
        ("desk__getTickt", json!({"id": 1})),
    ] {
        let result = one_call(&owner, name, &arguments).await;
        assert_eq!(result["action"], "desk__getTicket", "{name} {arguments}: {result}");
    }
}

async fn a_name_that_an_action_and_a_tool_have_is_that_of_the_dispatcher(app: &App) {
    let owner = with_desk(app).await;
    let both = one_call(&owner, "create_task", &json!({"id": 1})).await;
    assert_eq!(both["error"]["code"], "unknown_action", "{both}");
    let hint = both["error"]["hint"].as_str().unwrap();
    assert!(hint.contains("`platform_create_task`") && hint.contains("`desk__create_task`"), "{hint}");
    let task = json!({"action": "create_task", "params": {"title": "Call back", "description": "Today"}});
    let platform = one_call(&owner, "platform_execute", &task).await;
    assert_eq!(platform["action"], "platform_create_task", "{platform}");
    let desk = json!({"action": "create_task", "params": {"id": 1}});
    let declared = one_call(&owner, "tools_execute", &desk).await;
    assert_eq!(declared["action"], "desk__create_task", "{declared}");
}

async fn errors_show_the_call_through_the_right_dispatcher(app: &App) {
    let owner = with_desk(app).await;
    let missing = one_call(&owner, "tools_execute", &json!({"params": {"id": 1}})).await;
    assert!(missing["error"]["hint"].as_str().unwrap().contains("<toolset>__"), "{missing}");
    let wrong = one_call(&owner, "desk__create_task", &json!({"id": "many"})).await;
    assert_eq!(wrong["error"]["errors"][0]["pointer"], "/id", "{wrong}");
    let own = one_call(&owner, "tools_execute", &json!({"action": "platform_execute", "params": {}})).await;
    assert!(
        own["error"]["detail"].as_str().unwrap().contains("`tools_execute` can't call `platform_execute`"),
        "{own}"
    );
    let viewer = app.as_role(Role::Viewer);
    let denied = one_call(&viewer, "desk__create_task", &json!({"id": 1})).await;
    assert_eq!(denied["error"]["code"], "permission_denied", "{denied}");
    assert!(denied["error"]["detail"].as_str().unwrap().contains("member"), "{denied}");
}

async fn foreign_calls_are_those_outside_of_the_workspaces_toolsets(app: &App) {
    let owner = with_desk(app).await;
    let calls: Vec<Value> = ["getTicket", "desk__getTicket", "desk__gone", "tools_execute", "mail__send"]
        .iter()
        .map(|name| openai(name, name, &json!({"id": 1})))
        .collect();
    let body = json!({"format": "openai", "foreign": "skip", "tool_calls": calls});
    let unhandled = |answer: &Value| -> Vec<String> {
        let items = answer["unhandled"].as_array().unwrap().iter();
        items.map(|item| item["name"].as_str().unwrap().to_owned()).collect()
    };
    let own = owner.post("/v1/tools/calls", body.clone()).await.ok(200);
    assert_eq!(unhandled(&own), ["getTicket", "mail__send"]);
    let other = app.as_role_b(Role::Owner).post("/v1/tools/calls", body).await.ok(200);
    assert_eq!(unhandled(&other).len(), 5, "a workspace without toolsets leaves them all: {other}");
}

async fn a_workspace_may_promote_a_declared_tool(app: &App) {
    let owner = with_desk(app).await;
    let promoted = json!({"actions": ["platform_create_agent", "desk__create_task"]});
    owner.send("PUT", "/v1/promotions/api", promoted).await.ok(200);
    let list = owner.get("/v1/tools").await.ok(200);
    assert!(names(&list).contains(&"desk__create_task"), "{:?}", names(&list));
    assert!(behind(&list, "tools_execute").contains(&"desk__getTicket"));
    let unknown = json!({"actions": ["desk__gone"]});
    owner.send("PUT", "/v1/promotions/api", unknown).await.problem(422, "invalid_arguments");
}

#[both_databases]
async fn many_tools_are_searched_for_instead_of_named(db: TestDb) {
    let app = App::new(db).await;
    let tools: Vec<Value> = (0..250)
        .map(|n| {
            json!({
                "name": format!("tool_{n}"), "description": format!("Look up shelf {n}."),
                "permission_level": "read", "accessible_by": "everyone", "client": {}
            })
        })
        .collect();
    let document = json!({"schema": "toolcrib.toolset/1", "slug": "store", "title": "Store", "tools": tools});
    app.owner().send("PUT", "/v1/toolsets/store", document).await.ok(200);
    let list = app.owner().get("/v1/tools").await.ok(200);
    assert!(names(&list).contains(&"tools_execute") && behind(&list, "tools_execute").is_empty());
    let called = json!({"action": "store__tool_249", "params": {}});
    let result = one_call(&app.owner(), "tools_execute", &called).await;
    assert_eq!(result["action"], "store__tool_249", "{result}");
    let query = "/v1/tools?strategy=filtered&query=create+a+task";
    let filtered = app.owner().get(query).await.ok(200);
    assert!(
        names(&filtered).contains(&"tools_execute") && names(&filtered).contains(&"platform_create_task")
    );
    assert!(filtered["tokens"].as_u64().unwrap() < 1_900, "{}", filtered["tokens"]);
}

async fn declared_tools_are_found_by_those_who_may_call_them(app: &App) {
    with_desk(app).await;
    let search = async |client: &Client<'_>, query: &str| {
        client.post("/v1/tools/search", json!({"query": query, "limit": 3.0})).await.ok(200)
    };
    let found = search(&app.owner(), "messages of a ticket").await;
    let (first, hint) = (&found["items"][0], &found["hint"]);
    assert_eq!((&first["name"], hint), (&json!("desk__getTicket"), &Value::Null), "{found}");
    assert_eq!(first["how_to_call"]["name"], "desk__getTicket");
    let drop = search(&app.owner(), "desk__drop_queue").await;
    let how = &drop["items"][0]["how_to_call"];
    assert_eq!(
        (&how["name"], &how["arguments"]["action"]),
        (&json!("tools_execute"), &json!("desk__drop_queue")),
        "{drop}"
    );
    let viewer = search(&app.as_role(Role::Viewer), "desk__drop_queue").await;
    assert!(!viewer.to_string().contains("\"desk__drop_queue"), "{viewer}");
    let other = search(&app.as_role_b(Role::Owner), "messages of a ticket").await;
    assert!(!other.to_string().contains("desk__"), "{other}");
    let tools = app.owner().run("find_tools", json!({"query": "messages of a ticket"})).await.ok(200);
    assert_eq!(tools["data"]["items"][0]["name"], "desk__getTicket", "{tools}");
    let query = "/v1/tools?strategy=filtered&query=messages+of+a+ticket";
    assert!(names(&app.owner().get(query).await.ok(200)).contains(&"desk__getTicket"));
}
