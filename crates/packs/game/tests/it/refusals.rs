//! What errors say about how to mend the call.

use serde_json::json;
use toolcrib_testkit::{TestDb, both_databases};

use crate::place::{Place, text};

#[both_databases]
async fn errors_say_how_to_mend_the_call(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest, other) = (place.owner(), place.project("Quest").await, place.project("Other").await);
    place.systems(&quest, &["Combat"]).await;
    let thread =
        owner.done("game_create_idea_thread", json!({ "project": quest, "content": "An idea" })).await;
    let thread = text(&thread["id"]);
    let none = "01a22e6c-3926-7bfb-bcf5-ef247d908b98";
    let cases = [
        (
            "game_get_game_system",
            json!({ "project": other, "system": "combat" }),
            "there is no system `combat` in this project",
        ),
        (
            "game_post_idea_message",
            json!({ "project": quest, "thread": thread, "content": "x", "parent_message": none }),
            "in this thread",
        ),
        (
            "game_create_game_system",
            json!({ "project": quest, "name": "Magic", "slug": "Magic" }),
            "must be in lower case: `magic`",
        ),
        (
            "game_validate_version_scope",
            json!({ "project": quest, "systems": ["combatt"] }),
            "did you mean `combat`",
        ),
        (
            "game_post_idea_message",
            json!({ "project": quest, "thread": thread, "content": " \n" }),
            "more than white space",
        ),
        ("game_create_idea_thread", json!({ "project": quest, "content": "\t" }), "more than white space"),
    ];
    for (action, arguments, expected) in cases {
        let refused = format!("{:?}", owner.problem(action, arguments).await);
        assert!(refused.contains(expected), "{action}: {refused}");
    }
    place.settle(place.a.workspace, Some(json!({ "default_project": "gone" }))).await;
    let refused = format!("{:?}", owner.problem("game_list_game_systems", json!({})).await);
    assert!(refused.contains("the pack's setting `default_project` names"), "{refused}");
}
