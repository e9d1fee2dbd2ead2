//! Schedules, heartbeats and scheduled playbooks fire at their time, once.

use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib_actions::Scheduler;
use toolcrib_model::{Role, SystemIds, Ts};
use toolcrib_store::Db;
use toolcrib_testkit::{Person, TestDb, assert_has, both_databases};

use crate::harness::{App, events_after};

/// Runs the scheduler and reads the events that it writes.
struct Watch<'a> {
    app: &'a App,
    due: Scheduler,
    offset: i64,
}

impl<'a> Watch<'a> {
    fn new(app: &'a App) -> Self {
        Self { app, due: worker(app, &app.db), offset: 0 }
    }

    /// Runs the scheduler at this time. Returns name and data of its new events; other events are left out.
    async fn at(&mut self, at: &str) -> Vec<(String, Value)> {
        self.app.clock.set(at.parse().unwrap());
        self.due.run().await.unwrap();
        let told = events_after(self.app, self.offset).await;
        self.offset = told.last().map_or(self.offset, |event| event.offset);
        let ours = |name: &str| {
            ["schedule.due", "heartbeat.due"].contains(&name) || name.starts_with("playbook.execution")
        };
        told.into_iter()
            .filter(|event| ours(&event.name))
            .map(|event| (event.name, serde_json::from_str(&event.data).unwrap()))
            .collect()
    }

    /// Checks that nothing fires at this time.
    async fn quiet(&mut self, at: &str) {
        assert_eq!(self.at(at).await, [], "{at}");
    }

    /// Checks that exactly one event is written at this time. Returns its data.
    async fn one(&mut self, at: &str, name: &str) -> Value {
        let mut told = self.at(at).await;
        assert_eq!((told.len(), told[0].0.as_str()), (1, name), "{at}: {told:?}");
        told.remove(0).1
    }
}

fn worker(app: &App, db: &Db) -> Scheduler {
    Scheduler::new(db.clone(), app.clock.clone(), Arc::new(SystemIds))
}

fn time(text: &str) -> Value {
    json!(text.parse::<Ts>().unwrap())
}

async fn schedule(app: &App, arguments: Value) -> Value {
    let mut arguments = arguments;
    arguments["agent"] = json!("Worker");
    arguments["description"] = json!("Do it");
    app.owner().done("schedule_task", arguments).await
}

/// Creates a playbook with a schedule.
async fn playbook(person: &Person<'_>, name: &str, schedule: Value, steps: Value) -> Value {
    let made =
        person.done("create_playbook", json!({"name": name, "description": "d", "steps": steps})).await;
    person.done("update_playbook", json!({"playbook": name, "schedule": schedule})).await;
    made
}

async fn with_agent(db: TestDb) -> (App, Value) {
    let app = App::new(db).await;
    let agent = app.owner().done("create_agent", json!({"name": "Worker"})).await["id"].clone();
    (app, agent)
}

#[both_databases]
async fn a_one_shot_schedule_fires_once(db: TestDb) {
    let (app, agent) = with_agent(db).await;
    let made = schedule(&app, json!({"kind": "one_shot", "when": "2026-01-15T10:05:00Z"})).await;
    let mut watch = Watch::new(&app);
    watch.quiet("2026-01-15T10:04:59.999999Z").await;
    let due = watch.one("2026-01-15T10:05:00.3Z", "schedule.due").await;
    assert_eq!(
        due,
        json!({"id": made["id"], "kind": "one_shot", "description": "Do it", "agent_id": agent,
        "due_at": time("2026-01-15T10:05:00Z"), "run": 1, "status": "completed", "next_at": null})
    );
    watch.quiet("2026-01-15T10:06:00Z").await;
    let listed = app.owner().done("list_scheduled_tasks", json!({"status": "completed"})).await;
    let shown = &listed["items"][0];
    assert_has(shown, json!({"runs": 1, "last_at": due["due_at"], "next_times": []}));
}

