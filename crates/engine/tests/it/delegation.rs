//! A key holds only what its minters hold now, and with four eyes nobody behind a call may approve it.

use serde_json::json;
use toolcrib_auth::Authenticated;
use toolcrib_engine::{ApproveRequest, Approved, Outcome};
use toolcrib_model::{ErrorCode, Id, Role};
use toolcrib_testkit::{App, Person, TestDb, both_databases, change_workspace, user_identity};

use crate::{
    people::{
        agent, child_of, dangerous, for_member, key_of, minted_by, remove, replaced, revoke, rows, service,
        set_role,
    },
    things::app,
};

async fn four_eyes(app: &App) {
    change_workspace(&app.db, app.a.workspace, |row| row.settings.four_eyes = true).await;
}

/// A call with `key` needs a confirmation that `behind` may not approve and `other` may.
async fn asks_somebody_else(app: &App, key: &Authenticated, behind: Role, other: Role) {
    let name = format!("{behind} {}", app.engine.new_id());
    let id = app.as_identity(key.clone()).pending("create_thing", dangerous(&name)).await;
    let refused = app.as_role(behind).approve(id).await.unwrap_err();
    assert_eq!((refused.code, refused.detail.contains("four eyes")), (ErrorCode::PermissionDenied, true));
    assert!(
        matches!(app.as_role(other).approve(id).await.unwrap().outcome, Outcome::Completed(_)),
        "{other}"
    );
}

#[both_databases]
async fn a_key_is_bounded_by_who_minted_it(db: TestDb) {
    let app = app(db).await;
    let key = service(&app, &["*:*"], None).await;
    let made =
        async |name: &str| app.as_identity(key.clone()).call("create_thing", json!({"name": name})).await;
    minted_by(&app, &key, app.a.admin).await;
    assert!(matches!(made("one").await.outcome, Outcome::Completed(_)));
    let row = rows(&app, "call", None).await.pop().unwrap();
    assert_eq!(serde_json::to_value(&row.minters).unwrap(), json!([app.a.admin]));
    set_role(&app, app.a.admin, "viewer").await;
    let Outcome::Refused(denied) = made("two").await.outcome else { panic!("demoted") };
    assert_eq!(
        (denied.code.as_str(), denied.detail.contains("your role is `viewer`")),
        ("permission_denied", true)
    );
    remove(&app, app.a.admin).await;
    let Outcome::Refused(denied) = made("three").await.outcome else { panic!("removed") };
    assert_eq!((denied.code.as_str(), denied.hint.unwrap().contains("/adopt")), ("permission_denied", true));
    let row = rows(&app, "call", None).await.pop().unwrap();
    assert_eq!((row.reason.as_deref(), row.principal.kind.as_str()), (Some("minter"), "service"));
    assert_eq!(
        app.as_identity(key.clone()).refused("get_thing", json!({"name": "one"})).await,
        "permission_denied"
    );
    minted_by(&app, &key, app.a.owner).await;
    assert!(matches!(made("four").await.outcome, Outcome::Completed(_)), "adopted");
}

#[both_databases]
async fn a_key_that_is_revoked_on_the_way_does_nothing(db: TestDb) {
    let app = app(db).await;
    let keys = [service(&app, &["*:*"], None).await, agent(&app, "worker", app.a.owner).await];
    for (n, key) in keys.into_iter().enumerate() {
        let person = app.as_identity(key.clone());
        person.done("create_thing", json!({"name": n.to_string()})).await;
        // The credential was verified earlier, so the gates must find that the key is revoked.
        revoke(&app, key_of(&key)).await;
        assert_eq!(person.refused("create_thing", json!({"name": "late"})).await, "permission_denied");
        let read = json!({"name": n.to_string()});
        assert_eq!(person.refused("get_thing", read).await, "permission_denied");
        let row = rows(&app, "call", None).await.pop().unwrap();
        assert_eq!(row.reason.as_deref(), Some("revoked"));
    }
}

#[both_databases]
async fn an_agents_key_is_bounded_by_who_minted_it(db: TestDb) {
    let app = app(db).await;
    let key = agent(&app, "worker", app.a.owner).await;
    minted_by(&app, &key, app.a.member).await;
    let refused = app.as_identity(key.clone()).problem("create_thing", json!({"name": "x"})).await;
    assert!(refused.detail.contains("your role is `member`"), "{}", refused.detail);
    minted_by(&app, &key, app.a.editor).await;
    app.as_identity(key).done("create_thing", json!({"name": "x"})).await;
}

