//! Tool lists, the prompt and search.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use crate::harness::App;

fn names(body: &Value) -> Vec<String> {
    let tools = body["tools"].as_array().unwrap().iter();
    let flat =
        tools.flat_map(|tool| tool["functionDeclarations"].as_array().cloned().unwrap_or(vec![tool.clone()]));
    let name = |tool: Value| {
        tool.pointer("/function/name").or(tool.get("name")).and_then(Value::as_str).unwrap().to_owned()
    };
    flat.map(name).collect()
}

#[both_databases]
async fn tools_are_listed_and_searched(db: TestDb) {
    let app = App::new(db).await;
    every_format_holds_the_same_tools(&app).await;
    strategies_differ_in_what_they_show(&app).await;
    a_viewer_is_shown_less(&app).await;
    a_list_that_is_held_is_not_sent_again(&app).await;
    invalid_parameters_are_refused(&app).await;
    a_budget_cuts_from_the_end_but_never_the_always_offered(&app).await;
    strict_tools_are_named(&app).await;
    deferred_schemas_come_with_the_providers_search(&app).await;
    search_finds_actions_and_shows_how_to_call_them(&app).await;
    search_advises_as_the_tool_does_if_nothing_fits(&app).await;
    lists_and_schemas_depend_on_the_mission(&app).await;
}

async fn every_format_holds_the_same_tools(app: &App) {
    let openai = names(&app.owner().get("/v1/tools").await.ok(200));
    assert!(openai.contains(&"platform_create_agent".to_owned()));
    for format in ["openai", "openai_responses", "anthropic", "gemini", "mcp"] {
        let body = app.owner().get(&format!("/v1/tools?format={format}")).await.ok(200);
        assert_eq!((names(&body), &body["format"]), (openai.clone(), &json!(format)));
        assert_eq!(body.get("tool_choice").is_none(), format == "mcp");
        assert!(body["tokens"].as_u64().unwrap() > 100);
    }
}

async fn strategies_differ_in_what_they_show(app: &App) {
    let list = async |query: &str| app.owner().get(&format!("/v1/tools?{query}")).await.ok(200);
    let alone = list("strategy=dispatcher_only").await;
    assert_eq!(names(&alone), ["platform_execute"]);
    let dispatched =
        alone["tools"][0]["function"]["parameters"]["properties"]["action"]["enum"].as_array().unwrap().len();
    let all = list("strategy=all").await;
    assert_eq!(names(&all).len(), dispatched);
    assert_eq!(all["actions"], dispatched);
    let none = list("strategy=none").await;
    assert_eq!((&none["tools"], none.get("tool_choice")), (&json!([]), None));
    for talk in ["hello", "thanks, have a nice day", "great job! see you next week", "what is 2 to the 5th"] {
        let list = list(&format!("strategy=filtered&query={}", talk.replace(' ', "+"))).await;
        let dispatcher = list["tools"].as_array().unwrap().last().unwrap();
        assert_eq!(dispatcher["function"]["name"], "platform_execute");
        let shown = names(&list).len() - 1;
        let behind = dispatcher["function"]["parameters"]["properties"]["action"]["enum"].as_array().unwrap();
        assert_eq!(behind.len() + shown, dispatched, "`{talk}` takes no action away");
    }
    let tasks = list("strategy=filtered&query=create+a+task").await;
    for promoted in ["platform_create_agent", "platform_search_memory"] {
        assert!(tasks.to_string().contains(promoted), "{promoted} is out of reach");
    }
    let delete = app
        .owner()
        .post(
            "/v1/tools",
            json!({
                "strategy": "filtered", "query": "yes", "context": ["Shall I delete the agent Researcher?"]
            }),
        )
        .await
        .ok(200);
    assert!(delete.to_string().contains("platform_delete_agent"));
}

async fn a_viewer_is_shown_less(app: &App) {
    let body = app.as_role(Role::Viewer).get("/v1/tools?strategy=all").await.ok(200);
    assert!(!body.to_string().contains("platform_create_agent"));
    assert!(names(&body).contains(&"platform_list_agents".to_owned()));
    let prompt = app.as_role(Role::Viewer).get("/v1/tools/prompt?include_promoted=true").await;
    assert_eq!(prompt.header("content-type"), "text/markdown; charset=utf-8");
    assert!(prompt.text.contains("platform_list_agents") && !prompt.text.contains("create_agent"));
    let document = app.as_role(Role::Viewer).get("/v1/tools/openapi").await;
    assert!(
        document.text.contains("/v1/actions/platform_list_agents") && !document.text.contains("create_agent")
    );
    let unchanged = app
        .as_role(Role::Viewer)
        .with("If-None-Match", document.header("etag"))
        .get("/v1/tools/openapi")
        .await;
    assert_eq!((unchanged.status.as_u16(), &*unchanged.text), (304, ""));
    assert_ne!(app.owner().get("/v1/tools/openapi").await.header("etag"), document.header("etag"));
    let found =
        app.as_role(Role::Viewer).post("/v1/tools/search", json!({"query": "delete an agent"})).await.ok(200);
    assert!(!found.to_string().contains("delete_agent"));
}

