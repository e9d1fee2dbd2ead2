//! Missions that the assistant carries out.

use std::time::Duration;

use toolcrib_auth::{Authenticated, RequestedContext};
use toolcrib_model::IdGen as _;

use super::*;
use crate::harness::confirmation_of;

#[both_databases]
async fn the_tasks_of_a_mission_wait_for_each_other(db: TestDb) {
    let app = internal(db).await;
    app.model.answer_with(|body| {
        let words = body["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
        let task =
            ["Write", "Draw", "Print"].into_iter().find(|task| words.contains(&format!("]\\n\\n{task}")));
        LlmReply::text([format!("{} is done.", task.unwrap_or("Nothing"))])
    });
    let tasks =
        json!([{ "title": "Write" }, { "title": "Draw" }, { "title": "Print", "depends_on": [0, 1] }]);
    let made = mission(&app, tasks).await;
    app.assistant.wake();
    ended(&app, 3).await;
    assert_eq!(state(&app, &made).await, ("completed".to_owned(), vec!["done".to_owned(); 3]));
    let (words, _) = asked(&app, 2);
    assert!(words.contains("Write is done.") && words.contains("Draw is done."), "{words}");
    let usage = app.editor().done("platform_check_budget", json!({ "mission": made["id"] })).await;
    assert_eq!(usage["samples"], 3, "{usage}");
}

#[both_databases]
async fn a_mission_without_tasks_is_one_run(db: TestDb) {
    let app = internal(db).await;
    app.model.script([LlmReply::text(["Launched."])]);
    let made = app.editor().confirmed("platform_create_mission", json!({ "goal": "Launch" })).await;
    app.editor().done("missions.start", json!({ "id": made["id"] })).await;
    app.assistant.wake();
    ended(&app, 1).await;
    assert_eq!(state(&app, &made).await.0, "completed");
    assert_eq!(told(&app.editor()).await[0].1, "Launched.");
}

#[both_databases]
async fn a_mission_ends_when_no_task_can_go_on(db: TestDb) {
    let app = internal(db).await;
    app.model.script([LlmReply::error(400, "bad", "no")]);
    let made = mission(&app, json!([{ "title": "Write" }, { "title": "Print", "depends_on": [0] }])).await;
    app.assistant.wake();
    ended(&app, 1).await;
    assert_eq!(
        state(&app, &made).await,
        ("failed".to_owned(), vec!["failed".to_owned(), "cancelled".to_owned()])
    );
    let failed = ("Mission `Launch` failed".to_owned(), "2 tasks could not be done".to_owned());
    assert_eq!(told(&app.editor()).await, [failed]);
}

#[both_databases]
async fn a_cancelled_mission_stops_its_runs(db: TestDb) {
    let app = internal(db).await;
    app.model.script([LlmReply::text(["a", "b"]).pace(std::time::Duration::from_mins(1))]);
    let made = mission(&app, json!([{ "title": "Write" }])).await;
    app.assistant.wake();
    eventually("the model is asked", async || !app.model.requests().is_empty()).await;
    app.editor().confirmed("platform_cancel_mission", json!({ "mission_id": made["id"] })).await;
    assert_eq!(ended(&app, 1).await[0]["state"], "stopped");
    assert_eq!(state(&app, &made).await, ("cancelled".to_owned(), vec!["cancelled".to_owned()]));
}

#[both_databases]
async fn a_mission_stops_at_its_own_budget(db: TestDb) {
    let app = internal(db).await;
    app.model.always(LlmReply::calls([("platform_list_agents", json!({}))]));
    let arguments = json!({ "goal": "Count", "auto_start": true, "budget": { "max_tokens": 150 } });
    let made = app.editor().confirmed("platform_create_mission", arguments).await;
    app.assistant.wake();
    let run = ended(&app, 1).await.remove(0);
    assert_eq!(run["error"]["code"], "budget_exceeded", "{run}");
    assert_eq!(app.model.requests().len(), 2);
    assert_eq!(state(&app, &made).await.0, "failed");
}

#[both_databases]
async fn a_workspace_carries_out_four_background_runs_at_once(db: TestDb) {
    let app = idle(db).await;
    let tasks: Vec<Value> = (0..6).map(|n| json!({ "title": format!("Task {n}") })).collect();
    mission(&app, json!(tasks)).await;
    app.model.always(LlmReply::text(["a", "b"]).pace(std::time::Duration::from_mins(1)));
    app.start(&app.editor(), "a", "Hello").await;
    assert_eq!(app.assistant.poll().await.unwrap(), 5);
    assert_eq!(
        app.db
            .number("SELECT COUNT(*) FROM assistant_runs WHERE state = 'running' AND kind = 'mission'")
            .await,
        4
    );
}

#[both_databases]
async fn a_process_that_ends_before_a_task_does_changes_nothing(db: TestDb) {
    let app = idle(db).await;
    let made = mission(&app, json!([{ "title": "Write" }, { "title": "Print", "depends_on": [0] }])).await;
    // Between any two commits the work is as the rows say: each look of a new process takes what is queued.
    app.model.always(LlmReply::text(["Done."]));
    for runs in 1..=2 {
        let process = app.other_process();
        assert_eq!(process.poll().await.unwrap(), 1);
        ended(&app, runs).await;
    }
    assert_eq!(state(&app, &made).await, ("completed".to_owned(), vec!["done".to_owned(); 2]));
    assert_eq!(app.assistant.poll().await.unwrap(), 0);
    assert_eq!(app.model.requests().len(), 2);
}

#[both_databases]
async fn a_task_waits_for_its_card_and_goes_on(db: TestDb) {
    let app = internal(db).await;
    let old = app.editor().confirmed("platform_create_mission", json!({ "goal": "Old" })).await;
    let cancel = json!({ "action": "platform_cancel_mission", "params": { "mission_id": old["id"] } });
    app.model.script([LlmReply::calls([("platform_execute", cancel)]), LlmReply::text(["It is cancelled."])]);
    let made = mission(&app, json!([{ "title": "Cancel the old one" }])).await;
    app.assistant.wake();
    let run = eventually("the run waits", async || {
        let listed = app.editor().done("assistant.list_runs", json!({ "state": "waiting" })).await;
        listed["items"].as_array().unwrap().first().cloned().ok_or("no run waits")
    })
    .await;
    let run = app.editor().done("assistant.get_run", json!({ "id": run["run"] })).await;
    app.editor().approve(confirmation_of(&run)).await.unwrap();
    ended(&app, 1).await;
    assert_eq!(state(&app, &made).await, ("completed".to_owned(), vec!["done".to_owned()]));
    assert_eq!(state(&app, &old).await.0, "cancelled");
    // Only whoever set it up reads the thread.
    let thread = json!({ "thread": run["thread"] });
    assert_eq!(app.owner().refused("assistant.get_thread", thread).await, "not_found");
}

#[both_databases]
async fn a_mission_ends_with_its_member_after_the_first_task(db: TestDb) {
    let app = idle(db).await;
    let made = mission(&app, json!([{ "title": "Write" }, { "title": "Print", "depends_on": [0] }])).await;
    app.model.always(LlmReply::text(["Done."]));
    assert_eq!(app.assistant.poll().await.unwrap(), 1);
    ended(&app, 1).await;
    remove_editor(&app).await;
    assert_eq!(app.assistant.poll().await.unwrap(), 1);
    ended(&app, 2).await;
    let read = app.owner().done("platform_get_mission", json!({ "mission_id": made["id"] })).await;
    let tasks: Vec<&Value> = read["tasks"].as_array().unwrap().iter().map(|task| &task["status"]).collect();
    assert_eq!(
        (&read["state"], tasks),
        (&json!("failed"), vec![&json!("done"), &json!("cancelled")]),
        "{read}"
    );
    assert_eq!(app.model.requests().len(), 1);
}

#[both_databases]
async fn an_answer_that_is_not_whole_is_no_result(db: TestDb) {
    let app = internal(db).await;
    app.model.script([LlmReply::text([""])]);
    let made = mission(&app, json!([{ "title": "Write" }])).await;
    app.assistant.wake();
    ended(&app, 1).await;
    assert_eq!(state(&app, &made).await, ("failed".to_owned(), vec!["failed".to_owned()]));
}

/// Reports with the key of a program that tasks are done.
async fn report_done(app: &App, mission: &Value, tasks: &[usize]) {
    let key = app.key_for_owner("api", &["records:write"]).await;
    let key = Authenticated { requested: RequestedContext::default(), ..key };
    let at = app.clock.now();
    let record = |task: &usize| {
        let (id, task) = (SystemIds.new_id(at), &mission["tasks"][*task]["id"]);
        json!({ "id": id, "at": at, "mission_id": mission["id"], "event": "task", "task_id": task })
    };
    let records: Vec<Value> = tasks.iter().map(record).collect();
    let reported = app.as_identity(key).done("records.add_missions", json!({ "records": records })).await;
    assert_eq!(reported["accepted"], json!(tasks.len()), "{reported}");
}

#[both_databases]
async fn a_task_that_is_free_after_a_switch_to_external_is_left_to_programs(db: TestDb) {
    let app = internal(db).await;
    app.model.script([LlmReply::text(["Done", "."]).pace(Duration::from_millis(200))]);
    let made = mission(&app, json!([{ "title": "Write" }, { "title": "Print", "depends_on": [0] }])).await;
    app.assistant.wake();
    eventually("the model is asked", async || !app.model.requests().is_empty()).await;
    switch_beside_runs(&app).await;
    assert_eq!(ended(&app, 1).await[0]["state"], "completed");
    let (now, tasks) = state(&app, &made).await;
    assert_eq!((now.as_str(), tasks), ("running", vec!["done".to_owned(), "open".to_owned()]));
    report_done(&app, &made, &[1]).await;
    assert_eq!(state(&app, &made).await.1, ["done", "done"]);
}

#[both_databases]
async fn the_tasks_of_runs_that_a_switch_to_external_stops_are_left_to_programs(db: TestDb) {
    let app = internal(db).await;
    app.model.always(LlmReply::text(["a", "b"]).pace(Duration::from_mins(1)));
    let made = mission(&app, json!([{ "title": "Write" }, { "title": "Print", "depends_on": [0] }])).await;
    let without_tasks = mission(&app, json!([])).await;
    app.assistant.wake();
    eventually("the model is asked", async || app.model.requests().len() == 2).await;
    for runner in ["external", "internal"] {
        app.owner().done("settings.update", json!({ "runner": runner })).await;
        let runs = ended(&app, 2).await;
        assert!(runs.iter().all(|run| run["state"] == "stopped"), "{runs:?}");
        assert_eq!(state(&app, &made).await, ("running".to_owned(), vec!["open".to_owned(); 2]), "{runner}");
        assert_eq!(state(&app, &without_tasks).await, ("running".to_owned(), vec![]), "{runner}");
    }
    assert_eq!(told(&app.editor()).await, []);
    report_done(&app, &made, &[0, 1]).await;
    assert_eq!(state(&app, &made).await.1, ["done", "done"]);
}
