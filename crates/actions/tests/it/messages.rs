//! Messages to people: what Slack, Telegram and Twilio get, when, and that nothing shows their secrets.

pub mod services;
mod waits;

use serde_json::{Value, json};
use toolcrib_model::{Id, Role};
use toolcrib_store::webhooks::worker;
use toolcrib_testkit::{NOW, TestDb, both_databases, eventually};

use crate::{
    harness::{App, pointers},
    webhooks::worker as sender,
};
use services::{ACCOUNT, BOT_TOKEN, Refusal, SLACK_SECRET, Services, TWILIO_TOKEN};

async fn local(db: TestDb) -> (App, Services) {
    (App::sending(db, &["127.0.0.1"]).await, Services::start().await)
}

async fn hook(app: &App, wish: Value) -> Value {
    app.owner().done("webhooks.create", wish).await["id"].clone()
}

/// An editor's call of which admins are notified.
async fn notify(app: &App, name: &str) {
    app.as_role(Role::Editor).done("create_agent", json!({"name": name})).await;
}

/// A call that waits. Returns the id of its confirmation.
async fn ask(app: &App, name: &str) -> Id {
    app.owner().done("create_agent", json!({"name": name})).await;
    app.owner().pending("delete_agent", json!({"agent": name})).await
}

async fn deliveries(app: &App, id: &Value) -> Vec<Value> {
    let listed = app.owner().done("webhooks.list_deliveries", json!({"id": id, "limit": 100})).await;
    listed["items"].as_array().unwrap().clone()
}

/// Runs the worker each second until `seconds` have passed.
async fn pass(app: &App, seconds: i64) {
    for _ in 0..seconds {
        sender(app).run().await.unwrap();
        app.clock.advance(1);
    }
}

#[both_databases]
async fn each_service_gets_title_sentence_and_link_in_its_own_form(db: TestDb) {
    let (app, services) = local(db).await;
    for wish in [services.slack(), services.telegram(), services.twilio()] {
        hook(&app, wish).await;
    }
    notify(&app, "Scout <b> & @here").await;
    let confirmation = ask(&app, "Doomed").await;
    pass(&app, 3).await;
    let taken = services.taken();
    assert_eq!((taken.len(), services.asked().len()), (6, 6), "{:?}", services.asked());
    let link = format!("http://localhost/approve/{confirmation}");
    let of = |path: &str, field: &str| {
        let of_path = taken.iter().filter(|one| one.path == path);
        of_path.map(|one| one.fields[field].clone()).collect::<Vec<_>>()
    };
    let plain = of(&format!("bot{BOT_TOKEN}"), "text");
    let sms = of(ACCOUNT, "Body");
    assert!(plain[0].starts_with("Created agent `Scout <b> & @\u{200b}here`\n"), "{plain:?}");
    assert_eq!((&sms[0], &sms[1]), (&plain[0].replace('\u{200b}', ""), &plain[1]));
    assert!(plain[0].ends_with("ran `platform_create_agent`"), "{plain:?}");
    assert!(plain[1].starts_with("Waiting for approval: ") && plain[1].contains("Doomed"), "{plain:?}");
    assert!(plain[1].contains(" requested it.") && plain[1].ends_with(&format!("\n{link}")), "{plain:?}");
    let slack = of(SLACK_SECRET, "text");
    assert!(slack[0].contains("Scout &lt;b&gt; &amp; @\u{200b}here"), "{slack:?}");
    assert_eq!(slack[1], plain[1]);
    let chats = of(&format!("bot{BOT_TOKEN}"), "chat_id");
    assert_eq!(chats, ["-100200", "-100200"]);
    let found = (of(ACCOUNT, "From"), of(ACCOUNT, "To"));
    assert_eq!(found, (vec!["+15005550006".to_owned(); 2], vec!["+15005550010".to_owned(); 2]));
}

