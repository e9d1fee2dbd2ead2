//! Gate 7.

use std::sync::Arc;

use serde_json::json;
use toolcrib_engine::Outcome;
use toolcrib_model::Role;
use toolcrib_testkit::{NOW, TestDb, both_databases, change_workspace, write};

use crate::{people::count, things::app};

#[both_databases]
async fn the_same_key_gets_the_same_response(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner().with_key("k1");
    let first = owner.call("create_thing", json!({"name": "x"})).await.outcome.to_value();
    let second = owner.call("create_thing", json!({"name": "x"})).await;
    assert!(second.replayed, "{second:?}");
    let second = second.outcome.to_value();
    assert_eq!(first["call_id"], second["call_id"]);
    assert_eq!((second["replayed"].as_bool(), second["secret_shown"].as_bool()), (Some(true), Some(true)));
    assert_eq!(second["data"]["secret"], json!(null), "a secret is shown once");
    assert_eq!(owner.refused("create_thing", json!({"name": "y"})).await, "idempotency_mismatch");
    assert_eq!(
        app.owner().refused("create_thing", json!({"name": "x"})).await,
        "conflict",
        "without it, a new call"
    );
}

#[both_databases]
async fn failures_are_remembered_and_refusals_are_not(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner().with_key("k2");
    assert_eq!(owner.refused("create_thing", json!({})).await, "invalid_arguments");
    owner.done("create_thing", json!({"name": "x"})).await;
    let half = app.owner().with_key("k3");
    assert_eq!(half.refused("half_thing", json!({"name": "y"})).await, "conflict");
    let again = half.call("half_thing", json!({"name": "y"})).await;
    assert!(again.replayed);
    assert_eq!(again.status(), 409);
    // An internal error may be temporary, so the same key runs the call again.
    let breaks = app.owner().with_key("k4");
    for _ in 0..2 {
        assert_eq!(breaks.refused("picky_thing", json!({"name": "breaks"})).await, "internal");
    }
}

#[both_databases]
async fn a_header_is_known_for_a_day_and_a_models_id_for_a_minute(db: TestDb) {
    let app = app(db).await;
    let keyed = |hours: i64, seconds: i64| {
        app.clock.set(NOW.plus_seconds(hours * 3_600 + seconds));
        app.owner()
    };
    keyed(0, 0).with_key("day").done("create_thing", json!({"name": "x"})).await;
    keyed(0, 0).as_model("call_1").done("create_thing", json!({"name": "y"})).await;
    let replayed = |answer: toolcrib_engine::CallResponse| answer.replayed;
    assert!(replayed(keyed(0, 59).as_model("call_1").call("create_thing", json!({"name": "y"})).await));
    assert_eq!(
        keyed(0, 61).as_model("call_1").refused("create_thing", json!({"name": "y"})).await,
        "conflict"
    );
    assert!(replayed(keyed(23, 3_599).with_key("day").call("create_thing", json!({"name": "x"})).await));
    assert_eq!(keyed(24, 1).with_key("day").refused("create_thing", json!({"name": "x"})).await, "conflict");
    // A read has no idempotency key, so it runs each time.
    for name in ["x", "y"] {
        assert_eq!(
            keyed(24, 1).with_key("read").done("get_thing", json!({"name": name})).await["name"],
            name
        );
    }
}

#[both_databases]
async fn a_replay_needs_the_role_of_the_call(db: TestDb) {
    let app = app(db).await;
    let editor = app.as_role(Role::Editor).with_key("k4");
    editor.done("create_thing", json!({"name": "x"})).await;
    let user = app.a.editor;
    let demoted = write(&app.db, app.a.workspace, async |tx| {
        toolcrib_store::members::update(tx, user, "viewer", true, NOW).await
    })
    .await
    .unwrap();
    assert!(demoted);
    let refused = editor.call("create_thing", json!({"name": "x"})).await;
    assert_eq!(refused.status(), 403);
    assert!(!refused.outcome.to_value().to_string().contains("s3cret"));
}

#[both_databases]
async fn a_thousand_parallel_duplicates_have_one_effect(db: TestDb) {
    let app = Arc::new(app(db).await);
    // The duplicates use only one call of the limit, because each waits for the first one's response before
    // gate 9.
    change_workspace(&app.db, app.a.workspace, |row| row.settings.write_per_minute = 1).await;
    let calls = (0..1_000).map(|_| {
        let app = app.clone();
        tokio::spawn(async move {
            loop {
                let call = app.owner().with_key("same").call("create_thing", json!({"name": "x"})).await;
                let body = call.outcome.to_value();
                // On a slow machine a duplicate may wait too long, and is told to send the call again.
                if body["code"] != json!("in_progress") {
                    break body;
                }
            }
        })
    });
    let mut ids = std::collections::HashSet::new();
    for call in calls.collect::<Vec<_>>() {
        let body = call.await.unwrap();
        assert_eq!(body["ok"], json!(true), "{body}");
        ids.insert(body["data"]["id"].to_string());
    }
    assert_eq!(ids.len(), 1);
    let things = count(&app).await;
    println!("{}: 1,000 duplicates, {things} effect", app.db.kind());
    assert_eq!(things, 1);
}

#[both_databases]
async fn parallel_duplicates_wait_for_one_confirmation(db: TestDb) {
    let app = Arc::new(app(db).await);
    let calls = (0..50).map(|_| {
        let app = app.clone();
        let arguments = json!({"name": "x", "dangerous": true});
        tokio::spawn(async move { app.owner().with_key("same").call("create_thing", arguments).await })
    });
    let mut ids = std::collections::HashSet::new();
    for call in calls.collect::<Vec<_>>() {
        let response = call.await.unwrap();
        let Outcome::Waiting(waiting) = &response.outcome else { panic!("{response:?}") };
        ids.insert(waiting.confirmation.id);
    }
    assert_eq!(ids.len(), 1);
}

#[both_databases]
async fn a_models_repeated_id_counts_only_for_the_same_call(db: TestDb) {
    let app = app(db).await;
    let model = app.owner().as_model("call_1");
    let first = model.call("create_thing", json!({"name": "x"})).await.outcome.to_value();
    let again = model.call("create_thing", json!({"name": "x"})).await.outcome.to_value();
    assert_eq!(
        (first["data"]["id"].clone(), json!(true)),
        (again["data"]["id"].clone(), again["replayed"].clone())
    );
    let other = model.call("create_thing", json!({"name": "y"})).await.outcome.to_value();
    assert_ne!(first["data"]["id"], other["data"]["id"], "small models repeat ids");
}
