//! Runs with no person beside them: heartbeats, scheduled tasks, playbooks and missions.

mod keys;
mod missions;
mod playbooks;

use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib_actions::Scheduler;
use toolcrib_assistant::fail_restored;
use toolcrib_engine::Stamp;
use toolcrib_model::{Clock as _, Role, SystemIds, WorkRunner};
use toolcrib_testkit::{LlmReply, Person, TestDb, both_databases, change_workspace, eventually};

use crate::harness::App;

/// Makes an app in whose workspace the assistant carries out what is due, with the agent `Worker`.
async fn internal(db: TestDb) -> App {
    let app = idle(db).await;
    tokio::spawn(app.assistant.clone().serve());
    app
}

/// Like [`internal`], with an assistant that takes no runs yet.
async fn idle(db: TestDb) -> App {
    let app = App::idle(db).await;
    app.owner().done("platform_create_agent", json!({ "name": "Worker", "role": "worker" })).await;
    app.owner().done("settings.update", json!({ "runner": "internal" })).await;
    app
}

/// Lets so many seconds pass, and runs the scheduler.
async fn later(app: &App, seconds: i64) {
    app.clock.advance(seconds);
    Scheduler::new((*app.db).clone(), app.clock.clone(), Arc::new(SystemIds)).run().await.unwrap();
    app.assistant.wake();
}

/// Waits until so many background runs have ended, and returns all, the oldest first.
async fn ended(app: &App, count: i64) -> Vec<Value> {
    eventually("the runs end", async || {
        let ended = "SELECT COUNT(*) FROM assistant_runs WHERE kind <> 'chat' AND ended_at IS NOT NULL";
        let ended = app.db.number(ended).await;
        if ended >= count { Ok(()) } else { Err(ended) }
    })
    .await;
    let listed = app.owner().done("assistant.list_runs", json!({ "all": true })).await;
    let runs = listed["items"].as_array().unwrap().iter().rev();
    runs.filter(|run| run["kind"] != "chat").cloned().collect()
}

/// Returns the titles and texts of a person's notifications of background runs, the newest first.
async fn told(person: &Person<'_>) -> Vec<(String, String)> {
    let listed = person.done("notifications.list", json!({})).await;
    let text = |entry: &Value, name: &str| entry[name].as_str().unwrap().to_owned();
    let ours = listed["items"].as_array().unwrap().iter();
    let ours = ours.filter(|one| one["kind"] == "assistant_run" || one["kind"] == "work_ended");
    ours.map(|one| (text(one, "title"), text(one, "body"))).collect()
}

/// Returns the words of the last message of a request to the model, and the names of the tools.
fn asked(app: &App, request: usize) -> (String, Vec<String>) {
    let body = app.model.requests()[request].body.clone();
    let words = body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .rfind(|message| message["role"] == "user")
        .unwrap()["content"]
        .as_str()
        .unwrap()
        .to_owned();
    let tools = body["tools"].as_array().unwrap();
    (words, tools.iter().map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect())
}

async fn heartbeat(app: &App, mode: &str) {
    let arguments =
        json!({ "agent": "Worker", "interval_minutes": 15, "mode": mode, "prompt": "Look around" });
    app.editor().confirmed("platform_configure_agent_heartbeat", arguments).await;
}

/// Switches to `external` and asks no run to stop, as if the runs were queued at the same time.
async fn switch_beside_runs(app: &App) {
    change_workspace(&app.db, app.a.workspace, |row| row.settings.runner = WorkRunner::External).await;
}

#[both_databases]
async fn with_an_external_runner_no_model_is_asked(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.editor();
    editor.done("platform_create_agent", json!({ "name": "Worker", "role": "worker" })).await;
    let arguments = json!({ "agent": "Worker", "interval_minutes": 15 });
    editor.done("platform_configure_agent_heartbeat", arguments).await;
    editor.done("platform_create_mission", json!({ "goal": "A goal", "auto_start": true })).await;
    later(&app, 901).await;
    assert_eq!(app.assistant.poll().await.unwrap(), 0);
    assert_eq!(app.db.number("SELECT COUNT(*) FROM assistant_runs").await, 0);
    assert_eq!(app.model.requests().len(), 0);
}

