//! The loop: text, calls, steps.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{LlmReply, TestDb, both_databases};

use crate::harness::App;

#[both_databases]
async fn a_message_gets_an_answer(db: TestDb) {
    let app = App::new(db).await;
    app.model.script([LlmReply::text(["Good ", "day."])]);
    let run = app.say(&app.editor(), "t1", "Hello").await;
    assert_eq!((&run["state"], &run["text"]), (&json!("completed"), &json!("Good day.")), "{run}");
    assert_eq!((&run["steps"], &run["model"]), (&json!(1), &json!("small")));
    assert_eq!(run["usage"]["input_tokens"], 100);
    let asked = &app.model.requests()[0].body;
    assert_eq!(asked["model"], "small");
    let words = asked["messages"].as_array().unwrap().last().unwrap()["content"].to_string();
    assert!(words.contains("Hello"), "{words}");
}

#[both_databases]
async fn calls_are_run_and_their_answers_read(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.editor();
    app.model.script([
        LlmReply::calls([
            ("platform_list_agents", json!({})),
            ("platform_create_task", json!({ "title": "Call back", "description": "by phone" })),
        ]),
        LlmReply::text(["Done."]),
    ]);
    let run = app.say(&editor, "t1", "Make a task").await;
    assert_eq!(
        (&run["state"], &run["steps"], &run["text"]),
        (&json!("completed"), &json!(2), &json!("Done.")),
        "{run}"
    );
    let tasks = editor.done("platform_list_tasks", json!({})).await;
    assert_eq!(tasks["items"][0]["title"], "Call back");
    let requests = app.model.requests();
    let answers: Vec<&Value> =
        requests[1].body["messages"].as_array().unwrap().iter().filter(|m| m["role"] == "tool").collect();
    assert_eq!(answers.len(), 2);
    assert!(answers[1]["content"].to_string().contains("Call back"), "{}", answers[1]);
    // What the model is told only grows.
    assert_eq!(requests[0].body["tools"], requests[1].body["tools"]);
    let first = requests[0].body["messages"].as_array().unwrap();
    assert_eq!(&requests[1].body["messages"].as_array().unwrap()[..first.len()], &first[..]);
    let parts = app.parts(&editor, "t1").await;
    let task = parts.iter().find(|part| part["toolName"] == "platform_create_task").unwrap();
    assert_eq!((&task["state"], &task["input"]["title"]), (&json!("output-available"), &json!("Call back")));
}

#[both_databases]
async fn the_calls_of_a_run_are_in_the_audit_log(db: TestDb) {
    let app = App::new(db).await;
    app.model.script([
        LlmReply::calls([(
            "platform_create_task",
            json!({ "title": "Call back", "description": "by phone" }),
        )]),
        LlmReply::text(["Done."]),
    ]);
    let run = app.say(&app.editor(), "t1", "Make a task").await;
    let log = app.owner().done("audit.list", json!({ "action": ["platform_create_task"] })).await;
    let row = &log["items"][0];
    assert_eq!((&row["surface"], &row["request_id"]), (&json!("assistant"), &run["run"]), "{row}");
    assert_eq!((&row["outcome"], &row["session"]), (&json!("succeeded"), &json!("t1")));
    assert_eq!(row["caller_type"], "chat");
    // What the person wrote is in no audit row.
    let log = app.owner().done("audit.list", json!({ "action": ["assistant.start_run"] })).await;
    assert!(!log.to_string().contains("Make a task"), "{log}");
}

#[both_databases]
async fn a_run_has_the_permissions_of_its_person_and_no_more(db: TestDb) {
    let app = App::new(db).await;
    assert_eq!(
        app.as_role(Role::Viewer)
            .refused("assistant.start_run", json!({ "thread": "t", "message": "hi" }))
            .await,
        "permission_denied"
    );
    app.model.script([
        LlmReply::calls([(
            "platform_execute",
            json!({ "action": "platform_delete_workspace", "params": {} }),
        )]),
        LlmReply::text(["I may not."]),
    ]);
    let run = app.say(&app.editor(), "t1", "Delete everything").await;
    assert_eq!(run["state"], "completed", "{run}");
    let parts = app.parts(&app.editor(), "t1").await;
    let call = parts.iter().find(|part| part["type"] == "dynamic-tool").unwrap();
    assert_eq!(
        (&call["state"], &call["toolName"]),
        (&json!("output-error"), &json!("platform_delete_workspace"))
    );
}

#[both_databases]
async fn an_agent_lends_its_promoted_tools(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let agent = owner.done("platform_create_agent", json!({ "name": "Worker", "role": "worker" })).await;
    let only = json!({ "caller": "Worker", "actions": ["platform_list_tasks"] });
    owner.done("promotions.set", only).await;
    app.model.always(LlmReply::text(["Hello."]));
    app.say(&owner, "t1", "Hello").await;
    let start = json!({ "thread": "t2", "message": "Hello", "agent": agent["id"] });
    let run = owner.done("assistant.start_run", start).await;
    app.assistant.wake();
    app.settled(&owner, &run).await;
    let tools = |request: usize| app.model.requests()[request].body["tools"].as_array().unwrap().clone();
    assert!(tools(1).len() + 5 < tools(0).len(), "{:?}", tools(1));
    assert!(tools(1).iter().any(|tool| tool["function"]["name"] == "platform_list_tasks"), "{:?}", tools(1));
}

