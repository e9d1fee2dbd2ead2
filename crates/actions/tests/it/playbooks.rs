//! Playbooks.

use serde_json::{Value, json};
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{Person, TestDb, assert_has, both_databases, write};

use crate::harness::{App, texts};

/// Creates a playbook with one step for each prompt.
async fn made(person: &Person<'_>, name: &str, prompts: &[&str]) -> Value {
    let steps: Vec<Value> = prompts.iter().map(|prompt| json!({"prompt": prompt})).collect();
    person.done("create_playbook", json!({"name": name, "description": "d", "steps": steps})).await
}

/// Sets the status of an execution, as a runtime's report of its end would.
async fn ended(app: &App, execution: &Value, status: &str) {
    let id: Id = execution["id"].as_str().unwrap().parse().unwrap();
    let done = write(&app.db, app.a.workspace, async |tx| {
        let mut row = toolcrib_store::executions::get(tx, id).await?.unwrap();
        row.status = status.into();
        toolcrib_store::executions::update(tx, &row).await
    })
    .await
    .unwrap();
    assert!(done);
}

#[both_databases]
async fn a_playbook_is_created_read_changed_and_deleted(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "Writer"})).await;
    let steps = json!([
        {"prompt": "Gather", "output_key": "facts", "on_error": "retry"},
        {"prompt": "Write", "agent": "WRITER"}
    ]);
    let book = json!({"name": "Weekly", "description": "A report", "tags": ["r"], "steps": steps});
    let book = owner.done("create_playbook", book).await;
    assert_eq!(texts(&book["steps"], "on_error"), ["retry", "stop"]);
    assert_has(&book["steps"][1], json!({"agent_name": "Writer", "position": 1}));

    let wish = json!({"playbook": "weekly", "name": "Monthly", "limits": {"max_retries": 5}});
    let changed = owner.done("update_playbook", wish).await;
    assert_eq!(changed["changed_fields"], json!(["name", "limits"]));
    assert_eq!((changed["max_retries"].as_i64(), changed["step_timeout_s"].as_i64()), (Some(5), Some(300)));
    let wish = json!({"playbook": "monthly", "name": "Monthly", "limits": {"max_retries": 5}});
    let again = owner.done("update_playbook", wish).await;
    assert_eq!((again["changed"].as_bool(), again["next_runs"].as_array().unwrap().len()), (Some(false), 0));

    let run = owner.done("execute_playbook", json!({"playbook": "Monthly"})).await;
    let got = owner.done("get_playbook", json!({"playbook": book["id"]})).await;
    assert_eq!(got["recent_executions"][0]["id"], run["id"]);
    let gone = owner.confirmed("delete_playbook", json!({"playbook": "Monthly"})).await;
    assert_eq!(gone["deleted"], json!(true));
    let stays = owner.done("get_playbook_execution", json!({"execution_id": run["id"]})).await;
    let found = (stays["playbook_name"].as_str(), stays["steps"].as_array().unwrap().len());
    assert_eq!(found, (Some("Monthly"), 2));
}

#[both_databases]
async fn a_schedule_follows_its_time_zone(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    made(&owner, "Weekly", &["one"]).await;
    let every_monday =
        json!({"playbook": "Weekly", "schedule": {"cron": "0 9 * * 1", "timezone": "Europe/Berlin"}});
    let set = owner.done("update_playbook", every_monday.clone()).await;
    // Now is Thursday, 2026-01-15. In winter, Berlin is an hour ahead of UTC.
    assert_eq!(
        set["next_runs"],
        json!(["2026-01-19T08:00:00.000000Z", "2026-01-26T08:00:00.000000Z", "2026-02-02T08:00:00.000000Z"])
    );
    assert_eq!(set["schedule"]["next_run_at"], set["next_runs"][0]);
    assert_eq!(owner.done("update_playbook", every_monday).await["changed"], json!(false));
    let rests = owner.done("update_playbook", json!({"playbook": "Weekly", "status": "inactive"})).await;
    assert_eq!((&rests["next_runs"], rests["schedule"]["next_run_at"].is_null()), (&json!([]), true));
    assert_eq!(rests["schedule"]["timezone"], json!("Europe/Berlin"));
    let none = owner.done("update_playbook", json!({"playbook": "Weekly", "schedule": null})).await;
    assert_eq!((none["changed_fields"].clone(), none["schedule"].is_null()), (json!(["schedule"]), true));
    for bad in [
        json!({"cron": "every monday"}),
        json!({"cron": "0 9 * * 1", "timezone": "Mars/Olympus"}),
        json!({"cron": "0 0 30 2 *"}),
        json!({"cron": "* * * * * *"}),
        json!({}),
    ] {
        let problem = owner.problem("update_playbook", json!({"playbook": "Weekly", "schedule": bad})).await;
        assert_eq!(problem.code.as_str(), "invalid_arguments", "{bad}");
    }
}

