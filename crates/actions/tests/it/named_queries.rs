//! Names of a workspace's records in queries for actions.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{Person, TestDb, both_databases};

use crate::harness::App;

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