#[both_databases]
async fn recurring_times_follow_the_clocks_of_their_zone(db: TestDb) {
    let (app, _) = with_agent(db).await;
    app.clock.set("2026-03-28T00:00:00Z".parse().unwrap());
    schedule(&app, json!({"kind": "recurring", "when": "30 2 * * *", "timezone": "Europe/Berlin"})).await;
    let mut watch = Watch::new(&app);
    // In winter, 02:30 is 01:30Z. On 2026-03-29 it does not exist, and 03:00 (01:00Z) is the first time after
    // it. In summer, it is 00:30Z.
    for (day, hour) in [("28", "01:30"), ("29", "01:00"), ("30", "00:30")] {
        watch.quiet(&format!("2026-03-{day}T00:29:59Z")).await;
        let due = watch.one(&format!("2026-03-{day}T{hour}:01Z"), "schedule.due").await;
        assert_eq!(due["due_at"], time(&format!("2026-03-{day}T{hour}:00Z")));
    }
    // On 2026-10-25, 02:30 is both 00:30Z and 01:30Z. The schedule fires at the first, even if the scheduler
    // runs late.
    watch.one("2026-10-24T12:00:00Z", "schedule.due").await;
    let due = watch.one("2026-10-25T00:31:00Z", "schedule.due").await;
    let found = (&due["due_at"], &due["next_at"]);
    assert_eq!(found, (&time("2026-10-25T00:30:00Z"), &time("2026-10-26T01:30:00Z")));
    watch.quiet("2026-10-25T01:31:00Z").await;
    watch.quiet("2026-10-26T01:29:59Z").await;
    watch.one("2026-10-26T01:30:00Z", "schedule.due").await;
}

#[both_databases]
async fn the_last_run_completes_it(db: TestDb) {
    let (app, _) = with_agent(db).await;
    schedule(&app, json!({"kind": "recurring", "when": "*/15 * * * *", "max_runs": 2})).await;
    let mut watch = Watch::new(&app);
    let first = watch.one("2026-01-15T10:15:00Z", "schedule.due").await;
    assert_has(&first, json!({"run": 1, "status": "active", "next_at": time("2026-01-15T10:30:00Z")}));
    let listed = app.owner().done("list_scheduled_tasks", json!({})).await;
    assert_eq!(listed["items"][0]["next_times"], json!([time("2026-01-15T10:30:00Z")]), "one is left");
    let last = watch.one("2026-01-15T10:30:00Z", "schedule.due").await;
    assert_has(&last, json!({"run": 2, "status": "completed", "next_at": null}));
    watch.quiet("2026-01-15T10:45:00Z").await;
}

#[both_databases]
async fn missed_times_of_a_schedule_fire_once(db: TestDb) {
    let (app, _) = with_agent(db).await;
    schedule(&app, json!({"kind": "recurring", "when": "*/5 * * * *"})).await;
    let mut watch = Watch::new(&app);
    let due = watch.one("2026-01-18T11:02:00Z", "schedule.due").await;
    let found = (&due["due_at"], &due["next_at"]);
    assert_eq!(found, (&time("2026-01-15T10:05:00Z"), &time("2026-01-18T11:05:00Z")));
    watch.quiet("2026-01-18T11:04:59Z").await;
    assert_eq!(watch.one("2026-01-18T11:05:00Z", "schedule.due").await["run"], 2);
}

#[both_databases]
async fn cancelled_schedules_and_deleted_workspaces_do_not_fire(db: TestDb) {
    let (app, _) = with_agent(db).await;
    let made = schedule(&app, json!({"kind": "recurring", "when": "*/5 * * * *"})).await;
    app.owner().confirmed("cancel_scheduled_task", json!({"task_id": made["id"]})).await;
    let mut watch = Watch::new(&app);
    watch.quiet("2026-01-15T10:05:00Z").await;
    schedule(&app, json!({"kind": "recurring", "when": "*/5 * * * *"})).await;
    app.owner().done("configure_agent_heartbeat", json!({"agent": "Worker"})).await;
    app.owner().done("workspaces.delete", json!({"id": app.a.workspace, "name": "workspace"})).await;
    watch.quiet("2026-01-16T10:00:00Z").await;
}

#[both_databases]
async fn a_waiting_cancellation_stays_valid_after_a_run(db: TestDb) {
    let (app, _) = with_agent(db).await;
    let made = schedule(&app, json!({"kind": "recurring", "when": "*/5 * * * *"})).await;
    let asked = app.owner().pending("cancel_scheduled_task", json!({"task_id": made["id"]})).await;
    let mut watch = Watch::new(&app);
    watch.one("2026-01-15T10:05:00Z", "schedule.due").await;
    let found = app.owner().approve(asked).await;
    assert_eq!(found.unwrap().status(), 200, "what is cancelled is still the same");
    watch.quiet("2026-01-15T10:10:00Z").await;
}