#[both_databases]
async fn steps_keep_their_places(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    owner.done("create_agent", json!({"name": "Writer"})).await;
    made(&owner, "P", &["a", "b", "c"]).await;
    let added =
        owner.done("add_playbook_step", json!({"playbook": "p", "prompt": "new", "position": 1})).await;
    assert_eq!(texts(&added["steps"], "prompt"), ["a", "new", "b", "c"]);
    let added = owner.done("add_playbook_step", json!({"playbook": "p", "prompt": "end"})).await;
    assert_eq!(texts(&added["steps"], "prompt"), ["a", "new", "b", "c", "end"]);
    let wish = json!({"playbook": "P", "step": 4, "position": 0, "agent": "writer"});
    let moved = owner.done("update_playbook_step", wish).await;
    assert_eq!(texts(&moved["steps"], "prompt"), ["end", "a", "new", "b", "c"]);
    assert_has(&moved, json!({"changed_fields": ["agent", "position"], "/steps/0/agent_name": "Writer"}));
    let wish = json!({"playbook": "P", "step": 0, "agent": "Writer", "on_error": "stop"});
    let same = owner.done("update_playbook_step", wish).await;
    assert_eq!(same["changed"], json!(false));
    let left = owner.confirmed("delete_playbook_step", json!({"playbook": "P", "step": 2})).await;
    assert_eq!(texts(&left["steps"], "prompt"), ["end", "a", "b", "c"]);
    assert_eq!(left["steps"][3]["position"], json!(3));

    let problem =
        owner.problem("update_playbook_step", json!({"playbook": "P", "step": 4, "prompt": "x"})).await;
    let found = (problem.code.as_str(), problem.detail.as_str());
    assert_eq!(found, ("not_found", "playbook `P` has no step 4; it has steps 0 to 3"));
    assert_eq!(owner.refused("delete_playbook_step", json!({"playbook": "P", "step": 4})).await, "not_found");
    assert_eq!(
        owner.refused("add_playbook_step", json!({"playbook": "P", "prompt": "x", "position": 5})).await,
        "invalid_arguments"
    );
    assert_eq!(
        owner.refused("update_playbook_step", json!({"playbook": "P", "step": 0, "position": 4})).await,
        "invalid_arguments"
    );
    made(&owner, "Full", &["x"; 50]).await;
    let error = owner.refused("add_playbook_step", json!({"playbook": "Full", "prompt": "x"})).await;
    assert_eq!(error, "conflict");
    // A confirmation is for the step that was shown. If the step has changed since, it is not deleted.
    let asked = owner.pending("delete_playbook_step", json!({"playbook": "P", "step": 0})).await;
    owner.done("add_playbook_step", json!({"playbook": "P", "prompt": "first", "position": 0})).await;
    assert!(!matches!(owner.approve(asked).await, Ok(answer) if answer.status() == 200));
    let now = owner.done("get_playbook", json!({"playbook": "P"})).await;
    assert_eq!(texts(&now["steps"], "prompt"), ["first", "end", "a", "b", "c"]);
}

#[both_databases]
async fn at_most_ten_executions_are_open(db: TestDb) {
    let app = App::new(db).await;
    let (owner, member) = (app.owner(), app.as_role(Role::Member));
    made(&owner, "P", &["a"]).await;
    let wish = json!({"playbook": "P", "input": {"topic": "tea", "none": null}});
    let first = member.done("execute_playbook", wish).await;
    assert_eq!((first["status"].as_str(), first["input"]["topic"].as_str()), (Some("queued"), Some("tea")));
    for _ in 1..10 {
        member.done("execute_playbook", json!({"playbook": "P"})).await;
    }
    let problem = member.problem("execute_playbook", json!({"playbook": "P"})).await;
    assert_eq!(problem.code.as_str(), "conflict");
    let other = app.as_role_b(Role::Owner);
    made(&other, "P", &["a"]).await;
    other.done("execute_playbook", json!({"playbook": "P"})).await;
    ended(&app, &first, "completed").await;
    member.done("execute_playbook", json!({"playbook": "P"})).await;
    let runs = owner.done("get_playbook_execution", json!({"playbook": "P"})).await;
    assert_eq!(runs["items"].as_array().unwrap().len(), 11);
}

