//! What is found out after a call has ended, and records that are written later.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::Barrier;
use toolcrib_engine::Outcome;
use toolcrib_model::{ErrorCode, Role};
use toolcrib_testkit::{Person, TestDb, both_databases};

use super::house::{ADD, CONFLICT, FAILS, House, NEVER, Post, World, add_film, code, world};

/// The time to each look of the worker, and a second.
const LOOKS: [i64; 4] = [61, 5 * 60 + 1, 30 * 60 + 1, 24 * 60 * 60 + 1];

/// Makes a call whose end nobody knows.
pub async fn unknown_end(world: &World, film: i64) -> Outcome {
    unknown_end_of(world, &world.app.as_role(Role::Member), film).await
}

async fn unknown_end_of(world: &World, person: &Person<'_>, film: i64) -> Outcome {
    world.house.set(|house| house.post = Post::Swallowed);
    let unknown = add_film(person, film).await;
    assert_eq!(code(&unknown), ErrorCode::OutcomeUnknown);
    unknown
}

/// How often the house was asked what it has.
fn gets(world: &World) -> usize {
    world.house.0.lock().unwrap().gets
}

/// The messages to admins about records that are missing.
async fn unrecorded(world: &World) -> Vec<Value> {
    let list = world.app.owner().done("notifications.list", json!({})).await;
    let all = list["items"].as_array().unwrap().iter();
    all.filter(|one| one["kind"] == "effect_unrecorded").cloned().collect()
}

#[both_databases]
async fn what_nobody_knows_is_looked_up_by_a_worker(db: TestDb) {
    let world = world(db).await;
    let member = world.app.as_role(Role::Member);
    world.house.set(|house| house.post = Post::Lost);
    let blind = |house: &House, on| house.set(|house| house.blind = on);
    // The resolving sees, and the looks after the lost answer don't.
    let (house, watch) = (world.house.clone(), world.house.clone());
    let blinder = tokio::spawn(async move {
        while watch.posts() == 0 {
            tokio::task::yield_now().await;
        }
        house.set(|house| house.blind = true);
    });
    let unknown = add_film(&member, 7).await;
    blinder.await.unwrap();
    assert_eq!(code(&unknown), ErrorCode::OutcomeUnknown);
    let call = unknown.call_id().unwrap();
    // Another call for the same film waits until the first is known.
    blind(&world.house, false);
    world.house.set(|house| house.films.clear());
    let waits = add_film(&member, 7).await;
    assert_eq!(code(&waits), ErrorCode::InProgress);
    let said = waits.to_value().to_string();
    assert!(said.contains(&format!("`{call}`, ended is not known yet, and is looked up again at")), "{said}");
    blind(&world.house, true);
    assert_eq!(world.later(61).await, 0);
    blind(&world.house, false);
    world.house.set(|house| house.films.push(7));
    assert_eq!(world.later(5 * 60).await, 1);
    assert_eq!((world.house.posts(), world.records().await), (1, 1));
    let outcome = world.outcome(call).await;
    assert!(outcome.to_string().contains("succeeded"), "{outcome}");
    assert_eq!(world.later(100_000).await, 0);
    assert_eq!(add_film(&member, 7).await.to_value()["data"]["already"], true);
}

#[both_databases]
async fn what_is_not_there_at_the_last_look_has_failed(db: TestDb) {
    let world = world(db).await;
    let member = world.app.as_role(Role::Member);
    world.house.set(|house| house.post = Post::Swallowed);
    let unknown = add_film(&member, 7).await;
    assert_eq!(code(&unknown), ErrorCode::OutcomeUnknown);
    for wait in [61, 5 * 60 + 1, 30 * 60 + 1] {
        assert_eq!(world.later(wait).await, 0);
    }
    assert_eq!(world.later(24 * 60 * 60 + 1).await, 1);
    assert_eq!((world.house.posts(), world.records().await), (1, 0));
    let outcome = world.outcome(unknown.call_id().unwrap()).await;
    assert!(outcome.to_string().contains("failed"), "{outcome}");
    world.house.set(|house| house.post = Post::Answered);
    assert_eq!(add_film(&member, 7).await.to_value()["status"], "completed");
}

#[both_databases]
async fn a_record_that_fails_is_written_later(db: TestDb) {
    let world = world(db).await;
    let member = world.app.as_role(Role::Member);
    let done = add_film(&member, FAILS).await;
    assert_eq!(done.to_value()["status"], "completed", "the effect is there: {}", done.to_value());
    assert_eq!((world.house.posts(), world.records().await), (1, 0));
    assert_eq!(world.later(61).await, 0, "it fails again");
    assert_eq!(world.later(5 * 60 + 1).await, 1);
    assert_eq!((world.house.posts(), world.records().await), (1, 1));
}

#[both_databases]
async fn a_record_that_is_deferred_is_marked(db: TestDb) {
    let world = world(db).await;
    let done = add_film(&world.app.as_role(Role::Member), NEVER).await;
    let call = done.call_id().unwrap();
    let row = world.app.owner().done("audit.get", json!({ "call_id": call })).await;
    assert_eq!(row["outcomes"][0]["reason"], "record_deferred", "{row}");
    for wait in LOOKS {
        assert_eq!(unrecorded(&world).await.len(), 0);
        world.later(wait).await;
    }
    let told = unrecorded(&world).await;
    assert_eq!((told.len(), &told[0]["data"]["call_id"]), (1, &json!(call)), "{told:?}");
    assert_eq!((world.later(100_000).await, world.records().await), (0, 0));
    assert!(world.outcome(call).await.to_string().contains("succeeded"), "the outcome stays");
}