#[both_databases]
async fn heartbeats_follow_their_interval_and_active_hours(db: TestDb) {
    let (app, agent) = with_agent(db).await;
    let hours = json!({"start": "09:00", "end": "13:00", "timezone": "UTC"});
    let wish = json!({"agent": "Worker", "interval_minutes": 60, "prompt": "Look", "active_hours": hours});
    app.owner().done("configure_agent_heartbeat", wish).await;
    let mut watch = Watch::new(&app);
    watch.quiet("2026-01-15T10:59:59Z").await;
    // The scheduler runs ten seconds late. This does not delay the next heartbeat.
    let due = watch.one("2026-01-15T11:00:10Z", "heartbeat.due").await;
    assert_eq!(
        due,
        json!({"agent_id": agent, "name": "Worker", "prompt": "Look", "mode": "notify",
        "due_at": time("2026-01-15T11:00:00Z"), "next_at": time("2026-01-15T12:00:00Z")})
    );
    // 13:00 is outside of the active hours, so the next heartbeat is when they begin again.
    let due = watch.one("2026-01-15T12:00:00Z", "heartbeat.due").await;
    assert_eq!(due["next_at"], time("2026-01-16T09:00:00Z"));
    // The scheduler did not run all day. At night the heartbeat waits for the morning and then fires once.
    watch.quiet("2026-01-16T22:00:00Z").await;
    let due = watch.one("2026-01-17T09:00:00Z", "heartbeat.due").await;
    let found = (&due["due_at"], &due["next_at"]);
    assert_eq!(found, (&time("2026-01-17T09:00:00Z"), &time("2026-01-17T10:00:00Z")));
    // Missed heartbeats are not repeated.
    let due = watch.one("2026-01-17T12:30:00Z", "heartbeat.due").await;
    let found = (&due["due_at"], &due["next_at"]);
    assert_eq!(found, (&time("2026-01-17T10:00:00Z"), &time("2026-01-18T09:00:00Z")));
}

#[both_databases]
async fn an_agent_that_is_off_has_no_heartbeat(db: TestDb) {
    let (app, _) = with_agent(db).await;
    app.owner().done("configure_agent_heartbeat", json!({"agent": "Worker"})).await;
    app.owner().done("update_agent", json!({"agent": "Worker", "status": "inactive"})).await;
    let mut watch = Watch::new(&app);
    watch.quiet("2026-01-15T11:00:00Z").await;
    app.owner().done("update_agent", json!({"agent": "Worker", "status": "active"})).await;
    watch.one("2026-01-15T11:20:00Z", "heartbeat.due").await;
    app.owner().done("configure_agent_heartbeat", json!({"agent": "Worker", "enabled": false})).await;
    watch.quiet("2026-01-16T11:00:00Z").await;
}

#[both_databases]
async fn a_playbooks_schedule_queues_its_execution(db: TestDb) {
    let (app, _) = with_agent(db).await;
    let owner = app.owner();
    let schedule = json!({"cron": "0 9 * * 1", "timezone": "Europe/Berlin"});
    let book = playbook(
        &owner,
        "Weekly",
        schedule,
        json!([{"prompt": "Gather", "agent": "Worker"}, {"prompt": "Write"}]),
    )
    .await;
    let mut watch = Watch::new(&app);
    watch.quiet("2026-01-19T07:59:59Z").await;
    let due = watch.one("2026-01-19T08:00:01Z", "playbook.execution_requested").await;
    assert_has(&due, json!({"playbook_id": book["id"], "name": "Weekly", "steps": 2}));
    let found = (&due["due_at"], &due["next_at"]);
    assert_eq!(found, (&time("2026-01-19T08:00:00Z"), &time("2026-01-26T08:00:00Z")));
    let run = owner.done("get_playbook_execution", json!({"execution_id": due["execution_id"]})).await;
    assert_has(&run, json!({"status": "queued", "/steps/0/prompt": "Gather", "/steps/1/status": "pending"}));
    let shown = owner.done("get_playbook", json!({"playbook": "Weekly"})).await;
    assert_eq!(shown["schedule"]["next_run_at"], due["next_at"]);
    owner.done("update_playbook", json!({"playbook": "Weekly", "status": "inactive"})).await;
    watch.quiet("2026-01-26T08:00:00Z").await;
}

