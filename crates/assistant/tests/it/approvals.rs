//! Runs that wait for people.

use serde_json::{Value, json};
use toolcrib_model::{ConfirmationStatus, Id};
use toolcrib_testkit::{LlmReply, Person, TestDb, both_databases};

use crate::harness::App;

/// Makes an agent, and a run that waits to delete it.
async fn waiting_run(app: &App, owner: &Person<'_>) -> (Value, Value) {
    let agent =
        owner.done("platform_create_agent", json!({ "name": "Release Writer", "role": "worker" })).await;
    app.model.script([LlmReply::calls([
        ("platform_list_agents", json!({})),
        (
            "platform_execute",
            json!({ "action": "platform_delete_agent", "params": { "agent": "Release Writer" } }),
        ),
    ])]);
    let run = app.say(owner, "t1", "Delete the agent").await;
    assert_eq!(run["state"], "waiting", "{run}");
    (agent, run)
}

fn id_of(run: &Value) -> Id {
    run["confirmations"][0]["id"].as_str().unwrap().parse().unwrap()
}

fn answer_of(app: &App, request: usize, call: usize) -> String {
    let body = &app.model.requests()[request].body;
    let answers = body["messages"].as_array().unwrap().iter().filter(|m| m["role"] == "tool");
    answers.map(|answer| answer["content"].to_string()).nth(call).unwrap()
}

#[both_databases]
async fn a_run_goes_on_when_a_person_has_approved(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let (_, run) = waiting_run(&app, &owner).await;
    let confirmation = &run["confirmations"][0];
    assert_eq!(confirmation["action"], "platform_delete_agent");
    // The model is not asked while a call waits.
    assert_eq!(app.model.requests().len(), 1);
    app.model.script([LlmReply::text(["It is gone."])]);
    owner.approve(id_of(&run)).await.unwrap();
    let run = app.until(&owner, &run, |run| run["ended_at"].is_string()).await;
    assert_eq!((&run["state"], &run["text"]), (&json!("completed"), &json!("It is gone.")), "{run}");
    assert!(answer_of(&app, 1, 1).contains("completed"), "{}", answer_of(&app, 1, 1));
    assert_eq!(owner.done("platform_list_agents", json!({})).await["items"], json!([]));
}

#[both_databases]
async fn a_denial_is_an_answer(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let (_, run) = waiting_run(&app, &owner).await;
    app.model.script([LlmReply::text(["As you wish."])]);
    owner.deny(id_of(&run), "not today").await.unwrap();
    let run = app.until(&owner, &run, |run| run["ended_at"].is_string()).await;
    assert_eq!(run["state"], "completed", "{run}");
    assert!(answer_of(&app, 1, 1).contains("not today"), "{}", answer_of(&app, 1, 1));
}

