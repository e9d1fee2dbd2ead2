//! Event streams: which events a caller sees, where a stream resumes, and what a caller needs to open one.

mod callers;
mod operators;
mod waking;

use serde_json::json;
use toolcrib_auth::Authenticated;
use toolcrib_engine::{ActionError, EventReader, Events, EventsFilter};
use toolcrib_model::{ErrorCode, Id};
use toolcrib_store::{EventRow, StoreError, events};
use toolcrib_testkit::{App, NOW, TestDb, both_databases, write};

use crate::things::app;

/// The id of the event with this name.
fn id_of(name: &str) -> Id {
    Id::from_u128(name.bytes().fold(0, |id, byte| (id << 8) | u128::from(byte)))
}

/// A domain event for callers who may read agents.
fn domain(name: &str) -> EventRow {
    EventRow {
        workspace_id: Id::nil(),
        id: id_of(name),
        name: name.to_owned(),
        kind: "domain",
        session: None,
        user_id: None,
        permission: Some("agents:read".to_owned()),
        data: json!({"said": name}),
        occurred_at: NOW,
    }
}

/// An event of a call, which only its user sees.
fn own(name: &str, user: Id) -> EventRow {
    EventRow { kind: "permission", user_id: Some(user), permission: None, ..domain(name) }
}

/// Writes a workspace's events in one commit.
async fn tell(app: &App, workspace: Id, rows: Vec<EventRow>) {
    write::<_, StoreError>(&app.db, workspace, async |tx| {
        for row in rows {
            tx.event(EventRow { workspace_id: workspace, ..row });
        }
        Ok(())
    })
    .await
    .unwrap();
    events::assign_offsets(&app.db).await.unwrap();
}

async fn open(
    app: &App,
    authenticated: &Authenticated,
    last: Option<&str>,
) -> Result<EventReader, ActionError> {
    app.engine.events(authenticated, EventsFilter::default(), last).await
}

/// The error with which a stream is not opened.
async fn refusal(app: &App, authenticated: &Authenticated, last: Option<&str>) -> ActionError {
    open(app, authenticated, last).await.err().unwrap()
}

fn names(events: &Events) -> Vec<&str> {
    events.items.iter().map(|event| event.name.as_str()).collect()
}

/// The names of the events that one read returns.
async fn seen(reader: &mut EventReader, authenticated: &Authenticated) -> Vec<String> {
    names(&reader.read(authenticated).await.unwrap()).into_iter().map(str::to_owned).collect()
}

#[both_databases]
async fn a_stream_begins_now_and_resumes_where_it_ended(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner().authenticated;
    tell(&app, app.a.workspace, vec![domain("before"), domain("and before")]).await;
    tell(&app, app.b.workspace, vec![domain("theirs")]).await;
    let mut reader = open(&app, &owner, None).await.unwrap();
    let nothing = reader.read(&owner).await.unwrap();
    assert_eq!((names(&nothing), &nothing.reached, nothing.more), (vec![], &None, false));

    tell(&app, app.a.workspace, vec![domain("first"), domain("second")]).await;
    tell(&app, app.b.workspace, vec![domain("theirs too")]).await;
    let found = reader.read(&owner).await.unwrap();
    assert_eq!((names(&found), found.more), (vec!["first", "second"], false));
    assert_eq!(found.reached, Some(id_of("second").to_string()));
    let first = &found.items[0];
    assert_eq!(first.id, id_of("first").to_string());
    assert_eq!(
        first.data,
        json!({
            "said": "first", "type": "first", "event_id": id_of("first"),
            "workspace_id": app.a.workspace, "at": NOW,
        })
    );
    assert!(seen(&mut reader, &owner).await.is_empty(), "nothing is told twice");

    let mut again = open(&app, &owner, Some(&first.id)).await.unwrap();
    assert_eq!(seen(&mut again, &owner).await, ["second"]);
    for unknown in ["rubbish", "1", &id_of("never").to_string(), &id_of("theirs").to_string()] {
        let refused = refusal(&app, &owner, Some(unknown)).await;
        assert_eq!(refused.code, ErrorCode::InvalidArguments, "{unknown}");
        assert_eq!(refused.errors[0].pointer, "/Last-Event-ID");
    }
}

#[both_databases]
async fn names_and_a_conversation_are_chosen(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner().authenticated;
    let (wanted, talk) = (Some(vec!["made".to_owned(), "asked".to_owned()]), Some("talk".to_owned()));
    let filters = [
        (None, None, vec!["made", "asked", "other", "made"]),
        (wanted.clone(), None, vec!["made", "asked", "made"]),
        (None, talk.clone(), vec!["made", "other"]),
        (wanted, talk, vec!["made"]),
        (None, Some("silence".to_owned()), vec![]),
    ];
    let mut readers = Vec::new();
    for (types, session, expected) in filters {
        let reader = app.engine.events(&owner, EventsFilter { types, session }, None).await.unwrap();
        readers.push((reader, expected));
    }
    let of =
        |name: &str, session: Option<&str>| EventRow { session: session.map(str::to_owned), ..domain(name) };
    let last = EventRow { id: id_of("last"), ..of("made", Some("walk")) };
    tell(
        &app,
        app.a.workspace,
        vec![of("made", Some("talk")), of("asked", None), of("other", Some("talk")), last],
    )
    .await;
    for (mut reader, expected) in readers {
        let found = reader.read(&owner).await.unwrap();
        assert_eq!(names(&found), expected);
        assert_eq!(found.reached, Some(id_of("last").to_string()), "what is not shown is passed");
    }
}

#[both_databases]
async fn many_events_are_read_in_pages(db: TestDb) {
    let app = app(db).await;
    let owner = app.owner().authenticated;
    let mut reader = open(&app, &owner, None).await.unwrap();
    tell(&app, app.a.workspace, (0..201).map(|n| domain(&format!("n{n}"))).collect()).await;
    let first = reader.read(&owner).await.unwrap();
    assert_eq!((first.items.len(), first.more), (200, true));
    let rest = reader.read(&owner).await.unwrap();
    assert_eq!((names(&rest), rest.more), (vec!["n200"], false));
}
