//! Discovery.

use serde_json::{Value, json};
use toolcrib_access::Scopes;
use toolcrib_auth::{AgentKey, Authenticated, Credential};
use toolcrib_model::{Id, Role};
use toolcrib_store::{connections, connections::ConnectionRow, datasources, datasources::DatasourceRow};
use toolcrib_testkit::{NOW, TestDb, assert_has, both_databases, user_identity, write};

use crate::harness::App;

fn names(data: &Value) -> Vec<&str> {
    data["items"].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap()).collect()
}

async fn register(app: &App, workspace: Id, n: u128, name: &str) {
    let row = DatasourceRow {
        id: Id::from_u128(n),
        name: name.to_owned(),
        kind: "sqlite".to_owned(),
        created_by: None,
        created_at: NOW.plus_seconds(i64::try_from(n).unwrap()),
    };
    write(&app.db, workspace, async |tx| datasources::insert(tx, &row, "sqlite:secret-place").await)
        .await
        .unwrap();
}

/// The key of a new agent that runs as the owner, with these scopes.
async fn key(app: &App, scopes: &[&str]) -> Authenticated {
    let agent = app.owner().done("create_agent", json!({"name": "Narrow"})).await;
    let mut authenticated = user_identity(app.a.workspace, app.a.owner);
    authenticated.credential = Credential::Agent(AgentKey {
        key_id: Id::from_u128(5),
        workspace: app.a.workspace,
        agent_id: serde_json::from_value(agent["id"].clone()).unwrap(),
        runs_as: app.a.owner,
        mission: None,
        scopes: Scopes::from(Some(scopes.iter().map(|scope| (*scope).to_owned()).collect())),
        caller_types: vec!["mission".into()],
    });
    authenticated
}

#[both_databases]
async fn found_tools_have_a_valid_example_call(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let found = owner.done("find_tools", json!({"query": "make a new agent", "limit": 3})).await;
    assert_eq!(names(&found)[0], "platform_create_agent");
    assert!(names(&found).len() <= 3);
    let first = &found["items"][0];
    assert_eq!(first["how_to_call"]["name"], "platform_create_agent");
    assert_eq!(first["how_to_call"]["arguments"], json!({"name": "<name>"}));
    assert_eq!(
        (first["permission_level"].as_str(), first["category"].as_str()),
        (Some("write"), Some("agents"))
    );
    assert_eq!(first["parameters"]["additionalProperties"], json!(false));
    assert!(first["score"].as_f64().unwrap() > 0.5);
    assert_eq!(found["hint"], Value::Null);
    let behind = owner.done("find_tools", json!({"query": "delete an agent for good"})).await;
    let delete = &behind["items"][0];
    assert_eq!(delete["name"], "platform_delete_agent");
    assert_eq!(
        delete["how_to_call"],
        json!({
            "name": "platform_execute",
            "arguments": {"action": "platform_delete_agent", "params": {"agent": "<agent>"}},
        })
    );
}

#[both_databases]
async fn a_search_says_that_nothing_fits(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let asked = json!({"query": "restart the server in rack four", "limit": 3});
    let answer = owner.call("find_tools", asked).await;
    let weak = format!("{answer:?}");
    assert!(weak.contains("`restart the server in rack four`; no action fits well"), "{weak}");
    let found = owner.done("find_tools", json!({"query": "restart the server in rack four"})).await;
    assert!(found["hint"].as_str().unwrap().contains("`platform_list_tools`"), "{found}");
}

#[both_databases]
async fn a_search_reads_2000_characters(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let story = "The weather was nice and we sat in the garden for a while. ".repeat(32);
    let found = owner.done("find_tools", json!({"query": format!("{story}Please delete the agent.")})).await;
    assert_eq!(names(&found)[0], "platform_delete_agent");
    let too_long = json!({"query": "x".repeat(2_001)});
    assert_eq!(owner.refused("find_tools", too_long).await, "invalid_arguments");
}

