//! Reports.

use serde_json::json;
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{TestDb, both_databases};

use crate::harness::{App, agent_key};

#[both_databases]
async fn the_newest_report_is_found_by_agent_and_kind(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    for name in ["A", "B"] {
        owner.done("create_agent", json!({"name": name})).await;
    }
    let report = |agent: &str, kind: &str| {
        json!({"title": kind, "content": "  # indented\n", "kind": kind,
        "status": "ok", "agent": agent, "summary": "fine", "metrics": {"open": 3, "parts": {"x": [1, null]}}})
    };
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
    assert_eq!(app.owner().refused("submit_report", input.clone()).await, "invalid_arguments");
    let id: Id = agent.as_str().unwrap().parse().unwrap();
    let own = app.as_identity(agent_key(&app, id, Role::Member)).done("submit_report", input).await;
    assert_eq!((&own["agent_id"], &own["status"]), (&agent, &json!("critical")));
    app.owner().confirmed("delete_agent", json!({"agent": "A"})).await;
    assert_eq!(app.owner().done("get_latest_report", json!({})).await["agent_name"], json!("A"));
}

#[both_databases]
async fn too_large_and_unknown_values_are_refused(db: TestDb) {
    let app = App::new(db).await;
    app.owner().done("create_agent", json!({"name": "A"})).await;
    let good = json!({"title": "T", "content": "c", "kind": "audit", "status": "info", "agent": "A"});
    for (field, bad) in [
        ("content", json!("x".repeat(204_801))),
        // 204,800 characters of two bytes each, so more bytes than are allowed.
        ("content", json!("é".repeat(204_800))),
        ("content", json!("")),
        ("kind", json!("poem")),
        ("status", json!("fine")),
        ("summary", json!("x".repeat(1_001))),
        ("metrics", json!([1])),
        ("metrics", json!({"x": "y".repeat(16_384)})),
    ] {
        let mut input = good.clone();
        input[field] = bad;
        let problem = app.owner().problem("submit_report", input).await;
        assert_eq!(problem.errors[0].pointer, format!("/{field}"));
    }
    app.owner().done("submit_report", good).await;
}

#[both_databases]
async fn another_tenants_report_is_not_the_latest(db: TestDb) {
    let app = App::new(db).await;
    let other = app.as_role_b(Role::Owner);
    other.done("create_agent", json!({"name": "A"})).await;
    let theirs = json!({"title": "T", "content": "c", "kind": "audit", "status": "info", "agent": "A"});
    other.done("submit_report", theirs).await;
    assert_eq!(app.owner().refused("get_latest_report", json!({})).await, "not_found");
}