#[both_databases]
async fn a_heartbeat_that_notifies_only_reads(db: TestDb) {
    let app = internal(db).await;
    heartbeat(&app, "notify").await;
    app.model.script([
        LlmReply::calls([(
            "platform_create_task",
            json!({ "title": "A task", "description": "of a heartbeat" }),
        )]),
        LlmReply::text(["Two tasks are late."]),
        LlmReply::text(["Nothing to report."]),
    ]);
    later(&app, 901).await;
    let run = ended(&app, 1).await.remove(0);
    assert_eq!(
        (&run["kind"], &run["state"], &run["model"]),
        (&json!("heartbeat"), &json!("completed"), &json!("small")),
        "{run}"
    );
    let (words, tools) = asked(&app, 0);
    assert!(words.contains("Look around"), "{words}");
    assert!(tools.iter().all(|name| !name.contains("create")), "{tools:?}");
    assert_eq!(app.db.number("SELECT COUNT(*) FROM tasks").await, 0);
    let titles = [("Heartbeat of agent `Worker`".to_owned(), "Two tasks are late.".to_owned())];
    assert_eq!(told(&app.editor()).await, titles);
    later(&app, 901).await;
    ended(&app, 2).await;
    assert_eq!(told(&app.editor()).await.len(), 1);
    assert_eq!(app.db.number("SELECT COUNT(*) FROM heartbeat_runs WHERE status = 'ok'").await, 2);
}

#[both_databases]
async fn a_silent_heartbeat_only_reads_and_tells_nobody(db: TestDb) {
    let app = internal(db).await;
    heartbeat(&app, "silent").await;
    app.model.script([
        LlmReply::calls([(
            "platform_create_task",
            json!({ "title": "A task", "description": "of a heartbeat" }),
        )]),
        LlmReply::text(["Two tasks are late."]),
    ]);
    later(&app, 901).await;
    assert_eq!(ended(&app, 1).await[0]["state"], "completed");
    let (_, tools) = asked(&app, 0);
    assert!(tools.iter().all(|name| !name.contains("create")), "{tools:?}");
    assert_eq!((app.db.number("SELECT COUNT(*) FROM tasks").await, told(&app.editor()).await), (0, vec![]));
    let recorded = "SELECT COUNT(*) FROM heartbeat_runs WHERE status = 'ok'";
    assert_eq!(app.db.number(recorded).await, 1);
}

#[both_databases]
async fn a_heartbeat_that_acts_says_so(db: TestDb) {
    let app = internal(db).await;
    heartbeat(&app, "act").await;
    app.model.script([
        LlmReply::calls([(
            "platform_create_task",
            json!({ "title": "A task", "description": "of a heartbeat" }),
        )]),
        LlmReply::text(["Made a task."]),
    ]);
    later(&app, 901).await;
    ended(&app, 1).await;
    assert_eq!(app.db.number("SELECT COUNT(*) FROM tasks").await, 1);
    assert_eq!(app.db.number("SELECT COUNT(*) FROM heartbeat_runs WHERE status = 'acted'").await, 1);
    let calls = "SELECT COUNT(*) FROM action_log WHERE caller_type = 'heartbeat' \
        AND action = 'platform_create_task'";
    assert_eq!(app.db.number(calls).await, 1);
}

#[both_databases]
async fn a_heartbeat_that_fails_is_told_once_in_each_mode(db: TestDb) {
    let app = internal(db).await;
    for mode in ["act", "silent"] {
        heartbeat(&app, mode).await;
        app.model.script([LlmReply::text([""]), LlmReply::text([""]), LlmReply::text(["Nothing to report"])]);
        let before = ended(&app, 0).await.len();
        for run in 1..=3 {
            later(&app, 901).await;
            ended(&app, i64::try_from(before + run).unwrap()).await;
        }
    }
    let failed = ("Heartbeat of agent `Worker` failed".to_owned(), "the model said nothing".to_owned());
    assert_eq!(told(&app.editor()).await, [failed.clone(), failed]);
}

/// Stops the background run that is running.
async fn stop(app: &App) {
    eventually("the model is asked", async || !app.model.requests().is_empty()).await;
    let open = app.owner().done("assistant.list_runs", json!({ "all": true, "state": "running" })).await;
    let run = open["items"][0]["run"].clone();
    app.owner().done("assistant.stop_run", json!({ "id": run })).await;
}

