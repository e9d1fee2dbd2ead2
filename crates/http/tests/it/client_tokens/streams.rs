//! The event stream of a client token.

use serde_json::json;
use toolcrib_model::Role;
use toolcrib_testkit::{TestDb, both_databases};

use super::{Backend, TALK, approve, asked, asked_in};
use crate::{
    decisions::user,
    events::{Message, Stream, listen},
    harness::App,
};

/// Messages up to and including the first with this name.
async fn until(stream: &mut Stream, name: &str) -> Vec<Message> {
    let mut all = Vec::new();
    loop {
        let message = stream.next().await.expect("the stream goes on");
        let last = message.name == name;
        all.push(message);
        if last {
            return all;
        }
    }
}

#[both_databases]
async fn only_events_of_its_confirmations_come(db: TestDb) {
    let app = App::new(db).await;
    let backend = Backend::new(&app).await;
    let (owner, editor) = (app.owner(), app.as_role(Role::Editor));
    let mut stream = listen(&backend.browser().await, "/v1/events").await;
    asked(&owner, "of another user").await;
    asked_in(&editor.with("X-Session-Id", "talk-2"), "of another conversation").await;
    asked_in(&editor, "of no conversation").await;
    // A read of the conversation waits for nobody.
    editor.with("X-Session-Id", TALK).run("list_agents", json!({})).await.ok(200);
    owner.send("PATCH", "/v1/settings", json!({"approval_mode": "standard"})).await.ok(200);
    editor
        .with("X-Session-Id", TALK)
        .run("create_task", json!({"title": "Zero", "description": "at once"}))
        .await
        .ok(200);
    owner.send("PATCH", "/v1/settings", json!({"approval_mode": "confirm_writes"})).await.ok(200);
    let place = asked(&editor, "One").await;
    approve(&backend.browser().await, &place).await.ok(200);
    let seen = until(&mut stream, "tool_use").await;
    let id = place.rsplit('/').next().unwrap();
    assert!(seen.iter().all(|message| message.data["confirmation_id"] == id), "{seen:?}");
    let names: Vec<&str> = seen.iter().map(|message| message.name.as_str()).collect();
    assert_eq!(names, ["tool_request", "awaiting_permission", "permission_granted", "tool_use"]);
}

#[both_databases]
async fn an_open_stream_ends_with_the_token_the_key_and_the_member(db: TestDb) {
    let app = App::new(db).await;
    let backend = Backend::new(&app).await;
    let mut stream = listen(&backend.browser().await, "/v1/events").await;
    app.clock.advance(15 * 60);
    // An event wakes the stream, which then verifies its credential.
    app.owner().run("create_agent", json!({"name": "Scout"})).await;
    assert!(stream.next().await.is_none());

    let mut stream = listen(&backend.browser().await, "/v1/events").await;
    let path = format!("/v1/members/{}", user(&app, Role::Editor).await);
    app.owner().send("PATCH", &path, json!({"active": false})).await.ok(200);
    assert!(stream.next().await.is_none());
    app.owner().send("PATCH", &path, json!({"active": true})).await.ok(200);

    let mut stream = listen(&backend.browser().await, "/v1/events").await;
    let path = format!("/v1/keys/{}", backend.key["id"].as_str().unwrap());
    app.owner().send("DELETE", &path, json!({})).await.ok(200);
    assert!(stream.next().await.is_none());
}
