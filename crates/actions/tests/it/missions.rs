//! Missions.

use serde_json::json;
use toolcrib_model::{Id, Role};
use toolcrib_store::{llm_usage, llm_usage::UsageRow};
use toolcrib_testkit::{NOW, TestDb, assert_has, both_databases, write};

use crate::harness::App;

/// A model call that a runtime reported for a mission.
fn usage(n: u128, mission: Id, cost_microusd: i64) -> UsageRow {
    UsageRow {
        id: Id::from_u128(n),
        occurred_at: NOW,
        agent_id: None,
        execution_id: None,
        mission_id: Some(mission),
        model: "gpt-4o-mini".into(),
        provider: "openai".into(),
        input_tokens: 100,
        output_tokens: 10,
        cost_microusd,
    }
}

#[both_databases]
async fn a_mission_shows_its_tasks_in_order_and_its_spend(db: TestDb) {
    let app = App::new(db).await;
    let agent = app.owner().done("create_agent", json!({"name": "Writer"})).await["id"].clone();
    let wish = json!({
        "goal": "Launch\nthe product",
        "tasks": [
            {"title": "Announce", "depends_on": [2, 1, 2]},
            {"title": "Write", "agent": "WRITER", "depends_on": [2]},
            {"title": "Plan", "description": "who does what"},
        ],
        "budget": {"max_cost_microusd": 5000}});
    let made = app.as_role(Role::Member).done("create_mission", wish).await;
    assert_eq!((&made["state"], &made["started_at"]), (&json!("awaiting_approval"), &json!(null)));
    let expected = json!({"max_cost_microusd": 5000, "max_tokens": null, "alert_at_percent": 80});
    assert_eq!(made["budget"], expected);
    // A task comes after those on which it depends: Plan (2), Write (1), Announce (0).
    let titles: Vec<&str> =
        made["tasks"].as_array().unwrap().iter().filter_map(|t| t["title"].as_str()).collect();
    assert_eq!(titles, ["Plan", "Write", "Announce"]);
    assert_has(&made, json!({"/tasks/1/agent_id": agent, "/tasks/2/depends_on": [1, 2]}));
    assert_has(&made, json!({"progress": {"total": 3, "open": 3, "done": 0, "percent": 0}}));
    assert_has(&made, json!({"/spend/samples": 0, "/spend/cost_microusd": null}));
    let id: Id = made["id"].as_str().unwrap().parse().unwrap();
    let stored = write(&app.db, app.a.workspace, async |tx| {
        // The third has the id of the second.
        let rows = [usage(1, id, 40), usage(2, id, 2), usage(2, id, 9), usage(3, Id::nil(), 700)];
        llm_usage::insert(tx, &rows).await
    })
    .await
    .unwrap();
    assert_eq!(stored.len(), 3);
    // 40 + 2 micro-dollars, and twice 100 and 10 tokens. The call of another mission does not count.
    let got = app.owner().done("get_mission", json!({"mission_id": id})).await;
    let expected = json!({"samples": 2, "cost_microusd": 42, "input_tokens": 200, "output_tokens": 20});
    assert_eq!(got["spend"], expected);
    let listed = app.owner().done("list_missions", json!({"state": "awaiting_approval"})).await;
    assert_eq!((&listed["items"][0]["tasks"], &listed["items"][0]["tasks_done"]), (&json!(3), &json!(0)));
    assert_eq!(app.owner().done("list_missions", json!({"state": "running"})).await["items"], json!([]));
}

#[both_databases]
async fn a_circle_is_shown_and_an_index_must_be_there(db: TestDb) {
    let app = App::new(db).await;
    let tasks = json!([{"title": "A", "depends_on": [2]}, {"title": "B"}, {"title": "C", "depends_on": [0]}]);
    let problem = app.owner().problem("create_mission", json!({"goal": "x", "tasks": tasks})).await;
    assert_eq!((problem.code.as_str(), problem.status), ("cycle_detected", 409));
    assert!(problem.detail.contains("0 `A` → 2 `C` → 0 `A`"), "{}", problem.detail);
    let tasks = json!([{"title": "A", "depends_on": [1]}]);
    let problem = app.owner().problem("create_mission", json!({"goal": "x", "tasks": tasks})).await;
    let found = (problem.code.as_str(), problem.errors[0].pointer.as_str());
    assert_eq!(found, ("invalid_arguments", "/tasks/0/depends_on/0"));
    let tasks = json!([{"title": "A", "agent": "Nobody"}]);
    let error = app.owner().refused("create_mission", json!({"goal": "x", "tasks": tasks})).await;
    assert_eq!(error, "not_found");
    for budget in [json!({"max_tokens": 0}), json!({"alert_at_percent": 50})] {
        let wish = json!({"goal": "x", "budget": budget});
        assert_eq!(app.owner().refused("create_mission", wish).await, "invalid_arguments");
    }
    assert_eq!(app.owner().done("list_missions", json!({})).await["items"], json!([]));
}

#[both_databases]
async fn starting_at_once_needs_the_right_to_manage(db: TestDb) {
    let app = App::new(db).await;
    let problem =
        app.as_role(Role::Member).problem("create_mission", json!({"goal": "x", "auto_start": true})).await;
    assert_eq!(problem.code.as_str(), "permission_denied");
    assert!(problem.detail.contains("`auto_start`"), "{}", problem.detail);
    let waiting =
        app.as_role(Role::Member).done("create_mission", json!({"goal": "x", "auto_start": false})).await;
    assert_eq!(waiting["state"], json!("awaiting_approval"));
    let running =
        app.as_role(Role::Editor).done("create_mission", json!({"goal": "y", "auto_start": true})).await;
    assert_eq!((&running["state"], &running["started_at"]), (&json!("running"), &json!(NOW)));
    assert_eq!((&running["progress"]["percent"], &running["budget"]), (&json!(null), &json!(null)));
}

#[both_databases]
async fn cancelling_needs_a_confirmation_and_closes_open_tasks(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let made =
        owner.done("create_mission", json!({"goal": "x", "tasks": [{"title": "A"}, {"title": "B"}]})).await;
    let id = made["id"].clone();
    let asked = owner.pending("cancel_mission", json!({"mission_id": id, "reason": "too late"})).await;
    let seen = owner.confirmation(asked).await.unwrap();
    assert!(serde_json::to_string(&seen).unwrap().contains("2 open tasks"));
    let found = owner.done("get_mission", json!({"mission_id": id})).await;
    assert_eq!(found["state"], json!("awaiting_approval"));
    owner.approve(asked).await.unwrap();
    let got = owner.done("get_mission", json!({"mission_id": id})).await;
    assert_has(&got, json!({"state": "cancelled", "reason": "too late", "/progress/open": 0}));
    assert_has(&got, json!({"/tasks/0/status": "cancelled", "finished_at": NOW}));
    let again = owner.confirmed("cancel_mission", json!({"mission_id": id})).await;
    assert_eq!((&again["changed"], &again["reason"]), (&json!(false), &json!("too late")));
}