#[both_databases]
async fn what_somebody_stops_is_not_told_to_have_failed(db: TestDb) {
    let app = internal(db).await;
    app.model.always(LlmReply::text(["one", "two"]).silent_after(1));
    heartbeat(&app, "notify").await;
    later(&app, 901).await;
    stop(&app).await;
    assert_eq!(ended(&app, 1).await[0]["state"], "stopped");
    let made = playbook(&app, json!([{ "prompt": "One" }])).await;
    app.assistant.wake();
    eventually("the model is asked again", async || app.model.requests().len() == 2).await;
    stop(&app).await;
    assert_eq!(ended(&app, 2).await[1]["state"], "stopped");
    assert_eq!(execution(&app, &made).await["status"], "failed");
    for (runs, tasks) in [(3, json!([])), (4, json!([{ "title": "Write" }]))] {
        let made = mission(&app, tasks).await;
        app.assistant.wake();
        eventually("the model is asked again", async || app.model.requests().len() == runs).await;
        stop(&app).await;
        assert_eq!(ended(&app, i64::try_from(runs).unwrap()).await.last().unwrap()["state"], "stopped");
        assert_eq!(state(&app, &made).await.0, "failed");
    }
    assert_eq!(told(&app.editor()).await, []);
}

#[both_databases]
async fn a_scheduled_task_is_done_and_told(db: TestDb) {
    let app = internal(db).await;
    let mut arguments = json!({ "kind": "recurring", "description": "Count the agents", "agent": "Worker" });
    arguments["when"] = json!("*/10 * * * *");
    app.owner().confirmed("platform_schedule_task", arguments).await;
    app.model
        .script([LlmReply::calls([("platform_list_agents", json!({}))]), LlmReply::text(["One agent."])]);
    later(&app, 601).await;
    let run = ended(&app, 1).await.remove(0);
    assert_eq!((&run["kind"], &run["state"]), (&json!("schedule"), &json!("completed")), "{run}");
    assert_eq!(told(&app.owner()).await[0].1, "One agent.");
    // It has at most the role editor, although an owner set it up.
    assert_eq!(
        app.db
            .number(
                "SELECT COUNT(*) FROM action_log WHERE action = 'platform_list_agents' AND role = 'editor'"
            )
            .await,
        1
    );
    // Its thread can be read, and is not among the chats.
    let thread = app.owner().done("assistant.get_thread", json!({ "thread": run["thread"] })).await;
    assert_eq!(thread["messages"].as_array().unwrap().len(), 2, "{thread}");
    assert_eq!(app.owner().done("assistant.list_threads", json!({})).await["items"], json!([]));
}

async fn playbook(app: &App, steps: Value) -> Value {
    let arguments = json!({ "name": "Report", "description": "Makes a report", "steps": steps });
    app.editor().done("platform_create_playbook", arguments).await;
    app.editor()
        .confirmed("platform_execute_playbook", json!({ "playbook": "Report", "input": { "topic": "bees" } }))
        .await
}

async fn execution(app: &App, made: &Value) -> Value {
    let arguments = json!({ "execution_id": made["id"] });
    app.editor().done("platform_get_playbook_execution", arguments).await
}

async fn mission(app: &App, tasks: Value) -> Value {
    app.editor()
        .confirmed("platform_create_mission", json!({ "goal": "Launch", "tasks": tasks, "auto_start": true }))
        .await
}

async fn state(app: &App, mission: &Value) -> (String, Vec<String>) {
    let read = app.editor().done("platform_get_mission", json!({ "mission_id": mission["id"] })).await;
    let tasks = read["tasks"].as_array().unwrap();
    let words = tasks.iter().map(|task| task["status"].as_str().unwrap().to_owned()).collect();
    (read["state"].as_str().unwrap().to_owned(), words)
}

async fn remove_editor(app: &App) {
    app.owner().done("members.remove", json!({ "user_id": app.a.user(Role::Editor) })).await;
}

#[both_databases]
async fn what_a_removed_member_set_up_ends(db: TestDb) {
    let app = idle(db).await;
    heartbeat(&app, "notify").await;
    let made = mission(&app, json!([{ "title": "Write" }])).await;
    remove_editor(&app).await;
    tokio::spawn(app.assistant.clone().serve());
    later(&app, 901).await;
    let runs = ended(&app, 2).await;
    assert!(runs.iter().all(|run| run["error"]["code"] == "permission_denied"), "{runs:?}");
    assert_eq!(app.model.requests().len(), 0);
    assert_eq!(app.db.number("SELECT COUNT(*) FROM heartbeats WHERE enabled = TRUE").await, 0);
    let read = app.owner().done("platform_get_mission", json!({ "mission_id": made["id"] })).await;
    assert_eq!(read["state"], "failed", "{read}");
    let titles: Vec<String> = told(&app.owner()).await.into_iter().map(|(title, _)| title).collect();
    assert!(titles.contains(&"The heartbeat of agent `Worker` has ended".to_owned()), "{titles:?}");
    assert!(titles.contains(&"The mission `Launch` has ended".to_owned()), "{titles:?}");
    later(&app, 901).await;
    assert_eq!(ended(&app, 2).await.len(), 2);
}