async fn a_list_that_is_held_is_not_sent_again(app: &App) {
    let first = app.owner().get("/v1/tools").await;
    let tag = first.header("etag").to_owned();
    assert_eq!(first.header("cache-control"), "private, no-cache");
    assert_eq!(
        first.header("vary"),
        "Authorization, X-Workspace-Id, X-On-Behalf-Of, X-Caller-Type, X-Mission-Id"
    );
    let again = app.owner().get("/v1/tools").await;
    assert_eq!(again.text, first.text);
    for held in [tag.clone(), format!("W/{tag}"), format!("\"x\", {tag}")] {
        let reply = app.owner().with("If-None-Match", &held).get("/v1/tools").await;
        assert_eq!(
            (reply.status.as_u16(), reply.text.as_str(), reply.header("etag")),
            (304, "", tag.as_str())
        );
    }
    for other in [app.as_role(Role::Viewer), app.owner().with("X-Nothing", "x")] {
        let reply = other.with("If-None-Match", &tag).get("/v1/tools?detail=names&strategy=all").await;
        assert_eq!(reply.status.as_u16(), 200);
    }
    assert_eq!(
        app.as_role(Role::Viewer).with("If-None-Match", &tag).get("/v1/tools").await.status.as_u16(),
        200
    );
}

async fn lists_and_schemas_depend_on_the_mission(app: &App) {
    let outside = app.owner();
    let mission = json!({"goal": "Answer all questions"});
    let mission = outside.run("create_mission", mission).await.ok(200);
    let inside = outside.with("X-Mission-Id", mission["data"]["id"].as_str().unwrap());
    let needs = |schema: &Value| schema["required"].to_string().contains("\"mission\"");
    let action = "/v1/actions/platform_field_query";
    let mut tags = Vec::new();
    // Twice, because lists are cached.
    for (caller, required) in [(&outside, true), (&inside, false), (&outside, true), (&inside, false)] {
        let reply = caller.get("/v1/tools").await;
        tags.push(reply.header("etag").to_owned());
        let list = reply.ok(200);
        let tool = list["tools"].as_array().unwrap().iter();
        let mut tool = tool.filter(|tool| tool["function"]["name"] == "platform_field_query");
        assert_eq!(needs(&tool.next().unwrap()["function"]["parameters"]), required);
        let one = caller.get(action).await.ok(200);
        let page = caller.get("/v1/actions").await.ok(200);
        assert!(page["items"].as_array().unwrap().contains(&one));
        assert_eq!(needs(&one["input_schema"]), required);
        let query = json!({"query": "search the field of the mission", "limit": 25});
        let found = caller.post("/v1/tools/search", query.clone()).await.ok(200);
        let told = caller.run("find_tools", query).await.ok(200);
        for items in [&found["items"], &told["data"]["items"]] {
            let mut hits = items.as_array().unwrap().iter();
            let hit = hits.find(|hit| hit["name"] == "platform_field_query").unwrap();
            assert_eq!(needs(&hit["parameters"]), required);
            assert_eq!(hit["how_to_call"].to_string().contains("<mission>"), required);
        }
    }
    assert_eq!((&tags[0], &tags[1]), (&tags[2], &tags[3]));
    assert_ne!(tags[0], tags[1]);
    let held = inside.with("If-None-Match", &tags[0]).get("/v1/tools").await;
    assert_eq!(held.status.as_u16(), 200, "the list of another mission");
    let document = inside.get("/openapi.json").await.ok(200);
    assert_eq!(document, outside.get("/openapi.json").await.ok(200), "the document is the same for all");
}

async fn invalid_parameters_are_refused(app: &App) {
    for query in [
        "format=nope",
        "strategy=nope",
        "detail=1",
        "max_tokens=0",
        "max_tokens=x",
        "strict=yes",
        "defer=1",
        "user=x",
        "context=x",
        "format=openai&format=gemini",
    ] {
        app.owner().get(&format!("/v1/tools?{query}")).await.problem(422, "invalid_arguments");
    }
    app.owner()
        .post("/v1/tools", json!({"format": "openai", "user": "x"}))
        .await
        .problem(422, "invalid_arguments");
    app.owner()
        .post("/v1/tools/search", json!({"query": "x", "category": "nope"}))
        .await
        .problem(422, "invalid_arguments");
    app.owner().get("/v1/tools/prompt?x=1").await.problem(422, "invalid_arguments");
}

