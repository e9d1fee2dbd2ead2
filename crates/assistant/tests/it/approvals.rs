//! Runs that wait for people.

use serde_json::{Value, json};
use toolcrib_auth::{Authenticated, StoredCaller};
use toolcrib_model::{ConfirmationStatus, ErrorCode, Id, Role};
use toolcrib_store::assistant_runs;
use toolcrib_testkit::{LlmReply, Person, TestDb, both_databases};

use crate::harness::{App, confirmation_of};

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
    owner.approve(confirmation_of(&run)).await.unwrap();
    let run = app.until(&owner, &run, |run| run["ended_at"].is_string()).await;
    assert_eq!((&run["state"], &run["text"]), (&json!("completed"), &json!("It is gone.")), "{run}");
    assert!(app.answers(1)[1].contains("completed"), "{}", app.answers(1)[1]);
    assert_eq!(owner.done("platform_list_agents", json!({})).await["items"], json!([]));
}

#[both_databases]
async fn a_denial_is_an_answer(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let (_, run) = waiting_run(&app, &owner).await;
    app.model.script([LlmReply::text(["As you wish."])]);
    owner.deny(confirmation_of(&run), "not today").await.unwrap();
    let run = app.until(&owner, &run, |run| run["ended_at"].is_string()).await;
    assert_eq!(run["state"], "completed", "{run}");
    assert!(app.answers(1)[1].contains("not today"), "{}", app.answers(1)[1]);
}

