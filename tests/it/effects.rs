//! Compiled effects: nothing is sent twice, and no row says what is not so.

mod house;
mod late;

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Barrier;
use toolcrib_engine::{ApproveRequest, Approved, Outcome};
use toolcrib_model::{ConfirmationStatus, ErrorCode, Role};
use toolcrib_testkit::{Person, TestDb, both_databases, change_workspace};

use house::{ADD, AWAY, NOBODY, Post, World, add_film, code, upstream, world};
use late::unknown_end;

/// Sets whether every write of the first workspace is confirmed.
async fn confirms_writes(world: &World, on: bool) {
    change_workspace(&world.app.db, world.app.a.workspace, |row| {
        row.settings.approval_mode = if on { "confirm_writes" } else { "standard" }.into();
    })
    .await;
}

#[both_databases]
async fn an_effect_is_sent_once_and_recorded_with_its_outcome(db: TestDb) {
    let world = world(db).await;
    let member = world.app.as_role(Role::Member);
    let done = add_film(&member, 7).await;
    assert_eq!(done.to_value()["data"], json!({ "film": 7, "already": false }));
    assert_eq!((world.house.posts(), world.records().await), (1, 1));
    // What is there already asks no person, sends nothing, and has one row.
    let again = add_film(&member, 7).await;
    assert_eq!(again.to_value()["data"]["already"], true);
    assert_eq!(world.outcome(again.call_id().unwrap()).await, json!(["succeeded", null]));
    assert_eq!((world.house.posts(), world.records().await), (1, 1));
    assert_eq!(code(&add_film(&world.app.as_role(Role::Viewer), 8).await), ErrorCode::PermissionDenied);
    world.house.set(|house| house.post = Post::Refused);
    assert_eq!(code(&add_film(&member, 9).await), ErrorCode::Conflict);
    assert_eq!(world.records().await, 1);
    world.house.set(|house| house.post = Post::Answered);
    add_film(&member, 9).await.call_id().unwrap();
    assert_eq!(world.records().await, 2);
    assert_eq!(world.later(100_000).await, 0, "nothing is left to look at");
}

#[both_databases]
async fn a_lost_answer_is_looked_up_and_not_sent_again(db: TestDb) {
    let world = world(db).await;
    let member = world.app.as_role(Role::Member);
    world.house.set(|house| house.post = Post::Lost);
    let keyed = member.with_key("once");
    let done = add_film(&keyed, 7).await;
    assert_eq!(done.to_value()["status"], "completed", "{}", done.to_value());
    assert_eq!((world.house.posts(), world.records().await), (1, 1));
    let asked = world.house.0.lock().unwrap().gets;
    let replayed = add_film(&keyed, 7).await;
    assert_eq!(replayed.to_value()["replayed"], true);
    assert_eq!(world.house.0.lock().unwrap().gets, asked, "a replay asks the server nothing");
    assert_eq!((world.house.posts(), world.records().await), (1, 1));
}

#[both_databases]
async fn an_approval_is_bound_to_what_the_person_saw(db: TestDb) {
    let world = world(db).await;
    let owner = world.app.owner();
    owner.done("settings.update", json!({ "approval_mode": "confirm_writes" })).await;
    let pending = owner.pending(ADD, json!({ "film": 7 })).await;
    let card = owner.confirmation(pending).await.unwrap();
    let shown = json!(card).to_string();
    assert!(shown.contains("film 7") && shown.contains("in /films"), "{shown}");
    assert_eq!(world.house.posts(), 0, "nothing is sent before the approval");
    let done = owner.approve(pending).await.unwrap().outcome;
    assert_eq!(done.to_value()["status"], "completed", "{}", done.to_value());
    assert_eq!((world.house.posts(), world.records().await), (1, 1));
    // Another folder is another plan.
    let pending = owner.pending(ADD, json!({ "film": 8 })).await;
    world.house.set(|house| house.folder = "/elsewhere");
    assert_eq!(owner.approve(pending).await.unwrap_err().code, ErrorCode::Void);
    assert_eq!(world.house.posts(), 1);
    // What is there already waits for nobody.
    assert_eq!(add_film(&owner, 7).await.to_value()["data"]["already"], true);
}

#[both_databases]
async fn an_approval_of_an_action_that_changed_asks_the_upstream_nothing(db: TestDb) {
    let world = world(db).await;
    let owner = world.app.owner();
    confirms_writes(&world, true).await;
    for arguments in [None, json!({ "film": 8 }).as_object().cloned()] {
        let pending = owner.pending(ADD, json!({ "film": 7 })).await;
        world.app.db.raw_sql("UPDATE confirmations SET schema_digest = 'of yesterday'").await;
        let asked = world.house.0.lock().unwrap().gets;
        let request = ApproveRequest { arguments, ..ApproveRequest::default() };
        assert_eq!(owner.approve_once(pending, request).await.unwrap_err().code, ErrorCode::Void);
        assert_eq!(world.house.0.lock().unwrap().gets, asked);
        assert_eq!(owner.confirmation(pending).await.unwrap().status, ConfirmationStatus::Void);
    }
}