/// The house can't say at any look, so that the call stays unknown, and the film may be added again.
#[both_databases]
async fn what_nobody_can_tell_at_the_last_look_stays_unknown(db: TestDb) {
    let world = world(db).await;
    let call = unknown_end(&world, 7).await.call_id().unwrap();
    world.house.set(|house| house.blind = true);
    for wait in LOOKS {
        assert_eq!(world.later(wait).await, 0);
    }
    assert_eq!(unrecorded(&world).await.len(), 1);
    assert!(world.outcome(call).await.to_string().contains("unknown"));
    world.house.set(|house| (house.blind, house.post) = (false, Post::Answered));
    assert_eq!(add_film(&world.app.owner(), 7).await.to_value()["status"], "completed");
}

#[both_databases]
async fn an_effect_is_looked_up_while_its_pack_is_off(db: TestDb) {
    let world = world(db).await;
    let call = unknown_end(&world, 7).await.call_id().unwrap();
    world.app.owner().done("packs.update", json!({ "slug": "house", "enabled": false })).await;
    world.house.set(|house| house.films.push(7));
    assert_eq!(world.later(61).await, 1);
    assert_eq!(world.records().await, 1);
    assert!(world.outcome(call).await.to_string().contains("succeeded"));
}

/// A row that can't be read is in nobody's way, and its end is the admins' business.
#[both_databases]
async fn an_effect_that_cannot_be_read_delays_no_other(db: TestDb) {
    let world = world(db).await;
    unknown_end(&world, 7).await;
    world.app.db.raw_sql("UPDATE open_effects SET requester = '{'").await;
    world.app.clock.advance(1);
    unknown_end(&world, 8).await;
    world.house.set(|house| house.films.push(8));
    assert_eq!(world.later(61).await, 1);
    for wait in LOOKS {
        world.later(wait).await;
    }
    assert_eq!((world.records().await, unrecorded(&world).await.len()), (1, 1));
}

/// The outcome is true without the record, which has looks of its own.
#[both_databases]
async fn a_record_that_is_a_conflict_is_deferred_and_the_outcome_committed(db: TestDb) {
    let world = world(db).await;
    let call = unknown_end(&world, CONFLICT).await.call_id().unwrap();
    world.house.set(|house| house.films.push(CONFLICT));
    world.later(61).await;
    assert!(world.outcome(call).await.to_string().contains("succeeded"));
    let asked = gets(&world);
    for wait in LOOKS {
        world.later(1).await;
        assert_eq!(unrecorded(&world).await.len(), 0);
        world.later(wait).await;
    }
    assert_eq!(gets(&world), asked, "what is known is not asked again");
    assert_eq!((unrecorded(&world).await.len(), world.records().await), (1, 0));
}

/// Two processes find the same effect due.
#[both_databases]
async fn an_effect_has_one_look_at_a_time(db: TestDb) {
    let world = world(db).await;
    unknown_end(&world, 7).await;
    let meeting = Arc::new(Barrier::new(2));
    world.house.set(|house| {
        house.films.push(7);
        house.meeting = Some(meeting.clone());
    });
    world.app.clock.advance(61);
    let (asked, engine) = (gets(&world), world.app.engine.clone());
    let first = tokio::spawn(async move { engine.look_up_effects().await.unwrap() });
    while gets(&world) == asked {
        tokio::task::yield_now().await;
    }
    assert_eq!(world.app.engine.look_up_effects().await.unwrap(), 0);
    assert_eq!(gets(&world), asked + 1, "the second process asked too");
    meeting.wait().await;
    assert_eq!((first.await.unwrap(), world.records().await), (1, 1));
}

/// Each look waits until the other one has begun.
#[both_databases]
async fn a_service_that_does_not_answer_delays_no_other_workspace(db: TestDb) {
    let world = world(db).await;
    unknown_end(&world, 7).await;
    unknown_end_of(&world, &world.app.as_role_b(Role::Owner), 8).await;
    world.house.set(|house| {
        house.films = vec![7, 8];
        house.meeting = Some(Arc::new(Barrier::new(2)));
    });
    assert_eq!(world.later(61).await, 2);
}

/// An effect of a pack that this build lacks is for other processes, which have all their looks.
#[both_databases]
async fn an_effect_of_another_build_is_left_alone(db: TestDb) {
    let world = world(db).await;
    unknown_end(&world, 7).await;
    world.house.set(|house| house.films.push(7));
    let rename = async |from: &str, to: &str| {
        let sql = format!("UPDATE open_effects SET action = '{to}' WHERE action = '{from}'");
        world.app.db.raw_sql(&sql).await;
    };
    rename(ADD, "cellar_add_film").await;
    for wait in LOOKS {
        assert_eq!(world.later(wait).await, 0);
    }
    rename("cellar_add_film", ADD).await;
    assert_eq!((world.later(1).await, world.records().await), (1, 1));
    assert_eq!(unrecorded(&world).await.len(), 0);
}
