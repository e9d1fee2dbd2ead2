//! Threads: history, lists, deletion, and whose they are.

use serde_json::{Value, json};
use toolcrib_auth::{AgentKey, Authenticated, Credential, RequestedContext};
use toolcrib_model::{ErrorCode, Id, Role};
use toolcrib_testkit::{LlmReply, TestDb, both_databases};

use crate::harness::App;

#[both_databases]
async fn a_model_is_shown_the_earlier_messages_of_its_thread_alone(db: TestDb) {
    let app = App::new(db).await;
    let (editor, owner) = (app.editor(), app.owner());
    app.model.always(LlmReply::text(["Noted."]));
    app.say(&editor, "t1", "My colour is green").await;
    app.say(&owner, "t1", "My colour is red").await;
    app.say(&editor, "t2", "My colour is blue").await;
    app.say(&editor, "t1", "Which is it?").await;
    let sent = app.model.requests()[3].body["messages"].to_string();
    assert!(sent.contains("green") && sent.contains("Noted."), "{sent}");
    assert!(!sent.contains("red") && !sent.contains("blue"), "{sent}");
}

#[both_databases]
async fn threads_are_of_one_person(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.editor();
    app.model.always(LlmReply::text(["Noted."]));
    let run = app.say(&editor, "t1", "Hello").await;
    for other in [app.owner(), app.as_role_b(Role::Owner)] {
        assert_eq!(other.refused("assistant.stop_run", json!({ "id": run["run"] })).await, "not_found");
        assert_eq!(other.done("assistant.list_threads", json!({})).await["items"], json!([]));
        for action in ["assistant.get_thread", "assistant.stop_thread", "assistant.delete_thread"] {
            assert_eq!(other.refused(action, json!({ "thread": "t1" })).await, "not_found");
        }
    }
    let all = app.owner().done("assistant.list_runs", json!({ "all": true })).await;
    assert_eq!((&all["items"][0]["run"], &all["items"][0]["text"]), (&run["run"], &Value::Null));
    assert_eq!(editor.refused("assistant.list_runs", json!({ "all": true })).await, "permission_denied");
    // Who reads the audit log reads the run, without texts.
    let id = json!({ "id": run["run"] });
    let read = app.owner().done("assistant.get_run", id.clone()).await;
    assert_eq!(
        (&read["state"], &read["text"], &read["confirmations"]),
        (&run["state"], &Value::Null, &Value::Null)
    );
    for other in [app.as_role(Role::Member), app.as_role_b(Role::Owner)] {
        assert_eq!(other.refused("assistant.get_run", id.clone()).await, "not_found");
    }
    let threads = editor.done("assistant.list_threads", json!({})).await;
    assert_eq!(
        (&threads["items"][0]["thread"], &threads["items"][0]["first_message"]),
        (&json!("t1"), &json!("Hello"))
    );
}

#[both_databases]
async fn the_key_of_an_agent_reads_nothing_of_its_person(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.editor();
    app.model.always(LlmReply::text(["Noted."]));
    let run = app.say(&editor, "t1", "Hello").await;
    let made = editor.done("platform_create_agent", json!({ "name": "Worker", "role": "worker" })).await;
    let key = AgentKey {
        key_id: Id::from_u128(5),
        workspace: app.a.workspace,
        agent_id: made["id"].as_str().unwrap().parse().unwrap(),
        runs_as: app.a.user(Role::Editor),
        mission: None,
        scopes: Some(vec!["*:*".to_owned()]).into(),
        caller_types: vec!["api".into()],
    };
    let requested = RequestedContext::default();
    let authenticated = Authenticated { credential: Credential::Agent(key), requested };
    let agent = app.as_identity(authenticated.clone());
    for (action, arguments) in [
        ("assistant.list_threads", json!({})),
        ("assistant.get_thread", json!({ "thread": "t1" })),
        ("assistant.list_runs", json!({})),
        ("assistant.get_run", json!({ "id": run["run"] })),
        ("assistant.list_models", json!({})),
    ] {
        assert_eq!(agent.refused(action, arguments).await, "permission_denied", "{action}");
    }
    let id = run["run"].as_str().unwrap().parse().unwrap();
    let refused = [
        app.assistant.run(&authenticated, id).await.err(),
        app.assistant.message(&authenticated, id).await.err(),
        app.assistant.newest_run(&authenticated, "t1").await.err(),
    ];
    for error in refused {
        assert_eq!(error.unwrap().code, ErrorCode::PermissionDenied);
    }
}