#[both_databases]
async fn the_success_rate_is_of_what_ended(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    made(&owner, "P", &["a"]).await;
    made(&owner, "Never run", &[]).await;
    // Two completed, one failed, one was cancelled and one is queued: 2 of 3 succeeded, which is 66.7 %.
    for status in ["completed", "completed", "failed", "cancelled"] {
        let run = owner.done("execute_playbook", json!({"playbook": "P"})).await;
        ended(&app, &run, status).await;
    }
    app.clock.set(toolcrib_testkit::NOW.plus_seconds(60));
    owner.done("execute_playbook", json!({"playbook": "P"})).await;
    let listed = owner.done("list_playbooks", json!({})).await;
    assert_eq!(texts(&listed["items"], "name"), ["Never run", "P"]);
    let (never, run) = (&listed["items"][0], &listed["items"][1]);
    assert_eq!(
        (never["success_rate"].is_null(), never["finished_runs"].as_i64(), never["step_count"].as_i64()),
        (true, Some(0), Some(0))
    );
    assert!(never["last_run_at"].is_null());
    let found = (run["success_rate"].as_f64(), run["finished_runs"].as_i64(), run["step_count"].as_i64());
    assert_eq!(found, (Some(66.7), Some(3), Some(1)));
    let found = (run["last_run_status"].as_str(), run["last_run_at"].as_str());
    assert_eq!(found, (Some("queued"), Some("2026-01-15T10:01:00.000000Z")));
    assert_eq!(owner.done("list_playbooks", json!({"status": "inactive"})).await["items"], json!([]));
}

#[both_databases]
async fn a_playbook_that_cant_run_is_refused(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    made(&owner, "Empty", &[]).await;
    assert_eq!(owner.refused("execute_playbook", json!({"playbook": "Empty"})).await, "conflict");
    made(&owner, "Off", &["a"]).await;
    owner.done("update_playbook", json!({"playbook": "Off", "status": "inactive"})).await;
    assert_eq!(owner.refused("execute_playbook", json!({"playbook": "Off"})).await, "conflict");
    owner.done("create_agent", json!({"name": "Writer"})).await;
    let wish = json!({"name": "Lost", "description": "d", "steps": [{"prompt": "a", "agent": "Writer"}]});
    owner.done("create_playbook", wish).await;
    owner.confirmed("delete_agent", json!({"agent": "Writer"})).await;
    assert_eq!(owner.refused("execute_playbook", json!({"playbook": "Lost"})).await, "conflict");
    made(&owner, "On", &["a"]).await;
    let long = json!({"playbook": "On", "input": {"text": "x".repeat(64 * 1024)}});
    assert_eq!(owner.refused("execute_playbook", long).await, "invalid_arguments");
    let neither = owner.problem("get_playbook_execution", json!({})).await;
    let message = "`execution_id` or `playbook` is required";
    assert_eq!((&*neither.detail, &*neither.errors[0].message), (message, message));
    let panics = json!([{"prompt": "p", "on_error": "panic"}]);
    for (action, bad) in [
        ("create_playbook", json!({"name": "x", "description": "d", "steps": panics})),
        ("update_playbook", json!({"playbook": "On", "limits": {"max_retries": 11}})),
    ] {
        assert_eq!(owner.refused(action, bad.clone()).await, "invalid_arguments", "{action} {bad}");
    }
}

#[both_databases]
async fn the_steps_of_a_new_playbook_name_agents_of_the_workspace(db: TestDb) {
    let app = App::new(db).await;
    let theirs = app.as_role_b(Role::Owner).done("create_agent", json!({"name": "Canary"})).await;
    for agent in [theirs["id"].clone(), json!("Canary")] {
        let new = json!({"name": "N", "description": "d", "steps": [{"prompt": "p", "agent": agent}]});
        assert_eq!(app.owner().refused("create_playbook", new).await, "not_found");
    }
}
