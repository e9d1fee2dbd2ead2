//! Names of a workspace's records in queries for actions.

use serde_json::json;
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, Client};

#[both_databases]
async fn names_of_the_workspaces_records_are_masked(db: TestDb) {
    let app = App::new(db).await;
    let (owner, other) = (app.owner(), app.as_role_b(Role::Owner));
    let query = "pause Northwind churn digest";
    let search = async |client: &Client<'_>, query: &str| {
        client.post("/v1/tools/search", json!({ "query": query })).await.ok(200)
    };
    let lists = async |client: &Client<'_>, query: &str, strategy: &str| {
        let address = format!("/v1/tools?strategy={strategy}&query={}", query.replace(' ', "+"));
        let body = json!({"strategy": strategy, "query": query});
        let (got, posted) = (client.get(&address).await, client.post("/v1/tools", body).await);
        assert_eq!(got.text, posted.text);
        (got.header("etag").to_owned(), got.text)
    };
    let unmasked = search(&other, query).await;
    let unmasked_lists = lists(&other, query, "filtered").await;
    assert_ne!(unmasked["items"][0]["name"], "platform_update_agent");
    assert_eq!(search(&owner, query).await, unmasked);
    owner.run("create_agent", json!({"name": "Northwind churn digest"})).await.ok(200);
    owner.run("create_agent", json!({"name": "Hola"})).await.ok(200);
    let masked = search(&owner, query).await;
    assert_eq!(masked, search(&owner, "pause agent").await);
    assert_eq!(masked["items"][0]["name"], "platform_update_agent");
    let masked_lists = lists(&owner, query, "filtered").await;
    assert_eq!(masked_lists, lists(&owner, "pause agent", "filtered").await);
    assert_ne!(masked_lists, unmasked_lists);
    assert_eq!(search(&other, query).await, unmasked, "the names of another workspace count");
    assert_eq!(lists(&other, query, "filtered").await, unmasked_lists);
    for (query, strategy) in [(query, "full"), (query, "all"), ("hola", "filtered"), ("", "filtered")] {
        assert_eq!(lists(&owner, query, strategy).await, lists(&other, query, strategy).await, "{query}");
    }
}

#[both_databases]
async fn a_bare_answer_is_no_name(db: TestDb) {
    let app = App::new(db).await;
    app.owner().run("create_agent", json!({"name": "Vale"})).await.ok(200);
    let body =
        json!({"strategy": "filtered", "query": "vale", "context": ["Shall I delete the agent Researcher?"]});
    let own = app.owner().post("/v1/tools", body.clone()).await.ok(200);
    assert!(own.to_string().contains("platform_delete_agent"));
    assert_eq!(app.as_role_b(Role::Owner).post("/v1/tools", body).await.ok(200), own);
}

/// A table that is missed shows which requests read names.
#[both_databases]
async fn names_are_read_only_for_words_that_may_be_names(db: TestDb) {
    let app = App::new(db).await;
    app.db.raw_sql("ALTER TABLE documents RENAME TO documents_gone").await;
    let list = async |query: &str| app.owner().get(&format!("/v1/tools?{query}")).await;
    for query in ["", "strategy=filtered", "query=pause+Kvasir", "strategy=filtered&query=pause+the+agent"] {
        list(query).await.ok(200);
    }
    app.owner().post("/v1/tools/search", json!({"query": "pause the agent"})).await.ok(200);
    list("strategy=filtered&query=pause+Kvasir").await.problem(500, "internal");
    let query = json!({"query": "pause Kvasir"});
    app.owner().post("/v1/tools/search", query).await.problem(500, "internal");
}