#[both_databases]
async fn work_that_nobody_answers_for_ends(db: TestDb) {
    let app = internal(db).await;
    heartbeat(&app, "act").await;
    app.db.raw_sql("UPDATE heartbeats SET caller = NULL").await;
    later(&app, 901).await;
    let run = ended(&app, 1).await.remove(0);
    assert_eq!(run["error"]["code"], "permission_denied", "{run}");
    assert!(told(&app.owner()).await[0].0.contains("has ended"));
}

#[both_databases]
async fn a_background_run_sets_up_no_work(db: TestDb) {
    let app = internal(db).await;
    heartbeat(&app, "act").await;
    let schedule =
        json!({ "kind": "recurring", "description": "Again", "when": "* * * * *", "agent": "Worker" });
    app.model.script([
        LlmReply::calls([(
            "platform_execute",
            json!({ "action": "platform_schedule_task", "params": schedule }),
        )]),
        LlmReply::text(["It was refused."]),
    ]);
    later(&app, 901).await;
    ended(&app, 1).await;
    assert_eq!(app.db.number("SELECT COUNT(*) FROM schedules").await, 0);
    assert_eq!(app.db.number("SELECT COUNT(*) FROM action_log WHERE reason = 'background'").await, 1);
}

#[both_databases]
async fn the_background_has_a_ceiling_of_its_own(db: TestDb) {
    let app = internal(db).await;
    heartbeat(&app, "notify").await;
    app.model.always(LlmReply::text(["Hello."]));
    app.owner().done("settings.update", json!({ "assistant_budget": { "background_microusd": 500 } })).await;
    later(&app, 901).await;
    ended(&app, 1).await;
    // Tokens count for a model without a price.
    for (runs, used) in [(2, "cost_microusd = 600"), (3, "cost_microusd = 0, input_tokens = 5000000")] {
        app.db.raw_sql(&format!("UPDATE assistant_runs SET {used} WHERE steps > 0")).await;
        later(&app, 901).await;
        let run = ended(&app, runs).await.pop().unwrap();
        assert_eq!(run["error"]["code"], "budget_exceeded", "{run}");
    }
    assert_eq!(app.model.requests().len(), 1);
    // A person can still chat.
    assert_eq!(app.say(&app.editor(), "a", "Hello").await["state"], "completed");
}

#[both_databases]
async fn standing_work_is_confirmed_each_time(db: TestDb) {
    let app = idle(db).await;
    let editor = app.editor();
    app.owner().done("platform_create_playbook", json!({ "name": "P", "description": "d" })).await;
    let standing = [
        ("platform_configure_agent_heartbeat", json!({ "agent": "Worker" })),
        (
            "platform_schedule_task",
            json!({ "kind": "recurring", "description": "x", "when": "0 9 * * *", "agent": "Worker" }),
        ),
        ("platform_create_mission", json!({ "goal": "x" })),
        ("platform_add_playbook_step", json!({ "playbook": "P", "prompt": "x" })),
        ("platform_update_playbook", json!({ "playbook": "P", "schedule": { "cron": "0 9 * * *" } })),
    ];
    for mode in ["confirm_writes", "standard"] {
        app.owner().done("settings.update", json!({ "approval_mode": mode })).await;
        for (action, arguments) in &standing {
            let id = editor.pending(action, arguments.clone()).await;
            let seen = editor.confirmation(id).await.unwrap();
            assert_eq!((seen.level.as_str(), seen.allow_session_grant), ("simple", false), "{action} {mode}");
            editor.approve(id).await.unwrap();
        }
    }
    let id = editor.pending("platform_execute_playbook", json!({ "playbook": "P" })).await;
    editor.deny(id, "no").await.unwrap();
    // With an external runner nobody is asked.
    app.owner().done("settings.update", json!({ "runner": "external" })).await;
    editor.done("platform_configure_agent_heartbeat", json!({ "agent": "Worker", "mode": "act" })).await;
}