#[both_databases]
async fn words_approve_nothing_and_end_the_wait(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let (_, first) = waiting_run(&app, &owner).await;
    let id = id_of(&first);
    app.model.script([LlmReply::text(["A person has to approve it."])]);
    let second = app.say(&owner, "t1", "yes").await;
    assert_eq!(second["state"], "completed", "{second}");
    assert!(answer_of(&app, 1, 1).contains("confirmation_required"));
    let first = app.settled(&owner, &first).await;
    assert_eq!(first["state"], "completed");
    // The card still works, once, and the next message says so.
    assert_eq!(owner.done("platform_list_agents", json!({})).await["items"].as_array().unwrap().len(), 1);
    owner.approve(id).await.unwrap();
    app.model.script([LlmReply::text(["Yes, it is gone."])]);
    app.say(&owner, "t1", "Is it gone?").await;
    let asked =
        app.model.requests()[2].body["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(asked.contains("was approved and has run"), "{asked}");
}

#[both_databases]
async fn a_stop_ends_the_wait_and_its_confirmations(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let (_, run) = waiting_run(&app, &owner).await;
    owner.done("assistant.stop_run", json!({ "id": run["run"] })).await;
    app.assistant.wake();
    let stopped = app.until(&owner, &run, |run| run["ended_at"].is_string()).await;
    assert_eq!(stopped["state"], "stopped", "{stopped}");
    assert_eq!(owner.confirmation(id_of(&run)).await.unwrap().status, ConfirmationStatus::Void);
    assert_eq!(owner.done("platform_list_agents", json!({})).await["items"].as_array().unwrap().len(), 1);
    // Every call in the transcript has an answer.
    app.model.script([LlmReply::text(["Hello again."])]);
    let next = app.say(&owner, "t1", "Hello").await;
    assert_eq!(next["state"], "completed", "{next}");
}

/// Two changes of one agent: the second replaces the confirmation of the first, which never runs, and its
/// answer says so.
#[both_databases]
async fn a_call_that_another_one_replaced_was_not_run(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("platform_create_agent", json!({ "name": "Release Writer", "role": "worker" })).await;
    owner.done("settings.update", json!({ "approval_mode": "confirm_writes" })).await;
    let change =
        |to: &str| ("platform_update_agent", json!({ "agent": "Release Writer", "description": to }));
    app.model.script([LlmReply::calls([change("one"), change("two")]), LlmReply::text(["Done."])]);
    let run = app.say(&owner, "t1", "Change it twice").await;
    assert_eq!(run["confirmations"].as_array().unwrap().len(), 1, "{run}");
    owner.approve(id_of(&run)).await.unwrap();
    app.until(&owner, &run, |run| run["ended_at"].is_string()).await;
    let (first, second) = (answer_of(&app, 1, 0), answer_of(&app, 1, 1));
    assert!(first.contains("replaced it") && !first.contains("completed"), "{first}");
    assert!(second.contains("completed"), "{second}");
}

#[both_databases]
async fn a_card_that_another_run_waits_for_too_stays_open(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let (_, run) = waiting_run(&app, &owner).await;
    let delete = json!({ "action": "platform_delete_agent", "params": { "agent": "Release Writer" } });
    app.model.script([LlmReply::calls([("platform_execute", delete)])]);
    let other = app.say(&owner, "t2", "Delete the agent").await;
    // Equal calls share a confirmation.
    assert_eq!(id_of(&other), id_of(&run));
    owner.done("assistant.stop_run", json!({ "id": run["run"] })).await;
    app.assistant.wake();
    let stopped = app.until(&owner, &run, |run| run["ended_at"].is_string()).await;
    assert_eq!(stopped["state"], "stopped", "{stopped}");
    let parts = app.parts(&owner, "t1").await;
    let call = parts.iter().find(|part| part["toolName"] == "platform_delete_agent").unwrap();
    assert_eq!(call["output"]["status"], "confirmation_required", "{call}");
    app.model.script([LlmReply::text(["It is gone."])]);
    owner.approve(id_of(&other)).await.unwrap();
    assert_eq!(app.until(&owner, &other, |run| run["ended_at"].is_string()).await["state"], "completed");
    // The next message says what became of it.
    app.model.script([LlmReply::text(["Yes."])]);
    app.say(&owner, "t1", "Is it gone?").await;
    let asked = app.model.requests().last().unwrap().body["messages"].to_string();
    assert!(asked.contains("was approved and has run"), "{asked}");
}

/// A run joins the open confirmation of its person's own call, which has no key. Their next call replaces
/// it, and is not what the run asked for.
#[both_databases]
async fn a_call_that_its_person_replaced_was_not_run(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("platform_create_agent", json!({ "name": "Release Writer", "role": "worker" })).await;
    owner.done("settings.update", json!({ "approval_mode": "confirm_writes" })).await;
    let change = |to: &str| json!({ "agent": "Release Writer", "description": to });
    let of_person = owner.pending("platform_update_agent", change("one")).await;
    let call = LlmReply::calls([("platform_update_agent", change("one"))]);
    app.model.script([call, LlmReply::text(["Done."])]);
    let run = app.say(&owner, "t1", "Change it").await;
    assert_eq!(id_of(&run), of_person, "equal calls share a confirmation");
    let replaced_by = owner.pending("platform_update_agent", change("two")).await;
    owner.approve(replaced_by).await.unwrap();
    app.until(&owner, &run, |run| run["ended_at"].is_string()).await;
    let answer = answer_of(&app, 1, 0);
    assert!(answer.contains("replaced it") && !answer.contains("completed"), "{answer}");
}