#[both_databases]
async fn addresses_in_the_words_of_others_are_no_links(db: TestDb) {
    let (app, services) = local(db).await;
    hook(&app, services.telegram()).await;
    hook(&app, services.slack()).await;
    notify(&app, "Press https://elsewhere.test/approve/1").await;
    pass(&app, 2).await;
    let texts: Vec<String> = services.taken().iter().map(|one| one.fields["text"].clone()).collect();
    assert_eq!(texts.len(), 2);
    for text in texts {
        assert!(text.contains("Press https:\u{200b}//elsewhere.") && !text.contains("://"), "{text:?}");
    }
    let of_telegram = services.taken().into_iter().find(|one| one.path.starts_with("bot")).unwrap();
    assert!(of_telegram.fields["text"].contains("elsewhere.\u{200b}test"), "{of_telegram:?}");
}

#[both_databases]
async fn a_text_message_is_short_and_its_link_whole(db: TestDb) {
    let (app, services) = local(db).await;
    hook(&app, services.twilio()).await;
    let confirmation = ask(&app, &"é😀".repeat(60)).await;
    app.owner().done("create_agent", json!({"name": "Second"})).await;
    let asked = json!({"agent": "Second", "force": true});
    drop(app.owner().call("delete_agent", asked).await);
    pass(&app, 1).await;
    let body = services.taken()[0].fields["Body"].clone();
    assert!(body.encode_utf16().count() <= 320, "{body}");
    assert!(body.contains('…') || body.contains("requested it."), "{body}");
    assert!(body.ends_with(&format!("\nhttp://localhost/approve/{confirmation}")), "{body}");
}

/// The notifications of one user are not for everybody who reads the chat, and a workspace's are not
/// another's.
#[both_databases]
async fn only_messages_for_admins_of_the_workspace_are_sent(db: TestDb) {
    let (app, services) = local(db).await;
    let mut waiting = services.slack();
    waiting["types"] = json!(["awaiting_permission"]);
    let id = hook(&app, waiting).await;
    notify(&app, "Scout").await;
    let confirmation = ask(&app, "Doomed").await;
    app.owner().done("create_task", json!({"title": "Sweep", "description": "x"})).await;
    app.as_role_b(Role::Editor).done("create_agent", json!({"name": "Canary"})).await;
    pass(&app, 5).await;
    // That nobody decided in time is told to the member who asked, and to nobody else.
    hook(&app, services.telegram()).await;
    app.clock.advance(3_600);
    assert_eq!(app.engine.expire_overdue().await.unwrap(), 1);
    pass(&app, 5).await;
    let texts: Vec<String> = services.asked().iter().map(|one| one.fields["text"].clone()).collect();
    assert_eq!(texts.len(), 1, "{texts:?}");
    assert!(texts[0].contains("Doomed") && texts[0].ends_with(&confirmation.to_string()), "{texts:?}");
    assert_eq!(deliveries(&app, &id).await.len(), 1);
}

#[both_databases]
async fn other_events_and_fields_that_do_not_fit_are_refused(db: TestDb) {
    let (app, services) = local(db).await;
    let admin = app.as_role(Role::Admin);
    let with = |wish: &Value, field: &str, value: Value| {
        let mut wish = wish.clone();
        wish[field] = value;
        wish
    };
    let refused = async |wish: Value| pointers(&admin.call("webhooks.create", wish).await);
    let (slack, telegram, twilio) = (services.slack(), services.telegram(), services.twilio());
    for wish in [&slack, &telegram, &twilio] {
        let types = json!(["*", "notification.created", "agent.created", "notification.*"]);
        assert_eq!(refused(with(wish, "types", types)).await, ["/types/0", "/types/2", "/types/3"]);
    }
    let standard = json!({"url": "https://hooks.example.com/", "types": ["*"]});
    assert_eq!(refused(with(&standard, "secret", json!("x"))).await, ["/secret"]);
    assert_eq!(refused(with(&standard, "receiver", json!({"chat_id": "1"}))).await, ["/receiver/chat_id"]);
    assert_eq!(refused(json!({"types": ["*"]})).await, ["/url"]);
    assert_eq!(refused(with(&standard, "format", json!("pager"))).await, ["/format"]);
    assert_eq!(refused(with(&slack, "url", json!("https://hooks.example.com/"))).await, ["/url"]);
    assert_eq!(refused(with(&slack, "secret", json!("http://10.0.0.7/services/canary"))).await, ["/secret"]);
    assert_eq!(refused(with(&telegram, "secret", json!("canary/../.."))).await, ["/secret"]);
    assert_eq!(refused(with(&telegram, "receiver", json!({}))).await, ["/receiver/chat_id"]);
    assert_eq!(refused(with(&telegram, "url", json!("https://127.0.0.2/"))).await, ["/url"]);
    assert_eq!(refused(with(&telegram, "url", json!("https://bots.example/?canary=1"))).await, ["/url"]);
    let receiver = json!({"account_sid": ACCOUNT, "to": "+15005550010"});
    assert_eq!(refused(with(&twilio, "receiver", receiver)).await, ["/receiver/from"]);
    let made = admin.done("webhooks.create", telegram).await;
    assert_eq!((&made["secret"], &made["format"]), (&json!(null), &json!("telegram")));
    let id = &made["id"];
    let changed = |change: Value| with(&change, "id", id.clone());
    let update = async |change: Value| pointers(&admin.call("webhooks.update", changed(change)).await);
    assert_eq!(update(json!({"types": ["task.created"]})).await, ["/types/0"]);
    let found = update(json!({"url": "https://other.example/"})).await;
    assert_eq!(found, ["/secret"], "it belongs to the old address");
    assert_eq!(admin.refused("webhooks.rotate", json!({"id": id})).await, "conflict");
    admin
        .done(
            "webhooks.update",
            changed(json!({"receiver": {"chat_id": "@other"}, "types": ["awaiting_permission"]})),
        )
        .await;
    let listed = admin.done("webhooks.list", json!({})).await;
    assert_eq!(listed["items"][0]["receiver"], json!({"chat_id": "@other"}));
}

