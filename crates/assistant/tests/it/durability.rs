//! Processes that end, freeze, or are two.

use std::time::Duration;

use serde_json::json;
use toolcrib_auth::{Authenticated, StoredCaller};
use toolcrib_engine::{ActionError, Arguments, CallKey, CallRequest, Outcome, PlannedCall};
use toolcrib_model::{ErrorCode, Id, Role};
use toolcrib_store::assistant_runs;
use toolcrib_testkit::{LlmReply, TestDb, both_databases, eventually};

use crate::harness::{App, confirmation_of};

#[both_databases]
async fn two_processes_take_a_run_once(db: TestDb) {
    let app = App::idle(db).await;
    let editor = app.editor();
    app.model.always(LlmReply::text(["Hello."]));
    let mut runs = Vec::new();
    for thread in ["a", "b", "c"] {
        runs.push(app.start(&editor, thread, "Hello").await);
    }
    let other = app.other_process();
    let (one, two) = tokio::join!(app.assistant.poll(), other.poll());
    assert_eq!(one.unwrap() + two.unwrap(), 3);
    for run in runs {
        assert_eq!(app.settled(&editor, &run).await["state"], "completed");
    }
    assert_eq!(app.model.requests().len(), 3);
}

#[both_databases]
async fn another_process_goes_on_when_a_lease_has_ended(db: TestDb) {
    let app = App::idle(db).await;
    let editor = app.editor();
    // The first process is frozen in the middle of the answer: its clock does not tell it.
    app.model.script([
        LlmReply::text(["one", "two", "three"]).silent_after(2),
        LlmReply::calls([("platform_create_task", json!({ "title": "Once", "description": "and no more" }))]),
        LlmReply::text(["Done."]),
    ]);
    let run = app.start(&editor, "t1", "Make a task").await;
    assert_eq!(app.assistant.poll().await.unwrap(), 1);
    eventually("the model is asked", async || !app.model.requests().is_empty()).await;
    app.clock.advance(60);
    let other = app.other_process();
    assert_eq!(other.poll().await.unwrap(), 1);
    let run = app.settled(&editor, &run).await;
    assert_eq!((&run["state"], &run["text"]), (&json!("completed"), &json!("Done.")), "{run}");
    let tasks = editor.done("platform_list_tasks", json!({})).await;
    assert_eq!(tasks["items"].as_array().unwrap().len(), 1);
}

#[both_databases]
async fn a_call_that_ran_before_the_end_of_its_process_runs_once(db: TestDb) {
    let app = App::idle(db).await;
    let editor = app.editor();
    app.model.script([
        LlmReply::calls([("platform_create_task", json!({ "title": "Once", "description": "and no more" }))]),
        LlmReply::text(["Done."]),
    ]);
    let run = app.start(&editor, "t1", "Make a task").await;
    app.assistant.poll().await.unwrap();
    app.settled(&editor, &run).await;
    // As if the process had ended between the effect and the commit of its answer.
    app.db.raw_sql("UPDATE assistant_calls SET state = 'planned', answer = NULL").await;
    app.db.raw_sql("DELETE FROM assistant_steps WHERE step = 2").await;
    app.db.raw_sql("UPDATE assistant_runs SET state = 'queued', steps = 1, ended_at = NULL").await;
    app.model.script([LlmReply::text(["Done again."])]);
    app.other_process().poll().await.unwrap();
    let run = app.settled(&editor, &run).await;
    assert_eq!((&run["state"], &run["text"]), (&json!("completed"), &json!("Done again.")), "{run}");
    let tasks = editor.done("platform_list_tasks", json!({})).await;
    assert_eq!(tasks["items"].as_array().unwrap().len(), 1);
}

#[both_databases]
async fn an_end_that_is_found_out_later_is_told_once(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.editor();
    app.model.script([
        LlmReply::calls([("platform_create_task", json!({ "title": "Once", "description": "and no more" }))]),
        LlmReply::text(["Nobody knows."]),
    ]);
    app.say(&editor, "t1", "Make a task").await;
    app.model.always(LlmReply::text(["It has."]));
    for (answer, times) in [("outcome_unknown", 1), ("in_progress", 1), ("conflict", 0)] {
        // As if the end had been recorded after this answer.
        let answer = format!(
            "UPDATE assistant_calls SET answer = '{{\"status\":\"refused\",\"error\":\"{answer}\"}}'"
        );
        app.db.raw_sql(&answer).await;
        app.db.raw_sql("DELETE FROM assistant_runs WHERE message = 'Has it run?'").await;
        for _ in 0..2 {
            app.say(&editor, "t1", "Has it run?").await;
        }
        let asked = app.model.requests().last().unwrap().body["messages"].to_string();
        assert_eq!(asked.matches("whose end was not known").count(), times, "{asked}");
        assert_eq!(asked.matches(") has run").count(), times, "{asked}");
    }
}

