//! Threads of ideas: what is unread, and the brainstorm that is made of them.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::{Value, json};
use toolcrib_engine::{ActionError, CallResponse, Outcome, Problem};
use toolcrib_model::Role;
use toolcrib_testkit::{Person, TestDb, both_databases, postgres, soak};

use crate::{
    limits::fill,
    place::{Place, completed, race, text},
};

async fn post(
    person: &Person<'_>,
    project: &str,
    thread: &str,
    content: &str,
    parent: Option<&str>,
) -> String {
    let arguments =
        json!({ "project": project, "thread": thread, "content": content, "parent_message": parent });
    text(&person.done("game_post_idea_message", arguments).await["id"])
}

async fn begin(person: &Person<'_>, project: &str, title: &str) -> Value {
    let arguments = json!({ "project": project, "content": format!("About {title}"), "title": title });
    person.done("game_create_idea_thread", arguments).await
}

#[both_databases]
async fn unread_is_what_others_wrote_since(db: TestDb) {
    let place = Place::new(db).await;
    let quest = place.project("Quest").await;
    let (owner, member, editor) = (place.owner(), place.as_role(Role::Member), place.as_role(Role::Editor));
    let viewer = place.as_role(Role::Viewer);
    let unread = async |person: &Person<'_>| {
        let list = person.done("game_list_idea_threads", json!({ "project": quest })).await;
        list["items"][0]["unread"].as_i64().unwrap()
    };
    let thread = text(&begin(&owner, &quest, "Bosses").await["id"]);
    let one = post(&member, &quest, &thread, "One", None).await;
    post(&member, &quest, &thread, "Two", None).await;
    let counts =
        async || [unread(&owner).await, unread(&member).await, unread(&editor).await, unread(&viewer).await];
    assert_eq!(counts().await, [2, 0, 3, 3]);
    // To read writes nothing.
    let read = json!({ "project": quest, "thread": thread });
    assert_eq!(
        editor.done("game_get_thread_messages", read.clone()).await["items"].as_array().unwrap().len(),
        3
    );
    assert_eq!(counts().await, [2, 0, 3, 3]);
    let up_to = json!({ "project": quest, "thread": thread, "up_to": one });
    editor.done("game_mark_thread_read", up_to.clone()).await;
    post(&owner, &quest, &thread, "Three", None).await;
    assert_eq!(counts().await, [0, 1, 2, 4]);
    editor.done("game_mark_thread_read", read).await;
    editor.done("game_mark_thread_read", up_to).await;
    assert_eq!(counts().await, [0, 1, 0, 4], "a mark never moves back");
}

#[both_databases]
async fn a_brainstorm_of_threads_keeps_their_order_and_replies(db: TestDb) {
    let place = Place::new(db).await;
    let (quest, other) = (place.project("Quest").await, place.project("Other").await);
    let (owner, member) = (place.owner(), place.as_role(Role::Member));
    let first = begin(&owner, &quest, "Bosses").await;
    let (first, root) = (text(&first["id"]), text(&first["message"]["id"]));
    post(&member, &quest, &first, "Later", None).await;
    let reply = post(&member, &quest, &first, "Phases", Some(&root)).await;
    post(&owner, &quest, &first, "Three of them\n# No heading", Some(&reply)).await;
    let second = text(&begin(&member, &quest, "Fishing").await["id"]);
    let foreign = text(&begin(&owner, &other, "Elsewhere").await["id"]);
    let stray = json!({ "project": quest, "thread": second, "content": "x", "parent_message": root });
    assert_eq!(
        owner.problem("game_post_idea_message", stray).await.status,
        404,
        "a parent of another thread"
    );
    let of = |threads: &[&str]| json!({ "project": quest, "threads": threads, "title": "Ideas" });
    for threads in [[&*first, &*foreign], [&*first, &*root]] {
        let problem = owner.problem("game_finalize_threads_to_brainstorm", of(&threads)).await;
        assert_eq!(problem.status, 404);
    }
    let twice = owner.problem("game_finalize_threads_to_brainstorm", of(&[&first, &first])).await;
    assert_eq!(twice.status, 422);
    let made = owner.confirmed("game_finalize_threads_to_brainstorm", of(&[&second, &first])).await;
    let whole = json!({ "project": quest, "brainstorm": made["id"] });
    let content = text(&owner.done("game_get_brainstorm", whole).await["content"]);
    let lines: Vec<&str> = content.lines().filter(|line| !line.is_empty()).collect();
    let (at, own, theirs) = ("2026-01-15T10:00:00.000000Z", place.a.owner, place.a.member);
    let expected = [
        "# Fishing".to_owned(),
        format!("Begun by {theirs} at {at}."),
        format!("- {theirs}, {at}"),
        "  About Fishing".to_owned(),
        "# Bosses".to_owned(),
        format!("Begun by {own} at {at}."),
        format!("- {own}, {at}"),
        "  About Bosses".to_owned(),
        format!("  - {theirs}, {at}"),
        "    Phases".to_owned(),
        format!("    - {own}, {at}"),
        "      Three of them".to_owned(),
        "      # No heading".to_owned(),
        format!("- {theirs}, {at}"),
        "  Later".to_owned(),
    ];
    assert_eq!(lines, expected);
    let list = owner.done("game_list_idea_threads", json!({ "project": quest })).await;
    assert!(list["items"].as_array().unwrap().iter().all(|thread| thread["brainstorm_id"] == made["id"]));
}