#[both_databases]
async fn only_an_owner_lets_a_key_act_for_members(db: TestDb) {
    let app = app(db).await;
    let key = service(&app, &["*:*", "act_as"], Some(app.a.owner)).await;
    let acts = async || app.as_identity(key.clone()).call("get_thing", json!({"name": "none"})).await;
    minted_by(&app, &key, app.a.admin).await;
    let Outcome::Refused(denied) = acts().await.outcome else { panic!("an admin's") };
    assert_eq!(
        (denied.code.as_str(), denied.hint.unwrap().contains("an owner")),
        ("permission_denied", true)
    );
    let alone = for_member(&key, None);
    assert_eq!(
        app.as_identity(alone).refused("get_thing", json!({"name": "none"})).await,
        "not_found",
        "by itself it works"
    );
    minted_by(&app, &key, app.a.owner).await;
    let Outcome::Refused(lost) = acts().await.outcome else { panic!("an owner's") };
    assert_eq!(lost.code.as_str(), "not_found");
    set_role(&app, app.a.owner, "admin").await;
    let Outcome::Refused(denied) = acts().await.outcome else { panic!("demoted") };
    assert_eq!(denied.code.as_str(), "permission_denied");
}

#[both_databases]
async fn acting_for_somebody_holds_no_more_than_the_minter(db: TestDb) {
    let app = app(db).await;
    let key = service(&app, &["*:*", "act_as"], Some(app.a.member)).await;
    minted_by(&app, &key, app.a.owner).await;
    let denied = app.as_identity(key.clone()).problem("create_thing", json!({"name": "x"})).await;
    assert!(denied.detail.contains("your role is `member`"));
    app.as_identity(for_member(&key, Some(app.a.editor))).done("create_thing", json!({"name": "x"})).await;
}

#[both_databases]
async fn only_an_owner_lets_a_key_relay(db: TestDb) {
    let app = app(db).await;
    let relay = service(&app, &["approvals:relay"], Some(app.a.owner)).await;
    let id = app.as_role(Role::Editor).pending("create_thing", dangerous("x")).await;
    minted_by(&app, &relay, app.a.admin).await;
    let relay_person = app.as_identity(relay.clone());
    assert_eq!(relay_person.approve(id).await.unwrap_err().code, ErrorCode::InsufficientScope);
    assert_eq!(relay_person.confirmation(id).await.unwrap_err().code, ErrorCode::InsufficientScope);
    minted_by(&app, &relay, app.a.owner).await;
    relay_person.approve(id).await.unwrap();
}

/// A person who made a call, or who minted the key of a call, may not approve it; another may.
#[both_databases]
async fn with_four_eyes_nobody_behind_a_call_approves_it(db: TestDb) {
    let app = app(db).await;
    let acting = service(&app, &["*:*", "act_as"], Some(app.a.editor)).await;
    minted_by(&app, &acting, app.a.owner).await;
    let bare = service(&app, &["*:*"], None).await;
    minted_by(&app, &bare, app.a.admin).await;
    let worker = agent(&app, "worker", app.a.editor).await;
    minted_by(&app, &worker, app.a.admin).await;
    four_eyes(&app).await;
    let own = user_identity(app.a.workspace, app.a.admin);
    asks_somebody_else(&app, &own, Role::Admin, Role::Owner).await;
    asks_somebody_else(&app, &acting, Role::Owner, Role::Admin).await;
    asks_somebody_else(&app, &bare, Role::Admin, Role::Owner).await;
    asks_somebody_else(&app, &worker, Role::Admin, Role::Owner).await;
}

#[both_databases]
async fn earlier_minters_count_until_the_old_secret_ends(db: TestDb) {
    let app = app(db).await;
    let key = service(&app, &["*:*"], None).await;
    minted_by(&app, &key, app.a.admin).await;
    minted_by(&app, &key, app.a.owner).await;
    minted_by(&app, &key, app.a.editor).await;
    four_eyes(&app).await;
    let refused = app.as_identity(key.clone()).problem("create_thing", dangerous("all of them")).await;
    assert!(refused.detail.contains("nobody is left"), "{}", refused.detail);
    // Only the editor knows the new secret. The other minters are no longer behind the key once the old
    // secret ends.
    let end = toolcrib_model::Clock::now(&*app.clock).plus_seconds(60);
    replaced(&app, &key, app.a.editor, Some(end.as_micros())).await;
    assert_eq!(
        app.as_identity(key.clone()).refused("create_thing", dangerous("soon")).await,
        "permission_denied"
    );
    app.clock.advance(60);
    let id = app.as_identity(key).pending("create_thing", dangerous("now")).await;
    app.as_role(Role::Admin).approve(id).await.unwrap();
}

#[both_databases]
async fn people_behind_a_call_stay_behind_its_confirmation(db: TestDb) {
    let app = app(db).await;
    let key = service(&app, &["*:*"], None).await;
    minted_by(&app, &key, app.a.admin).await;
    four_eyes(&app).await;
    let id = app.as_identity(key.clone()).pending("create_thing", dangerous("x")).await;
    replaced(&app, &key, app.a.editor, Some(0)).await;
    assert_eq!(app.as_role(Role::Admin).approve(id).await.unwrap_err().code, ErrorCode::PermissionDenied);
    app.owner().approve(id).await.unwrap();
}