#[both_databases]
async fn a_receiver_gets_one_message_at_a_time_and_one_a_second(db: TestDb) {
    let (app, services) = local(db).await;
    hook(&app, services.telegram()).await;
    for n in 0..5 {
        notify(&app, &format!("A{n}")).await;
    }
    let held = services.hang();
    let runs = [sender(&app), sender(&app)].map(|one| tokio::spawn(async move { one.run().await.unwrap() }));
    eventually("a message is under way", async || services.most_at_once() > 0).await;
    assert_eq!(sender(&app).run().await.unwrap(), 0, "while one is under way");
    drop(held);
    for run in runs {
        run.await.unwrap();
    }
    for sent in 1..=5 {
        assert_eq!(services.taken().len(), sent);
        assert_eq!(sender(&app).run().await.unwrap(), 0, "within the same second");
        app.clock.advance(1);
        sender(&app).run().await.unwrap();
    }
    assert_eq!((services.most_at_once(), services.taken().len()), (1, 5));
}

/// Acceptance 14 of packs: calls are as quick as before, and every message arrives afterwards.
#[both_databases]
async fn after_an_hour_of_refusals_every_message_arrives(db: TestDb) {
    let (app, services) = local(db).await;
    let wait = json!({"ok": false, "error_code": 429, "description": "Too Many Requests: retry after 35",
        "parameters": {"retry_after": 35}});
    for wish in [services.slack(), services.telegram(), services.twilio()] {
        hook(&app, wish).await;
    }
    let twelfth = 300;
    for n in 0..12 {
        let refusal = if n % 2 == 0 {
            Refusal { status: 429, retry_after: None, body: wait.clone() }
        } else {
            Refusal { status: 503, retry_after: Some("20"), body: json!("later") }
        };
        services.refuse(Some(refusal));
        // A call that waited for a message would never end: nothing is sent before the worker runs.
        notify(&app, &format!("Film {n}")).await;
        sender(&app).run().await.unwrap();
        app.clock.advance(twelfth);
    }
    assert!(services.taken().is_empty() && !services.asked().is_empty());
    services.refuse(None);
    for _ in 0..40 {
        app.clock.advance(600);
        pass(&app, 1).await;
    }
    for (path, field) in [(SLACK_SECRET, "text"), (&format!("bot{BOT_TOKEN}"), "text"), (ACCOUNT, "Body")] {
        let taken = services.taken();
        let of_path: Vec<&String> =
            taken.iter().filter(|one| one.path == path).map(|one| &one.fields[field]).collect();
        for n in 0..12 {
            let about = |text: &&&String| text.contains(&format!("`Film {n}`"));
            assert_eq!(of_path.iter().filter(about).count(), 1, "Film {n} once: {of_path:?}");
        }
    }
}