#[both_databases]
async fn a_playbook_that_cant_run_is_skipped(db: TestDb) {
    let (app, _) = with_agent(db).await;
    let owner = app.owner();
    playbook(&owner, "Empty", json!({"cron": "0 12 * * *"}), json!([])).await;
    let mut watch = Watch::new(&app);
    let skipped = watch.one("2026-01-15T12:00:00Z", "playbook.execution_skipped").await;
    let found = (&skipped["reason"], &skipped["next_at"]);
    assert_eq!(found, (&json!("playbook `Empty` has no steps"), &time("2026-01-16T12:00:00Z")));
    owner.done("add_playbook_step", json!({"playbook": "Empty", "prompt": "x"})).await;
    for _ in 0..10 {
        owner.done("execute_playbook", json!({"playbook": "Empty"})).await;
    }
    app.clock.set("2026-01-16T12:00:00Z".parse().unwrap());
    let told = watch.at("2026-01-16T12:00:00Z").await;
    let (name, data) = told.last().unwrap();
    assert_eq!((told.len(), name.as_str()), (11, "playbook.execution_skipped"));
    assert!(data["reason"].as_str().unwrap().starts_with("10 executions are open"), "{data}");
}

#[both_databases]
async fn each_schedule_fires_once_with_several_schedulers(db: TestDb) {
    let (app, at) = (App::new(db).await, "2026-01-15T10:05:00Z");
    for n in 0..15 {
        let agent =
            app.owner().done("create_agent", json!({"name": format!("Worker {n}")})).await["id"].clone();
        let wish = json!({"kind": "one_shot", "description": "x", "when": at, "agent": agent});
        // An agent has ten at most.
        for _ in 0..10 {
            app.owner().done("schedule_task", wish.clone()).await;
        }
    }
    app.clock.set(at.parse().unwrap());
    let mut processes = vec![(*app.db).clone()];
    if app.db.kind() == "postgres" {
        for _ in 0..4 {
            processes.push(Db::open_pg(&app.db.url(), 2).await.unwrap());
        }
    }
    let workers: Vec<_> = (0..10)
        .map(|n| {
            let due = worker(&app, &processes[n % processes.len()]);
            tokio::spawn(async move { due.run().await.unwrap() })
        })
        .collect();
    let mut fired = 0;
    for worker in workers {
        fired += worker.await.unwrap();
    }
    let mut ids: Vec<String> = events_after(&app, 0)
        .await
        .into_iter()
        .filter(|event| event.name == "schedule.due")
        .map(|event| serde_json::from_str::<Value>(&event.data).unwrap()["id"].as_str().unwrap().to_owned())
        .collect();
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!((fired, count, ids.len()), (150, 150, 150));
}

#[both_databases]
async fn events_are_in_the_schedules_own_workspace(db: TestDb) {
    let (app, _) = with_agent(db).await;
    let theirs = app.as_role_b(Role::Owner);
    theirs.done("create_agent", json!({"name": "Canary"})).await;
    let wish = json!({
        "kind": "one_shot", "when": "2026-01-15T10:05:00Z", "agent": "Canary", "description": "Sing"
    });
    theirs.done("schedule_task", wish).await;
    theirs.done("configure_agent_heartbeat", json!({"agent": "Canary", "interval_minutes": 15})).await;
    playbook(&theirs, "Song", json!({"cron": "0 12 * * *"}), json!([{"prompt": "Sing"}])).await;
    schedule(&app, json!({"kind": "one_shot", "when": "2026-01-15T10:05:00Z"})).await;
    let mut watch = Watch::new(&app);
    let told = watch.at("2026-01-15T12:00:00Z").await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(theirs.done("list_playbooks", json!({})).await["items"][0]["last_run_status"], "queued");
    let found = theirs.done("get_activity_feed", json!({"types": ["heartbeat", "playbook"]})).await;
    assert_eq!(found["counts"], json!({"heartbeat": 1, "playbook": 3}));
    let found = app.owner().done("get_activity_feed", json!({"types": ["heartbeat", "playbook"]})).await;
    assert_eq!(found["counts"], json!({"heartbeat": 0, "playbook": 0}));
}