#[both_databases]
async fn cut_messages_run_nothing(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.editor();
    let cut = LlmReply::answer(toolcrib_testkit::LlmAnswer {
        calls: vec![("c".into(), "platform_create_task".into(), "{\"title\":\"A\"}".into())],
        finish: Some("length"),
        ..Default::default()
    });
    app.model.script([cut, LlmReply::text(["Sorry."])]);
    let run = app.say(&editor, "t1", "Make a task").await;
    assert_eq!((&run["state"], &run["steps"]), (&json!("completed"), &json!(2)), "{run}");
    assert_eq!(editor.done("platform_list_tasks", json!({})).await["items"], json!([]));
}

#[both_databases]
async fn a_withheld_message_with_calls_breaks_no_thread(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.editor();
    app.model.script([
        LlmReply::answer(toolcrib_testkit::LlmAnswer {
            text: vec!["I look.".into()],
            calls: vec![("c".into(), "platform_list_agents".into(), "{}".into())],
            finish: Some("content_filter"),
            ..Default::default()
        }),
        LlmReply::text(["Hello."]),
    ]);
    assert_eq!(app.say(&editor, "t1", "Look").await["state"], "completed");
    let next = app.say(&editor, "t1", "Hello").await;
    assert_eq!((&next["state"], &next["text"]), (&json!("completed"), &json!("Hello.")), "{next}");
    assert!(app.model.requests()[1].body.to_string().contains("I look."));
}

#[both_databases]
async fn a_provider_that_fails_ends_the_run_with_a_code(db: TestDb) {
    let app = App::new(db).await;
    app.model.always(LlmReply::error(401, "invalid_api_key", "secret words of the provider"));
    let run = app.say(&app.editor(), "t1", "Hello").await;
    assert_eq!((&run["state"], &run["error"]["code"]), (&json!("failed"), &json!("upstream_error")), "{run}");
    let detail = run["error"]["detail"].as_str().unwrap();
    assert!(
        detail.contains("fake") && detail.contains("401") && !detail.contains("secret words"),
        "{detail}"
    );
}

#[both_databases]
async fn ten_steps_are_the_most(db: TestDb) {
    let app = App::new(db).await;
    app.model.always(LlmReply::calls([("platform_list_agents", json!({}))]));
    let run = app.say(&app.editor(), "t1", "Loop").await;
    let end = ["state", "steps", "finish"].map(|field| &run[field]);
    assert_eq!(end, [&json!("completed"), &json!(10), &json!("steps")], "{run}");
    let requests = app.model.requests();
    assert_eq!(requests.len(), 10);
    assert_eq!(requests[9].body["tool_choice"], "none");
    assert_eq!(requests[9].body["tools"], requests[0].body["tools"]);
    // A provider refuses a history in which a call has no answer.
    let parts = app.parts(&app.editor(), "t1").await;
    let last = parts.last().unwrap()["errorText"].as_str().unwrap();
    assert!(last.contains("limit of steps"), "{last}");
    app.model.always(LlmReply::text(["Hello."]));
    assert_eq!(app.say(&app.editor(), "t1", "Hello").await["state"], "completed");
}

#[both_databases]
async fn the_oldest_answers_of_a_long_run_are_cleared(db: TestDb) {
    let app = App::with_context(db, 9_000).await;
    tokio::spawn(app.assistant.clone().serve());
    let editor = app.editor();
    let text = "word ".repeat(820);
    editor.done("platform_create_task", json!({ "title": "Long", "description": text })).await;
    let list = || LlmReply::calls([("platform_list_tasks", json!({}))]);
    let too_long = LlmReply::error(400, "context_length_exceeded", "maximum context length is 2048 tokens");
    app.model.script((0..6).map(|_| list()).chain([too_long, LlmReply::text(["Done."])]));
    let run = app.say(&editor, "t1", "Loop").await;
    assert_eq!((&run["state"], &run["steps"]), (&json!("completed"), &json!(7)), "{run}");
    // Returns how many answers are cleared: the oldest, and never the newest.
    let cleared = |request: usize| {
        let answers = app.answers(request);
        let cleared = answers.iter().take_while(|answer| answer.contains("cleared")).count();
        assert!(answers[cleared..].iter().all(|answer| answer.contains("word word")), "{answers:?}");
        assert!(cleared < answers.len());
        cleared
    };
    assert_eq!(cleared(2), 0);
    // Not all of six fit. What is left is still too long for the model.
    assert!(cleared(6) > 0 && cleared(7) > cleared(6));
    let size = app.model.requests()[6].body.to_string().len() / 4;
    assert!(size < 9_000, "{size}");
    // The next message follows the run, with the answers that fit.
    app.model.script([LlmReply::text(["Hello."])]);
    app.say(&editor, "t1", "Hello").await;
    assert!(cleared(8) > 0);
}

/// The service did not answer the first call, and may have done what it asked for. The second one is refused
/// until somebody knows, and the model reads that it has not run.
#[both_databases]
async fn a_call_that_is_refused_because_of_another_one_has_not_run(db: TestDb) {
    let app = App::new(db).await;
    app.owner().done("packs.update", json!({ "slug": "shop", "enabled": true })).await;
    let order = || LlmReply::calls([("shop_order", json!({ "name": "tea" }))]);
    app.model.script([order(), order(), LlmReply::text(["Nobody knows yet."])]);
    let run = app.say(&app.editor(), "t1", "Order tea").await;
    assert_eq!(run["state"], "completed", "{run}");
    let answers = app.answers(2);
    assert!(answers[0].contains("outcome_unknown"), "{}", answers[0]);
    assert!(answers[1].contains("another call for the same thing"), "{}", answers[1]);
}
