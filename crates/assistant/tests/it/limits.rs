//! Limits of runs, and wrong requests.

use serde_json::{Value, json};
use toolcrib_testkit::{LlmAnswer, LlmReply, TestDb, both_databases};

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
    let first = app.say(&editor, "a", "Hello").await;
    app.db.raw_sql("UPDATE assistant_runs SET input_tokens = 20000000").await;
    let start = json!({ "thread": "b", "message": "Hello" });
    let problem = editor.problem("assistant.start_run", start).await;
    // No setting has tokens.
    assert_eq!(problem.code.as_str(), "budget_exceeded");
    assert!(!problem.hint.unwrap().contains("assistant_budget"));
    // A run that has begun asks no more.
    app.db.raw_sql("UPDATE assistant_runs SET state = 'queued', ended_at = NULL").await;
    app.assistant.wake();
    let run = app.settled(&editor, &first).await;
    assert_eq!(
        (&run["state"], &run["error"]["code"]),
        (&json!("failed"), &json!("budget_exceeded")),
        "{run}"
    );
    assert_eq!(app.model.requests().len(), 1);
}

/// Gives the model `small` a price: with the tokens of the fake, a request costs 300 millionths of a dollar.
async fn price(app: &App) {
    app.db
        .raw_sql(
            "INSERT INTO models (model, provider, name, context_tokens, max_output_tokens, \
             input_microusd_per_mtok, output_microusd_per_mtok, capabilities, tier, built_in, updated_at) \
             VALUES ('small', 'fake', 'Small', 1000, 1000, 2000000, 10000000, '[]', 'mid', FALSE, 0)",
        )
        .await;
}

#[both_databases]
async fn a_run_says_what_it_cost(db: TestDb) {
    let app = App::new(db).await;
    price(&app).await;
    let editor = app.editor();
    app.model.script([LlmReply::calls([("platform_list_agents", json!({}))])]);
    app.model.always(LlmReply::text(["Hello."]));
    let usage = app.say(&editor, "a", "Hello").await["usage"].clone();
    let expected = json!({
        "input_tokens": 200, "cached_input_tokens": 80, "output_tokens": 20,
        "cost_microusd": 600, "cost_known": true,
    });
    assert_eq!(usage, expected);
    let total = app.owner().done("platform_get_cost_breakdown", json!({})).await;
    assert_eq!(total["total_microusd"], 600, "{total}");
    let start = json!({ "thread": "b", "message": "Hello", "model": "large" });
    let run = editor.done("assistant.start_run", start).await;
    app.assistant.wake();
    let usage = app.settled(&editor, &run).await["usage"].clone();
    assert_eq!((&usage["cost_microusd"], &usage["cost_known"]), (&json!(0), &json!(false)));
}

#[both_databases]
async fn an_agents_model_is_not_replaced_silently(db: TestDb) {
    let app = App::idle(db).await;
    let owner = app.owner();
    // The model of a new agent is one of the catalogue, which the service does not have.
    let agent = owner.done("platform_create_agent", json!({ "name": "Worker", "role": "worker" })).await;
    let start = |thread: &str, agent| json!({ "thread": thread, "message": "Hello", "agent": agent });
    // Also where it was copied from the workspace.
    let run = owner.done("assistant.start_run", start("w", agent["id"].clone())).await;
    assert_eq!((&run["model"], &run["model_replaced"]), (&json!("small"), &agent["model"]), "{run}");
    app.db.raw_sql("UPDATE workspaces SET default_model = NULL").await;
    let run = owner.done("assistant.start_run", start("a", agent["id"].clone())).await;
    assert_eq!((&run["model"], &run["model_replaced"]), (&json!("small"), &agent["model"]), "{run}");
    let run = owner.done("assistant.start_run", start("b", json!(null))).await;
    assert_eq!(run["model_replaced"], json!(null), "{run}");
    // The default is the workspace's where the service has it.
    app.db.raw_sql("UPDATE workspaces SET default_model = 'large'").await;
    let models = owner.done("assistant.list_models", json!({})).await;
    assert_eq!(models, json!({ "items": ["small", "large"], "default": "large" }));
}

#[both_databases]
async fn models_that_are_not_listed_yet_are_not_none(db: TestDb) {
    let app = App::idle(db).await;
    app.providers.operator.as_ref().unwrap().set_models(Vec::new());
    assert_eq!(app.owner().refused("assistant.list_models", json!({})).await, "upstream_error");
}

