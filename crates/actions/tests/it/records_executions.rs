//! Records of executions that runtimes report.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{Person, TestDb, assert_has, both_databases};

use crate::{
    harness::{App, record_id, service_key},
    records::reported,
};

fn id(n: u128) -> Value {
    json!(record_id(n))
}

/// A record of an execution, with a time in minutes after 09:00.
fn report(n: u128, minute: u8, execution: &Value, event: &str, more: Value) -> Value {
    let mut record = json!({
        "id": id(n), "at": format!("2026-01-15T09:{minute:02}:00Z"), "execution_id": execution,
        "event": event
    });
    for (key, value) in more.as_object().unwrap() {
        record[key] = value.clone();
    }
    record
}

async fn add(person: &Person<'_>, records: Value) -> Value {
    reported(person, "executions", records).await
}

/// Queues an execution of a playbook with two steps.
async fn queued(person: &Person<'_>, name: &str) -> Value {
    let steps = json!([{"prompt": "one"}, {"prompt": "two", "on_error": "retry"}]);
    person.done("create_playbook", json!({"name": name, "description": "d", "steps": steps})).await;
    person.done("execute_playbook", json!({"playbook": name})).await["id"].clone()
}

#[both_databases]
async fn a_queued_execution_is_driven_to_its_end(db: TestDb) {
    let app = App::new(db).await;
    let (owner, runtime) = (app.owner(), app.as_identity(service_key(&app, "records:write")));
    let agent = owner.done("create_agent", json!({"name": "Runner"})).await["id"].clone();
    let run = queued(&owner, "Weekly").await;
    let records = json!([
        report(1, 10, &run, "started", json!({"agent_id": agent})),
        report(2, 11, &run, "step", json!({"step": 0, "status": "running"})),
        report(3, 12, &run, "step", json!({"step": 0, "output": "facts"})),
        report(4, 13, &run, "step", json!({"step": 1, "error": "timed out"})),
        report(5, 14, &run, "step", json!({"step": 1, "status": "running"})),
        report(6, 15, &run, "step", json!({"step": 1, "status": "completed"})),
        report(7, 16, &run, "finished", json!({"output": "done"})),
    ]);
    assert_eq!(add(&runtime, records.clone()).await, json!([7, 0, []]));
    let got = owner.done("get_playbook_execution", json!({"execution_id": run})).await;
    assert_has(&got, json!({"status": "completed", "output": "done", "agent_id": agent}));
    assert_has(&got, json!({"started_at": "2026-01-15T09:10:00.000000Z"}));
    assert_has(&got, json!({"finished_at": "2026-01-15T09:16:00.000000Z"}));
    let (first, second) = (&got["steps"][0], &got["steps"][1]);
    assert_has(first, json!({"status": "completed", "output": "facts", "prompt": "one"}));
    let value = (&first["started_at"], &first["finished_at"]);
    assert_eq!(value, (&json!("2026-01-15T09:11:00.000000Z"), &json!("2026-01-15T09:12:00.000000Z")));
    let value = (&second["status"], &second["error"], &second["started_at"]);
    assert_eq!(value, (&json!("completed"), &json!(null), &json!("2026-01-15T09:14:00.000000Z")));
    let found = owner.done("get_agent", json!({"agent": agent})).await;
    assert_eq!(found["last_active_at"], json!("2026-01-15T09:16:00.000000Z"));
    // If they are sent again, all records are duplicates, although none would be possible any more.
    assert_eq!(add(&runtime, records).await, json!([0, 7, []]));
    assert_eq!(owner.done("get_playbook_execution", json!({"execution_id": run})).await, got);
}