#[both_databases]
async fn callers_find_only_actions_that_they_may_call(db: TestDb) {
    let app = App::new(db).await;
    let viewer = app.as_role(Role::Viewer);
    let found = viewer.done("find_tools", json!({"query": "delete an agent for good", "limit": 25})).await;
    assert!(names(&found).iter().all(|name| !name.contains("delete") && !name.contains("create")), "{found}");
    let logs = viewer.done("find_tools", json!({"query": "platform_query_loki_logs", "limit": 25})).await;
    assert!(!names(&logs).contains(&"platform_query_loki_logs"));
    let listed = viewer.done("list_tools", json!({})).await;
    assert!(names(&listed).contains(&"platform_list_agents"));
    assert!(!names(&listed).contains(&"platform_get_system_health"));
    assert_eq!(listed["total"].as_u64().unwrap(), names(&listed).len() as u64);
    let admin = app.as_role(Role::Admin).done("list_tools", json!({})).await;
    assert!(admin["total"].as_u64() > listed["total"].as_u64());
}

#[both_databases]
async fn lists_are_filtered_by_category_and_words(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let section = owner.done("list_tools", json!({"category": "infrastructure"})).await;
    assert_eq!(names(&section).len(), 6);
    let hows: Vec<&Value> = section["items"].as_array().unwrap().iter().map(|item| &item["how"]).collect();
    assert_eq!(hows, ["dispatcher", "dispatcher", "dispatcher", "dispatcher", "dispatcher", "direct"]);
    let words = owner.done("list_tools", json!({"category": "infrastructure", "search": "Loki logs"})).await;
    assert_eq!(names(&words), ["platform_query_loki_logs", "platform_get_logs"]);
    assert_eq!(owner.done("list_tools", json!({"search": "zebra"})).await["items"], json!([]));
    for (action, given) in [
        ("list_tools", json!({"category": "administration"})),
        ("list_tools", json!({"category": "zoo"})),
        ("find_tools", json!({})),
        ("find_tools", json!({"query": "x", "limit": 26})),
        ("list_datasources", json!({"type": "files"})),
    ] {
        assert_eq!(owner.refused(action, given).await, "invalid_arguments", "{action}");
    }
}

#[both_databases]
async fn datasources_are_a_workspaces_own_and_keep_their_secret(db: TestDb) {
    let app = App::new(db).await;
    let (a, b) = (app.a.workspace, app.b.workspace);
    register(&app, a, 1, "Sales").await;
    register(&app, a, 2, "Stock").await;
    register(&app, b, 3, "Canary").await;
    let viewer = app.as_role(Role::Viewer);
    let listed = viewer.done("list_datasources", json!({})).await;
    assert_eq!(names(&listed), ["documents", "Stock", "Sales"]);
    assert!(!listed.to_string().contains("secret"), "{listed}");
    let (mut given, mut paged) = (json!({"limit": 1}), Vec::new());
    loop {
        let page = viewer.done("list_datasources", given.clone()).await;
        paged.extend(names(&page).into_iter().map(str::to_owned));
        if page["next_cursor"].is_null() {
            break;
        }
        given["cursor"] = page["next_cursor"].clone();
    }
    assert_eq!(paged, ["documents", "Stock", "Sales"]);
    let databases = viewer.done("list_datasources", json!({"type": "databases"})).await;
    assert_eq!(names(&databases), ["Stock", "Sales"]);
    assert_eq!(databases["items"][0]["ask_with"], json!("platform_query_data"));
    let b = app.as_role_b(Role::Owner).done("list_datasources", json!({})).await;
    assert_eq!(names(&b), ["documents", "Canary"]);
}

