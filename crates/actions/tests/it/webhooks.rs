//! Deliveries to webhooks. The receiver verifies signatures with the specification's own library.

pub mod receiver;

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use tokio::time::timeout;
use toolcrib_actions::Webhooks;
use toolcrib_connectors::webhooks::{Allowed, WebhookSender};
use toolcrib_model::{Id, Role, SystemIds};
use toolcrib_store::webhooks::worker;
use toolcrib_testkit::{
    TestDb, assert_has, both_databases,
    outside::{Hostile, Wrong},
};

use crate::harness::App;
use receiver::Receiver;

const PATIENCE: Duration = Duration::from_secs(20);

/// The webhook worker of a process.
pub fn worker(app: &App) -> Arc<Webhooks> {
    let hosts = app.engine.catalog().rules().webhook_hosts.clone();
    let sender = WebhookSender::new(Allowed::new(&hosts)).unwrap();
    let catalog = app.engine.catalog().clone();
    Arc::new(Webhooks::new((*app.db).clone(), app.clock.clone(), Arc::new(SystemIds), catalog, sender))
}

async fn local(db: TestDb) -> App {
    App::sending(db, &["127.0.0.1"]).await
}

/// Creates a webhook in workspace A. Returns its id and secret.
async fn hook(app: &App, url: &str, types: Value) -> (Value, String) {
    let made = app.owner().done("webhooks.create", json!({ "url": url, "types": types })).await;
    (made["id"].clone(), made["secret"].as_str().unwrap().to_owned())
}

async fn agent(app: &App, name: &str) -> Value {
    app.owner().done("create_agent", json!({ "name": name })).await
}

async fn deliveries(app: &App, id: &Value, status: Option<&str>) -> Vec<Value> {
    let mut asked = json!({ "id": id, "limit": 100 });
    if let Some(status) = status {
        asked["status"] = json!(status);
    }
    app.owner().done("webhooks.list_deliveries", asked).await["items"].as_array().unwrap().clone()
}

#[both_databases]
async fn events_arrive_signed_and_once(db: TestDb) {
    let app = local(db).await;
    agent(&app, "Before").await;
    app.clock.advance(1);
    let receiver = Receiver::start().await;
    let (id, secret) = hook(&app, &receiver.url, json!(["agent.created", "task.*"])).await;
    let made = agent(&app, "Scout").await;
    app.owner().done("store_memory", json!({"content": "not asked for"})).await;
    app.owner().done("create_task", json!({"title": "Sweep", "description": "x"})).await;
    app.as_role_b(Role::Owner).done("create_agent", json!({"name": "Canary"})).await;
    assert_eq!(worker(&app).run().await.unwrap(), 2);
    assert_eq!(worker(&app).run().await.unwrap(), 0);

    let got = receiver.got();
    assert_eq!(got.len(), 2);
    let scout = got.iter().find(|one| one.json()["type"] == "agent.created").unwrap();
    scout.verify(&secret).unwrap();
    assert!(
        scout.verify("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").is_err(),
        "another secret does not verify"
    );
    let body = scout.json();
    let found = (&body["timestamp"], &body["data"]["id"], &body["data"]["name"]);
    assert_eq!(found, (&json!("2026-01-15T10:00:01.000000Z"), &made["id"], &json!("Scout")));
    assert_has(&body["data"], json!({"workspace_id": app.a.workspace}));
    assert_has(&body["data"], json!({"event_id": scout.header("webhook-id")}));
    let found = (scout.header("webhook-timestamp"), scout.header("content-type"));
    assert_eq!(found, ("1768471201", "application/json"));
    let delivered = deliveries(&app, &id, Some("delivered")).await;
    assert_eq!(delivered.len(), 2);
    assert_has(&delivered[0], json!({"attempts": 1, "answered": 200, "problem": null}));
}

#[both_databases]
async fn permission_events_and_notifications_arrive_too(db: TestDb) {
    let app = local(db).await;
    let receiver = Receiver::start().await;
    hook(&app, &receiver.url, json!(["awaiting_permission", "permission_denied", "notification.created"]))
        .await;
    app.as_role_b(Role::Editor).done("create_agent", json!({"name": "Canary"})).await;
    agent(&app, "Doomed").await;
    let asked = app.owner().pending("delete_agent", json!({"agent": "Doomed"})).await;
    app.owner().deny(asked, "no").await.unwrap();
    worker(&app).run().await.unwrap();
    let mut kinds: Vec<String> =
        receiver.got().iter().map(|one| one.json()["type"].as_str().unwrap().to_owned()).collect();
    kinds.sort();
    assert_eq!(kinds, ["awaiting_permission", "notification.created", "permission_denied"]);
    for one in receiver.got() {
        let expected = json!(app.a.workspace);
        assert_eq!(one.json()["data"]["workspace_id"], expected, "nothing of another workspace");
    }
}