#[both_databases]
async fn words_approve_nothing_and_end_the_wait(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let (_, first) = waiting_run(&app, &owner).await;
    let id = confirmation_of(&first);
    app.model.script([LlmReply::text(["A person has to approve it."])]);
    let second = app.say(&owner, "t1", "yes").await;
    assert_eq!(second["state"], "completed", "{second}");
    assert!(app.answers(1)[1].contains("confirmation_required"));
    let first = app.settled(&owner, &first).await;
    assert_eq!((&first["state"], &first["finish"]), (&json!("completed"), &Value::Null));
    // The card still works, once, and the next message says so.
    assert_eq!(owner.done("platform_list_agents", json!({})).await["items"].as_array().unwrap().len(), 1);
    owner.approve(id).await.unwrap();
    app.model.script([LlmReply::text(["Yes, it is gone."])]);
    app.say(&owner, "t1", "Is it gone?").await;
    let asked =
        app.model.requests()[2].body["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(asked.contains("was approved and has run"), "{asked}");
}

/// A backend's key sends the messages of a person, who goes on with a credential of their own.
#[both_databases]
async fn another_credential_of_the_person_reads_what_became_of_a_call(db: TestDb) {
    let app = App::new(db).await;
    let (owner, key) = (app.owner(), app.key_for_owner("chat", &["*:*", "act_as"]).await);
    let by_key = app.as_identity(key);
    let (_, first) = waiting_run(&app, &by_key).await;
    app.model.script([LlmReply::text(["A person has to approve it."])]);
    app.say(&by_key, "t1", "yes").await;
    owner.approve(confirmation_of(&first)).await.unwrap();
    app.model.script([LlmReply::text(["Yes, it is gone."])]);
    app.say(&owner, "t1", "Is it gone?").await;
    let asked = app.model.requests()[2].body["messages"].to_string();
    assert!(asked.contains("was approved and has run"), "{asked}");
}

#[both_databases]
async fn equal_calls_of_a_step_have_one_card(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("platform_create_agent", json!({ "name": "Release Writer", "role": "worker" })).await;
    let delete = json!({ "action": "platform_delete_agent", "params": { "agent": "Release Writer" } });
    app.model.script([LlmReply::calls(vec![("platform_execute", delete); 2])]);
    let run = app.say(&owner, "t1", "Delete it twice").await;
    assert_eq!(run["confirmations"].as_array().unwrap().len(), 1, "{run}");
    app.model.script([LlmReply::text(["It is gone."])]);
    owner.approve(confirmation_of(&run)).await.unwrap();
    app.until(&owner, &run, |run| run["ended_at"].is_string()).await;
    for call in [0, 1] {
        assert!(app.answers(1)[call].contains("completed"), "{}", app.answers(1)[call]);
    }
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
    assert_eq!(owner.confirmation(confirmation_of(&run)).await.unwrap().status, ConfirmationStatus::Void);
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
    owner.approve(confirmation_of(&run)).await.unwrap();
    app.until(&owner, &run, |run| run["ended_at"].is_string()).await;
    let answers = app.answers(1);
    let (first, second) = (&answers[0], &answers[1]);
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
    assert_eq!(confirmation_of(&other), confirmation_of(&run));
    owner.done("assistant.stop_run", json!({ "id": run["run"] })).await;
    app.assistant.wake();
    let stopped = app.until(&owner, &run, |run| run["ended_at"].is_string()).await;
    assert_eq!(stopped["state"], "stopped", "{stopped}");
    let parts = app.parts(&owner, "t1").await;
    let call = parts.iter().find(|part| part["toolName"] == "platform_delete_agent").unwrap();
    assert_eq!(call["output"]["status"], "confirmation_required", "{call}");
    app.model.script([LlmReply::text(["It is gone."])]);
    owner.approve(confirmation_of(&other)).await.unwrap();
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
    assert_eq!(confirmation_of(&run), of_person, "equal calls share a confirmation");
    let replaced_by = owner.pending("platform_update_agent", change("two")).await;
    owner.approve(replaced_by).await.unwrap();
    app.until(&owner, &run, |run| run["ended_at"].is_string()).await;
    let answer = &app.answers(1)[0];
    assert!(answer.contains("replaced it") && !answer.contains("completed"), "{answer}");
}

/// Two people decide the deletions of one step, in any order. What needs no decision has run meanwhile.
#[both_databases]
async fn two_people_decide_the_calls_of_one_step(db: TestDb) {
    let app = App::new(db).await;
    let (owner, admin) = (app.owner(), app.as_role(Role::Admin));
    for name in ["One", "Two"] {
        owner.done("platform_create_agent", json!({ "name": name, "role": "worker" })).await;
    }
    let delete = |agent: &str| {
        let call = json!({ "action": "platform_delete_agent", "params": { "agent": agent } });
        ("platform_execute", call)
    };
    let task = json!({ "title": "Call back", "description": "before noon" });
    let calls =
        [("platform_list_agents", json!({})), ("platform_create_task", task), delete("One"), delete("Two")];
    app.model.script([LlmReply::calls(calls), LlmReply::text(["Done."])]);
    let run = app.say(&owner, "t1", "Delete both").await;
    let cards = run["confirmations"].as_array().unwrap();
    assert_eq!((&run["state"], cards.len()), (&json!("waiting"), 2), "{run}");
    assert_eq!(owner.done("platform_list_tasks", json!({})).await["items"].as_array().unwrap().len(), 1);
    let card = |at: usize| cards[at]["id"].as_str().unwrap().parse::<Id>().unwrap();
    admin.approve(card(1)).await.unwrap();
    app.assistant.poll().await.unwrap();
    assert_eq!(app.settled(&owner, &run).await["state"], "waiting");
    owner.deny(card(0), "keep it").await.unwrap();
    let run = app.until(&owner, &run, |run| run["ended_at"].is_string()).await;
    assert_eq!((&run["state"], app.model.requests().len()), (&json!("completed"), 2), "{run}");
    assert!(app.answers(1)[2].contains("keep it") && app.answers(1)[3].contains("completed"));
    let left = owner.done("platform_list_agents", json!({})).await;
    assert_eq!((left["items"].as_array().unwrap().len(), &left["items"][0]["name"]), (1, &json!("One")));
}

/// Whoever a run acts for decides nothing as a run.
#[both_databases]
async fn a_stored_caller_approves_and_denies_nothing(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let (_, run) = waiting_run(&app, &owner).await;
    let mut tx = app.db.read(app.a.workspace).await.unwrap();
    let row =
        assistant_runs::get(&mut tx, run["run"].as_str().unwrap().parse().unwrap()).await.unwrap().unwrap();
    tx.end().await.unwrap();
    let stored = app.as_identity(Authenticated::stored(StoredCaller::from_text(row.caller)));
    let refused = [
        stored.approve(confirmation_of(&run)).await.err(),
        stored.deny(confirmation_of(&run), "no").await.err(),
    ];
    assert_eq!(refused.map(|error| error.unwrap().code), [ErrorCode::PermissionDenied; 2]);
    assert_eq!(owner.confirmation(confirmation_of(&run)).await.unwrap().status, ConfirmationStatus::Pending);
}

/// A run joins the open confirmation of its person's own call, which is theirs after the run too.
#[both_databases]
async fn a_stop_leaves_the_card_of_its_persons_own_call(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("platform_create_agent", json!({ "name": "Release Writer", "role": "worker" })).await;
    let own = owner.pending("platform_delete_agent", json!({ "agent": "Release Writer" })).await;
    let delete = json!({ "action": "platform_delete_agent", "params": { "agent": "Release Writer" } });
    app.model.script([LlmReply::calls([("platform_execute", delete)])]);
    let run = app.say(&owner, "t1", "Delete the agent").await;
    assert_eq!(confirmation_of(&run), own);
    owner.done("assistant.stop_run", json!({ "id": run["run"] })).await;
    app.assistant.wake();
    assert_eq!(app.until(&owner, &run, |run| run["ended_at"].is_string()).await["state"], "stopped");
    assert!(owner.confirmation(own).await.unwrap().status.is_open());
    owner.approve(own).await.unwrap();
    assert_eq!(owner.done("platform_list_agents", json!({})).await["items"], json!([]));
}

#[both_databases]
async fn a_person_who_lost_the_assistant_has_no_further_step(db: TestDb) {
    let app = App::new(db).await;
    let (owner, editor) = (app.owner(), app.editor());
    owner.done("settings.update", json!({ "approval_mode": "confirm_writes" })).await;
    let task = json!({ "title": "Call back", "description": "before noon" });
    app.model.script([LlmReply::calls([("platform_create_task", task)])]);
    let run = app.say(&editor, "t1", "Make a task").await;
    let viewer = json!({ "user_id": app.a.user(Role::Editor), "role": "viewer" });
    owner.done("members.update", viewer).await;
    owner.deny(confirmation_of(&run), "no").await.unwrap();
    let run = app.until(&owner, &run, |run| run["ended_at"].is_string()).await;
    assert_eq!(
        (&run["error"]["code"], app.model.requests().len()),
        (&json!("permission_denied"), 1),
        "{run}"
    );
}

/// Admins read why a run failed, too.
#[both_databases]
async fn the_error_of_a_member_who_was_removed_is_about_them(db: TestDb) {
    let app = App::idle(db).await;
    let owner = app.owner();
    let run = app.start(&app.editor(), "t1", "Hello").await;
    owner.done("members.remove", json!({ "user_id": app.a.user(Role::Editor) })).await;
    app.assistant.poll().await.unwrap();
    let run = app.until(&owner, &run, |run| run["ended_at"].is_string()).await;
    assert_eq!(run["error"]["code"], "permission_denied", "{run}");
    assert_eq!(run["error"]["detail"], "the person is not an active member of this workspace");
}

#[both_databases]
async fn a_run_has_the_card_that_it_left_open(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let (_, run) = waiting_run(&app, &owner).await;
    let id = confirmation_of(&run);
    app.model.script([LlmReply::text(["A person has to approve it."])]);
    app.say(&owner, "t1", "yes").await;
    let left = app.settled(&owner, &run).await;
    assert_eq!((&left["state"], confirmation_of(&left)), (&json!("completed"), id));
    owner.approve(id).await.unwrap();
    assert_eq!(app.settled(&owner, &run).await["confirmations"], json!([]));
}