#[both_databases]
async fn a_workspace_has_a_ceiling_of_its_own(db: TestDb) {
    let app = App::new(db).await;
    price(&app).await;
    let owner = app.owner();
    app.model.always(LlmReply::text(["Hello."]));
    let settings = json!({ "assistant_budget": { "day_microusd": 500 } });
    let settings = owner.done("settings.update", settings).await;
    assert_eq!(
        settings["assistant_budget"],
        json!({ "run_microusd": null, "day_microusd": 500, "background_microusd": null })
    );
    for thread in ["a", "b"] {
        assert_eq!(app.say(&owner, thread, "Hello").await["state"], "completed");
    }
    let start = json!({ "thread": "c", "message": "Hello" });
    let problem = owner.problem("assistant.start_run", start.clone()).await;
    assert_eq!(problem.detail, "the workspace's runs have cost $0.0006 in a day, of $0.0005");
    assert!(problem.hint.unwrap().contains("`assistant_budget`"));
    // Another workspace is not concerned, and null is for what the operator allows.
    let other = app.as_role_b(toolcrib_model::Role::Owner);
    other.done("assistant.start_run", start.clone()).await;
    owner.done("settings.update", json!({ "assistant_budget": { "day_microusd": null } })).await;
    owner.done("assistant.start_run", start).await;
}

#[both_databases]
async fn a_deleted_thread_counts_for_its_day(db: TestDb) {
    let app = App::new(db).await;
    price(&app).await;
    let owner = app.owner();
    app.model.always(LlmReply::text(["Hello."]));
    owner.done("settings.update", json!({ "assistant_budget": { "day_microusd": 300 } })).await;
    let run = app.say(&owner, "a", "Secret words").await;
    assert_eq!(owner.done("assistant.delete_thread", json!({ "thread": "a" })).await["runs"], 1);
    let start = json!({ "thread": "b", "message": "Hello" });
    assert_eq!(owner.refused("assistant.start_run", start.clone()).await, "budget_exceeded");
    assert_eq!(owner.refused("assistant.get_run", json!({ "id": run["run"] })).await, "not_found");
    assert_eq!(owner.done("assistant.list_runs", json!({})).await["items"], json!([]));
    assert_eq!(owner.done("assistant.list_threads", json!({})).await["items"], json!([]));
    let left = "SELECT COUNT(*) FROM assistant_runs WHERE message <> '' OR caller <> ''";
    assert_eq!(app.db.number(left).await, 0);
    // A day later it counts no more, and the next deletion takes its row.
    app.clock.advance(86_401);
    app.say(&owner, "b", "Hello").await;
    owner.done("assistant.delete_thread", json!({ "thread": "b" })).await;
    assert_eq!(app.db.number("SELECT COUNT(*) FROM assistant_runs").await, 1);
}

#[both_databases]
async fn a_request_that_is_stopped_is_counted(db: TestDb) {
    let app = App::new(db).await;
    price(&app).await;
    let owner = app.owner();
    app.model.script([LlmReply::text(["a", "b"]).pace(std::time::Duration::from_mins(1))]);
    let run = app.start(&owner, "a", "Hello").await;
    toolcrib_testkit::eventually("the model is asked", async || !app.model.requests().is_empty()).await;
    owner.done("assistant.stop_thread", json!({ "thread": "a" })).await;
    app.assistant.check_for_stop(run["run"].as_str().unwrap().parse().unwrap());
    let stopped = app.settled(&owner, &run).await;
    assert_eq!(stopped["state"], "stopped", "{stopped}");
    // The tools alone have some thousand tokens.
    assert!(stopped["usage"]["input_tokens"].as_i64().unwrap() > 1_000, "{stopped}");
    assert!(stopped["usage"]["cost_microusd"].as_i64().unwrap() > 2_000, "{stopped}");
    // The model is told nothing of it.
    app.model.script([LlmReply::text(["Good day."])]);
    assert_eq!(app.say(&owner, "a", "Again").await["state"], "completed");
}