#[both_databases]
async fn what_a_service_asks_to_wait_holds_for_all_its_messages(db: TestDb) {
    let (app, services) = local(db).await;
    let telegram = json!({"ok": false, "error_code": 429, "parameters": {"retry_after": 35}});
    for (wish, refusal, wait) in [
        (services.telegram(), Refusal { status: 429, retry_after: None, body: telegram }, 35),
        (services.slack(), Refusal { status: 429, retry_after: Some("30"), body: json!("rate_limited") }, 30),
        (services.slack(), Refusal { status: 429, retry_after: None, body: json!({"retry_after": 6.4}) }, 7),
    ] {
        let id = hook(&app, wish).await;
        services.refuse(Some(refusal));
        notify(&app, &format!("First {wait}")).await;
        notify(&app, &format!("Second {wait}")).await;
        let before = services.asked().len();
        assert_eq!(sender(&app).run().await.unwrap(), 1);
        services.refuse(None);
        app.clock.advance(wait - 1);
        assert_eq!(sender(&app).run().await.unwrap(), 0, "{wait}");
        app.clock.advance(1);
        assert_eq!(sender(&app).run().await.unwrap(), 1, "{wait}");
        app.clock.advance(1);
        assert_eq!(sender(&app).run().await.unwrap(), 1, "{wait}");
        assert_eq!(services.asked().len(), before + 3);
        app.owner().done("webhooks.delete", json!({"id": id})).await;
    }
}

#[both_databases]
async fn a_receiver_that_wants_no_more_disables_its_webhook(db: TestDb) {
    let (app, services) = local(db).await;
    let stop = json!({"code": 21_610, "message": "Attempt to send to unsubscribed recipient", "status": 400});
    let blocked = json!({"ok": false, "error_code": 403, "description": "Forbidden: bot was blocked"});
    for (wish, status, body, problem) in [
        (services.twilio(), 400, stop, "the receiver answered with status 400 and code 21610"),
        (services.telegram(), 403, blocked, "the receiver answered with status 403"),
        (services.slack(), 404, json!("no_service"), "the receiver answered with status 404"),
    ] {
        app.clock.advance(1);
        let id = hook(&app, wish).await;
        services.refuse(Some(Refusal { status, retry_after: None, body }));
        notify(&app, &format!("Film {status}")).await;
        sender(&app).run().await.unwrap();
        let delivery = deliveries(&app, &id).await.remove(0);
        assert_eq!((&delivery["status"], &delivery["problem"]), (&json!("dead"), &json!(problem)));
        let listed = app.owner().done("webhooks.list", json!({})).await;
        let items = listed["items"].as_array().unwrap();
        let row = items.iter().find(|row| row["id"] == id).unwrap();
        assert_eq!(row["enabled"], json!(false), "{row}");
    }
}

/// A wrong password is no end: somebody may set the right one.
#[both_databases]
async fn a_refused_secret_is_tried_again_with_the_next(db: TestDb) {
    let (app, services) = local(db).await;
    let mut wish = services.twilio();
    wish["secret"] = json!("canaryOld");
    let id = hook(&app, wish).await;
    notify(&app, "Scout").await;
    sender(&app).run().await.unwrap();
    let failed = deliveries(&app, &id).await.remove(0);
    assert_eq!(failed["problem"], "the receiver answered with status 401 and code 20003");
    app.owner().done("webhooks.update", json!({"id": id, "secret": TWILIO_TOKEN})).await;
    app.clock.advance(5);
    sender(&app).run().await.unwrap();
    assert_eq!(services.taken().len(), 1);
}

/// An operator may forbid an address later: its webhook can still be stopped.
#[both_databases]
async fn a_webhook_whose_address_is_no_longer_allowed_can_be_disabled(db: TestDb) {
    let (app, services) = local(db).await;
    let standard = json!({"url": services.base, "types": ["*"]});
    for wish in [standard, services.slack(), services.telegram(), services.twilio()] {
        let id = hook(&app, wish).await;
        app.db.raw_sql("UPDATE webhooks SET url = 'http://10.0.0.1/'").await;
        let off = app.owner().done("webhooks.update", json!({"id": id, "enabled": false})).await;
        assert_eq!((&off["enabled"], &off["url"]), (&json!(false), &json!("http://10.0.0.1/")));
        let code = app.owner().refused("webhooks.update", json!({"id": id, "url": "http://10.0.0.1/"})).await;
        assert_eq!(code, "invalid_arguments", "no call sets it");
    }
}