#[both_databases]
async fn a_stop_closes_the_connection_to_the_provider(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.editor();
    app.model.script([LlmReply::text(["a", "b"]).pace(Duration::from_mins(1))]);
    let run = app.start(&editor, "t1", "Hello").await;
    eventually("the model is asked", async || !app.model.requests().is_empty()).await;
    editor.done("assistant.stop_thread", json!({ "thread": "t1" })).await;
    let stopped = app.settled(&editor, &run).await;
    assert_eq!(stopped["state"], "stopped", "{stopped}");
    // The connection to the provider is closed.
    eventually("the connection is closed", async || app.model.hangups() == 1).await;
}

/// On PostgreSQL alone, because on SQLite the lock would hold up the stop too.
#[tokio::test(flavor = "multi_thread")]
async fn a_stop_between_two_calls_keeps_the_answer_of_the_first() {
    let app = App::new(toolcrib_testkit::postgres().await).await;
    let editor = app.editor();
    let task = |title: &str| ("platform_create_task", json!({ "title": title, "description": "once" }));
    app.model.script([LlmReply::calls([task("First"), task("Second")])]);
    let lock = app.db.open_transaction("LOCK TABLE tasks IN EXCLUSIVE MODE").await;
    let run = app.start(&editor, "t1", "Make two tasks").await;
    app.until(&editor, &run, |run| run["steps"] == 1).await;
    editor.done("assistant.stop_thread", json!({ "thread": "t1" })).await;
    // The lease is renewed when the process looks for the stop.
    let leases = async || app.db.number("SELECT CAST(SUM(lease_until) AS BIGINT) FROM assistant_runs").await;
    let before = leases().await;
    app.clock.advance(1);
    app.assistant.check_for_stop(run["run"].as_str().unwrap().parse().unwrap());
    eventually("the stop is noticed", async || leases().await > before).await;
    lock.commit().await;
    assert_eq!(app.settled(&editor, &run).await["state"], "stopped");
    let parts = app.parts(&editor, "t1").await;
    let calls: Vec<_> = parts.iter().filter(|part| part["type"] == "dynamic-tool").collect();
    assert_eq!(calls[0]["output"]["status"], "completed", "{parts:?}");
    assert_eq!(calls[1]["errorText"], "the call was not run: the run was stopped", "{parts:?}");
    let tasks = editor.done("platform_list_tasks", json!({})).await;
    assert_eq!(tasks["items"].as_array().unwrap().len(), 1);
}

#[both_databases]
async fn a_process_that_ends_gives_its_runs_back(db: TestDb) {
    let app = App::idle(db).await;
    let editor = app.editor();
    app.model.script([LlmReply::text(["one", "two"]).silent_after(1), LlmReply::text(["Done."])]);
    let run = app.start(&editor, "t1", "Hello").await;
    app.assistant.poll().await.unwrap();
    eventually("the model is asked", async || !app.model.requests().is_empty()).await;
    app.assistant.end().await;
    assert_eq!(app.assistant.poll().await.unwrap(), 0);
    assert_eq!(app.other_process().poll().await.unwrap(), 1);
    let run = app.settled(&editor, &run).await;
    assert_eq!((&run["state"], &run["text"]), (&json!("completed"), &json!("Done.")), "{run}");
}

