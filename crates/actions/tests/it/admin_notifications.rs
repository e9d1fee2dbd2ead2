//! Notifications: who gets which, and who has read them.

use serde_json::{Value, json};
use toolcrib_access::Scopes;
use toolcrib_auth::Credential;
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{Person, TestDb, assert_has, both_databases};

use crate::harness::{App, agent_key, events_after, pointers, service_key};

async fn list(person: &Person<'_>) -> Vec<Value> {
    person.done("notifications.list", json!({})).await["items"].as_array().unwrap().clone()
}

fn titles(items: &[Value]) -> Vec<&str> {
    items.iter().map(|item| item["title"].as_str().unwrap()).collect()
}

#[both_databases]
async fn a_notification_ends_with_its_confirmation(db: TestDb) {
    let app = App::new(db).await;
    let owner = app.owner();
    let unread = async || {
        let items = owner.done("notifications.list", json!({"unread": true})).await["items"].take();
        let counted = owner.done("me.get", json!({})).await["unread_notifications"].take();
        assert_eq!(counted, json!(items.as_array().unwrap().len()));
        counted
    };
    for name in ["One", "Two", "Three"] {
        owner.done("create_agent", json!({ "name": name })).await;
    }
    let [denied, late, waits] = ["One", "Two", "Three"].map(|name| json!({ "agent": name }));
    let denied = owner.pending("delete_agent", denied).await;
    owner.pending("delete_agent", late).await;
    assert_eq!(unread().await, 2);
    owner.deny(denied, "no").await.unwrap();
    assert_eq!(unread().await, 1);
    // Before the worker notices the expiry, too.
    app.clock.advance(901);
    assert_eq!(unread().await, 0);
    owner.pending("delete_agent", waits).await;
    let ended: Vec<Value> = list(&owner).await.iter().map(|one| one["ended"].clone()).collect();
    assert_eq!((ended, unread().await), (vec![json!(false), json!(true), json!(true)], json!(1)));
    let found = owner.done("notifications.list", json!({"unread": false})).await;
    assert_eq!(found["items"].as_array().unwrap().len(), 2);
    // One person's marks are not another's.
    assert_eq!(owner.done("notifications.mark_all_read", json!({})).await, json!({"marked": 3}));
    assert_eq!(unread().await, 0);
    let admin = app.as_role(Role::Admin).done("me.get", json!({})).await;
    assert_eq!(admin["unread_notifications"], 1);
}

#[both_databases]
async fn admins_are_notified_of_other_peoples_calls(db: TestDb) {
    let app = App::new(db).await;
    app.db.set_display_name(app.a.editor, "Anna").await;
    let editor = app.as_role(Role::Editor);
    let made = editor.call("create_agent", json!({"name": "Researcher"})).await;
    for admin in [app.owner(), app.as_role(Role::Admin)] {
        let items = list(&admin).await;
        assert_eq!(titles(&items), ["Created agent `Researcher`"]);
        let told = &items[0];
        assert_has(told, json!({"kind": "action", "audience": "admins", "read_at": null}));
        assert_eq!(told["body"], "Anna ran `platform_create_agent`");
        let found = (&told["call_id"], &told["created_at"]);
        assert_eq!(found, (&json!(made.outcome.call_id()), &json!("2026-01-15T10:00:00.000000Z")));
        assert_eq!((&told["data"]["who"], &told["data"]["user_id"]), (&json!("Anna"), &json!(app.a.editor)));
        assert_eq!(told["data"]["action"], "platform_create_agent");
    }
    for other in [editor, app.as_role(Role::Viewer), app.as_role_b(Role::Owner)] {
        assert!(list(&other).await.is_empty());
    }
}

#[both_databases]
async fn notifications_name_nobody_by_phone_number_or_login(db: TestDb) {
    let app = App::new(db).await;
    let editor = app.as_role(Role::Editor);
    editor.done("create_agent", json!({"name": "One"})).await;
    app.db.set_display_name(app.a.editor, "+49 170 1234567").await;
    editor.done("create_agent", json!({"name": "Two"})).await;
    for told in list(&app.owner()).await {
        assert_eq!(told["body"], "A member ran `platform_create_agent`");
        assert!(!told.to_string().contains("1234567") && !told.to_string().contains("editor"), "{told}");
    }
    // A call that an agent makes is not described as a call of the user that it runs as.
    let bot = app.owner().done("create_agent", json!({"name": "Bot"})).await;
    let agent: Id = bot["id"].as_str().unwrap().parse().unwrap();
    app.as_identity(agent_key(&app, agent, Role::Owner)).done("create_agent", json!({"name": "Three"})).await;
    let items = list(&app.owner()).await;
    let body =
        format!("The agent `{}` of a member ran `platform_create_agent`", bot["slug"].as_str().unwrap());
    assert_eq!((items.len(), &items[0]["body"]), (3, &json!(body)));
}

