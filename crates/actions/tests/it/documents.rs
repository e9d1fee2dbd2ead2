//! Documents, and reports of agents.

use serde_json::{Value, json};
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use crate::harness::{App, agent_key};

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
    let wish = json!({"title": "Handbook", "content": text,
        "source_url": "https://example.com/handbook", "tags": ["rules"]});
    let made = app.as_role(Role::Editor).done("add_document", wish).await;
    assert_has(&made, json!({"status": "indexed", "passages": 3, "tags": ["rules"]}));
    owner.done("add_document", json!({"title": "Other", "content": "nothing of the kind"})).await;
    // The third passage has the word twice and is about as long as the first.
    let got = owner.done("search_documents", json!({"query": "REFUNDS"})).await;
    assert_eq!(found(&got), [("Handbook", 2), ("Handbook", 0)]);
    let hits = owner.done("search_documents", json!({"query": "grosse uber", "limit": 1})).await;
    assert_eq!(found(&hits), [("Handbook", 1)]);
    assert_eq!(hits["items"][0]["document_id"], made["id"]);
    assert!(hits["items"][0]["text"].as_str().unwrap().starts_with("Über Größe: shipping is free."));
    assert!(hits["items"][0]["score"].as_f64().unwrap() > 0.0);
    for none in ["absent", "\" OR 1=1 *", "()"] {
        let shown = owner.done("search_documents", json!({"query": none})).await;
        assert_eq!(shown["items"], json!([]), "{none}");
    }
    let listed = owner.done("list_documents", json!({"search": "HAND", "status": "indexed"})).await;
    assert_eq!(listed["items"], json!([made]));
}

#[both_databases]
async fn reprocessing_builds_the_passages_anew_and_deleting_takes_them_along(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let made = owner.done("add_document", json!({"title": "Notes", "content": "alpha beta"})).await;
    let again = owner.done("reprocess_document", json!({"document": "NOTES"})).await;
    assert_has(&again, json!({"id": made["id"], "passages": 1}));
    assert_eq!(found(&owner.done("search_documents", json!({"query": "alpha"})).await), [("Notes", 0)]);
    let gone = owner.confirmed("delete_document", json!({"document": "Notes"})).await;
    assert_has(&gone, json!({"id": made["id"], "deleted": true}));
    assert_eq!(owner.done("search_documents", json!({"query": "alpha"})).await["items"], json!([]));
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
        let wish = json!({"title": "T", "content": "x", "source_url": url});
        let problem = app.owner().problem("add_document", wish).await;
        assert_eq!(problem.errors[0].pointer, "/source_url");
    }
}

#[both_databases]
async fn the_newest_report_is_found_by_agent_and_kind(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    for name in ["A", "B"] {
        owner.done("create_agent", json!({"name": name})).await;
    }
    let other = app.as_role_b(Role::Owner);
    other.done("create_agent", json!({"name": "A"})).await;
    let report = |agent: &str, kind: &str| {
        json!({"title": kind, "content": "  # indented\n", "kind": kind,
        "status": "ok", "agent": agent, "summary": "fine", "metrics": {"open": 3, "parts": {"x": [1, null]}}})
    };
    other.done("submit_report", report("A", "standup")).await;
    assert_eq!(owner.refused("get_latest_report", json!({})).await, "not_found", "another workspace's");
    let first = app.as_role(Role::Member).done("submit_report", report("a", "standup")).await;
    assert_eq!((&first["agent_name"], &first["content"]), (&json!("A"), &json!("  # indented\n")));
    assert_eq!(first["metrics"], json!({"open": 3, "parts": {"x": [1, null]}}));
    let second = owner.done("submit_report", report("A", "research")).await;
    let third = owner.done("submit_report", report("B", "standup")).await;
    for (input, found) in [
        (json!({}), &third),
        (json!({"agent": "A"}), &second),
        (json!({"agent": "A", "kind": "standup"}), &first),
        (json!({"kind": "research"}), &second),
    ] {
        assert_eq!(&owner.done("get_latest_report", input).await, found);
    }
    assert_eq!(owner.refused("get_latest_report", json!({"kind": "audit"})).await, "not_found");
}

#[both_databases]
async fn reports_outlive_their_agent(db: TestDb) {
    let app = App::new(db).await;
    let agent = app.owner().done("create_agent", json!({"name": "A"})).await["id"].clone();
    let input = json!({"title": "T", "content": "c", "kind": "incident", "status": "critical"});
    let id: Id = agent.as_str().unwrap().parse().unwrap();
    let own = app.as_identity(agent_key(&app, id, Role::Member)).done("submit_report", input).await;
    assert_eq!((&own["agent_id"], &own["status"]), (&agent, &json!("critical")));
    app.owner().confirmed("delete_agent", json!({"agent": "A"})).await;
    assert_eq!(app.owner().done("get_latest_report", json!({})).await["agent_name"], json!("A"));
}

#[both_databases]
async fn values_with_too_many_bytes_are_refused(db: TestDb) {
    let app = App::new(db).await;
    app.owner().done("create_agent", json!({"name": "A"})).await;
    let good = json!({"title": "T", "content": "c", "kind": "audit", "status": "info", "agent": "A"});
    for (field, bad) in [
        // 204,800 characters of two bytes each, so more bytes than are allowed.
        ("content", json!("é".repeat(204_800))),
        ("metrics", json!({"x": "y".repeat(16_384)})),
    ] {
        let mut input = good.clone();
        input[field] = bad;
        let problem = app.owner().problem("submit_report", input).await;
        assert_eq!(problem.errors[0].pointer, format!("/{field}"));
    }
    app.owner().done("submit_report", good).await;
}