#[both_databases]
async fn a_brainstorm_has_all_messages_of_a_long_thread(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), place.project("Quest").await);
    let thread = text(&begin(&owner, &quest, "Bosses").await["id"]);
    let same = "project_id, thread_id, created_by, created_at";
    fill(&place, "game_messages", same, &["content"], 250).await;
    let wish = json!({ "project": quest, "threads": [thread] });
    let made = owner.confirmed("game_finalize_threads_to_brainstorm", wish.clone()).await;
    let whole = json!({ "project": quest, "brainstorm": made["id"] });
    let content = text(&owner.done("game_get_brainstorm", whole).await["content"]);
    let all: BTreeSet<&str> = content.lines().filter(|line| line.starts_with("  About Bosses")).collect();
    assert_eq!((all.len(), content.matches("About Bosses").count()), (250, 250));
    let long = format!("UPDATE game_messages SET content = '{}'", "x".repeat(1_200));
    place.db.raw_sql(&long).await;
    let pending = owner.pending("game_finalize_threads_to_brainstorm", wish).await;
    let problem = refused(owner.approve(pending).await);
    assert!(problem.errors[0].message.contains("256 KiB"), "{problem:?}");
}

/// Two brainstorms of the same threads, in opposite orders: each waits for the other, and none for both.
#[tokio::test(flavor = "multi_thread")]
async fn brainstorms_of_the_same_threads_are_made_one_after_another_soak() {
    let place = Arc::new(Place::new(postgres().await).await);
    let quest = place.project("Quest").await;
    let mut threads = Vec::new();
    for title in ["A", "B", "C", "D", "E", "F"] {
        threads.push(text(&begin(&place.owner(), &quest, title).await["id"]));
    }
    for _ in 0..soak(10, 100) {
        let mut make = Vec::new();
        for _ in 0..2 {
            threads.reverse();
            let wish = json!({ "project": quest, "threads": threads });
            let id = place.owner().pending("game_finalize_threads_to_brainstorm", wish).await;
            let place = Arc::clone(&place);
            make.push(async move { completed(place.owner().approve(id).await.unwrap()) });
        }
        let [one, other] = make.try_into().unwrap_or_else(|_| panic!("two"));
        race(one, other).await;
    }
}

/// A system that is made from a brainstorm while that is deleted: it does not refer to what is gone.
#[both_databases]
async fn a_system_and_the_deletion_of_its_brainstorm_take_turns_soak(db: TestDb) {
    let place = Arc::new(Place::new(db).await);
    let quest = place.project("Quest").await;
    for round in 0..soak(10, 100) {
        let owner = place.owner();
        let brainstorm = json!({ "project": quest, "title": "t", "content": "c" });
        let brainstorm = owner.done("game_create_brainstorm", brainstorm).await["id"].clone();
        let delete = json!({ "project": quest, "brainstorm": brainstorm });
        let delete = owner.pending("game_delete_brainstorm", delete).await;
        let slug = format!("s{round}");
        let create = json!({ "project": quest, "name": slug, "slug": slug, "from_brainstorm": brainstorm });
        let (one, other) = (Arc::clone(&place), Arc::clone(&place));
        let (created, deleted) = race(
            async move { one.owner().call("game_create_game_system", create).await.outcome },
            async move { other.owner().approve(delete).await },
        )
        .await;
        completed(deleted.unwrap());
        match created {
            Outcome::Completed(_) => {
                let named = json!({ "project": quest, "system": slug });
                let system = owner.done("game_get_game_system", named).await;
                assert_eq!(system["from_brainstorm"], Value::Null, "round {round}");
            }
            Outcome::Refused(problem) => assert_eq!(problem.status, 404, "round {round}: {problem:?}"),
            other => panic!("round {round}: {other:?}"),
        }
    }
}

/// Returns why an approved call failed.
fn refused(answer: Result<CallResponse, ActionError>) -> Problem {
    match answer.unwrap().outcome {
        Outcome::Refused(problem) => *problem,
        other => panic!("it was not refused: {other:?}"),
    }
}