#[both_databases]
async fn a_failed_delivery_is_retried_given_up_and_sent_by_hand(db: TestDb) {
    let app = local(db).await;
    let receiver = Receiver::start().await;
    let (id, secret) = hook(&app, &receiver.url, json!(["agent.created"])).await;
    receiver.answers(500);
    agent(&app, "Scout").await;
    let worker = worker(&app);
    assert_eq!(worker.run().await.unwrap(), 1);
    let waiting = deliveries(&app, &id, Some("pending")).await.remove(0);
    assert_has(&waiting, json!({"attempts": 1, "answered": 500, "next_at": "2026-01-15T10:00:05.000000Z"}));
    assert_eq!(waiting["problem"], "the receiver answered with status 500");
    assert_eq!(worker.run().await.unwrap(), 0, "not before its time");
    for wait in [5, 60, 300, 1_800, 7_200, 21_600, 43_200] {
        app.clock.advance(wait - 1);
        assert_eq!(worker.run().await.unwrap(), 0, "{wait}");
        app.clock.advance(1);
        assert_eq!(worker.run().await.unwrap(), 1, "{wait}");
    }
    let dead = deliveries(&app, &id, Some("dead")).await.remove(0);
    assert_eq!((&dead["attempts"], &dead["next_at"]), (&json!(8), &json!(null)));
    app.clock.advance(1_000_000);
    assert_eq!(worker.run().await.unwrap(), 0, "it is dead");
    receiver.answers(204);
    let again = app.owner().done("webhooks.retry_delivery", json!({"id": dead["id"]})).await;
    let fresh = json!({"status": "pending", "attempts": 0, "answered": null, "problem": null});
    assert_has(&again, fresh);
    assert_eq!(again["updated_at"], again["next_at"], "{again}");
    assert_eq!(worker.run().await.unwrap(), 1);
    let delivered = deliveries(&app, &id, None).await.remove(0);
    assert_has(&delivered, json!({"status": "delivered", "answered": 204, "problem": null}));
    let got = receiver.got();
    assert_eq!(got.len(), 9);
    for one in &got {
        let found = (one.header("webhook-id"), &one.body);
        assert_eq!(found, (got[0].header("webhook-id"), &got[0].body), "the same message each time");
        one.verify(&secret).unwrap();
    }
    assert_ne!(got[0].header("webhook-timestamp"), got[1].header("webhook-timestamp"));
}

#[both_databases]
async fn a_receiver_that_is_gone_disables_its_webhook_and_the_admins_learn_of_it(db: TestDb) {
    let app = local(db).await;
    let (gone, other) = (Receiver::start().await, Receiver::start().await);
    let (id, _) = hook(&app, &format!("{}/token/s3cret", gone.url), json!(["agent.created"])).await;
    let (kept, _) = hook(&app, &other.url, json!(["agent.created"])).await;
    gone.answers(410);
    agent(&app, "Scout").await;
    agent(&app, "Ranger").await;
    let worker = worker(&app);
    assert_eq!(worker.run().await.unwrap(), 4);
    for delivery in deliveries(&app, &id, None).await {
        assert_eq!((&delivery["status"], &delivery["answered"]), (&json!("dead"), &json!(410)));
    }
    let hooks = app.owner().done("webhooks.list", json!({})).await;
    let enabled = |id: &Value| {
        let items = hooks["items"].as_array().unwrap();
        items.iter().find(|hook| hook["id"] == *id).unwrap()["enabled"].clone()
    };
    assert_eq!((enabled(&id), enabled(&kept)), (json!(false), json!(true)));
    let told = app.owner().done("notifications.list", json!({})).await;
    let gone: Vec<_> =
        told["items"].as_array().unwrap().iter().filter(|item| item["kind"] == "webhook_gone").collect();
    assert_eq!(gone.len(), 1, "once, whatever was sent at the same time: {told}");
    assert_eq!((&gone[0]["audience"], &gone[0]["data"]["id"]), (&json!("admins"), &id));
    assert!(!told.to_string().contains("s3cret"), "{told}");
}

