//! Limits of runs, and wrong requests.

use serde_json::json;
use toolcrib_testkit::{LlmReply, TestDb, both_databases};

use crate::harness::App;

#[both_databases]
async fn a_thread_has_one_open_run_and_a_person_four(db: TestDb) {
    let app = App::idle(db).await;
    let editor = app.editor();
    for thread in ["a", "b", "c", "d"] {
        app.start(&editor, thread, "Hello").await;
    }
    let start = |thread: &str| json!({ "thread": thread, "message": "Hello" });
    assert_eq!(editor.refused("assistant.start_run", start("a")).await, "conflict");
    assert_eq!(editor.refused("assistant.start_run", start("e")).await, "conflict");
    // Others are not concerned.
    app.start(&app.owner(), "a", "Hello").await;
}

#[both_databases]
async fn wrong_requests_say_what_is_wrong(db: TestDb) {
    let app = App::idle(db).await;
    let editor = app.editor();
    let problem = editor.problem("assistant.start_run", json!({ "thread": "a b", "message": "Hello" })).await;
    assert_eq!(problem.errors[0].pointer, "/thread");
    let problem = editor.problem("assistant.start_run", json!({ "thread": "a", "message": "  " })).await;
    assert_eq!(problem.errors[0].pointer, "/message");
    let with_model = json!({ "thread": "a", "message": "Hello", "model": "huge" });
    let problem = editor.problem("assistant.start_run", with_model).await;
    assert_eq!(problem.errors[0].pointer, "/model");
    assert!(problem.hint.unwrap().contains("`large`"));
}

#[both_databases]
async fn a_workspace_that_used_its_tokens_asks_no_model(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.editor();
    app.model.always(LlmReply::text(["Hello."]));
    app.say(&editor, "a", "Hello").await;
    app.db.raw_sql("UPDATE assistant_runs SET input_tokens = 20000000").await;
    let run = app.say(&editor, "b", "Hello").await;
    assert_eq!(
        (&run["state"], &run["error"]["code"]),
        (&json!("failed"), &json!("budget_exceeded")),
        "{run}"
    );
    assert_eq!(app.model.requests().len(), 1);
}

#[both_databases]
async fn the_same_message_starts_no_second_run(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.editor();
    app.model.always(LlmReply::text(["Hello."]));
    let message = json!({ "thread": "a", "message": "Hello", "message_id": "m1" });
    let run = editor.done("assistant.start_run", message.clone()).await;
    app.assistant.wake();
    app.settled(&editor, &run).await;
    let again = editor.done("assistant.start_run", message).await;
    assert_eq!((&again["run"], &again["text"]), (&run["run"], &json!("Hello.")));
    let other = json!({ "thread": "a", "message": "Bye", "message_id": "m1" });
    assert_eq!(editor.refused("assistant.start_run", other).await, "conflict");
}

#[both_databases]
async fn the_tokens_of_a_run_are_in_the_statistics(db: TestDb) {
    let app = App::new(db).await;
    app.model.always(LlmReply::text(["Hello."]));
    app.say(&app.editor(), "a", "Hello").await;
    let costs = app.owner().done("platform_get_cost_breakdown", json!({})).await;
    assert!(costs.to_string().contains("small"), "{costs}");
}
