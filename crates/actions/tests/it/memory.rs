//! Memory.

use serde_json::json;
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use crate::harness::{App, texts};

#[both_databases]
async fn a_memory_is_stored_once_found_and_forgotten(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    // What another workspace stored is no duplicate.
    app.as_role_b(Role::Owner).done("store_memory", json!({"content": "Alpha beta"})).await;
    let made = owner.done("store_memory", json!({"content": " Alpha beta ", "tags": ["launch"]})).await;
    assert_has(&made, json!({"content": "Alpha beta", "kind": "note", "changed": true, "agent_id": null}));
    let again = owner.done("store_memory", json!({"content": "Alpha beta"})).await;
    assert_eq!((&again["changed"], &again["id"]), (&json!(false), &made["id"]));

    let found = owner.done("search_memory", json!({"query": "ALPHA launch"})).await;
    assert_eq!((texts(&found, "content"), &found["items"][0]["id"]), (vec!["Alpha beta"], &made["id"]));

    let asked = owner.pending("delete_memory", json!({"memory_id": made["id"]})).await;
    let shown = owner.confirmation(asked).await.unwrap();
    assert_eq!(shown.description, "Delete memory `Alpha beta`");
    assert_eq!((shown.level.as_str(), shown.summary[0].value.as_str()), ("typed", "Alpha beta"));
    let gone = owner.confirmed("delete_memory", json!({"memory_id": made["id"]})).await;
    assert_eq!((&gone["deleted"], &gone["content"]), (&json!(true), &json!("Alpha beta")));
    assert_eq!(owner.done("search_memory", json!({"query": "alpha"})).await["items"], json!([]));
    let anew = owner.done("store_memory", json!({"content": "Alpha beta"})).await;
    assert_eq!(anew["changed"], json!(true));
}

#[both_databases]
async fn hits_come_best_first_with_the_scores_of_the_formula(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    for content in ["alpha gamma", "alpha beta", "gamma delta"] {
        owner.done("store_memory", json!({"content": content})).await;
    }
    let found = owner.done("search_memory", json!({"query": "beta, alpha!"})).await;
    assert_eq!(texts(&found, "content"), ["alpha beta", "alpha gamma"]);
    // The two candidates have two words each, so a word that is found once counts its rarity: ln(1 + 1.5 /
    // 1.5) = 0.693147 for `beta`, which one of them has, and ln(1 + 0.5 / 2.5) = 0.182322 for `alpha`, which
    // both have.
    assert_has(&found["items"], json!({"/0/score": 0.875_469, "/1/score": 0.182_322}));
    let one = owner.done("search_memory", json!({"query": "alpha", "limit": 1})).await;
    assert_eq!(texts(&one, "content"), ["alpha beta"], "of equal scores the newer comes first");
}

#[both_databases]
async fn nothing_in_a_query_is_syntax(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let wish = json!({"content": "canary scope tokens or 1 b near"});
    app.as_role_b(Role::Owner).done("store_memory", wish).await;
    owner.done("store_memory", json!({"content": "plain words"})).await;
    let odd = [
        "\" OR 1=1",
        "*",
        "NEAR(",
        "a' | 'b",
        "scope : canary",
        "tokens:*",
        "\\",
        "' OR ''='",
        "^plain",
        "%",
        "\"plain",
    ];
    for query in odd {
        let found = owner.done("search_memory", json!({"query": query})).await;
        let expected: &[&str] = if query.contains("plain") { &["plain words"] } else { &[] };
        assert_eq!(texts(&found, "content"), expected, "`{query}`");
    }
}

#[both_databases]
async fn agents_have_memories_of_their_own(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let agent = owner.done("create_agent", json!({"name": "Scout"})).await;
    owner.done("store_memory", json!({"content": "shared fact"})).await;
    let wish = json!({"content": "shared fact", "agent": "scout", "tags": ["a\",\"b"]});
    let own = owner.done("store_memory", wish).await;
    assert_eq!((&own["changed"], &own["agent_id"]), (&json!(true), &agent["id"]));
    for action in ["search_memory", "browse_memories"] {
        let all = if action == "search_memory" { json!({"query": "fact"}) } else { json!({}) };
        assert_eq!(owner.done(action, all.clone()).await["items"].as_array().unwrap().len(), 2);
        let mut of_agent = all;
        of_agent["agent"] = json!("Scout");
        let found = owner.done(action, of_agent).await;
        assert_eq!((found["items"].as_array().unwrap().len(), &found["items"][0]["id"]), (1, &own["id"]));
    }
    for (tag, expected) in [("a\",\"b", 1), ("b", 0), ("a", 0), ("%", 0)] {
        let found = owner.done("browse_memories", json!({"tag": tag})).await;
        assert_eq!(found["items"].as_array().unwrap().len(), expected, "`{tag}`");
    }
    let asked = owner.pending("delete_memory", json!({"memory_id": own["id"]})).await;
    let description = owner.confirmation(asked).await.unwrap().description;
    assert_eq!(description, "Delete memory `shared fact` (of agent `Scout`)");
}

#[both_databases]
async fn the_figures_are_those_of_the_rows(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let none = owner.done("get_memory_stats", json!({})).await;
    assert_eq!(
        none,
        json!({"memories": 0, "bytes": 0, "oldest": null, "newest": null, "by_agent": [], "by_kind": []})
    );
    let agent = owner.done("create_agent", json!({"name": "Scout"})).await;
    // Three, five and four bytes: é and ü have two bytes each.
    owner.done("store_memory", json!({"content": "abc", "agent": "Scout"})).await;
    app.clock.advance(60);
    owner.done("store_memory", json!({"content": "éaü"})).await;
    app.clock.advance(60);
    owner.done("store_memory", json!({"content": "four"})).await;
    let newest_first = owner.done("browse_memories", json!({})).await;
    assert_eq!(texts(&newest_first, "content"), ["four", "éaü", "abc"]);
    let stats = owner.done("get_memory_stats", json!({})).await;
    assert_eq!(
        stats,
        json!({
            "memories": 3, "bytes": 12,
            "oldest": "2026-01-15T10:00:00.000000Z", "newest": "2026-01-15T10:02:00.000000Z",
            "by_agent": [
                {"agent_id": null, "agent_name": null, "memories": 2, "bytes": 9},
                {"agent_id": agent["id"], "agent_name": "Scout", "memories": 1, "bytes": 3},
            ],
            "by_kind": [{"kind": "note", "memories": 3, "bytes": 12}],
        })
    );
}