#[both_databases]
async fn redirects_are_not_followed_and_long_answers_not_read(db: TestDb) {
    let app = local(db).await;
    let moved = Hostile::start(Wrong::Moved(307)).await;
    let huge = Hostile::start(Wrong::Huge).await;
    let (id, _) = hook(&app, &moved.url, json!(["agent.created"])).await;
    let (long, _) = hook(&app, &huge.url, json!(["agent.created"])).await;
    agent(&app, "Scout").await;
    worker(&app).run().await.unwrap();
    let failed = deliveries(&app, &id, None).await.remove(0);
    assert_eq!((&failed["status"], &failed["answered"]), (&json!("pending"), &json!(307)));
    assert_eq!(moved.followed.load(std::sync::atomic::Ordering::SeqCst), 0);
    assert_eq!(deliveries(&app, &long, None).await[0]["status"], "delivered");
    let sent = huge.sent.load(std::sync::atomic::Ordering::SeqCst);
    assert!(sent < 64 * 1024 * 1024, "{sent} bytes of 1 GiB were taken");
}

#[both_databases]
async fn an_address_is_judged_again_when_something_is_sent(db: TestDb) {
    let app = App::sending(db, &[]).await;
    let receiver = Receiver::start().await;
    let (id, _) = hook(&app, "https://hooks.example.com/", json!(["agent.created"])).await;
    app.db
        .raw_sql(&format!(
            "UPDATE webhooks SET url = '{}'",
            receiver.url.replace("http://127.0.0.1", "https://127.0.0.1")
        ))
        .await;
    agent(&app, "Scout").await;
    worker(&app).run().await.unwrap();
    let failed = deliveries(&app, &id, None).await.remove(0);
    assert_has(&failed, json!({"status": "pending", "problem": "must be a public address"}));
    assert_eq!(receiver.connections(), 0);
}

#[both_databases]
async fn of_several_processes_one_sends(db: TestDb) {
    let app = Arc::new(local(db).await);
    let receiver = Receiver::start().await;
    let (id, _) = hook(&app, &receiver.url, json!(["agent.created"])).await;
    for n in 0..60 {
        agent(&app, &format!("A{n}")).await;
    }
    let runs = (0..4).map(|_| {
        let worker = worker(&app);
        tokio::spawn(async move { worker.run().await.unwrap() })
    });
    let mut tried = 0;
    for run in runs.collect::<Vec<_>>() {
        tried += run.await.unwrap();
    }
    // A worker that finds another one fanning out events leaves them to it, so run once more for the rest.
    tried += worker(&app).run().await.unwrap();
    let mut ids: Vec<String> = receiver.got().iter().map(|one| one.header("webhook-id").to_owned()).collect();
    assert_eq!((tried, ids.len()), (60, 60));
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), 60, "each once");
    assert_eq!(deliveries(&app, &id, Some("delivered")).await.len(), 60);
}

#[both_databases]
async fn what_a_dead_process_claimed_is_tried_again(db: TestDb) {
    let app = local(db).await;
    let receiver = Receiver::start().await;
    let (id, _) = hook(&app, &receiver.url, json!(["agent.created"])).await;
    receiver.answers(500);
    agent(&app, "Scout").await;
    let worker = worker(&app);
    worker.run().await.unwrap();
    receiver.answers(200);
    app.clock.advance(5);
    // Another process claims the delivery and is killed.
    let (workspace, webhook): (Id, Id) = (app.a.workspace, id.as_str().unwrap().parse().unwrap());
    let now = toolcrib_testkit::NOW.plus_seconds(5);
    let mut tx = app.db.begin_write_as_worker().await.unwrap();
    tx.switch_workspace(workspace).await.unwrap();
    let claimed = worker::claim(&mut tx, webhook, now, now.plus_seconds(60), 8).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(claimed.len(), 1);
    assert_eq!(worker.run().await.unwrap(), 0, "it is another's");
    app.clock.advance(60);
    assert_eq!(worker.run().await.unwrap(), 1);
    assert_eq!(deliveries(&app, &id, Some("delivered")).await[0]["attempts"], 3);
}

#[both_databases]
async fn calls_do_not_wait_for_a_receiver_that_hangs(db: TestDb) {
    let app = local(db).await;
    let receiver = Receiver::start().await;
    let held = receiver.hangs();
    hook(&app, &receiver.url, json!(["*"])).await;
    agent(&app, "Scout").await;
    let worker = worker(&app);
    let sending = tokio::spawn(async move { worker.run().await.unwrap() });
    timeout(PATIENCE, receiver.reached()).await.unwrap();
    for n in 0..20 {
        agent(&app, &format!("A{n}")).await;
        app.owner().done("list_agents", json!({})).await;
    }
    assert!(
        !sending.is_finished() && receiver.got().is_empty(),
        "20 writes and 20 reads ended while it hung"
    );
    drop(held);
    assert!(timeout(PATIENCE, sending).await.unwrap().unwrap() >= 1);
}