#[both_databases]
async fn a_closed_call_never_runs_and_one_that_ran_is_not_closed(db: TestDb) {
    let app = App::idle(db).await;
    let editor = app.editor();
    let run: Id = app.start(&editor, "t1", "Hello").await["run"].as_str().unwrap().parse().unwrap();
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let row = assistant_runs::get(&mut tx, run).await.unwrap().unwrap();
    tx.end().await.unwrap();
    let caller = StoredCaller::from_text(row.caller);
    let call = async |id: Id, title: &str| {
        let arguments = json!({ "title": title, "description": "once" });
        let request = editor.request("platform_create_task", Arguments::Json(arguments));
        let authenticated = Authenticated::stored(caller.clone());
        let key = Some(CallKey::Run(id));
        app.engine.call(CallRequest { authenticated, idempotency_key: key, ..request }).await.outcome
    };
    let stopped = ActionError::new(ErrorCode::Conflict, "it was stopped");
    let (closed, ran) = (app.engine.new_id(), app.engine.new_id());

    let answer = app.engine.close_call(&caller, closed, &stopped).await.unwrap();
    assert!(matches!(answer, PlannedCall::Ended(outcome) if outcome.is_error()));
    // A process that wakes up late makes the call all the same.
    let late = call(closed, "Closed").await;
    assert!(matches!(late, Outcome::Refused(problem) if problem.detail == "it was stopped"));

    assert!(matches!(call(ran, "Ran").await, Outcome::Completed(_)));
    let answer = app.engine.close_call(&caller, ran, &stopped).await.unwrap();
    assert!(matches!(answer, PlannedCall::Ended(outcome) if !outcome.is_error()));

    let tasks = editor.done("platform_list_tasks", json!({})).await;
    let titles: Vec<&str> =
        tasks["items"].as_array().unwrap().iter().map(|task| task["title"].as_str().unwrap()).collect();
    assert_eq!(titles, ["Ran"]);
}

#[both_databases]
async fn a_flood_of_one_workspace_holds_up_no_other(db: TestDb) {
    let app = App::idle(db).await;
    app.model.always(LlmReply::text(["one"]).silent_after(1));
    app.start(&app.owner(), "t1", "Hello").await;
    // As if many people had begun runs, the oldest of all.
    app.copy_run(120, "{id}, {id}, thread, message, created_at - 1").await;
    app.start(&app.as_role_b(toolcrib_model::Role::Owner), "t1", "Hello").await;
    // Twenty of the first workspace, and that of the second.
    assert_eq!(app.assistant.poll().await.unwrap(), 21);
}

#[both_databases]
async fn a_run_that_four_processes_lose_fails(db: TestDb) {
    let app = App::idle(db).await;
    let editor = app.editor();
    app.model.always(LlmReply::text(["one", "two"]).silent_after(1));
    let run = app.start(&editor, "t1", "Hello").await;
    for asked in 1..=4 {
        assert_eq!(app.other_process().poll().await.unwrap(), 1);
        eventually("the model is asked", async || app.model.requests().len() == asked).await;
        app.clock.advance(60);
    }
    assert_eq!(app.other_process().poll().await.unwrap(), 1);
    let run = app.settled(&editor, &run).await;
    assert_eq!((&run["state"], &run["error"]["code"]), (&json!("failed"), &json!("internal")), "{run}");
    assert_eq!(app.model.requests().len(), 4);
}

#[both_databases]
async fn a_run_that_waits_goes_on_in_another_process(db: TestDb) {
    let app = App::idle(db).await;
    let owner = app.owner();
    owner.done("platform_create_agent", json!({ "name": "Worker", "role": "worker" })).await;
    let delete = json!({ "action": "platform_delete_agent", "params": { "agent": "Worker" } });
    app.model.script([LlmReply::calls([("platform_execute", delete)]), LlmReply::text(["It is gone."])]);
    let run = app.start(&owner, "t1", "Delete the agent").await;
    app.assistant.poll().await.unwrap();
    let waiting = app.settled(&owner, &run).await;
    app.assistant.end().await;
    owner.approve(confirmation_of(&waiting)).await.unwrap();
    assert_eq!(app.other_process().poll().await.unwrap(), 1);
    let run = app.settled(&owner, &run).await;
    assert_eq!((&run["state"], &run["text"]), (&json!("completed"), &json!("It is gone.")), "{run}");
}

#[both_databases]
async fn a_member_who_is_removed_has_no_further_calls(db: TestDb) {
    let app = App::new(db).await;
    let (editor, owner) = (app.editor(), app.owner());
    owner.done("settings.update", json!({ "approval_mode": "confirm_writes" })).await;
    let task = json!({ "title": "Call back", "description": "before noon" });
    app.model.script([LlmReply::calls([("platform_create_task", task)])]);
    let run = app.say(&editor, "t1", "Make a task").await;
    assert_eq!(run["state"], "waiting", "{run}");
    owner.done("members.remove", json!({ "user_id": app.a.user(Role::Editor) })).await;
    owner.deny(confirmation_of(&run), "no").await.unwrap();
    let run = app.until(&owner, &run, |run| run["ended_at"].is_string()).await;
    assert_eq!(
        (&run["state"], &run["error"]["code"]),
        (&json!("failed"), &json!("permission_denied")),
        "{run}"
    );
    assert_eq!((app.db.number("SELECT COUNT(*) FROM tasks").await, app.model.requests().len()), (0, 1));
}