#[both_databases]
async fn reports_appear_in_the_feed_and_the_outbox(db: TestDb) {
    let app = App::new(db).await;
    let (owner, runtime) = (app.owner(), app.as_identity(service_key(&app, "records:write")));
    let run = queued(&owner, "Weekly").await;
    add(
        &runtime,
        json!([
            report(1, 10, &run, "started", json!({})),
            report(2, 11, &run, "finished", json!({"error": "no tea"}))
        ]),
    )
    .await;
    let feed = owner.done("get_activity_feed", json!({"types": ["playbook"]})).await;
    let title = |n: usize| feed["items"][n]["title"].as_str().unwrap();
    // The playbook was created and its execution requested now, at 10:00. The execution started and failed
    // earlier.
    assert!(title(0).starts_with("Playbook ") && title(1).starts_with("Playbook "), "{feed}");
    let found = (title(2), title(3));
    assert_eq!(found, ("Playbook execution failed: `Weekly`", "Playbook execution started: `Weekly`"));
    assert_has(&feed, json!({"/items/2/ref": {"kind": "execution", "id": run}, "counts": {"playbook": 4}}));
    let viewer = app.as_role(Role::Viewer).done("get_playbook_execution", json!({"execution_id": run})).await;
    assert_eq!((&viewer["status"], &viewer["error"]), (&json!("failed"), &json!("no tea")));
}

#[both_databases]
async fn a_reported_start_creates_the_execution(db: TestDb) {
    let app = App::new(db).await;
    let (owner, runtime) = (app.owner(), app.as_identity(service_key(&app, "records:write")));
    let (plain, booked) = (id(100), id(101));
    queued(&owner, "Known").await;
    let book = owner.done("get_playbook", json!({"playbook": "Known"})).await["id"].clone();
    let records = json!([
        report(1, 10, &plain, "started", json!({})),
        report(2, 11, &plain, "step", json!({"step": 3, "status": "skipped"})),
        report(
            3,
            12,
            &plain,
            "finished",
            json!({"status": "cancelled", "error": "not needed", "output": "half"})
        ),
        report(4, 10, &booked, "started", json!({"playbook_id": book})),
        report(5, 11, &booked, "step", json!({"step": 1, "playbook_id": book})),
        // The playbook is known to have two steps, so step 2 does not exist.
        report(6, 12, &booked, "step", json!({"step": 2})),
        report(7, 12, &booked, "finished", json!({"playbook_id": id(9)})),
    ]);
    let found = add(&runtime, records).await;
    assert_eq!(found, json!([5, 0, [[5, "/step", "not_found"], [6, "/playbook_id", "conflict"]]]));
    let got = owner.done("get_playbook_execution", json!({"execution_id": plain})).await;
    assert_has(&got, json!({"status": "cancelled", "playbook_id": null}));
    assert_has(&got, json!({"created_at": "2026-01-15T09:10:00.000000Z"}));
    assert_eq!((&got["error"], &got["output"]), (&json!("not needed"), &json!("half")));
    assert_has(&got["steps"][0], json!({"position": 3, "status": "skipped", "prompt": null}));
    let got = owner.done("get_playbook_execution", json!({"execution_id": booked})).await;
    assert_eq!((&got["status"], &got["playbook_name"]), (&json!("running"), &json!("Known")));
    assert_has(&got["steps"], json!({"/0/status": "pending", "/1/status": "completed"}));
}