#[both_databases]
async fn one_that_hangs_holds_up_no_other(db: TestDb) {
    let app = local(db).await;
    let (stuck, well) = (Receiver::start().await, Receiver::start().await);
    let held = stuck.hangs();
    hook(&app, &stuck.url, json!(["*"])).await;
    hook(&app, &well.url, json!(["agent.created"])).await;
    let serving = tokio::spawn(worker(&app).serve());
    agent(&app, "First").await;
    timeout(PATIENCE, stuck.reached()).await.unwrap();
    for n in 0..20 {
        agent(&app, &format!("A{n}")).await;
    }
    timeout(PATIENCE, well.has(21)).await.unwrap();
    assert!(stuck.got().is_empty(), "while the one still hangs");
    drop(held);
    serving.abort();
}

#[both_databases]
async fn the_new_and_the_previous_secret_sign_for_a_day(db: TestDb) {
    let app = local(db).await;
    let receiver = Receiver::start().await;
    let (id, old) = hook(&app, &receiver.url, json!(["agent.created"])).await;
    let new =
        app.owner().done("webhooks.rotate", json!({"id": id})).await["secret"].as_str().unwrap().to_owned();
    agent(&app, "One").await;
    worker(&app).run().await.unwrap();
    app.clock.advance(24 * 3_600);
    agent(&app, "Two").await;
    worker(&app).run().await.unwrap();
    let got = receiver.got();
    assert!(got[0].verify(&new).is_ok() && got[0].verify(&old).is_ok());
    assert!(got[1].verify(&new).is_ok() && got[1].verify(&old).is_err());
}

/// The receiver that says it is gone is no longer that of the webhook.
#[both_databases]
async fn a_webhook_that_moved_meanwhile_stays_enabled(db: TestDb) {
    let app = local(db).await;
    let (gone, new) = (Receiver::start().await, Receiver::start().await);
    let (id, _) = hook(&app, &gone.url, json!(["agent.created"])).await;
    agent(&app, "First").await;
    gone.answers(410);
    let held = gone.hangs();
    let sending = worker(&app);
    let sending = tokio::spawn(async move { sending.run().await.unwrap() });
    timeout(PATIENCE, gone.reached()).await.unwrap();
    app.clock.advance(1);
    app.owner().done("webhooks.update", json!({"id": id, "url": new.url})).await;
    drop(held);
    timeout(PATIENCE, sending).await.unwrap().unwrap();
    let list = app.owner().done("webhooks.list", json!({})).await;
    assert_eq!(list["items"][0]["enabled"], true, "{list}");
    agent(&app, "Second").await;
    worker(&app).run().await.unwrap();
    assert_eq!(new.got().len(), 1);
}

#[both_databases]
async fn a_disabled_or_removed_webhook_gets_nothing(db: TestDb) {
    let app = local(db).await;
    let receiver = Receiver::start().await;
    let (id, _) = hook(&app, &receiver.url, json!(["agent.created"])).await;
    let worker = worker(&app);
    app.owner().done("webhooks.update", json!({"id": id, "enabled": false})).await;
    agent(&app, "Meanwhile").await;
    assert_eq!(worker.run().await.unwrap(), 0);
    app.clock.advance(1);
    app.owner().done("webhooks.update", json!({"id": id, "enabled": true})).await;
    agent(&app, "After").await;
    worker.run().await.unwrap();
    let names: Vec<_> = receiver.got().iter().map(|one| one.json()["data"]["name"].clone()).collect();
    assert_eq!(names, ["After"], "what happened meanwhile is not made up for");
    let kept = deliveries(&app, &id, None).await.remove(0);
    let code = app.as_role_b(Role::Owner).refused("webhooks.retry_delivery", json!({"id": kept["id"]})).await;
    assert_eq!(code, "not_found");
    app.owner().done("webhooks.update", json!({"id": id, "enabled": false})).await;
    assert_eq!(app.owner().refused("webhooks.retry_delivery", json!({"id": kept["id"]})).await, "conflict");
    app.owner().done("webhooks.delete", json!({"id": id})).await;
    assert_eq!(app.owner().refused("webhooks.retry_delivery", json!({"id": kept["id"]})).await, "not_found");
    agent(&app, "Later").await;
    assert_eq!(worker.run().await.unwrap(), 0);
}

#[both_databases]
async fn a_long_backlog_of_events_is_sent_in_batches(db: TestDb) {
    let app = local(db).await;
    let receiver = Receiver::start().await;
    hook(&app, &receiver.url, json!(["task.created"])).await;
    for n in 0..450 {
        app.owner().done("create_task", json!({"title": format!("T{n}"), "description": "x"})).await;
    }
    worker(&app).run().await.unwrap();
    assert_eq!(receiver.got().len(), 450);
}
