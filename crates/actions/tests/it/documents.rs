//! Documents.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use crate::harness::App;

fn found(answer: &Value) -> Vec<(&str, i64)> {
    let items = answer["items"].as_array().unwrap().iter();
    items.map(|hit| (hit["title"].as_str().unwrap(), hit["position"].as_i64().unwrap())).collect()
}

#[both_databases]
async fn a_document_is_found_by_its_passages(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    // Each paragraph has more than 600 characters, so each is a passage of its own.
    let filler = "filler words ".repeat(50);
    let text = format!(
        "Refunds take ten days. {filler}\n\nÜber Größe: shipping is free. {filler}\n\n\
         Refunds and refunds. {filler}"
    );
    let made = app
        .as_role(Role::Editor)
        .done(
            "add_document",
            json!({"title": "Handbook", "content": text,
        "source_url": "https://example.com/handbook", "tags": ["rules"]}),
        )
        .await;
    assert_has(&made, json!({"status": "indexed", "passages": 3, "tags": ["rules"]}));
    owner.done("add_document", json!({"title": "Other", "content": "nothing of the kind"})).await;
    // The third passage has the word twice and is about as long as the first.
    assert_eq!(
        found(&owner.done("search_documents", json!({"query": "REFUNDS"})).await),
        [("Handbook", 2), ("Handbook", 0)]
    );
    let hits = owner.done("search_documents", json!({"query": "grosse uber", "limit": 1})).await;
    assert_eq!(found(&hits), [("Handbook", 1)]);
    assert_eq!(hits["items"][0]["document_id"], made["id"]);
    assert!(hits["items"][0]["text"].as_str().unwrap().starts_with("Über Größe: shipping is free."));
    assert!(hits["items"][0]["score"].as_f64().unwrap() > 0.0);
    for none in ["absent", "\" OR 1=1 *", "()"] {
        assert_eq!(
            owner.done("search_documents", json!({"query": none})).await["items"],
            json!([]),
            "{none}"
        );
    }
    let listed = owner.done("list_documents", json!({"search": "HAND", "status": "indexed"})).await;
    assert_eq!(listed["items"], json!([made]));
}

#[both_databases]
async fn reprocessing_keeps_the_id_and_builds_the_passages_anew(db: TestDb) {
    let app = App::new(db).await;
    let made = app.owner().done("add_document", json!({"title": "Notes", "content": "alpha beta"})).await;
    let again = app.owner().done("reprocess_document", json!({"document": "NOTES"})).await;
    assert_eq!((&again["id"], &again["passages"]), (&made["id"], &json!(1)));
    assert_eq!(found(&app.owner().done("search_documents", json!({"query": "alpha"})).await), [("Notes", 0)]);
}

#[both_databases]
async fn deleting_takes_the_passages_along(db: TestDb) {
    let app = App::new(db).await;
    let made = app.owner().done("add_document", json!({"title": "Notes", "content": "alpha beta"})).await;
    let gone = app.owner().confirmed("delete_document", json!({"document": "Notes"})).await;
    assert_eq!((&gone["id"], &gone["deleted"]), (&made["id"], &json!(true)));
    assert_eq!(app.owner().done("search_documents", json!({"query": "alpha"})).await["items"], json!([]));
    assert_eq!(app.owner().refused("reprocess_document", json!({"document": made["id"]})).await, "not_found");
}

#[both_databases]
async fn documents_with_the_same_title_are_distinguished_by_id(db: TestDb) {
    let app = App::new(db).await;
    let one = app.owner().done("add_document", json!({"title": "Twin", "content": "first"})).await;
    let two = app.owner().done("add_document", json!({"title": "twin", "content": "second"})).await;
    for action in ["reprocess_document", "delete_document"] {
        let problem = app.owner().problem(action, json!({"document": "Twin"})).await;
        assert_eq!((problem.code.as_str(), problem.status), ("conflict", 409));
        for document in [&one, &two] {
            assert!(problem.detail.contains(document["id"].as_str().unwrap()), "{}", problem.detail);
        }
    }
    app.owner().confirmed("delete_document", json!({"document": one["id"]})).await;
    assert_eq!(app.owner().done("reprocess_document", json!({"document": "Twin"})).await["id"], two["id"]);
}

#[both_databases]
async fn a_document_has_at_most_one_mebibyte(db: TestDb) {
    let app = App::new(db).await;
    // Long words, because an index of many short ones takes a busy machine more than a write's two seconds.
    let text = format!("{} ", "0".repeat(127)).repeat(8_192);
    let made = app.owner().done("add_document", json!({"title": "Large", "content": text})).await;
    assert_eq!(made["bytes"], json!(1_048_576));
    for bad in ["x".repeat(1_048_577), "é".repeat(524_289), " \n".into(), String::new()] {
        let problem = app.owner().problem("add_document", json!({"title": "T", "content": bad})).await;
        assert_eq!(problem.errors[0].pointer, "/content");
    }
    for url in ["ftp://example.com", "javascript:alert(1)", "https://a b"] {
        let problem = app
            .owner()
            .problem("add_document", json!({"title": "T", "content": "x", "source_url": url}))
            .await;
        assert_eq!(problem.errors[0].pointer, "/source_url");
    }
}