async fn a_budget_cuts_from_the_end_but_never_the_always_offered(app: &App) {
    let whole = app.owner().get("/v1/tools?strategy=all").await.ok(200);
    let most = whole["tokens"].as_u64().unwrap() - 1;
    let cut = app.owner().get(&format!("/v1/tools?strategy=all&max_tokens={most}")).await.ok(200);
    let left_out: Vec<&str> =
        cut["left_out"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(left_out.len() + names(&cut).len(), names(&whole).len());
    assert!(
        cut["tokens"].as_u64().unwrap() <= most && !left_out.contains(&"platform_list_agents"),
        "{left_out:?}"
    );
    let refused =
        app.owner().get("/v1/tools?strategy=all&max_tokens=1").await.problem(422, "invalid_arguments");
    let words = refused["errors"][0]["message"].as_str().unwrap();
    let least: u64 = words.split(|c: char| !c.is_ascii_digit()).find_map(|part| part.parse().ok()).unwrap();
    let smallest = app.owner().get(&format!("/v1/tools?strategy=all&max_tokens={least}")).await.ok(200);
    assert!(names(&smallest).contains(&"platform_list_agents".to_owned()));
    app.owner()
        .get(&format!("/v1/tools?strategy=all&max_tokens={}", least - 1))
        .await
        .problem(422, "invalid_arguments");
}

async fn strict_tools_are_named(app: &App) {
    let off = app.owner().get("/v1/tools").await.ok(200);
    assert_eq!(off["strict"], json!([]));
    let auto = app.owner().get("/v1/tools?strict=auto").await.ok(200);
    let strict: Vec<&str> =
        auto["strict"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert!(!strict.is_empty());
    let told = &auto["strict_explained"];
    assert_eq!(
        strict.len() + told["not_strict"].as_array().unwrap().len(),
        auto["tools"].as_array().unwrap().len()
    );
    assert_eq!(told["budget"][0]["most"], 5_000);
    assert_eq!(off.get("strict_explained"), None);
    for tool in auto["tools"].as_array().unwrap() {
        let name = tool["function"]["name"].as_str().unwrap();
        assert_eq!(tool["function"]["strict"] == json!(true), strict.contains(&name), "{name}");
    }
}

async fn deferred_schemas_come_with_the_providers_search(app: &App) {
    let body = app.owner().get("/v1/tools?strategy=all&defer=true&format=anthropic").await.ok(200);
    assert!(body["tools"][0]["type"].as_str().unwrap().starts_with("tool_search_tool"));
    let deferred = |name: &str| {
        body["tools"]
            .as_array()
            .unwrap()
            .iter()
            .any(|tool| tool["name"] == name && tool["defer_loading"] == true)
    };
    assert!(deferred("platform_delete_agent") && !deferred("platform_list_agents"));
}

async fn search_finds_actions_and_shows_how_to_call_them(app: &App) {
    let found = app.owner().post("/v1/tools/search", json!({"query": "remove a bot for good"})).await.ok(200);
    let first = &found["items"][0];
    assert_has(first, json!({"name": "platform_delete_agent", "permission_level": "destructive"}));
    assert_eq!(
        first["how_to_call"],
        json!({
            "name": "platform_execute",
            "arguments": {"action": "platform_delete_agent", "params": {"agent": "<agent>"}}
        })
    );
    assert_eq!(first["parameters"]["type"], "object");
    let bare = app
        .owner()
        .post("/v1/tools/search", json!({"query": "remove a bot", "include_schema": false, "limit": 1}))
        .await
        .ok(200);
    assert_eq!((bare["items"].as_array().unwrap().len(), bare["items"][0].get("parameters")), (1, None));
    assert_eq!((&found["hint"], &bare["hint"]), (&Value::Null, &Value::Null));
}

async fn search_advises_as_the_tool_does_if_nothing_fits(app: &App) {
    let query = json!({"query": "restart the server in rack four"});
    let found = app.owner().post("/v1/tools/search", query.clone()).await.ok(200);
    let tool = app.owner().post("/v1/actions/platform_find_tools", query).await.ok(200);
    assert!(found["hint"].as_str().unwrap().contains("no action fits well"), "{found}");
    assert_eq!(found["hint"], tool["data"]["hint"]);
}