#[both_databases]
async fn what_is_set_up_anew_does_not_end_with_an_old_run(db: TestDb) {
    let app = idle(db).await;
    heartbeat(&app, "act").await;
    later(&app, 901).await;
    remove_editor(&app).await;
    app.clock.advance(1);
    let arguments = json!({ "agent": "Worker", "interval_minutes": 30 });
    app.owner().confirmed("platform_configure_agent_heartbeat", arguments).await;
    assert_eq!(app.assistant.poll().await.unwrap(), 1);
    assert_eq!(ended(&app, 1).await[0]["error"]["code"], "permission_denied");
    assert_eq!(app.db.number("SELECT COUNT(*) FROM heartbeats WHERE enabled = TRUE").await, 1);
}

#[both_databases]
async fn an_external_runner_ends_what_runs(db: TestDb) {
    let app = idle(db).await;
    let made = mission(&app, json!([{ "title": "Write" }, { "title": "Print", "depends_on": [0] }])).await;
    app.owner().done("settings.update", json!({ "runner": "external" })).await;
    assert_eq!(app.assistant.poll().await.unwrap(), 1);
    assert_eq!(ended(&app, 1).await[0]["state"], "stopped");
    let left = ("running".to_owned(), vec!["open".to_owned(); 2]);
    assert_eq!((app.model.requests().len(), state(&app, &made).await), (0, left));
}

#[both_databases]
async fn work_needs_the_right_to_the_assistant(db: TestDb) {
    let app = internal(db).await;
    heartbeat(&app, "notify").await;
    app.owner()
        .done("members.update", json!({ "user_id": app.a.user(Role::Editor), "role": "viewer" }))
        .await;
    later(&app, 901).await;
    let run = ended(&app, 1).await.remove(0);
    assert_eq!(
        (&run["error"]["code"], app.model.requests().len()),
        (&json!("permission_denied"), 0),
        "{run}"
    );
}

#[both_databases]
async fn an_agent_that_is_disabled_does_nothing_and_keeps_its_schedule(db: TestDb) {
    let app = internal(db).await;
    let arguments =
        json!({ "kind": "recurring", "description": "Count", "when": "*/10 * * * *", "agent": "Worker" });
    app.editor().confirmed("platform_schedule_task", arguments).await;
    app.owner().confirmed("platform_update_agent", json!({ "agent": "Worker", "status": "inactive" })).await;
    for runs in 1..=2 {
        later(&app, 601).await;
        assert_eq!(ended(&app, runs).await.last().unwrap()["error"]["code"], "conflict");
    }
    assert_eq!(app.db.number("SELECT COUNT(*) FROM schedules WHERE status = 'active'").await, 1);
    // Whoever changed the agent answers for its work, and is told once.
    assert_eq!(told(&app.owner()).await.len(), 1);
    assert_eq!(told(&app.editor()).await, []);
}

#[both_databases]
async fn an_admin_stops_what_runs_by_itself(db: TestDb) {
    let app = internal(db).await;
    app.model.script([LlmReply::text(["a", "b"]).pace(std::time::Duration::from_mins(1))]);
    mission(&app, json!([{ "title": "Write" }])).await;
    app.assistant.wake();
    eventually("the model is asked", async || !app.model.requests().is_empty()).await;
    let run =
        app.owner().done("assistant.list_runs", json!({ "all": true })).await["items"][0]["run"].clone();
    let member = app.as_role(Role::Member);
    assert_eq!(member.refused("assistant.stop_run", json!({ "id": run })).await, "not_found");
    app.owner().done("assistant.stop_run", json!({ "id": run })).await;
    assert_eq!(ended(&app, 1).await[0]["state"], "stopped");
}

#[both_databases]
async fn what_is_not_known_of_a_run_yet_is_left_out(db: TestDb) {
    let app = idle(db).await;
    heartbeat(&app, "notify").await;
    later(&app, 901).await;
    let listed = app.owner().done("assistant.list_runs", json!({ "all": true })).await;
    let run = listed["items"][0].as_object().unwrap();
    assert!(!run.contains_key("model") && run["usage"].get("cost_known").is_none(), "{run:?}");
    app.model.script([LlmReply::text(["Nothing to report."])]);
    app.assistant.poll().await.unwrap();
    let run = ended(&app, 1).await.remove(0);
    assert_eq!((&run["model"], &run["usage"]["cost_known"]), (&json!("small"), &json!(false)), "{run}");
}