#[both_databases]
async fn a_deleted_thread_has_no_texts(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.editor();
    app.model.always(LlmReply::text(["The secret is xylophone."]));
    app.say(&editor, "t1", "Hello").await;
    // Nobody else's search finds what was said.
    let found = app.owner().done("platform_search_chat_history", json!({ "query": "xylophone" })).await;
    assert_eq!(found["items"], json!([]));
    let deleted = editor.done("assistant.delete_thread", json!({ "thread": "t1" })).await;
    assert_eq!(deleted["runs"], 1);
    assert_eq!(editor.refused("assistant.get_thread", json!({ "thread": "t1" })).await, "not_found");
    let left = editor.done("assistant.list_runs", json!({})).await;
    assert_eq!(left["items"], json!([]));
}

/// A provider's cache holds the beginning, also of a thread with more runs than a model is shown.
#[both_databases]
async fn a_thread_of_many_runs_keeps_its_beginning(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.editor();
    app.model.always(LlmReply::text(["Noted."]));
    app.say(&editor, "t1", "Hello").await;
    app.copy_run(110, "{id}, owner_id, thread, 'Message ' || n, created_at - 1000 + n").await;
    // The first run that was sent last time is none of the newest any more.
    app.db.raw_sql("UPDATE assistant_runs SET history_from = NULL").await;
    for _ in 0..2 {
        app.say(&editor, "t1", "Hello again").await;
    }
    let first = |request: usize| app.model.requests()[request].body["messages"][1].clone();
    assert!(first(1).to_string().contains("Message "), "{}", first(1));
    assert_eq!(first(1), first(2));
}

#[both_databases]
async fn a_history_that_is_too_long_is_halved_once(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.editor();
    let long = "word ".repeat(6_000);
    app.model.always(LlmReply::text(["Noted."]));
    // Together they have less than the model's window: it is smaller than somebody said.
    for _ in 0..4 {
        app.say(&editor, "t1", &long).await;
    }
    app.model.script([LlmReply::error(
        400,
        "context_length_exceeded",
        "maximum context length is 8192 tokens",
    )]);
    let run = app.say(&editor, "t1", "And now?").await;
    assert_eq!(run["state"], "completed", "{run}");
    let requests = app.model.requests();
    let sizes: Vec<usize> =
        requests.iter().map(|request| request.body["messages"].to_string().len()).collect();
    let [.., refused, answered] = sizes[..] else { panic!("{sizes:?}") };
    assert!(answered < refused * 7 / 10, "{sizes:?}");
}

/// What is beside the history, such as the tools, takes its part of the context too.
#[both_databases]
async fn requests_of_a_long_thread_fit_into_the_context(db: TestDb) {
    let app = App::with_context(db, 6_000).await;
    tokio::spawn(app.assistant.clone().serve());
    let editor = app.editor();
    app.model.always(LlmReply::text(["Noted."]));
    for n in 0..16 {
        let message = format!("Message {n}: {}", "word ".repeat(260));
        assert_eq!(app.say(&editor, "t1", &message).await["state"], "completed");
    }
    let requests = app.model.requests();
    let sizes: Vec<usize> = requests.iter().map(|request| request.body.to_string().len() / 4).collect();
    assert!(sizes.iter().all(|size| *size < 6_000), "{sizes:?}");
    // The beginning does not move with each message.
    let first = |request: usize| &requests[request].body["messages"][1];
    let moves = (1..16).filter(|request| first(*request) != first(request - 1)).count();
    assert!((1..8).contains(&moves), "{moves}");
}

/// A front end sends a message again after a failure, with the same ID.
#[both_databases]
async fn a_message_that_is_sent_again_is_told_once(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.editor();
    let failure = || LlmReply::error(401, "invalid_api_key", "no");
    let list = LlmReply::calls([("platform_list_agents", json!({}))]);
    app.model.script([failure(), list, failure(), LlmReply::text(["Noted."])]);
    let message = json!({ "thread": "t1", "message": "My colour is green", "message_id": "m1" });
    for state in ["failed", "failed", "completed"] {
        let run = editor.done("assistant.start_run", message.clone()).await;
        app.assistant.wake();
        assert_eq!(app.settled(&editor, &run).await["state"], state);
    }
    let requests = app.model.requests();
    let told = |request: usize| requests[request].body["messages"].to_string().matches("green").count();
    // What the second run did is told too.
    assert_eq!((told(1), told(3), app.answers(3).len()), (1, 1, 1));
    let read = editor.done("assistant.get_thread", json!({ "thread": "t1" })).await;
    let messages = read["messages"].as_array().unwrap();
    let roles: Vec<&Value> = messages.iter().map(|message| &message["role"]).collect();
    // The first run said nothing. The message stands before its last run.
    assert_eq!(roles, ["assistant", "user", "assistant"], "{read}");
    assert_eq!(messages[1]["id"], "m1");
}