#[both_databases]
async fn impossible_transitions_are_rejected_with_the_possible_ones(db: TestDb) {
    let app = App::new(db).await;
    let (owner, runtime) = (app.owner(), app.as_identity(service_key(&app, "records:write")));
    let (run, other) = (queued(&owner, "P").await, queued(&owner, "Q").await);
    let step = |n, status: &str| report(n, 12, &run, "step", json!({"step": 0, "status": status}));
    let records = json!([
        report(1, 10, &run, "step", json!({"step": 0})),
        report(2, 10, &run, "finished", json!({})),
        report(3, 10, &run, "started", json!({})),
        report(4, 11, &run, "started", json!({})),
        step(5, "completed"),
        step(6, "running"),
        report(7, 9, &run, "finished", json!({})),
        report(8, 13, &run, "finished", json!({"status": "failed"})),
        step(9, "running"),
        report(10, 14, &run, "finished", json!({})),
        report(11, 10, &other, "finished", json!({"status": "cancelled"})),
        report(12, 10, &id(100), "finished", json!({})),
    ]);
    let said = runtime.done("records.add_executions", json!({"records": records})).await;
    assert_eq!((&said["accepted"], &said["duplicates"]), (&json!(4), &json!(0)));
    let told: Vec<_> = said["rejected"]
        .as_array()
        .unwrap()
        .iter()
        .map(|wrong| (wrong["index"].as_u64().unwrap(), wrong["errors"][0]["message"].as_str().unwrap()))
        .collect();
    let waits = "the execution is `queued`: it can't take `step` so; \
        possible: `started`, or `finished` as `failed` or `cancelled`";
    assert_eq!(
        told,
        [
            (0, waits),
            (1, waits.replace("`step`", "`finished`").as_str()),
            (3, "the execution is `running`: it can't take `started` so; possible: `step`, `finished`"),
            (5, "step 0 is `completed` and can't become `running`; possible: nothing, it has ended"),
            (6, "must not lie before the execution began"),
            (
                8,
                "the execution is `failed`: it can't take `step` so; \
                 nothing is possible any more, it has ended"
            ),
            (
                9,
                "the execution is `failed`: it can't take `finished` so; \
                 nothing is possible any more, it has ended"
            ),
            (11, "there is no such execution in this workspace; report `started` first"),
        ]
    );
    let cancelled = owner.done("get_playbook_execution", json!({"execution_id": other})).await;
    assert_eq!((&cancelled["status"], &cancelled["started_at"]), (&json!("cancelled"), &json!(null)));
    // A rejected record is not stored, so its id may be used again for a correct one.
    let third = queued(&owner, "R").await;
    assert_eq!(add(&runtime, json!([report(1, 10, &third, "started", json!({}))])).await, json!([1, 0, []]));
}

#[both_databases]
async fn fields_that_do_not_go_together_are_rejected(db: TestDb) {
    let app = App::new(db).await;
    let (owner, runtime) = (app.owner(), app.as_identity(service_key(&app, "records:write")));
    let run = queued(&owner, "P").await;
    let records = json!([
        report(1, 10, &run, "started", json!({"step": 0})),
        report(2, 10, &run, "started", json!({"status": "completed"})),
        report(3, 10, &run, "step", json!({})),
        report(4, 10, &run, "step", json!({"step": 0, "status": "cancelled"})),
        report(5, 10, &run, "finished", json!({"status": "skipped"})),
        report(6, 10, &run, "paused", json!({})),
        report(7, 10, &run, "started", json!({"step": -1})),
        report(8, 10, &run, "started", json!({"agent_id": id(9)})),
        report(9, 10, &id(100), "started", json!({"playbook_id": id(9)})),
    ]);
    let rejected = json!([
        [0, "/step", "unexpected"],
        [1, "/status", "enum"],
        [2, "/step", "required"],
        [3, "/status", "enum"],
        [4, "/status", "enum"],
        [5, "/event", "enum"],
        [6, "/step", "minimum"],
        [7, "/agent_id", "not_found"],
        [8, "/playbook_id", "not_found"]
    ]);
    assert_eq!(add(&runtime, records).await, json!([0, 0, rejected]));
}

