//! Threads of ideas: what is unread, and the brainstorm that is made of them.

use serde_json::{Value, json};
use toolcrib_model::Role;
use toolcrib_testkit::{Person, TestDb, both_databases};

use crate::place::{Place, text};

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