#[both_databases]
async fn an_admins_own_a_failed_and_a_refused_call_tell_nobody(db: TestDb) {
    let app = App::new(db).await;
    app.owner().done("create_agent", json!({"name": "One"})).await;
    app.as_role(Role::Admin).done("create_agent", json!({"name": "Two"})).await;
    assert_eq!(app.as_role(Role::Editor).refused("create_agent", json!({"name": "One"})).await, "conflict");
    let code = app.as_role(Role::Viewer).refused("create_agent", json!({"name": "Three"})).await;
    assert_eq!(code, "permission_denied");
    assert_eq!(app.as_role(Role::Editor).refused("create_agent", json!({})).await, "invalid_arguments");
    app.as_role(Role::Editor).done("update_agent", json!({"agent": "One", "description": "x"})).await;
    assert!(list(&app.owner()).await.is_empty());
}

#[both_databases]
async fn a_critical_report_tells_the_admins(db: TestDb) {
    let app = App::new(db).await;
    app.owner().done("create_agent", json!({"name": "Bot"})).await;
    let member = app.as_role(Role::Member);
    for status in ["ok", "warning", "critical"] {
        let report =
            json!({"title": status, "content": "x", "kind": "incident", "status": status, "agent": "Bot"});
        member.done("submit_report", report).await;
    }
    let items = list(&app.owner()).await;
    assert_eq!(items.len(), 1, "{items:?}");
    assert!(titles(&items)[0].contains("`critical`"), "{items:?}");
}

#[both_databases]
async fn what_waits_is_told_to_those_who_may_approve_it(db: TestDb) {
    let app = App::new(db).await;
    app.owner().done("settings.update", json!({"approval_mode": "confirm_writes"})).await;
    app.db.set_display_name(app.a.member, "Ben").await;
    let asked =
        app.as_role(Role::Member).call("create_task", json!({"title": "Sweep", "description": "x"})).await;
    let confirmation = asked.outcome.to_value()["confirmation"].clone();
    for told in [
        list(&app.owner()).await,
        list(&app.as_role(Role::Admin)).await,
        list(&app.as_role(Role::Member)).await,
    ] {
        assert_eq!(told.len(), 1, "{told:?}");
        assert_eq!(told[0]["kind"], "confirmation_required");
        assert_eq!(told[0]["data"]["confirmation_id"], confirmation["id"]);
        assert_has(&told[0]["data"], json!({"approve_url": confirmation["approve_url"], "who": "Ben"}));
        assert_eq!(told[0]["call_id"], json!(asked.outcome.call_id()));
    }
    for other in [app.as_role(Role::Editor), app.as_role_b(Role::Owner)] {
        assert!(list(&other).await.is_empty(), "who may not approve it hears nothing");
    }
    // The same call again joins the confirmation.
    app.as_role(Role::Member).pending("create_task", json!({"title": "Sweep", "description": "x"})).await;
    assert_eq!(list(&app.owner()).await.len(), 1);
    // An admin gets one notification of a confirmation that they requested themselves.
    app.as_role(Role::Admin).pending("create_task", json!({"title": "Other", "description": "x"})).await;
    assert_eq!(list(&app.as_role(Role::Admin)).await.len(), 2);
}

#[both_databases]
async fn with_four_eyes_the_other_ones_are_told(db: TestDb) {
    let app = App::new(db).await;
    app.owner().done("settings.update", json!({"approval_mode": "confirm_writes", "four_eyes": true})).await;
    app.as_role(Role::Admin).pending("create_task", json!({"title": "Sweep", "description": "x"})).await;
    app.as_role(Role::Member).pending("create_task", json!({"title": "Mop", "description": "x"})).await;
    assert_eq!(list(&app.owner()).await.len(), 2);
    assert_eq!(list(&app.as_role(Role::Admin)).await.len(), 1, "not one's own");
    assert!(list(&app.as_role(Role::Member)).await.is_empty());
}

#[both_databases]
async fn an_expired_confirmation_notifies_the_requester_and_their_user(db: TestDb) {
    let app = App::new(db).await;
    app.owner().done("settings.update", json!({"approval_mode": "confirm_writes"})).await;
    let bot = app.owner().confirmed("create_agent", json!({"name": "Bot"})).await;
    let agent = app.as_identity(agent_key(&app, bot["id"].as_str().unwrap().parse().unwrap(), Role::Member));
    agent.pending("create_task", json!({"title": "Sweep", "description": "x"})).await;
    app.as_role(Role::Viewer).refused("create_task", json!({"title": "Mop", "description": "x"})).await;
    app.clock.advance(901);
    assert_eq!(app.engine.expire_overdue().await.unwrap(), 1);
    let expired = |items: Vec<Value>| {
        items.into_iter().filter(|item| item["kind"] == "confirmation_expired").collect::<Vec<_>>()
    };
    for whom in [&agent, &app.as_role(Role::Member)] {
        let told = expired(list(whom).await);
        assert_eq!((told.len(), &told[0]["audience"]), (1, &json!("user")));
        assert!(told[0]["title"].as_str().unwrap().starts_with("Not decided in time: "), "{told:?}");
    }
    for other in
        [app.owner(), app.as_role(Role::Editor), app.as_role(Role::Viewer), app.as_role_b(Role::Owner)]
    {
        assert!(expired(list(&other).await).is_empty());
    }
}

