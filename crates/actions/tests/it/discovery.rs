//! Discovery, also by queries that name a record.

use serde_json::{Value, json};
use toolcrib_model::{Id, Role};
use toolcrib_store::{datasources, datasources::DatasourceRow};
use toolcrib_testkit::{NOW, Person, TestDb, assert_has, both_databases, write};

use crate::harness::{App, scoped_agent_key, texts};

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

#[both_databases]
async fn found_tools_have_a_valid_example_call(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let found = owner.done("find_tools", json!({"query": "make a new agent", "limit": 3})).await;
    assert_eq!(texts(&found, "name")[0], "platform_create_agent");
    assert!(texts(&found, "name").len() <= 3);
    let first = &found["items"][0];
    assert_eq!(first["how_to_call"]["name"], "platform_create_agent");
    assert_eq!(first["how_to_call"]["arguments"], json!({"name": "<name>"}));
    assert_has(first, json!({"permission_level": "write", "category": "agents"}));
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
    assert_eq!(texts(&found, "name")[0], "platform_delete_agent");
}

#[both_databases]
async fn callers_find_only_actions_that_they_may_call(db: TestDb) {
    let app = App::new(db).await;
    let viewer = app.as_role(Role::Viewer);
    let found = viewer.done("find_tools", json!({"query": "delete an agent for good", "limit": 25})).await;
    let is_write = |name: &&str| name.contains("delete") || name.contains("create");
    assert!(!texts(&found, "name").iter().any(is_write), "{found}");
    let logs = viewer.done("find_tools", json!({"query": "platform_query_loki_logs", "limit": 25})).await;
    assert!(!texts(&logs, "name").contains(&"platform_query_loki_logs"));
    let listed = viewer.done("list_tools", json!({})).await;
    assert!(texts(&listed, "name").contains(&"platform_list_agents"));
    assert!(!texts(&listed, "name").contains(&"platform_get_system_health"));
    assert_eq!(listed["total"].as_u64().unwrap(), texts(&listed, "name").len() as u64);
    let admin = app.as_role(Role::Admin).done("list_tools", json!({})).await;
    assert!(admin["total"].as_u64() > listed["total"].as_u64());
}

#[both_databases]
async fn lists_are_filtered_by_category_and_words(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let section = owner.done("list_tools", json!({"category": "infrastructure"})).await;
    assert_eq!(texts(&section, "name").len(), 6);
    let hows: Vec<&Value> = section["items"].as_array().unwrap().iter().map(|item| &item["how"]).collect();
    assert_eq!(hows, ["dispatcher", "dispatcher", "dispatcher", "dispatcher", "dispatcher", "direct"]);
    let words = owner.done("list_tools", json!({"category": "infrastructure", "search": "Loki logs"})).await;
    assert_eq!(texts(&words, "name"), ["platform_query_loki_logs", "platform_get_logs"]);
    assert_eq!(owner.done("list_tools", json!({"search": "zebra"})).await["items"], json!([]));
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
    assert_eq!(texts(&listed, "name"), ["documents", "Stock", "Sales"]);
    assert!(!listed.to_string().contains("secret"), "{listed}");
    let databases = viewer.done("list_datasources", json!({"type": "databases"})).await;
    assert_eq!(texts(&databases, "name"), ["Stock", "Sales"]);
    assert_eq!(databases["items"][0]["ask_with"], json!("platform_query_data"));
    let b = app.as_role_b(Role::Owner).done("list_datasources", json!({})).await;
    assert_eq!(texts(&b, "name"), ["documents", "Canary"]);
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
    let wish = json!({"title": "Canary", "content": "Some text."});
    app.as_role_b(Role::Owner).done("add_document", wish).await;
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
}

#[both_databases]
async fn connected_apps_are_listed_beside_the_actions(db: TestDb) {
    let app = App::new(db).await;
    for (person, name) in [(app.owner(), "Our Slack"), (app.as_role_b(Role::Owner), "Canary")] {
        person.done("connections.create", json!({"app": "slack", "name": name})).await;
    }
    let viewer = app.as_role(Role::Viewer);
    let apps = json!([{"app": "slack", "name": "Our Slack"}]);
    assert_eq!(viewer.done("list_tools", json!({})).await["apps"], apps);
    assert_eq!(viewer.done("list_tools", json!({"search": "SLACK our"})).await["apps"], apps);
    assert_eq!(viewer.done("list_tools", json!({"search": "agent"})).await["apps"], json!([]));
    let agent = app.owner().done("create_agent", json!({"name": "Narrow"})).await;
    let id = agent["id"].as_str().unwrap().parse().unwrap();
    let narrow = app.as_identity(scoped_agent_key(&app, id, Role::Owner, &["discovery:read"]));
    assert_eq!(narrow.done("list_tools", json!({})).await["apps"], json!([]));
}

async fn found(person: &Person<'_>, query: &str) -> Vec<Value> {
    let found = person.done("find_tools", json!({"query": query, "limit": 5})).await;
    found["items"].as_array().unwrap().iter().map(|item| json!([item["name"], item["score"]])).collect()
}

#[both_databases]
async fn a_query_with_a_name_finds_what_one_with_its_kind_finds(db: TestDb) {
    let app = App::new(db).await;
    let (owner, other) = (app.owner(), app.as_role_b(Role::Owner));
    let query = "pause Northwind churn digest";
    let unmasked = found(&owner, query).await;
    assert_ne!(unmasked[0][0], "platform_update_agent", "the name no longer misleads: take another one");
    owner.done("create_agent", json!({"name": "Northwind churn digest"})).await;
    owner.done("create_playbook", json!({"name": "Kvasir", "description": "x"})).await;
    owner.done("add_document", json!({"title": "Qoppa memory", "content": "Some text."})).await;
    for (named, neutral) in [
        (query, "pause agent"),
        ("pause northwind CHURN digest!", "pause agent!"),
        ("run Kvasir now", "run playbook now"),
        ("delete Qoppa memory", "delete document"),
    ] {
        assert_eq!(found(&owner, named).await, found(&owner, neutral).await, "{named}");
    }
    assert_eq!(found(&owner, query).await[0][0], "platform_update_agent");
    assert_eq!(found(&other, query).await, unmasked, "the names of another workspace count");
    let described = format!("{:?}", owner.call("find_tools", json!({"query": query})).await);
    assert!(described.contains("for `pause Northwind churn digest`"), "{described}");
}

#[both_databases]
async fn a_name_of_known_words_hides_nothing(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let query = "delete task";
    let before = found(&owner, query).await;
    owner.done("create_agent", json!({"name": query})).await;
    owner.done("add_document", json!({"title": "Delete Task", "content": "Some text."})).await;
    assert_eq!(found(&owner, query).await, before);
}

/// A table that is missed shows which queries read names.
#[both_databases]
async fn names_are_read_only_for_words_that_may_be_names(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    app.db.raw_sql("ALTER TABLE playbooks RENAME TO playbooks_gone").await;
    assert!(!found(&owner, "please delete the agent").await.is_empty());
    assert_eq!(owner.refused("find_tools", json!({"query": "pause Kvasir"})).await, "internal");
}
