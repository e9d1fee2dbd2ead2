//! Who is notified of a confirmation, and with which text.

use serde_json::json;
use toolcrib_access::Principal;
use toolcrib_model::{NotificationKind, Role};
use toolcrib_testkit::{App, TestDb, both_databases, change_workspace};

use crate::{
    people::{agent, dangerous, key_of, notified, service},
    things::app,
};

/// The number of notifications that the owner, the admin, the editor and the member may read.
async fn counts(app: &App) -> [usize; 4] {
    let mut counts = [0; 4];
    for (count, id) in counts.iter_mut().zip([app.a.owner, app.a.admin, app.a.editor, app.a.member]) {
        *count = notified(app, id).await.len();
    }
    counts
}

#[both_databases]
async fn everyone_who_may_approve_is_notified_once(db: TestDb) {
    let app = app(db).await;
    for (role, expected) in
        [(Role::Editor, [1, 1, 1, 0]), (Role::Admin, [2, 2, 1, 0]), (Role::Owner, [3, 3, 1, 0])]
    {
        app.as_role(role).pending("create_thing", dangerous(role.as_str())).await;
        assert_eq!(counts(&app).await, expected, "{role}");
    }
    let waits = &notified(&app, app.a.editor).await[0];
    assert_eq!((waits.kind.as_str(), waits.audience.as_str()), ("confirmation_required", "user"));
    assert_eq!(
        (waits.title.as_str(), waits.body.as_str()),
        ("Waiting for approval: Create thing", "A member requested it.")
    );
    let data = &waits.data;
    assert_eq!(
        (&data["description"], &data["who"], &data["user_id"]),
        (&json!("Create thing"), &json!("a member"), &json!(app.a.editor))
    );
}

#[both_databases]
async fn with_four_eyes_only_other_people_are_notified(db: TestDb) {
    let app = app(db).await;
    change_workspace(&app.db, app.a.workspace, |row| row.settings.four_eyes = true).await;
    for (role, expected) in
        [(Role::Editor, [1, 1, 0, 0]), (Role::Owner, [1, 2, 0, 0]), (Role::Admin, [2, 2, 0, 0])]
    {
        app.as_role(role).pending("create_thing", dangerous(role.as_str())).await;
        assert_eq!(counts(&app).await, expected, "{role}");
    }
}

#[both_databases]
async fn a_notification_names_requester_and_call(db: TestDb) {
    let app = app(db).await;
    let worker = agent(&app, "worker", app.a.editor).await;
    let alone = service(&app, &["*:*"], None).await;
    app.as_identity(worker).pending("risky_thing", json!({"name": "x"})).await;
    app.as_identity(alone).pending("risky_thing", json!({"name": "x"})).await;
    app.as_role(Role::Admin).pending("delete_thing", json!({"name": "worker"})).await;
    let said: Vec<_> =
        notified(&app, app.a.owner).await.into_iter().map(|row| (row.title, row.body)).collect();
    assert_eq!(
        said,
        [
            (
                "Waiting for approval: Risky thing",
                "The agent `worker` of a member requested it. It may go wrong."
            ),
            ("Waiting for approval: Risky thing", "An application requested it. It may go wrong."),
            ("Waiting for approval: Delete thing `worker`", "A member requested it. It goes for good."),
        ]
        .map(|(title, body)| (title.to_owned(), body.to_owned()))
    );
}

#[both_databases]
async fn an_expiry_notifies_the_requester_and_their_user(db: TestDb) {
    let app = app(db).await;
    let worker = agent(&app, "worker", app.a.editor).await;
    let toolcrib_auth::Credential::Agent(key) = &worker.credential else { panic!("an agent") };
    let worker_id = Principal::Agent { agent_id: key.agent_id, runs_as: key.runs_as }.key();
    let alone = service(&app, &["*:*"], None).await;
    app.as_identity(worker.clone()).pending("create_thing", dangerous("x")).await;
    app.as_identity(alone.clone()).pending("create_thing", dangerous("x")).await;
    app.as_role(Role::Member).refused("create_thing", dangerous("x")).await;
    app.owner().pending("create_thing", dangerous("x")).await;
    app.clock.advance(900);
    assert_eq!(app.engine.expire_overdue().await.unwrap(), 3);
    let waited = async |id| {
        let rows = notified(&app, id).await.into_iter();
        let rows = rows.filter(|row| row.kind == NotificationKind::ConfirmationExpired);
        rows.map(|row| (row.audience, row.title)).collect::<Vec<_>>()
    };
    let said = [("user".to_owned(), "Not decided in time: Create thing".to_owned())];
    for id in [worker_id, app.a.editor, key_of(&alone), app.a.owner] {
        assert_eq!(waited(id).await, said, "{id}");
    }
    assert!(waited(app.a.admin).await.is_empty() && waited(app.a.member).await.is_empty());
}