/// The approver gets 409, the attempt has a row, and the card can be decided when the other call has ended.
#[both_databases]
async fn an_approval_waits_for_another_call_for_the_same_thing(db: TestDb) {
    let world = world(db).await;
    let owner = world.app.owner();
    confirms_writes(&world, true).await;
    let pending = owner.pending(ADD, json!({ "film": 7 })).await;
    confirms_writes(&world, false).await;
    unknown_end(&world, 7).await;
    let refused = owner.approve(pending).await.unwrap_err();
    assert_eq!(refused.code, ErrorCode::InProgress);
    assert!(refused.hint.unwrap().contains("stays open"));
    assert_eq!(owner.confirmation(pending).await.unwrap().status, ConfirmationStatus::Pending);
    let rows = owner.done("audit.list", json!({ "action": [ADD], "kind": ["confirmation"] })).await;
    let reasons: Vec<&Value> = rows["items"].as_array().unwrap().iter().map(|row| &row["reason"]).collect();
    assert_eq!(reasons, ["in_progress"], "{rows}");
    world.app.db.raw_sql("UPDATE open_effects SET next_look = 1, looks = 4").await;
    assert_eq!(world.later(1).await, 1);
    world.house.set(|house| house.post = Post::Answered);
    assert_eq!(owner.approve(pending).await.unwrap().outcome.to_value()["status"], "completed");
    assert_eq!((world.house.posts(), world.records().await), (2, 1));
}

#[both_databases]
async fn an_edit_to_what_is_there_already_sends_nothing(db: TestDb) {
    let world = world(db).await;
    let owner = world.app.owner();
    add_film(&owner, 7).await;
    confirms_writes(&world, true).await;
    let pending = owner.pending(ADD, json!({ "film": 8 })).await;
    let arguments = json!({ "film": 7 }).as_object().cloned();
    let edit = ApproveRequest { arguments, ..ApproveRequest::default() };
    let Approved::Executed(done, _) = owner.approve_once(pending, edit).await.unwrap() else {
        panic!("it was not executed")
    };
    let done = done.outcome.to_value();
    assert_eq!(
        (&done["status"], &done["data"]),
        (&json!("completed"), &json!({ "film": 7, "already": true }))
    );
    assert_eq!(owner.confirmation(pending).await.unwrap().status, ConfirmationStatus::Executed);
    assert_eq!((world.house.posts(), world.records().await), (1, 1));
    assert_eq!(world.later(100_000).await, 0, "nothing was started");
}

/// Where nothing was sent, the same key may call again.
#[both_databases]
async fn a_key_is_free_after_a_call_that_sent_nothing(db: TestDb) {
    let world = world(db).await;
    let owner = world.app.owner();
    let keyed = owner.with_key("once");
    assert_eq!(code(&add_film(&keyed, AWAY).await), ErrorCode::ConnectorNotConfigured);
    owner.done("upstreams.create", upstream("away", NOBODY)).await;
    assert_eq!(code(&add_film(&keyed, AWAY).await), ErrorCode::UpstreamError);
    let films = owner.done("upstreams.list", json!({})).await;
    let films = films["items"].as_array().unwrap().iter().find(|one| one["name"] == "films").unwrap();
    let moved = json!({ "name": "away", "base_url": films["base_url"] });
    owner.done("upstreams.update", moved).await;
    world.house.set(|house| house.post = Post::Refused);
    for _ in 0..2 {
        let refused = keyed.call(ADD, json!({ "film": AWAY })).await;
        assert_eq!((code(&refused.outcome), world.house.posts()), (ErrorCode::Conflict, 1));
    }
}

#[both_databases]
async fn of_two_calls_for_one_thing_one_is_sent(db: TestDb) {
    let world = world(db).await;
    let member = world.app.as_role(Role::Member);
    for film in 0..10 {
        let (one, two) = tokio::join!(add_film(&member, film), add_film(&member, film));
        let ended = |outcome: &Outcome| match outcome {
            Outcome::Completed(_) => true,
            other => code(other) == ErrorCode::InProgress,
        };
        assert!(ended(&one) && ended(&two), "{one:?} {two:?}");
        world.app.clock.advance(60);
    }
    let mut films = world.house.0.lock().unwrap().films.clone();
    films.sort_unstable();
    assert_eq!(films, (0..10).collect::<Vec<_>>(), "each film is added once");
}

/// A request that is sent again reaches another process while the first one has not begun to send.
#[both_databases]
async fn a_key_that_two_processes_have_is_answered_alike(db: TestDb) {
    let world = world(db).await;
    let other = world.app.under(world.app.engine.catalog().rules().clone());
    let one = world.app.owner().with_key("once");
    let two = Person::new(&other, one.authenticated.clone()).with_key("once");
    world.house.set(|house| house.meeting = Some(Arc::new(Barrier::new(2))));
    let (one, two) = tokio::join!(add_film(&one, 1), add_film(&two, 1));
    assert!(matches!((&one, &two), (Outcome::Completed(_), Outcome::Completed(_))), "{one:?} {two:?}");
    assert_eq!(world.house.posts(), 1);
}

#[both_databases]
async fn a_plan_is_of_a_limited_length(db: TestDb) {
    let world = world(db).await;
    world.house.set(|house| house.folder = "/f".repeat(8 * 1024).leak());
    assert_eq!(code(&add_film(&world.app.owner(), 7).await), ErrorCode::Internal);
    assert_eq!(world.house.posts(), 0);
}

/// Looking up what a call would change counts as a request to the outside, and the call as a write.
#[both_databases]
async fn an_effect_spends_both_limits(db: TestDb) {
    let world = world(db).await;
    let owner = world.app.owner();
    let film = (1..).step_by(2);
    for (film, (writes, external)) in film.zip([(1, 100), (100, 1)]) {
        let workspace = world.app.a.workspace;
        change_workspace(&world.app.db, workspace, |row| {
            row.settings.write_per_minute = writes;
            row.settings.external_per_minute = external;
        })
        .await;
        world.app.clock.advance(3_600);
        assert_eq!(add_film(&owner, film).await.to_value()["status"], "completed");
        assert_eq!(code(&add_film(&owner, film + 1).await), ErrorCode::RateLimited);
    }
    assert_eq!(world.house.posts(), 2);
}
