//! Lists of confirmations by status, conversation and whether the reader may decide them; names beside ids.

use serde_json::json;
use toolcrib_engine::{ConfirmationFilter, ConfirmationView};
use toolcrib_model::{ErrorCode, Id, Role};
use toolcrib_testkit::{App, Person, TestDb, both_databases, change_workspace};

use crate::{
    people::{agent, in_session, key_of, service},
    things::app,
};

/// Reads a list page by page.
async fn pages(
    app: &App,
    person: &Person<'_>,
    filter: &ConfirmationFilter,
    limit: i64,
) -> Vec<ConfirmationView> {
    let (mut found, mut cursor) = (Vec::new(), None);
    loop {
        let filter = ConfirmationFilter { limit: Some(limit), cursor, ..filter.clone() };
        let page = app.engine.confirmations(&person.authenticated, &filter).await.unwrap();
        assert!(page.items.len() <= usize::try_from(limit).unwrap());
        assert_eq!(page.items.len(), page.ends.len());
        found.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() {
            return found;
        }
        assert_eq!(page.ends.len(), usize::try_from(limit).unwrap(), "only the last page is short");
    }
}

fn ids(views: &[ConfirmationView]) -> Vec<Id> {
    views.iter().map(|view| view.id).collect()
}

fn status(word: &str) -> ConfirmationFilter {
    ConfirmationFilter { status: Some(word.into()), ..Default::default() }
}

/// Makes confirmations of the owner, the editor and a key; some end.
async fn fill(app: &App) {
    let key = app.as_identity(service(app, &["*:*"], None).await);
    let people = [app.owner(), app.as_role(Role::Editor), key];
    for n in 0..24 {
        let person = &people[n % 3];
        app.clock.advance(1);
        let id = person.pending("create_thing", json!({"name": format!("t{n}"), "dangerous": true})).await;
        match n % 4 {
            1 => drop(app.owner().deny(id, "no").await),
            2 => drop(app.as_role(Role::Admin).approve(id).await),
            _ => {}
        }
    }
}

#[both_databases]
async fn a_filter_applies_to_all_rows(db: TestDb) {
    let app = app(db).await;
    fill(&app).await;
    for four_eyes in [false, true] {
        change_workspace(&app.db, app.a.workspace, move |row| row.settings.four_eyes = four_eyes).await;
        for person in
            [app.owner(), app.as_role(Role::Admin), app.as_role(Role::Editor), app.as_role(Role::Viewer)]
        {
            let all = pages(&app, &person, &ConfirmationFilter::default(), 100).await;
            for decidable in [true, false] {
                let expected: Vec<Id> = all
                    .iter()
                    .filter(|view| view.can_decide.allowed == decidable)
                    .map(|view| view.id)
                    .collect();
                for limit in [1, 3, 100] {
                    let filter = ConfirmationFilter { decidable: Some(decidable), ..Default::default() };
                    assert_eq!(
                        ids(&pages(&app, &person, &filter, limit).await),
                        expected,
                        "{decidable} {limit}"
                    );
                }
            }
        }
    }
    let owner = app.owner();
    let decidable = ConfirmationFilter { decidable: Some(true), ..Default::default() };
    assert_eq!(pages(&app, &owner, &decidable, 100).await.len(), 8, "with four eyes not the owner's own");
    assert_eq!(pages(&app, &app.as_role(Role::Admin), &decidable, 100).await.len(), 12);
}

#[both_databases]
async fn open_and_ended_are_all(db: TestDb) {
    let app = app(db).await;
    fill(&app).await;
    let owner = app.owner();
    let both = |open: &[Id], ended: &[Id]| {
        let mut both = [open, ended].concat();
        both.sort_unstable();
        both
    };
    for (open, ended) in [(12, 12), (0, 24)] {
        let mut all = ids(&pages(&app, &owner, &ConfirmationFilter::default(), 100).await);
        all.sort_unstable();
        let (opened, closed) =
            (pages(&app, &owner, &status("open"), 5).await, pages(&app, &owner, &status("ended"), 5).await);
        assert_eq!((opened.len(), closed.len()), (open, ended));
        assert!(opened.iter().all(|view| !view.status.has_ended()));
        assert!(closed.iter().all(|view| view.status.has_ended()));
        assert_eq!(both(&ids(&opened), &ids(&closed)), all);
        assert_eq!(ids(&pages(&app, &owner, &status("pending"), 5).await), ids(&opened));
        let none = ConfirmationFilter { decidable: Some(true), ..status("ended") };
        assert!(pages(&app, &owner, &none, 5).await.is_empty());
        // Without a worker, what is overdue has ended.
        app.clock.advance(901);
    }
    let wrong = app.engine.confirmations(&owner.authenticated, &status("opened")).await.unwrap_err();
    assert_eq!(wrong.code, ErrorCode::InvalidArguments);
    assert!(
        format!("{wrong:?}").contains("`awaiting_phrase`") && format!("{wrong:?}").contains("`open`"),
        "{wrong:?}"
    );
}

