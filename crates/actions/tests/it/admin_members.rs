//! Members: who may give and take which role.

use serde_json::json;
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{TestDb, assert_has, both_databases};

use crate::harness::{App, add, allowed, user};

#[both_databases]
async fn members_come_change_and_go(db: TestDb) {
    let app = App::new(db).await;
    let admin = app.as_role(Role::Admin);
    let made =
        admin.done("members.add", json!({"subject": "new", "role": "member", "display_name": "New"})).await;
    assert_has(&made, json!({"issuer": "test", "role": "member", "active": true}));
    assert_eq!(admin.refused("members.add", json!({"subject": "new", "role": "viewer"})).await, "conflict");
    let id = &made["user_id"];
    let found = admin.done("members.list", json!({"subject": "new"})).await;
    assert_eq!(found["items"].as_array().unwrap().len(), 1);
    let up = admin.done("members.update", json!({"user_id": id, "role": "editor"})).await;
    assert_eq!((&up["role"], &up["changed"]), (&json!("editor"), &json!(true)));
    let same = admin.done("members.update", json!({"user_id": id, "role": "editor", "active": true})).await;
    assert_eq!(same["changed"], json!(false));
    let new = user(&app, Some(id.as_str().unwrap().parse().unwrap()), Some(app.a.workspace));
    new.done("platform_create_agent", json!({"name": "Mine"})).await;
    admin.done("members.update", json!({"user_id": id, "active": false})).await;
    assert_eq!(new.refused("platform_list_agents", json!({})).await, "permission_denied");
    admin.done("members.remove", json!({"user_id": id})).await;
    assert_eq!(admin.refused("members.remove", json!({"user_id": id})).await, "not_found");
    // Lists have pages. The workspace starts with five members.
    let page = admin.done("members.list", json!({"limit": 2})).await;
    let rest = admin.done("members.list", json!({"cursor": page["next_cursor"]})).await;
    assert_eq!((page["items"].as_array().unwrap().len(), rest["items"].as_array().unwrap().len()), (2, 3));
}

/// Every actor × every role of the target × every role given: nobody raises a member above what they hold.
#[both_databases]
async fn nobody_gives_or_takes_a_role_beyond_their_own(db: TestDb) {
    let app = App::new(db).await;
    let mut n = 0;
    for actor in Role::ALL {
        for from in Role::ALL {
            for to in Role::ALL {
                n += 1;
                // Administration has a limit of two calls a second.
                app.clock.advance(2);
                let target = add(&app, &format!("target-{n}"), from).await;
                // Another owner stays, so that only the actor's rights decide.
                let answer =
                    app.as_role(actor).call("members.update", json!({"user_id": target, "role": to})).await;
                let may = match actor {
                    Role::Owner => true,
                    Role::Admin => from <= Role::Editor && to <= Role::Editor,
                    _ => false,
                };
                // An admin may give a member the role that they have already, but only a role that an admin
                // may give.
                let may = may || (actor == Role::Admin && from == to && to <= Role::Editor);
                assert_eq!(allowed(&answer), may, "{actor} changes {from} to {to}");
            }
            let target = add(&app, &format!("gone-{actor}-{from}"), from).await;
            let answer = app.as_role(actor).call("members.remove", json!({"user_id": target})).await;
            let may = actor == Role::Owner || (actor == Role::Admin && from <= Role::Editor);
            assert_eq!(allowed(&answer), may, "{actor} removes {from}");
            let wish = json!({"subject": format!("added-{actor}-{from}"), "role": from});
            let answer = app.as_role(actor).call("members.add", wish).await;
            assert_eq!(allowed(&answer), may, "{actor} adds {from}");
        }
    }
}

#[both_databases]
async fn there_is_always_an_owner(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let id = app.a.owner;
    for change in [json!({"user_id": id, "role": "admin"}), json!({"user_id": id, "active": false})] {
        assert_eq!(owner.refused("members.update", change).await, "conflict");
    }
    assert_eq!(owner.refused("members.remove", json!({"user_id": id})).await, "conflict");
    // An inactive owner does not count as a second owner.
    let second = add(&app, "second", Role::Owner).await;
    owner.done("members.update", json!({"user_id": second, "active": false})).await;
    assert_eq!(owner.refused("members.remove", json!({"user_id": id})).await, "conflict");
    owner.done("members.update", json!({"user_id": second, "active": true})).await;
    owner.done("members.update", json!({"user_id": id, "role": "viewer"})).await;
    let code = owner.refused("members.update", json!({"user_id": id, "role": "owner"})).await;
    assert_eq!(code, "permission_denied");
}

/// Two owners remove each other at the same time. One of them stays.
#[both_databases]
async fn two_owners_who_demote_each_other_leave_one(db: TestDb) {
    let app = App::new(db).await;
    for round in 0..5 {
        let second = add(&app, &format!("second-{round}"), Role::Owner).await;
        let owner = app.owner();
        let other = user(&app, Some(second), Some(app.a.workspace));
        let (one, two) = tokio::join!(
            owner.call("members.update", json!({"user_id": second, "role": "viewer"})),
            other.call("members.update", json!({"user_id": app.a.owner, "role": "viewer"})),
        );
        let done = [&one, &two]
            .iter()
            .filter(|a| matches!(a.outcome, toolcrib_engine::Outcome::Completed(_)))
            .count();
        assert_eq!(done, 1, "round {round}: {one:?} {two:?}");
        if matches!(two.outcome, toolcrib_engine::Outcome::Completed(_)) {
            other.done("members.update", json!({"user_id": app.a.owner, "role": "owner"})).await;
            app.owner().done("members.update", json!({"user_id": second, "role": "viewer"})).await;
        }
    }
}

#[both_databases]
async fn users_who_are_not_members_are_not_found(db: TestDb) {
    let app = App::new(db).await;
    for id in [app.b.viewer, Id::from_u128(7)] {
        for action in ["members.update", "members.remove"] {
            assert_eq!(app.owner().refused(action, json!({"user_id": id})).await, "not_found");
        }
    }
    let code = app.owner().refused("members.add", json!({"subject": "x", "role": "king"})).await;
    assert_eq!(code, "invalid_arguments");
    // A person who is a member of another workspace joins this one too, with a role in each.
    let here = app.owner().done("members.add", json!({"subject": "b-viewer", "role": "editor"})).await;
    assert_eq!(here["user_id"], json!(app.b.viewer));
}
