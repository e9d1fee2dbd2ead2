//! A model's tool calls.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, openai};

#[both_databases]
async fn every_call_is_answered_in_order(db: TestDb) {
    let app = App::new(db).await;
    let body = app
        .owner()
        .calls(&[
            ("a", "platform_create_agent", json!({"name": "One"})),
            ("b", "platform_create_agent", json!({"temperature": 9})),
            ("c", "platform_no_such", json!({})),
            ("d", "platform_list_agents", json!({})),
        ])
        .await
        .ok(200);
    let ids: Vec<&str> =
        body["messages"].as_array().unwrap().iter().map(|m| m["tool_call_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["a", "b", "c", "d"]);
    let result = |i: usize| &body["results"][i];
    assert_eq!((&result(0)["ok"], &result(0)["tool_call_id"]), (&json!(true), &json!("a")));
    assert_eq!(
        (&result(1)["status"], &result(1)["error"]["code"]),
        (&json!("refused"), &json!("invalid_arguments"))
    );
    assert_eq!(
        (&result(2)["error"]["code"], &result(2)["action"]),
        (&json!("unknown_action"), &json!("platform_no_such"))
    );
    assert_eq!(result(3)["data"]["items"][0]["name"], "One");
    let told: Value = serde_json::from_str(body["messages"][1]["content"].as_str().unwrap()).unwrap();
    assert_eq!((&told["status"], &told["error"]), (&json!("refused"), &json!("invalid_arguments")));
    assert!(told.get("call_id").is_none());
}

#[both_databases]
async fn bad_calls_are_told_of(db: TestDb) {
    let app = App::new(db).await;
    operations_do_not_exist_for_a_model(&app).await;
    broken_arguments_are_that_calls_error(&app).await;
    the_frame_is_checked_as_a_whole(&app).await;
    what_else_is_broken_fails_the_whole_request(&app).await;
    a_call_that_was_cut_off_is_refused(&app).await;
    calls_of_other_tools_may_be_skipped(&app).await;
    a_denied_call_does_not_stop_the_rest(&app).await;
    one_bad_call_does_not_spoil_the_turn(&app).await;
}

async fn operations_do_not_exist_for_a_model(app: &App) {
    let owner = app.owner();
    let workspace = app.a.to_string();
    for (operation, arguments) in [
        ("workspaces.delete", json!({"id": workspace, "name": "A"})),
        ("keys.create", json!({"kind": "service", "name": "stolen", "scopes": ["*:read"]})),
        ("members.add", json!({"subject": "mallory", "role": "editor"})),
        ("settings.update", json!({"approval_mode": "read_only"})),
        ("members.list", json!({})),
    ] {
        let through = json!({"action": operation, "params": arguments});
        let body =
            owner.calls(&[("a", operation, arguments), ("b", "platform_execute", through)]).await.ok(200);
        for result in body["results"].as_array().unwrap() {
            assert_eq!(result["error"]["code"], "unknown_action", "{operation}");
        }
    }
    let keys = owner.get("/v1/keys").await.ok(200);
    assert_eq!(keys["items"], json!([]));
}

#[both_databases]
async fn anthropic_gets_one_message_with_marked_errors(db: TestDb) {
    let app = App::new(db).await;
    let calls = json!({"format": "anthropic", "tool_calls": [
        {"type": "text", "text": "let me look"},
        {"type": "tool_use", "id": "t1", "name": "platform_create_agent", "input": {"name": "One"}},
        {"type": "tool_use", "id": "t2", "name": "platform_get_agent", "input": {"agent": "Two"}},
    ]});
    let body = app.owner().post("/v1/tools/calls", calls).await.ok(200);
    let [message] = body["messages"].as_array().unwrap().as_slice() else { panic!("{body}") };
    let blocks = message["content"].as_array().unwrap();
    assert_eq!((&message["role"], blocks.len()), (&json!("user"), 2));
    assert_eq!((&blocks[0]["tool_use_id"], &blocks[0]["is_error"]), (&json!("t1"), &Value::Null));
    assert_eq!((&blocks[1]["tool_use_id"], &blocks[1]["is_error"]), (&json!("t2"), &json!(true)));
}

#[both_databases]
async fn the_dispatcher_runs_promoted_actions_too(db: TestDb) {
    let app = App::new(db).await;
    let through = |action: &str, params: Value| json!({"action": action, "params": params});
    let body = app
        .owner()
        .calls(&[
            ("a", "platform_create_agent", json!({"name": "One"})),
            ("b", "platform_execute", through("platform_create_agent", json!({"name": "Two"}))),
            ("c", "platform_execute", through("platform_delete_agent", json!({"agent": "One"}))),
        ])
        .await
        .ok(200);
    assert_eq!((&body["results"][1]["ok"], &body["results"][1]["via"]), (&json!(true), &json!("dispatcher")));
    assert_eq!(body["results"][2]["status"], "confirmation_required");
    // Clients that name the strategy of their list are not refused.
    let list = json!({"strategy": "dispatcher_only", "tool_calls": [
        openai("d", "platform_execute", &through("platform_create_agent", json!({"name": "Three"})))]});
    let body = app.owner().post("/v1/tools/calls", list).await.ok(200);
    assert_eq!((&body["results"][0]["ok"], &body["results"][0]["via"]), (&json!(true), &json!("dispatcher")));
}

async fn broken_arguments_are_that_calls_error(app: &App) {
    let body = app
        .owner()
        .calls(&[
            ("a", "platform_list_agents", json!("{\"limit\":1")),
            ("b", "platform_list_agents", json!("{\"limit\":1,\"limit\":2}")),
            ("c", "platform_list_agents", json!("{'limit':1,}")),
        ])
        .await
        .ok(200);
    let code = |i: usize| body["results"][i]["error"]["code"].as_str();
    assert_eq!((code(0), code(1), code(2)), (Some("malformed_request"), Some("malformed_request"), None));
    assert_eq!(body["results"][0]["action"], "platform_list_agents");
}

async fn the_frame_is_checked_as_a_whole(app: &App) {
    let call = openai("x", "platform_list_agents", &json!({}));
    let bad = [
        json!({}),
        json!({"format": "nope", "tool_calls": []}),
        json!({"format": "mcp", "tool_calls": []}),
        json!({"tool_calls": {}}),
        json!({"tool_calls": [{"id": 1}]}),
        json!({"tool_calls": [], "user": "x"}),
        json!({"tool_calls": [], "wait": 61}),
        json!({"tool_calls": vec![call.clone(); 33]}),
    ];
    for frame in bad {
        app.owner().post("/v1/tools/calls", frame).await.problem(422, "invalid_arguments");
    }
    let full = app.owner().post("/v1/tools/calls", json!({"tool_calls": vec![call; 32]})).await.ok(200);
    assert_eq!(full["results"].as_array().unwrap().len(), 32);
}

/// Texts of calls that are no strict JSON, or no whole calls, and the id by which each is answered.
const BROKEN: [(&str, &str); 9] = [
    (
        r#"{"id":"bad","type":"function","function":{"name":"platform_create_task","arguments":"\ud800"}}"#,
        "bad",
    ),
    (
        r#"{"id":"bad","type":"function","function":{"name":"platform_create_task","arguments":"a\u0000"}}"#,
        "bad",
    ),
    (r#"{"id":"bad","function":{"name":"platform_create_task","arguments":{"a":1,"a":2}}}"#, "bad"),
    (r#"{"id":"bad","function":{"name":"platform_create_task","arguments":{"a":1e400}}}"#, "bad"),
    (r#"{"id":"bad","function":{"name":"platform_create_task","arguments":DEEP}}"#, "bad"),
    (r#"{"id":"bad","function":{"name":"","arguments":"{}"}}"#, "bad"),
    (r#"{"id":"bad","function":{"arguments":"{}"}}"#, "bad"),
    (r#"{"function":{"name":"platform_create_task","arguments":"{}"}}"#, ""),
    (r#"{"id":7,"function":{"name":"platform_create_task","arguments":"{}"}}"#, ""),
];

async fn one_bad_call_does_not_spoil_the_turn(app: &App) {
    let deep = format!("{}{}", "[".repeat(70), "]".repeat(70));
    let json = Some("application/json");
    for (index, (text, id)) in BROKEN.iter().enumerate() {
        let text = text.replace("DEEP", &deep);
        let good = |id: &str| {
            let task = json!({"title": format!("{id} {index}"), "description": "x"});
            openai(id, "platform_create_task", &task).to_string()
        };
        let body = format!(r#"{{"tool_calls":[{},{text},{}]}}"#, good("first"), good("last"));
        let turn = app.owner().raw("POST", "/v1/tools/calls", json, body).await.ok(200);
        let status = |at: usize| turn["results"][at]["status"].as_str();
        let results = turn["results"].as_array().unwrap();
        assert_eq!(
            (status(0), results.last().unwrap()["status"].as_str()),
            (Some("completed"), Some("completed"))
        );
        if id.is_empty() {
            assert_eq!((results.len(), turn["unhandled"].as_array().unwrap().len()), (2, 1), "{text}");
            let reason = turn["unhandled"][0]["reason"].as_str().unwrap();
            assert!(reason.starts_with("`/tool_calls/1/id`"), "{reason}");
            continue;
        }
        assert_eq!((results.len(), status(1)), (3, Some("refused")), "{text}");
        let bad = &turn["results"][1];
        assert_eq!((&bad["tool_call_id"], &bad["error"]["code"]), (&json!(id), &json!("malformed_request")));
        assert_eq!((&turn["messages"][1]["tool_call_id"], &turn["unhandled"]), (&json!(id), &json!([])));
        assert!(bad["error"]["detail"].as_str().unwrap().starts_with("`/tool_calls/1"), "{bad}");
    }
}

async fn what_else_is_broken_fails_the_whole_request(app: &App) {
    let json = Some("application/json");
    for body in [
        r#"{"tool_calls":[{"id":"a"}],"wait":1,"wait":2}"#,
        r#"{"tool_calls":[{"a":"\ud800"}],"tool_calls":[]}"#,
        r#"{"format":"\ud800","tool_calls":[]}"#,
        r#"{"tool_calls":[{"id":"a"}"#,
    ] {
        app.owner().raw("POST", "/v1/tools/calls", json, body).await.problem(400, "malformed_request");
    }
}

async fn a_call_that_was_cut_off_is_refused(app: &App) {
    for status in ["incomplete", "in_progress"] {
        let call = json!({"type": "function_call", "id": "fc_1", "call_id": "a", "status": status,
            "name": "platform_create_task", "arguments": "{\"title\": \"Half\", \"description\": \"x\"}"});
        let custom = json!({"type": "custom_tool_call", "call_id": "b", "name": "edit", "input": "x"});
        let body = json!({"format": "openai_responses", "tool_calls": [call, custom]});
        let turn = app.owner().post("/v1/tools/calls", body).await.ok(200);
        assert_eq!(turn["results"][0]["error"]["code"], "malformed_request", "{turn}");
        let message = turn["messages"][0]["output"].as_str().unwrap();
        assert!(message.contains("cut off"), "{message}");
        assert_eq!(turn["unhandled"], json!([{"id": "b", "name": "edit"}]));
    }
    let tasks = app.owner().run("list_tasks", json!({})).await.ok(200);
    assert!(tasks["data"]["items"].as_array().unwrap().iter().all(|task| task["title"] != "Half"));
}

/// Several client libraries number the calls of each turn anew.
#[both_databases]
async fn a_turns_key_tells_turns_apart(db: TestDb) {
    let app = App::new(db).await;
    for (format, call) in [
        ("openai", openai("call_0", "platform_store_memory", &json!({"content": "again"}))),
        (
            "openai_responses",
            json!({"type": "function_call", "call_id": "call_0", "name": "platform_store_memory",
                "arguments": "{\"content\": \"again\"}"}),
        ),
        (
            "anthropic",
            json!({"type": "tool_use", "id": "call_0", "name": "platform_store_memory",
                "input": {"content": "again"}}),
        ),
        (
            "gemini",
            json!({"functionCall": {"id": "call_0", "name": "platform_store_memory",
                "args": {"content": "again"}}}),
        ),
    ] {
        let body = json!({"format": format, "tool_calls": [call]});
        let turn = async |key: Option<&str>| {
            let owner = app.owner();
            let owner = key.map_or(owner.clone(), |key| owner.with("Idempotency-Key", key));
            owner.post("/v1/tools/calls", body.clone()).await.ok(200)
        };
        let [first, second] = [format!("{format}-1"), format!("{format}-2")];
        let made = turn(Some(&first)).await;
        assert_eq!(made["results"][0]["replayed"], false);
        assert_eq!(turn(Some(&second)).await["results"][0]["replayed"], false, "another turn");
        let again = turn(Some(&first)).await;
        assert_eq!(again["results"][0]["data"], made["results"][0]["data"]);
        assert!(again["messages"].to_string().contains("nothing ran again"), "{again}");
        // Without a key, the same id and arguments are the same call for a minute.
        assert_eq!(turn(None).await["results"][0]["replayed"], false);
        assert_eq!(turn(None).await["results"][0]["replayed"], true);
    }
}

async fn calls_of_other_tools_may_be_skipped(app: &App) {
    let calls = json!([openai("a", "weather", &json!({})), openai("b", "platform_list_agents", &json!({}))]);
    let left =
        app.owner().post("/v1/tools/calls", json!({"tool_calls": calls, "foreign": "skip"})).await.ok(200);
    assert_eq!(left["unhandled"], json!([{"id": "a", "name": "weather"}]));
    assert_eq!(left["messages"].as_array().unwrap().len(), 1);
    let refused = app.owner().post("/v1/tools/calls", json!({"tool_calls": calls})).await.ok(200);
    assert_eq!(refused["results"][0]["error"]["code"], "unknown_action");
    // A name without the prefix may be the application's own. One with the prefix in another spelling is not.
    let calls = json!([
        openai("a", "list_agents", &json!({})),
        openai("b", "functions.Platform-List-Agents", &json!({}))
    ]);
    let left =
        app.owner().post("/v1/tools/calls", json!({"tool_calls": calls, "foreign": "skip"})).await.ok(200);
    assert_eq!(left["unhandled"], json!([{"id": "a", "name": "list_agents"}]));
    assert_eq!(left["results"][0]["status"], "completed");
}

#[both_databases]
async fn a_turn_with_a_key_runs_once(db: TestDb) {
    let app = App::new(db).await;
    let keyed = app.owner().with("Idempotency-Key", "turn-1");
    let turn = [
        ("a", "platform_create_agent", json!({"name": "One"})),
        ("b", "platform_create_agent", json!({"name": "Two"})),
    ];
    let first = keyed.calls(&turn).await.ok(200);
    let again = keyed.calls(&turn).await.ok(200);
    for i in 0..2 {
        assert_eq!(again["results"][i]["data"]["id"], first["results"][i]["data"]["id"]);
        assert_eq!(again["results"][i]["replayed"], true);
    }
}

/// Letters without a pattern, which PostgreSQL can't compress to fit into an index.
fn letters(length: usize) -> String {
    let next = |state: &u64| Some(state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    let states = std::iter::successors(Some(7_u64), next);
    states.take(length).map(|state| char::from(b'A' + (state >> 59) as u8)).collect()
}

#[both_databases]
async fn an_id_of_any_length_names_its_call(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    for length in [1, 200, 512, 3_000, 20_000, 200_000] {
        let (id, other) = (letters(length) + "a", letters(length) + "b");
        let arguments = json!({"content": format!("fact {length}")});
        let call = |id: &str| [(id.to_owned(), "platform_store_memory", arguments.clone())];
        let send = async |id: &str| {
            let [(id, name, arguments)] = call(id);
            owner.calls(&[(&id, name, arguments)]).await.ok(200)
        };
        let (first, again) = (send(&id).await, send(&id).await);
        assert_eq!(first["messages"][0]["tool_call_id"], id, "{length}");
        assert_eq!(first["results"][0]["status"], "completed", "{length}");
        assert_eq!(again["results"][0]["replayed"], true, "{length}");
        assert_eq!(send(&other).await["results"][0]["replayed"], false, "{length}");
    }
}

async fn a_denied_call_does_not_stop_the_rest(app: &App) {
    let body = app
        .as_role(Role::Viewer)
        .calls(&[
            ("a", "platform_list_agents", json!({})),
            ("b", "platform_create_agent", json!({"name": "One"})),
            ("c", "platform_list_agents", json!({})),
        ])
        .await
        .ok(200);
    let ok: Vec<bool> =
        body["results"].as_array().unwrap().iter().map(|r| r["ok"].as_bool().unwrap()).collect();
    assert_eq!(ok, [true, false, true]);
    assert!(body["messages"][1]["content"].as_str().unwrap().contains("Permission denied"));
}

#[both_databases]
async fn a_pack_that_is_off_refuses_its_calls_of_a_turn(db: TestDb) {
    let app = App::with_pack(db).await;
    let through = json!({"action": "game_list_projects", "params": {}});
    let body = json!({"foreign": "skip", "tool_calls": [
        openai("a", "game_create_project", &json!({"name": "Quest"})),
        openai("b", "platform_execute", &through),
        openai("c", "platform_list_agents", &json!({})),
    ]});
    let (on, off) = (app.owner(), app.as_role_b(Role::Owner));
    for (caller, expected) in [(&on, "completed"), (&off, "refused")] {
        let turn = caller.post("/v1/tools/calls", body.clone()).await.ok(200);
        assert_eq!(turn["unhandled"], json!([]), "an action of a pack is no foreign tool");
        for (at, expected) in [expected, expected, "completed"].into_iter().enumerate() {
            let result = &turn["results"][at];
            assert_eq!(result["status"], expected, "{result}");
            if expected == "refused" {
                assert_eq!(result["error"]["code"], "permission_denied", "{result}");
                let message = turn["messages"][at]["content"].as_str().unwrap();
                assert!(message.contains("the pack `game` is not switched on"), "{message}");
            }
        }
    }
    off.send("PATCH", "/v1/packs/game", json!({"enabled": true})).await.ok(200);
    let listed = off.post("/v1/actions/game_list_projects", json!({})).await.ok(200);
    assert_eq!(listed["data"]["items"], json!([]), "nothing was created");
}