#[both_databases]
async fn the_documents_are_a_datasource(db: TestDb) {
    let app = App::new(db).await;
    let viewer = app.as_role(Role::Viewer);
    let listed = viewer.done("list_datasources", json!({"type": "documents"})).await;
    assert_eq!((&listed["items"][0]["documents"], &listed["next_cursor"]), (&json!(0), &Value::Null));
    for title in ["One", "Two"] {
        app.owner().done("add_document", json!({"title": title, "content": "Some text."})).await;
    }
    app.as_role_b(Role::Owner)
        .done("add_document", json!({"title": "Canary", "content": "Some text."}))
        .await;
    let listed = viewer.done("list_datasources", json!({"type": "documents", "limit": 1})).await;
    let one = &listed["items"][0];
    assert_has(one, json!({"documents": 2, "type": "documents", "ask_with": "platform_search_documents"}));
    assert_eq!((listed["items"].as_array().unwrap().len(), &listed["next_cursor"]), (1, &Value::Null));
}

#[both_databases]
async fn models_are_chosen_by_what_they_can_and_cost(db: TestDb) {
    let app = App::new(db).await;
    let viewer = app.as_role(Role::Viewer);
    let all = viewer.done("list_llms", json!({"limit": 100})).await;
    let items = all["items"].as_array().unwrap();
    assert_eq!(all["total"].as_u64().unwrap(), items.len() as u64);
    assert!(items.len() > 10 && all["catalogue_date"].is_string());
    let cost = |model: &Value| {
        model["input_microusd_per_mtok"].as_i64().unwrap()
            + model["output_microusd_per_mtok"].as_i64().unwrap()
    };
    assert!(items.windows(2).all(|pair| cost(&pair[0]) <= cost(&pair[1])));
    let context = viewer.done("list_llms", json!({"sort": "context", "limit": 2})).await;
    assert_eq!(context["items"].as_array().unwrap().len(), 2);
    let longest = items.iter().map(|model| model["context_tokens"].as_i64().unwrap()).max();
    assert_eq!(context["items"][0]["context_tokens"].as_i64(), longest);
    let some =
        viewer.done("list_llms", json!({"capability": "reasoning", "tier": "premium", "limit": 100})).await;
    let fits = |model: &&Value| {
        model["tier"] == "premium" && model["capabilities"].as_array().unwrap().contains(&json!("reasoning"))
    };
    assert_eq!(some["total"].as_u64().unwrap(), items.iter().filter(fits).count() as u64);
    assert!(some["items"].as_array().unwrap().iter().all(|model| fits(&model)));
    for given in [json!({"tier": "cheap"}), json!({"sort": "beauty"}), json!({"limit": 101})] {
        assert_eq!(viewer.refused("list_llms", given).await, "invalid_arguments");
    }
}

#[both_databases]
async fn connected_apps_are_listed_beside_the_actions(db: TestDb) {
    let app = App::new(db).await;
    for (workspace, name) in [(app.a.workspace, "Our Slack"), (app.b.workspace, "Canary")] {
        let row = ConnectionRow {
            id: Id::from_u128(1),
            app: "slack".to_owned(),
            name: name.to_owned(),
            created_by: None,
            created_at: NOW,
        };
        write(&app.db, workspace, async |tx| connections::insert(tx, &row).await).await.unwrap();
    }
    let viewer = app.as_role(Role::Viewer);
    let apps = json!([{"app": "slack", "name": "Our Slack"}]);
    assert_eq!(viewer.done("list_tools", json!({})).await["apps"], apps);
    assert_eq!(viewer.done("list_tools", json!({"search": "SLACK our"})).await["apps"], apps);
    assert_eq!(viewer.done("list_tools", json!({"search": "agent"})).await["apps"], json!([]));
    let narrow = app.as_identity(key(&app, &["discovery:read"]).await);
    assert_eq!(narrow.done("list_tools", json!({})).await["apps"], json!([]));
}

#[both_databases]
async fn a_key_without_the_scope_discovers_nothing(db: TestDb) {
    let app = App::new(db).await;
    let narrow = app.as_identity(key(&app, &["agents:read"]).await);
    for (action, given) in [
        ("find_tools", json!({"query": "agents"})),
        ("list_tools", json!({})),
        ("list_datasources", json!({})),
    ] {
        assert_eq!(narrow.refused(action, given).await, "permission_denied", "{action}");
    }
}