/// At least once: after a kill a message may come twice, never not at all.
#[both_databases]
async fn what_a_dead_process_was_sending_is_sent_again(db: TestDb) {
    let (app, services) = local(db).await;
    let id = hook(&app, services.slack()).await;
    notify(&app, "Scout").await;
    services.refuse(Some(Refusal { status: 500, retry_after: None, body: json!("") }));
    sender(&app).run().await.unwrap();
    services.refuse(None);
    app.clock.advance(5);
    // Another process occupies the webhook, claims the delivery, and is killed.
    let (webhook, now): (Id, _) = (id.as_str().unwrap().parse().unwrap(), NOW.plus_seconds(5));
    let mut tx = app.db.begin_write_as_worker().await.unwrap();
    tx.switch_workspace(app.a.workspace).await.unwrap();
    assert!(worker::occupy(&mut tx, webhook, now, now.plus_seconds(60)).await.unwrap());
    let claimed = worker::claim(&mut tx, webhook, now, now.plus_seconds(60), 1).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(claimed.len(), 1);
    assert_eq!(sender(&app).run().await.unwrap(), 0, "it is another's");
    app.clock.advance(60);
    assert_eq!(sender(&app).run().await.unwrap(), 1);
    assert_eq!(services.taken().len(), 1);
}

#[both_databases]
async fn no_row_or_answer_has_a_secret(db: TestDb) {
    let (app, services) = local(db).await;
    let (owner, mut answers) = (app.owner().with_key("once"), Vec::new());
    for wish in [services.slack(), services.telegram(), services.twilio()] {
        answers.push(owner.call("webhooks.create", wish.clone()).await.outcome.to_value());
        let made = app.owner().done("webhooks.create", wish.clone()).await;
        answers.push(json!(
            app.owner().done("webhooks.update", json!({"id": made["id"], "secret": wish["secret"]})).await
        ));
        let unknown = json!({"id": "01890a5d-ac96-774b-bcce-b302099a8057", "secret": wish["secret"]});
        answers.push(app.owner().call("webhooks.update", unknown).await.outcome.to_value());
        let mut bad = wish.clone();
        bad["types"] = json!(["agent.created"]);
        answers.push(app.owner().call("webhooks.create", bad).await.outcome.to_value());
        answers.push(app.as_role(Role::Viewer).call("webhooks.create", wish).await.outcome.to_value());
    }
    let refusals = [
        Some(Refusal {
            status: 500,
            retry_after: None,
            body: json!({"description": BOT_TOKEN, "message": TWILIO_TOKEN}),
        }),
        None,
        Some(Refusal { status: 403, retry_after: None, body: json!(SLACK_SECRET) }),
    ];
    for (n, refusal) in refusals.into_iter().enumerate() {
        services.refuse(refusal);
        notify(&app, &format!("Scout {n}")).await;
        pass(&app, 8).await;
    }
    assert!(!services.taken().is_empty());
    for (action, wish) in [("webhooks.list", json!({})), ("notifications.list", json!({"limit": 100}))] {
        answers.push(app.owner().done(action, wish).await);
    }
    for hook in app.owner().done("webhooks.list", json!({})).await["items"].as_array().unwrap() {
        answers.push(json!(deliveries(&app, &hook["id"]).await));
    }
    let stored = app.db.everything().await;
    let stored = String::from_utf8_lossy(&stored);
    let answers = json!(answers).to_string();
    assert!(stored.contains("webhook_gone") && answers.contains("-100200"));
    let login = base64::Engine::encode(
        &base64::engine::general_purpose::STANDARD,
        format!("{ACCOUNT}:{TWILIO_TOKEN}"),
    );
    for secret in ["canary", "CANARY", &login] {
        for (place, text) in [("database", &stored[..]), ("answers", &answers)] {
            let found = text.find(secret).map(|at| text.get(at.saturating_sub(200)..at + 100).unwrap_or("…"));
            assert_eq!(found, None, "{secret} in the {place}");
        }
    }
}