#[both_databases]
async fn each_reader_has_their_own_read_marks(db: TestDb) {
    let app = App::new(db).await;
    for name in ["One", "Two", "Three"] {
        app.clock.advance(1);
        app.as_role(Role::Editor).done("create_agent", json!({"name": name})).await;
    }
    let (owner, admin) = (app.owner(), app.as_role(Role::Admin));
    let items = list(&owner).await;
    assert_eq!(titles(&items), ["Created agent `Three`", "Created agent `Two`", "Created agent `One`"]);
    let id = items[1]["id"].clone();
    let read = owner.done("notifications.mark_read", json!({"id": id})).await;
    assert_eq!(read["read_at"], "2026-01-15T10:00:03.000000Z");
    app.clock.advance(5);
    let found = owner.done("notifications.mark_read", json!({"id": id})).await;
    assert_eq!(found["read_at"], read["read_at"], "the first time stands");
    let of = async |person: &Person<'_>, unread: bool| {
        person.done("notifications.list", json!({"unread": unread})).await["items"].as_array().unwrap().len()
    };
    assert_eq!((of(&owner, true).await, of(&owner, false).await), (2, 1));
    assert_eq!((of(&admin, true).await, of(&admin, false).await), (3, 0));
    let page = owner.done("notifications.list", json!({"limit": 2})).await;
    let rest = owner.done("notifications.list", json!({"limit": 2, "cursor": page["next_cursor"]})).await;
    let value = (page["items"].as_array().unwrap().len(), titles(rest["items"].as_array().unwrap()));
    assert_eq!(value, (2, vec!["Created agent `One`"]));

    for stranger in [app.as_role_b(Role::Owner), app.as_role(Role::Editor)] {
        assert_eq!(stranger.refused("notifications.mark_read", json!({"id": id})).await, "not_found");
    }
    assert_eq!(owner.refused("notifications.mark_read", json!({"id": app.a.owner})).await, "not_found");
    assert_eq!(pointers(&owner.call("notifications.mark_read", json!({"id": "x"})).await), ["/id"]);
    assert_eq!(pointers(&owner.call("notifications.list", json!({"unread": "x"})).await), ["/unread"]);
}

#[both_databases]
async fn keys_read_with_the_scope_and_for_their_member(db: TestDb) {
    let app = App::new(db).await;
    app.as_role(Role::Editor).done("create_agent", json!({"name": "One"})).await;
    let none = app.as_identity(service_key(&app, "tasks:read"));
    assert_eq!(none.refused("notifications.list", json!({})).await, "permission_denied");
    let mut authenticated = service_key(&app, "*:read");
    assert!(list(&app.as_identity(authenticated.clone())).await.is_empty(), "a key of its own is no admin");
    if let Credential::Service(key) = &mut authenticated.credential {
        key.scopes = Scopes::from(Some(vec!["*:read".to_owned(), "act_as".to_owned()]));
    }
    authenticated.requested.on_behalf_of = Some(app.a.owner.to_string());
    assert_eq!(list(&app.as_identity(authenticated)).await.len(), 1, "for an owner it reads what they would");
}

#[both_databases]
async fn a_demoted_admin_sees_no_notifications_for_admins(db: TestDb) {
    let app = App::new(db).await;
    app.as_role(Role::Editor).done("create_agent", json!({"name": "One"})).await;
    assert_eq!(list(&app.as_role(Role::Admin)).await.len(), 1);
    app.owner().done("members.update", json!({"user_id": app.a.admin, "role": "editor"})).await;
    assert!(list(&app.as_role(Role::Admin)).await.is_empty());
}

#[both_databases]
async fn each_notification_has_an_event(db: TestDb) {
    let app = App::new(db).await;
    app.as_role(Role::Editor).done("create_agent", json!({"name": "One"})).await;
    let told = events_after(&app, 0).await;
    let told = told.iter().find(|row| row.name == "notification.created").unwrap();
    assert_eq!((told.kind.as_str(), told.user_id, &told.permission), ("notification", None, &None));
    let data: Value = serde_json::from_str(&told.data).unwrap();
    assert_eq!((&data["id"], &data["audience"]), (&list(&app.owner()).await[0]["id"], &json!("admins")));
    // The notification is in the commit of the effect: if it can't be written, there is no effect either.
    app.db.raw_sql("ALTER TABLE notifications RENAME TO notifications_gone").await;
    app.as_role(Role::Editor).call("create_agent", json!({"name": "Two"})).await;
    app.db.raw_sql("ALTER TABLE notifications_gone RENAME TO notifications").await;
    assert_eq!(app.owner().refused("get_agent", json!({"agent": "Two"})).await, "not_found");
}
