//! How long messages wait, what ends a wait, and which messages are not sent any more.

use serde_json::json;
use toolcrib_testkit::{TestDb, both_databases, eventually};

use super::{deliveries, hook, local, notify, pass, services::Refusal};
use crate::webhooks::worker as sender;

fn too_many(wait: &'static str) -> Refusal {
    Refusal { status: 429, retry_after: Some(wait), body: json!("rate_limited") }
}

#[both_databases]
async fn only_too_many_requests_and_unavailability_make_all_messages_wait(db: TestDb) {
    let (app, services) = local(db).await;
    for (status, sent) in [(500, 1), (400, 1), (429, 0), (503, 0)] {
        let id = hook(&app, services.slack()).await;
        services.refuse(Some(Refusal { status, retry_after: Some("600"), body: json!("later") }));
        notify(&app, &format!("First {status}")).await;
        notify(&app, &format!("Second {status}")).await;
        assert_eq!(sender(&app).run().await.unwrap(), 1);
        app.clock.advance(1);
        assert_eq!(sender(&app).run().await.unwrap(), sent, "{status}");
        app.owner().done("webhooks.delete", json!({"id": id})).await;
    }
}

#[both_databases]
async fn a_retry_and_a_change_of_the_webhook_end_the_wait_of_its_service(db: TestDb) {
    let (app, services) = local(db).await;
    let id = hook(&app, services.slack()).await;
    for by_retry in [true, false] {
        notify(&app, &format!("First {by_retry}")).await;
        notify(&app, &format!("Second {by_retry}")).await;
        services.refuse(Some(too_many("3600")));
        assert_eq!(sender(&app).run().await.unwrap(), 1);
        services.refuse(None);
        app.clock.advance(1);
        assert_eq!(sender(&app).run().await.unwrap(), 0, "the service asked to wait");
        let before = services.taken().len();
        if by_retry {
            let waiting = deliveries(&app, &id).await.into_iter().find(|one| one["attempts"] == 1).unwrap();
            app.owner().done("webhooks.retry_delivery", json!({"id": waiting["id"]})).await;
        } else {
            let wish = json!({"id": id, "secret": services.slack()["secret"]});
            app.owner().done("webhooks.update", wish).await;
        }
        assert_eq!(sender(&app).run().await.unwrap(), 0, "at most one a second");
        pass(&app, 4).await;
        let expected = if by_retry { 2 } else { 1 };
        assert_eq!(services.taken().len() - before, expected, "{by_retry}");
    }
}

#[both_databases]
async fn a_message_that_is_being_sent_is_not_sent_again(db: TestDb) {
    let (app, services) = local(db).await;
    let id = hook(&app, services.slack()).await;
    notify(&app, "First").await;
    notify(&app, "Second").await;
    let held = services.hang();
    let run = sender(&app);
    let run = tokio::spawn(async move { run.run().await.unwrap() });
    eventually("a message is under way", async || services.most_at_once() > 0).await;
    let sending = deliveries(&app, &id).await.into_iter().find(|one| one["attempts"] == 1).unwrap();
    let retry = json!({"id": sending["id"]});
    assert_eq!(app.owner().refused("webhooks.retry_delivery", retry.clone()).await, "conflict");
    // No change lets a second message go beside it.
    app.owner().done("webhooks.update", json!({"id": id, "enabled": true})).await;
    app.clock.advance(2);
    assert_eq!(sender(&app).run().await.unwrap(), 0);
    drop(held);
    run.await.unwrap();
    pass(&app, 3).await;
    assert_eq!((services.asked().len(), services.most_at_once()), (2, 1), "each once");
    app.owner().done("webhooks.retry_delivery", retry).await;
    pass(&app, 2).await;
    assert_eq!(services.asked().len(), 3, "afterwards it can be sent again");
}

#[both_databases]
async fn messages_older_than_a_day_are_given_up_when_their_webhook_is_enabled_again(db: TestDb) {
    let (app, services) = local(db).await;
    let id = hook(&app, services.slack()).await;
    let enable = async |on: bool| {
        app.owner().done("webhooks.update", json!({"id": id, "enabled": on})).await;
    };
    services.refuse(Some(too_many("3600")));
    notify(&app, "Old").await;
    sender(&app).run().await.unwrap();
    app.clock.advance(3_600);
    notify(&app, "Young").await;
    sender(&app).run().await.unwrap();
    enable(false).await;
    services.refuse(None);
    app.clock.advance(86_400 - 1_800);
    enable(true).await;
    pass(&app, 3).await;
    let texts: Vec<String> = services.taken().iter().map(|one| one.fields["text"].clone()).collect();
    assert!(texts.len() == 1 && texts[0].contains("Young"), "{texts:?}");
    let old = deliveries(&app, &id).await.into_iter().find(|one| one["status"] == "dead").unwrap();
    assert_eq!(old["problem"], "the message was older than a day when its webhook was enabled again");
    app.owner().done("webhooks.retry_delivery", json!({"id": old["id"]})).await;
    pass(&app, 1).await;
    assert_eq!(services.taken().len(), 2, "a person may want it");
}