/// The provider bills what it wrote, also where nobody could read it.
#[both_databases]
async fn answers_that_are_broken_or_too_large_are_counted(db: TestDb) {
    let app = App::new(db).await;
    price(&app).await;
    let owner = app.owner();
    let large = |bytes: usize| {
        let calls = vec![("c".into(), "platform_list_agents".into(), "x".repeat(bytes))];
        LlmReply::answer(LlmAnswer { calls, usage: [50_000, 0, 75_000], ..LlmAnswer::default() })
    };
    let tokens = |run: &Value| run["usage"]["output_tokens"].as_i64().unwrap();
    app.model.always(LlmReply::text(["Hello."]));
    // It ends after the role, the name and the arguments.
    app.model.script([large(20_000).cut_after(3)]);
    let run = app.say(&owner, "a", "Hello").await;
    assert!(run["state"] == "completed" && tokens(&run) >= 5_010, "{run}");
    app.model.script((0..3).map(|_| large(20_000).cut_after(3)));
    let run = app.say(&owner, "b", "Hello").await;
    assert!(run["state"] == "failed" && tokens(&run) >= 15_000, "{run}");
    assert!(run["usage"]["cost_microusd"].as_i64().unwrap() > 150_000, "{run}");
    app.model.script([large(300 * 1024)]);
    let usage = app.say(&owner, "c", "Hello").await["usage"].clone();
    let expected = json!({
        "input_tokens": 50_000, "cached_input_tokens": 0, "output_tokens": 75_000,
        "cost_microusd": 850_000, "cost_known": true,
    });
    assert_eq!(usage, expected);
}

#[both_databases]
async fn a_call_that_waits_for_a_limit_does_not_run_after_a_stop(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.editor();
    app.db.raw_sql("UPDATE workspaces SET write_per_minute = 12").await;
    let titles: Vec<String> = (0..13).map(|n| format!("Task {n}")).collect();
    let task =
        |title: &String| ("platform_create_task", json!({ "title": title, "description": "Before noon" }));
    app.model.script([LlmReply::calls(titles.iter().map(task))]);
    let run = app.start(&editor, "a", "Make tasks").await;
    toolcrib_testkit::eventually("the limit is reached", async || {
        app.db.number("SELECT COUNT(*) FROM action_log WHERE error_code = 'rate_limited'").await == 1
    })
    .await;
    editor.done("assistant.stop_thread", json!({ "thread": "a" })).await;
    // The limit has ended when the run looks again.
    app.clock.advance(5);
    app.assistant.check_for_stop(run["run"].as_str().unwrap().parse().unwrap());
    assert_eq!(app.settled(&editor, &run).await["state"], "stopped");
    assert_eq!(app.db.number("SELECT COUNT(*) FROM tasks").await, 12);
}