#[both_databases]
async fn minters_of_a_parent_key_are_behind_its_child_too(db: TestDb) {
    let app = app(db).await;
    let parent = service(&app, &["*:*"], None).await;
    let child = child_of(&app, &parent).await;
    minted_by(&app, &child, app.a.editor).await;
    minted_by(&app, &parent, app.a.admin).await;
    four_eyes(&app).await;
    asks_somebody_else(&app, &child, Role::Admin, Role::Owner).await;
}

#[both_databases]
async fn with_four_eyes_a_relay_proves_who_decides(db: TestDb) {
    let app = app(db).await;
    let relay = service(&app, &["approvals:relay"], Some(app.a.admin)).await;
    minted_by(&app, &relay, app.a.owner).await;
    four_eyes(&app).await;
    let id = app.as_role(Role::Editor).pending("create_thing", dangerous("x")).await;
    let relay = app.as_identity(relay);
    let refused = relay.approve(id).await.unwrap_err();
    assert_eq!(
        (refused.code, refused.hint.unwrap().contains("user_token")),
        (ErrorCode::PermissionDenied, true)
    );
    let token = user_identity(app.a.workspace, app.a.admin).credential;
    relay.approve_with_token(id, ApproveRequest::default(), Ok(token)).await.unwrap();
}

#[both_databases]
async fn without_a_possible_approver_the_call_is_refused_at_once(db: TestDb) {
    let app = app(db).await;
    let key = service(&app, &["*:*", "act_as"], Some(app.a.admin)).await;
    minted_by(&app, &key, app.a.owner).await;
    four_eyes(&app).await;
    let refused = app.as_identity(key.clone()).problem("create_thing", dangerous("x")).await;
    assert_eq!(
        (refused.code.as_str(), refused.hint.unwrap().contains("four_eyes")),
        ("permission_denied", true)
    );
    let row = rows(&app, "call", None).await.pop().unwrap();
    assert_eq!((row.decision.as_str(), row.reason.as_deref()), ("denied", Some("four_eyes")));
    // If there is another admin, the call waits for a confirmation.
    set_role(&app, app.a.editor, "admin").await;
    app.as_identity(key).pending("create_thing", dangerous("x")).await;
}

#[both_databases]
async fn with_four_eyes_another_person_approves_changed_arguments(db: TestDb) {
    let app = app(db).await;
    four_eyes(&app).await;
    let editor = app.as_role(Role::Editor);
    let old = editor.in_a_run().pending("create_thing", dangerous("asked")).await;
    let changed = |name: &str| ApproveRequest {
        arguments: dangerous(name).as_object().cloned(),
        ..ApproveRequest::default()
    };
    let admin = app.as_role(Role::Admin);
    let new = anew(&admin, old, changed("changed")).await;
    assert_eq!(editor.confirmation(old).await.unwrap().status.as_str(), "superseded");
    let of_runs = app.db.number("SELECT COUNT(*) FROM confirmations WHERE surface = 'assistant'").await;
    assert_eq!(of_runs, 2, "the changed call is still that of the run");
    for behind in [&admin, &editor] {
        assert_eq!(behind.approve(new).await.unwrap_err().code, ErrorCode::PermissionDenied);
    }
    // The owner is the only person left who may approve it. If the owner changes it again, nobody is left.
    let left = app.owner().approve_once(new, changed("again")).await.unwrap_err();
    assert!(left.detail.contains("nobody is left"), "{}", left.detail);
    // To repeat the arguments is not a change.
    let Approved::Executed(ran, _) = app.owner().approve_once(new, changed("changed")).await.unwrap() else {
        panic!("it runs")
    };
    assert_eq!(ran.outcome.to_value()["data"]["name"], "changed");
    let row = rows(&app, "call", Some(new)).await.pop().unwrap();
    assert_eq!((row.edited_by, row.user_id), (Some(app.a.admin), Some(app.a.editor)));
    let old_rows = rows(&app, "confirmation", Some(old)).await;
    assert_eq!(old_rows.last().unwrap().reason.as_deref(), Some("modify"));
    assert_eq!(editor.refused("get_thing", json!({"name": "asked"})).await, "not_found");
}

/// Changes the arguments while approving. Returns the confirmation that replaces this one.
async fn anew(person: &Person<'_>, id: Id, request: ApproveRequest) -> Id {
    let Approved::NewConfirmation(answer) = person.approve_once(id, request).await.unwrap() else {
        panic!("somebody else is asked");
    };
    let Outcome::Waiting(waiting) = answer.outcome else { panic!("it waits") };
    waiting.confirmation.id
}