#[both_databases]
async fn another_tenants_execution_is_not_there(db: TestDb) {
    let app = App::new(db).await;
    let other = app.as_role_b(Role::Owner);
    let runtime = app.as_identity(service_key(&app, "records:write"));
    let theirs = queued(&other, "P").await;
    let book = other.done("get_playbook", json!({"playbook": "P"})).await["id"].clone();
    let agent = other.done("create_agent", json!({"name": "Canary"})).await["id"].clone();
    let records = json!([
        report(1, 10, &theirs, "finished", json!({"status": "failed"})),
        report(2, 10, &theirs, "step", json!({"step": 0})),
        report(3, 10, &id(100), "started", json!({"playbook_id": book})),
        report(4, 10, &id(100), "started", json!({"agent_id": agent})),
        // The other workspace's id has no meaning here, so this starts a new execution in workspace A.
        report(5, 10, &theirs, "started", json!({})),
    ]);
    let rejected = json!([
        [0, "/execution_id", "not_found"],
        [1, "/execution_id", "not_found"],
        [2, "/playbook_id", "not_found"],
        [3, "/agent_id", "not_found"]
    ]);
    assert_eq!(add(&runtime, records).await, json!([1, 0, rejected]));
    let still = other.done("get_playbook_execution", json!({"execution_id": theirs})).await;
    assert_eq!((&still["status"], &still["playbook_name"]), (&json!("queued"), &json!("P")));
    let ours = app.owner().done("get_playbook_execution", json!({"execution_id": theirs})).await;
    assert_has(&ours, json!({"status": "running", "playbook_id": null, "steps": []}));
}

#[both_databases]
async fn a_full_batch_of_a_long_playbook_is_kept(db: TestDb) {
    let app = App::new(db).await;
    let (owner, runtime) = (app.owner(), app.as_identity(service_key(&app, "records:write")));
    let steps = vec![json!({"prompt": "x"}); 50];
    let wish = json!({"name": "Long", "description": "d", "steps": steps});
    let book = owner.done("create_playbook", wish).await["id"].clone();
    let begun = (0..50).map(|n| report(n, 10, &id(1000 + n), "started", json!({"playbook_id": book})));
    let ended = (0..50).map(|n| report(50 + n, 11, &id(1000 + n), "finished", json!({})));
    let records: Vec<Value> = begun.chain(ended).collect();
    assert_eq!(add(&runtime, json!(records)).await, json!([100, 0, []]));
    let last = owner.done("get_playbook_execution", json!({"execution_id": id(1049)})).await;
    assert_eq!((&last["status"], last["steps"].as_array().unwrap().len()), (&json!("completed"), 50));
}

#[both_databases]
async fn an_agent_that_is_gone_may_end_what_it_began(db: TestDb) {
    let app = App::new(db).await;
    let (owner, runtime) = (app.owner(), app.as_identity(service_key(&app, "records:write")));
    let agent = owner.done("create_agent", json!({"name": "Brief"})).await["id"].clone();
    let run = id(100);
    let found = add(&runtime, json!([report(1, 10, &run, "started", json!({"agent_id": agent}))])).await;
    assert_eq!(found, json!([1, 0, []]));
    owner.confirmed("delete_agent", json!({"agent": "Brief"})).await;
    let end = report(2, 11, &run, "finished", json!({"agent_id": agent}));
    assert_eq!(add(&runtime, json!([end])).await, json!([1, 0, []]));
}

#[both_databases]
async fn only_the_first_of_concurrent_reports_counts(db: TestDb) {
    let app = App::new(db).await;
    let run = queued(&app.owner(), "P").await;
    let runtime = app.as_identity(service_key(&app, "records:write"));
    let start = |n| {
        let (runtime, record) = (runtime.clone(), report(n, 10, &run, "started", json!({})));
        async move { add(&runtime, json!([record])).await }
    };
    let (a, b, c, d) = tokio::join!(start(1), start(2), start(3), start(1));
    let answers = [a, b, c, d];
    let accepted: i64 = answers.iter().map(|answer| answer[0].as_i64().unwrap()).sum();
    assert_eq!(accepted, 1, "{answers:?}");
    let feed = app.owner().done("get_activity_feed", json!({"types": ["playbook"]})).await;
    // The playbook was created, and its execution requested and started, once each.
    assert_eq!(feed["counts"]["playbook"], json!(3));
}