#[both_databases]
async fn a_run_that_does_not_end_stops_at_its_ceiling(db: TestDb) {
    let app = App::new(db).await;
    price(&app).await;
    let owner = app.owner();
    owner.done("settings.update", json!({ "assistant_budget": { "run_microusd": 500 } })).await;
    app.model.always(LlmReply::calls([("platform_list_agents", json!({}))]));
    let run = app.say(&owner, "a", "Hello").await;
    assert_eq!(
        (&run["state"], &run["error"]["code"]),
        (&json!("failed"), &json!("budget_exceeded")),
        "{run}"
    );
    assert_eq!((&run["usage"]["cost_microusd"], app.model.requests().len()), (&json!(600), 2));
    app.model.always(LlmReply::text(["Hello."]));
    assert_eq!(app.say(&owner, "b", "Hello").await["state"], "completed");
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

/// On PostgreSQL alone: on SQLite writes follow each other.
#[tokio::test(flavor = "multi_thread")]
async fn the_same_message_twice_at_once_is_one_run() {
    let app = App::idle(toolcrib_testkit::postgres().await).await;
    let editor = app.editor();
    let lock = app.db.open_transaction("LOCK TABLE assistant_runs IN SHARE MODE").await;
    let start = || {
        editor.done("assistant.start_run", json!({ "thread": "a", "message": "Hello", "message_id": "m1" }))
    };
    let both_wait = async {
        let waits = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() \
            AND wait_event_type = 'Lock' AND query LIKE 'INSERT INTO assistant_runs%'";
        toolcrib_testkit::eventually("both requests insert", async || app.db.number(waits).await == 2).await;
        lock.commit().await;
    };
    let (one, two, ()) = tokio::join!(start(), start(), both_wait);
    assert_eq!(one["run"], two["run"]);
}

#[both_databases]
async fn the_tokens_of_a_run_are_in_the_statistics(db: TestDb) {
    let app = App::new(db).await;
    app.model.always(LlmReply::text(["Hello."]));
    app.say(&app.editor(), "a", "Hello").await;
    let costs = app.owner().done("platform_get_cost_breakdown", json!({})).await;
    assert!(costs.to_string().contains("small"), "{costs}");
}

#[both_databases]
async fn a_step_runs_32_calls_and_answers_all(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.editor();
    let list = ("platform_list_agents", json!({}));
    app.model.script([LlmReply::calls(vec![list; 100]), LlmReply::text(["Done."])]);
    assert_eq!(app.say(&editor, "a", "Look often").await["state"], "completed");
    let ran = "SELECT COUNT(*) FROM action_log WHERE action = 'platform_list_agents'";
    assert_eq!(app.db.number(ran).await, 32);
    let answers = app.answers(1);
    let refused = answers.iter().filter(|answer| answer.contains("a step runs 32 calls"));
    assert_eq!(refused.count(), 68, "{answers:?}");
}

#[both_databases]
async fn a_run_ends_after_a_day(db: TestDb) {
    let app = App::idle(db).await;
    let editor = app.editor();
    let run = app.start(&editor, "a", "Hello").await;
    app.clock.advance(86_401);
    app.assistant.poll().await.unwrap();
    let run = app.settled(&editor, &run).await;
    assert_eq!((&run["state"], &run["error"]["code"]), (&json!("failed"), &json!("timeout")), "{run}");
    assert_eq!(app.model.requests().len(), 0);
}

/// A budget that can't be read is not taken for one that is not used up.
#[both_databases]
async fn without_its_budget_no_model_is_asked(db: TestDb) {
    let app = App::idle(db).await;
    let editor = app.editor();
    app.model.script([LlmReply::text(["Hello."])]);
    let run = app.start(&editor, "a", "Hello").await;
    app.db.raw_sql("ALTER TABLE models RENAME TO unreadable").await;
    assert_eq!(app.assistant.poll().await.unwrap(), 1);
    let id = run["run"].as_str().unwrap().parse().unwrap();
    toolcrib_testkit::eventually("the run is let go", async || app.assistant.live(id).is_none()).await;
    assert_eq!(app.model.requests().len(), 0);
    // The run is taken again when its lease has ended.
    app.db.raw_sql("ALTER TABLE unreadable RENAME TO models").await;
    app.clock.advance(60);
    app.assistant.poll().await.unwrap();
    assert_eq!(app.settled(&editor, &run).await["state"], "completed");
}

/// A provider may say anything of tokens: neither sums of them nor the database overflow.
#[both_databases]
async fn numbers_of_tokens_without_measure_are_cut(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.editor();
    for usage in [[u64::MAX, 0, u64::MAX], [9_223_372_036_854_775_807, 1, 1]] {
        let text = vec!["Hello.".to_owned()];
        app.model.script([LlmReply::answer(LlmAnswer { text, usage, ..LlmAnswer::default() })]);
        let run = app.say(&editor, "a", "Hello").await;
        assert_eq!(run["state"], "completed", "{run}");
        assert_eq!(run["usage"]["input_tokens"], 10_000_000);
        app.db.raw_sql("UPDATE assistant_runs SET input_tokens = 1, output_tokens = 1").await;
    }
}

/// Also where the provider says that it used no tokens, what is stored of a run has an end, and is not read
/// as a whole.
#[both_databases]
async fn a_run_stores_four_mebibytes_and_a_step(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.editor();
    let long = LlmAnswer {
        text: vec!["long text ".repeat(110_000)],
        calls: vec![("c".into(), "platform_list_agents".into(), "{}".into())],
        usage: [0, 0, 0],
        ..LlmAnswer::default()
    };
    app.model.always(LlmReply::answer(long));
    for thread_runs in 1..=3 {
        let run = app.say(&editor, "a", "Talk").await;
        let ended = (&run["state"], &run["error"]["code"], &run["steps"]);
        assert_eq!(ended, (&json!("failed"), &json!("budget_exceeded"), &json!(2)), "{thread_runs}");
    }
    let thread = editor.done("assistant.get_thread", json!({ "thread": "a" })).await;
    let messages = thread["messages"].as_array().unwrap();
    assert_eq!(messages.iter().filter(|message| message["role"] == "user").count(), 2);
}