#[both_databases]
async fn keys_decide_nothing_and_read_their_own(db: TestDb) {
    let app = app(db).await;
    let key = app.as_identity(service(&app, &["*:*"], None).await);
    let id = key.pending("create_thing", json!({"name": "x", "dangerous": true})).await;
    let decidable = |wanted| ConfirmationFilter { decidable: Some(wanted), ..Default::default() };
    assert!(pages(&app, &key, &decidable(true), 5).await.is_empty());
    let shown = pages(&app, &key, &decidable(false), 5).await;
    assert_eq!(ids(&shown), [id]);
    assert!(shown[0].can_decide.reason.as_ref().unwrap().contains("a key can't"));
}

#[both_databases]
async fn one_conversation_is_listed(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner();
    let talk = |session: &str| app.as_identity(in_session(&owner.authenticated, session));
    let dangerous = |name: &str| json!({ "name": name, "dangerous": true });
    let first = talk("talk-1").pending("create_thing", dangerous("x")).await;
    talk("talk-2").pending("create_thing", dangerous("y")).await;
    owner.pending("create_thing", dangerous("z")).await;
    let of = |session: &str| ConfirmationFilter { session: Some(session.into()), ..Default::default() };
    assert_eq!(ids(&pages(&app, &owner, &of("talk-1"), 5).await), [first]);
    for unknown in ["talk", "talk-", "TALK-1", "%"] {
        assert!(pages(&app, &owner, &of(unknown), 5).await.is_empty(), "{unknown}");
    }
    let other = app.as_role(Role::Editor);
    assert!(pages(&app, &other, &of("talk-1"), 5).await.is_empty(), "of another person");
}

#[both_databases]
async fn names_stand_beside_ids(db: TestDb) {
    let app = app(db).await;
    for (user, name) in
        [(app.a.owner, "The \u{202e}Owner"), (app.a.admin, "+49 170 1234567"), (app.a.editor, "The Editor")]
    {
        app.db.set_display_name(user, name).await;
    }
    let worker = agent(&app, "Scout", app.a.editor).await;
    let key = service(&app, &["*:*"], None).await;
    let dangerous = |name: &str| json!({ "name": name, "dangerous": true });
    let asked = app.as_identity(worker).pending("create_thing", dangerous("x")).await;
    let by_key = app.as_identity(key.clone()).pending("create_thing", dangerous("y")).await;
    let by_admin = app.as_role(Role::Admin).pending("create_thing", dangerous("z")).await;
    let view = app.as_role(Role::Editor).confirmation(asked).await.unwrap();
    let name = |name: &str| Some(name.to_owned());
    assert_eq!((view.requester.name, view.requester.user_name), (name("Scout"), name("The Editor")));
    assert_eq!(view.decided_by_name, None);
    assert_eq!(view.history[0].by_name, name("The Editor"));
    app.owner().deny(asked, "no").await.unwrap();
    let view = app.as_role(Role::Editor).confirmation(asked).await.unwrap();
    assert_eq!((view.decided_by, view.decided_by_name), (Some(app.a.owner), name("The \\u{202e}Owner")));
    assert_eq!(view.history[1].by_name, name("The \\u{202e}Owner"));
    let view = app.owner().confirmation(by_key).await.unwrap();
    assert_eq!(view.requester.id, key_of(&key));
    assert_eq!((view.requester.name, view.requester.user_name), (name("a key"), None));
    let view = app.owner().confirmation(by_admin).await.unwrap();
    assert_eq!(
        (view.requester.name, view.requester.user_name),
        (None, None),
        "a telephone number is no name"
    );
    let listed = pages(&app, &app.owner(), &ConfirmationFilter::default(), 1).await;
    let names: Vec<Option<String>> = listed.into_iter().map(|view| view.requester.name).collect();
    assert_eq!(names.len(), 3);
    assert_eq!((&names[0], &names[2]), (&None, &name("Scout")));
}
