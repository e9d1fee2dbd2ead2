//! Models of the three formats: what goes back to the provider of what they thought.

use serde_json::{Value, json};
use toolcrib_connectors::llm::ModelFormat;
use toolcrib_model::Role;
use toolcrib_testkit::{LlmAnswer, LlmReply, LlmRequest, TestDb, both_databases};

use crate::harness::App;

/// An answer with reasoning, and a call with this ID or a text.
fn thoughtful(thought: &str, call: Option<(&str, &str, Value)>) -> LlmReply {
    let calls = call
        .iter()
        .map(|(id, name, arguments)| ((*id).to_owned(), (*name).to_owned(), arguments.to_string()));
    LlmReply::answer(LlmAnswer {
        reasoning: thought.to_owned(),
        text: vec![format!("After: {thought}")],
        calls: calls.collect(),
        ..LlmAnswer::default()
    })
}

/// Returns how many pieces of reasoning a request sends back, as their format binds them to the model.
fn thoughts(request: &LlmRequest) -> usize {
    let body = request.body.to_string();
    ["\"signature\":\"sig-1\"", "\"encrypted_content\":\"gAAAA-1\"", "\"reasoning_content\":"]
        .iter()
        .map(|mark| body.matches(mark).count())
        .sum()
}

/// What the model is told before the messages.
fn beginning(request: &LlmRequest) -> [&Value; 4] {
    let body = &request.body;
    [&body["system"], &body["instructions"], &body["messages"][0], &body["tools"]]
}

/// A question with two rounds of calls, in a format. The provider refuses a history that is not valid.
async fn reasoning_goes_back(db: TestDb, format: ModelFormat) {
    let app = App::with_format(db, format).await;
    let editor = app.editor();
    let task = json!({ "title": "Call back", "description": "before noon" });
    app.model.script([
        thoughtful("Look.", Some(("call_a", "platform_list_tasks", json!({})))),
        thoughtful("Write.", Some(("call_b", "platform_create_task", task))),
        thoughtful("Done.", None),
    ]);
    let run = app.say(&editor, "t1", "Make a task").await;
    let ended = (&run["state"], &run["steps"], &run["text"]);
    assert_eq!(ended, (&json!("completed"), &json!(3), &json!("After: Done.")), "{run}");
    let sent = |request: usize| thoughts(&app.model.requests()[request]);
    assert_eq!([sent(0), sent(1), sent(2)], [0, 1, 2]);
    let requests = app.model.requests();
    for later in &requests[1..] {
        assert_eq!(beginning(later), beginning(&requests[0]));
    }

    app.model.always(thoughtful("Again.", None));
    app.say(&editor, "t1", "And now?").await;
    assert_eq!(sent(3), 3);
    // Another role has other tools: nothing of what was thought before goes with them.
    let role = |role: &str| json!({ "user_id": app.a.user(Role::Editor), "role": role });
    app.owner().done("members.update", role("admin")).await;
    app.say(&editor, "t1", "And now?").await;
    assert_eq!(sent(4), 0);
    app.say(&editor, "t1", "And now?").await;
    assert_eq!(sent(5), 1);
    // Another model is told what was said and done, and nothing that is bound to the first one.
    let start = json!({ "thread": "t1", "message": "And now?", "model": "large" });
    let run = editor.done("assistant.start_run", start).await;
    app.assistant.wake();
    assert_eq!(app.settled(&editor, &run).await["state"], "completed");
    let asked = &app.model.requests()[6];
    assert_eq!((&asked.body["model"], thoughts(asked)), (&json!("large"), 0));
    let told = asked.body.to_string();
    assert!(told.contains("After: Write.") && told.contains("before noon"), "{told}");
}

#[both_databases]
async fn reasoning_goes_back_in_chat_completions(db: TestDb) {
    reasoning_goes_back(db, ModelFormat::OpenAi).await;
}

#[both_databases]
async fn reasoning_goes_back_in_responses(db: TestDb) {
    reasoning_goes_back(db, ModelFormat::OpenAiResponses).await;
}

#[both_databases]
async fn reasoning_goes_back_in_messages(db: TestDb) {
    reasoning_goes_back(db, ModelFormat::Anthropic).await;
}

/// What was repaired is what ran, what people see, and what the model reads of its call.
#[both_databases]
async fn repaired_arguments_are_shown_and_go_back(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.editor();
    let arguments = "{\"title\":\"REP\",\"description\":\"d\",}".to_owned();
    let call = ("call_a".to_owned(), "platform_create_task".to_owned(), arguments);
    app.model.script([
        LlmReply::answer(LlmAnswer { calls: vec![call], ..LlmAnswer::default() }),
        LlmReply::text(["Done."]),
    ]);
    assert_eq!(app.say(&editor, "t1", "Make a task").await["state"], "completed");
    let parts = app.parts(&editor, "t1").await;
    let part = parts.iter().find(|part| part["type"] == "dynamic-tool").unwrap();
    let input = json!({ "title": "REP", "description": "d" });
    assert_eq!((&part["state"], &part["input"]), (&json!("output-available"), &input));
    let messages = app.model.requests()[1].body["messages"].clone();
    let asked = messages.as_array().unwrap().iter().find(|message| message["tool_calls"].is_array());
    let arguments = &asked.unwrap()["tool_calls"][0]["function"]["arguments"];
    assert_eq!(*arguments, json!(input.to_string()));
}
