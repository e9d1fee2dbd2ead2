//! Executions of playbooks that the assistant carries out.

use std::time::Duration;

use super::*;

/// Returns the statuses of an execution and of its steps.
async fn statuses(app: &App, made: &Value) -> (String, Vec<String>) {
    let read = execution(app, made).await;
    let steps = read["steps"].as_array().unwrap();
    let words = steps.iter().map(|step| step["status"].as_str().unwrap().to_owned()).collect();
    (read["status"].as_str().unwrap().to_owned(), words)
}

#[both_databases]
async fn the_steps_of_a_playbook_follow_each_other(db: TestDb) {
    let app = internal(db).await;
    app.model.script([LlmReply::text(["Bees fly."]), LlmReply::text(["A report on bees."])]);
    let steps =
        json!([{ "prompt": "Research", "output_key": "facts" }, { "prompt": "Write", "agent": "Worker" }]);
    let made = playbook(&app, steps).await;
    app.assistant.wake();
    let runs = ended(&app, 2).await;
    assert_eq!((&runs[0]["position"], &runs[1]["position"]), (&json!(0), &json!(1)));
    let (words, _) = asked(&app, 1);
    assert!(
        words.contains("Write")
            && words.contains(r#""facts":"Bees fly.""#)
            && words.contains(r#""topic":"bees""#),
        "{words}"
    );
    let read = execution(&app, &made).await;
    assert_eq!(
        (&read["status"], &read["output"]),
        (&json!("completed"), &json!("A report on bees.")),
        "{read}"
    );
    let steps: Vec<&Value> = read["steps"].as_array().unwrap().iter().map(|step| &step["status"]).collect();
    assert_eq!(steps, ["completed", "completed"]);
}

#[both_databases]
async fn a_step_that_fails_is_retried_skipped_or_stops(db: TestDb) {
    let app = internal(db).await;
    let fails = || LlmReply::error(400, "bad", "no");
    // The first step is tried three times, the second one is left out, the third one stops.
    app.model.script([fails(), fails(), LlmReply::text(["Well."]), fails(), fails()]);
    app.model.always(fails());
    let steps = json!([
        { "prompt": "One", "on_error": "retry" }, { "prompt": "Two", "on_error": "skip" },
        { "prompt": "Three", "on_error": "stop" }, { "prompt": "Four" },
    ]);
    let made = playbook(&app, steps).await;
    app.assistant.wake();
    ended(&app, 5).await;
    let read = execution(&app, &made).await;
    assert_eq!(read["status"], "failed", "{read}");
    let steps: Vec<&Value> = read["steps"].as_array().unwrap().iter().map(|step| &step["status"]).collect();
    assert_eq!(steps, ["completed", "skipped", "failed", "pending"]);
    assert_eq!(app.model.requests().len(), 5);
    let said = told(&app.editor()).await;
    assert_eq!((said.len(), said[0].0.as_str()), (1, "Playbook `Report` failed"), "{said:?}");
    assert!(said[0].1.starts_with("step 2 failed: the model provider"), "{said:?}");
    // Of failures in a row, the first one is told.
    let again = app.editor().confirmed("platform_execute_playbook", json!({ "playbook": "Report" })).await;
    app.assistant.wake();
    eventually("it fails again", async || execution(&app, &again).await["status"] == "failed").await;
    assert_eq!(told(&app.editor()).await.len(), 1);
}

#[both_databases]
async fn whoever_changes_a_playbook_answers_for_its_schedule(db: TestDb) {
    let app = internal(db).await;
    app.model.always(LlmReply::calls([("platform_list_agents", json!({}))]));
    let arguments = json!({ "name": "P", "description": "d", "steps": [{ "prompt": "Old words" }] });
    app.owner().done("platform_create_playbook", arguments).await;
    let schedule = json!({ "playbook": "P", "schedule": { "cron": "*/5 * * * *" } });
    app.owner().confirmed("platform_update_playbook", schedule).await;
    let words = json!({ "playbook": "P", "step": 0, "prompt": "New words" });
    app.editor().confirmed("platform_update_playbook_step", words).await;
    later(&app, 301).await;
    eventually("a call is made", async || {
        let calls = "SELECT COUNT(*) FROM action_log WHERE caller_type = 'playbook' \
            AND action = 'platform_list_agents'";
        app.db.number(calls).await > 0
    })
    .await;
    let user = app.a.user(Role::Editor);
    let listed =
        app.owner().done("audit.list", json!({ "user": user, "action": ["platform_list_agents"] })).await;
    assert_ne!(listed["items"], json!([]), "{listed}");
}

#[both_databases]
async fn a_step_has_its_own_time(db: TestDb) {
    let app = idle(db).await;
    let made = playbook(&app, json!([{ "prompt": "Write" }])).await;
    // The time in the queue does not count.
    app.clock.advance(3_600);
    app.model.script([
        LlmReply::calls([("platform_list_agents", json!({}))]).pace(std::time::Duration::from_millis(50))
    ]);
    assert_eq!(app.assistant.poll().await.unwrap(), 1);
    eventually("the model is asked", async || app.model.requests().len() == 1).await;
    app.clock.advance(301);
    let run = ended(&app, 1).await.remove(0);
    assert_eq!(run["error"]["code"], "timeout", "{run}");
    assert_eq!(execution(&app, &made).await["status"], "failed");
}

/// After a restore nothing goes on by itself: neither a retry of a step nor the other tasks of a mission.
#[both_databases]
async fn what_was_open_in_a_backup_fails_as_a_whole(db: TestDb) {
    let app = idle(db).await;
    let made = mission(
        &app,
        json!([{ "title": "First", "agent": "Worker" }, { "title": "Second", "agent": "Worker" }]),
    )
    .await;
    let steps = json!([{ "prompt": "Once", "agent": "Worker", "on_error": "retry" }]);
    let played = playbook(&app, steps).await;
    let mut tx = app.db.begin_write_as_owner().await.unwrap();
    tx.switch_workspace(app.a.workspace).await.unwrap();
    let stamp = Stamp { ids: &SystemIds, now: app.clock.now() };
    let ended = fail_restored(&mut tx, stamp).await.unwrap();
    let again = fail_restored(&mut tx, stamp).await.unwrap();
    tx.insert_collected().await.unwrap();
    tx.commit().await.unwrap();
    assert!(ended >= 3 && again == 0, "{ended}, {again}");
    assert_eq!(state(&app, &made).await.0, "failed");
    assert_eq!(execution(&app, &played).await["status"], "failed");
    let runs = app.owner().done("assistant.list_runs", json!({ "all": true })).await;
    for run in runs["items"].as_array().unwrap() {
        assert_eq!(run["state"], "failed", "{run}");
        assert!(run["error"]["detail"].as_str().is_none_or(|why| why.contains("restored")), "{run}");
    }
}

#[both_databases]
async fn the_step_of_a_run_that_a_switch_to_external_stops_is_left_to_programs(db: TestDb) {
    let app = internal(db).await;
    app.model.script([LlmReply::text(["a", "b"]).pace(Duration::from_mins(1))]);
    let made = playbook(&app, json!([{ "prompt": "One" }, { "prompt": "Two" }])).await;
    app.assistant.wake();
    eventually("the model is asked", async || !app.model.requests().is_empty()).await;
    app.owner().done("settings.update", json!({ "runner": "external" })).await;
    assert_eq!(ended(&app, 1).await[0]["state"], "stopped");
    let left = ("running".to_owned(), vec!["pending".to_owned(); 2]);
    assert_eq!(statuses(&app, &made).await, left);
}

#[both_databases]
async fn the_next_step_and_a_retry_after_a_switch_to_external_are_left_to_programs(db: TestDb) {
    let app = internal(db).await;
    let paced = |reply: LlmReply| reply.pace(Duration::from_millis(200));
    app.model.script([paced(LlmReply::text(["Done", "."])), paced(LlmReply::error(400, "bad", "no"))]);
    let steps = json!([{ "prompt": "One", "on_error": "retry" }, { "prompt": "Two" }]);
    let arguments = json!({ "name": "Report", "description": "Makes a report", "steps": steps });
    app.editor().done("platform_create_playbook", arguments).await;
    for (runs, first) in [(1, "completed"), (2, "pending")] {
        app.owner().done("settings.update", json!({ "runner": "internal" })).await;
        let made = app.editor().confirmed("platform_execute_playbook", json!({ "playbook": "Report" })).await;
        app.assistant.wake();
        eventually("the model is asked", async || app.model.requests().len() == runs).await;
        switch_beside_runs(&app).await;
        ended(&app, i64::try_from(runs).unwrap()).await;
        let left = ("running".to_owned(), vec![first.to_owned(), "pending".to_owned()]);
        assert_eq!(statuses(&app, &made).await, left);
    }
}
