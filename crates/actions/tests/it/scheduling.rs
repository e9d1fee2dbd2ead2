//! Scheduling.

use serde_json::json;
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use crate::harness::{App, agent_key};

#[both_databases]
async fn a_recurring_task_shows_its_next_three_times(db: TestDb) {
    let app = App::new(db).await;
    let agent = app.owner().done("create_agent", json!({"name": "Reporter"})).await["id"].clone();
    // Now is Thursday, 2026-01-15T10:00Z. Berlin is an hour ahead of UTC until 2026-03-29.
    let wish = json!({"kind": "recurring", "description": "Sum up the week",
        "when": "0 9 * * 1", "timezone": "Europe/Berlin", "agent": "reporter"});
    let made = app.as_role(Role::Editor).done("schedule_task", wish).await;
    assert_has(&made, json!({"agent_id": agent, "agent_name": "Reporter", "status": "active"}));
    assert_eq!(
        made["next_times"],
        json!(["2026-01-19T08:00:00.000000Z", "2026-01-26T08:00:00.000000Z", "2026-02-02T08:00:00.000000Z"])
    );
    let wish = json!({"kind": "recurring", "description": "Twice",
        "when": "0 12 * * *", "agent": agent, "max_runs": 2});
    let twice = app.owner().done("schedule_task", wish).await;
    assert_eq!(twice["next_times"], json!(["2026-01-15T12:00:00.000000Z", "2026-01-16T12:00:00.000000Z"]));
    let wish = json!({"kind": "one_shot", "description": "Remind",
        "when": "2026-01-15T12:00:00+01:00", "agent": agent});
    let once = app.owner().done("schedule_task", wish).await;
    assert_has(&once, json!({"next_times": ["2026-01-15T11:00:00.000000Z"], "max_runs": 1}));
    let listed =
        app.owner().done("list_scheduled_tasks", json!({"agent": "Reporter", "status": "active"})).await;
    let ids: Vec<_> = listed["items"].as_array().unwrap().iter().map(|item| item["id"].clone()).collect();
    assert_eq!(ids, [once["id"].clone(), twice["id"].clone(), made["id"].clone()]);
    // An agent may leave itself out.
    let own = app.as_identity(agent_key(&app, agent.as_str().unwrap().parse().unwrap(), Role::Editor));
    let wish = json!({"kind": "recurring", "description": "x", "when": "0 9 * * 1"});
    assert_eq!(own.done("schedule_task", wish).await["agent_id"], agent);
}

#[both_databases]
async fn times_that_never_come_due_are_refused(db: TestDb) {
    let app = App::new(db).await;
    app.owner().done("create_agent", json!({"name": "A"})).await;
    let wrong = [
        (json!({"kind": "one_shot", "when": "2026-01-15T10:00:00Z"}), "/when"),
        (json!({"kind": "one_shot", "when": "0 9 * * 1"}), "/when"),
        (json!({"kind": "one_shot", "when": "2027-01-01T00:00:00Z", "max_runs": 3}), "/max_runs"),
        (
            json!({"kind": "one_shot", "when": "2027-01-01T00:00:00Z", "timezone": "Nowhere/Here"}),
            "/timezone",
        ),
        (json!({"kind": "recurring", "when": "2027-01-01T00:00:00Z"}), "/when"),
        (json!({"kind": "recurring", "when": "* * * * * *"}), "/when"),
        (json!({"kind": "recurring", "when": "0 0 30 2 *"}), "/when"),
        (json!({"kind": "recurring", "when": "0 9 * * 1", "timezone": "Nowhere/Here"}), "/timezone"),
    ];
    for (mut arguments, pointer) in wrong {
        arguments["description"] = json!("x");
        arguments["agent"] = json!("A");
        let problem = app.owner().problem("schedule_task", arguments.clone()).await;
        assert_eq!(problem.errors[0].pointer, pointer, "{arguments}");
    }
}

#[both_databases]
async fn an_agent_has_ten_and_a_workspace_twenty_five(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    for name in ["A", "B", "C"] {
        owner.done("create_agent", json!({"name": name})).await;
    }
    let of = |agent: &str, kind: &str| {
        let when = if kind == "recurring" { "0 9 * * 1" } else { "2027-01-01T00:00:00Z" };
        json!({"kind": kind, "description": "x", "when": when, "agent": agent})
    };
    let mut last = json!(null);
    for agent in ["A", "B"] {
        for _ in 0..10 {
            last = owner.done("schedule_task", of(agent, "recurring")).await;
        }
        assert_eq!(owner.refused("schedule_task", of(agent, "one_shot")).await, "conflict");
    }
    for _ in 0..5 {
        owner.done("schedule_task", of("C", "recurring")).await;
    }
    let problem = owner.problem("schedule_task", of("C", "recurring")).await;
    assert!(problem.detail.contains("25 active recurring"), "{}", problem.detail);
    owner.done("schedule_task", of("C", "one_shot")).await;
    owner.confirmed("cancel_scheduled_task", json!({"task_id": last["id"]})).await;
    owner.done("schedule_task", of("C", "recurring")).await;
}

#[both_databases]
async fn a_schedule_is_cancelled_with_a_confirmation_or_goes_with_its_agent(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "A"})).await;
    let wish = json!({"kind": "recurring", "description": "x", "when": "0 9 * * 1", "agent": "A"});
    let made = owner.done("schedule_task", wish.clone()).await;
    let gone = owner.confirmed("cancel_scheduled_task", json!({"task_id": made["id"]})).await;
    assert_has(&gone, json!({"status": "cancelled", "changed": true, "next_times": []}));
    let again = owner.confirmed("cancel_scheduled_task", json!({"task_id": made["id"]})).await;
    assert_eq!(again["changed"], json!(false));
    assert_eq!(owner.done("list_scheduled_tasks", json!({"status": "active"})).await["items"], json!([]));
    owner.done("schedule_task", wish).await;
    owner.confirmed("delete_agent", json!({"agent": "A"})).await;
    assert_eq!(owner.done("list_scheduled_tasks", json!({})).await["items"], json!([]));
}
