//! The header `X-Project-Id` keeps calls in one project, whatever their arguments name.

use serde_json::{Value, json};
use toolcrib_registry::Level;
use toolcrib_testkit::{Person, TestDb, both_databases};

use crate::{
    place::{Place, bound, fields, text, through},
    walk::{Call, walk},
};

/// Parameters that name something that belongs to a project.
const REFERENCES: [&str; 9] =
    ["brainstorm", "export", "from_brainstorm", "plan", "system", "systems", "target", "thread", "threads"];

/// What the errors say of a call that leaves its project.
const OUTSIDE: [&str; 2] = [
    "`X-Project-Id` binds this call to one project",
    "leave out `project`, or name the one that the header names",
];
/// Of a call that is not about the project.
const ABOUT_NONE: [&str; 2] =
    [OUTSIDE[0], "this action is not about that project: it needs a call without the header"];
/// Where the header names no project.
const NOWHERE: [&str; 2] = [
    "`X-Project-Id` names no project of this workspace",
    "whoever sends the header has to give the ID of a project; no argument helps",
];

/// Checks that the header keeps a call out, and that the error says nothing of other projects.
async fn is_denied(caller: &Person<'_>, action: &str, arguments: Value, [detail, hint]: [&str; 2]) {
    let problem = caller.problem(action, arguments).await;
    assert_eq!((problem.status, problem.code.as_str()), (403, "permission_denied"), "{action}");
    assert_eq!((&*problem.detail, problem.hint.as_deref()), (detail, Some(hint)), "{action}");
}

/// Checks that the call is refused where the header names another project, or none that exists.
async fn is_kept_out(place: &Place, call: &Call, other: &str) {
    let owner = place.owner();
    let absent = "01890000-0000-7000-8000-000000000000";
    let elsewhere = bound(&owner, other);
    is_denied(&elsewhere, &call.action, call.params.clone(), OUTSIDE).await;
    let mut unknown = call.plain();
    unknown["project"] = absent.into();
    is_denied(&elsewhere, &call.action, unknown, OUTSIDE).await;
    for (header, params) in [(absent, call.plain()), ("Nowhere", call.plain()), (absent, call.params.clone())]
    {
        is_denied(&bound(&owner, header), &call.action, params, NOWHERE).await;
    }
    finds_nothing(place, call, &elsewhere).await;
}

/// Checks that what belongs to the project does not exist in the other one, and that reads don't show it.
async fn finds_nothing(place: &Place, call: &Call, elsewhere: &Person<'_>) {
    let (action, plain) = (&*call.action, call.plain());
    if REFERENCES.iter().any(|name| plain.get(name).is_some()) {
        let problem = elsewhere.problem(action, plain).await;
        let list = problem.code.as_str() == "invalid_arguments" && problem.errors[0].code == "unknown";
        assert!(list || problem.status == 404, "{action}: {problem:?}");
    } else if place.engine.catalog().registry().get(action).unwrap().spec.level == Level::Read {
        let output = elsewhere.done(action, plain).await.to_string();
        assert!(!output.contains(call.project().unwrap()) && !output.contains("uest"), "{action}: {output}");
    }
}

#[both_databases]
async fn all_tools_stay_in_the_project_of_the_header(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, other) = (place.owner(), place.project("Other").await);
    walk(&place, async |call: &Call| {
        let action = &*call.action;
        let Some(project) = call.project() else { return owner.done(action, call.params.clone()).await };
        is_kept_out(&place, call, &other).await;
        let missing = owner.problem(action, call.plain()).await;
        assert_eq!((missing.status, &*missing.errors[0].pointer), (422, "/project"), "{action}");
        assert!(missing.hint.unwrap().contains("`Other`"), "{action}");
        let header = if action == "game_delete_project" { project } else { "quEST" };
        // Who approves the call is bound to the other project.
        through(&bound(&owner, header), &bound(&owner, &other), action, call.plain()).await
    })
    .await;
    let counts = &owner.done("game_get_project", json!({ "project": other })).await["counts"];
    assert!(counts.as_object().unwrap().values().all(|count| *count == 0), "{counts}");
}

#[both_databases]
async fn the_argument_may_repeat_the_header(db: TestDb) {
    let place = Place::new(db).await;
    let (quest, owner) = (place.project("Quest").await, place.owner());
    for header in [&*quest, "Quest", "QUEST"] {
        for argument in [&*quest, "Quest", "quest"] {
            let caller = bound(&owner, header);
            let output = caller.done("game_get_project", json!({ "project": argument })).await;
            assert_eq!(text(&output["id"]), quest);
        }
    }
}

#[both_databases]
async fn a_bound_caller_sees_one_project_and_creates_none(db: TestDb) {
    let place = Place::new(db).await;
    let (quest, _) = (place.project("Quest").await, place.project("Other").await);
    let caller = bound(&place.owner(), &quest);
    let list = async |arguments: Value| {
        let page = caller.done("game_list_projects", arguments).await;
        (fields(&page["items"], "name"), page["next_cursor"].clone())
    };
    assert_eq!(list(json!({})).await, (vec!["Quest".to_owned()], Value::Null));
    assert_eq!(list(json!({ "limit": 1 })).await, (vec!["Quest".to_owned()], Value::Null));
    assert_eq!(list(json!({ "status": "ideation" })).await.0, ["Quest"]);
    assert_eq!(list(json!({ "status": "live" })).await.0, [""; 0]);
    is_denied(&caller, "game_create_project", json!({ "name": "New" }), ABOUT_NONE).await;
    let checked = caller.check("game_create_project", json!({ "name": "New" })).await;
    assert_eq!((checked.allowed, checked.reason.as_deref()), (false, Some(ABOUT_NONE[0])));
    is_denied(&bound(&place.owner(), "Nowhere"), "game_list_projects", json!({}), NOWHERE).await;
    assert_eq!(
        place.owner().done("game_list_projects", json!({})).await["items"].as_array().unwrap().len(),
        2
    );
}

#[both_databases]
async fn without_a_header_the_setting_names_the_project(db: TestDb) {
    let place = Place::new(db).await;
    let owner = place.owner();
    let none = owner.problem("game_get_project", json!({})).await;
    assert_eq!((none.status, none.hint.as_deref()), (422, Some("there are no projects yet")));
    for name in ["One", "Two", "Three", "Four", "Five", "Six"] {
        place.project(name).await;
    }
    let refused = owner.problem("game_get_project", json!({})).await;
    let (hint, untrusted) = (refused.hint.unwrap(), refused.untrusted.unwrap());
    assert!(untrusted.contains("game designs"), "the names are other people's words: {untrusted}");
    assert!(hint.contains("`Two`") && !hint.contains("`One`"), "up to five, newest first: {hint}");
    place.settle(place.a.workspace, Some(json!({ "default_project": "two" }))).await;
    assert_eq!(owner.done("game_get_project", json!({})).await["name"], "Two");
    assert_eq!(owner.done("game_get_project", json!({ "project": "One" })).await["name"], "One");
    // The header comes before the setting, which binds nobody.
    assert_eq!(bound(&owner, "Six").done("game_get_project", json!({})).await["name"], "Six");
    place.settle(place.a.workspace, Some(json!({ "default_project": "Gone" }))).await;
    assert_eq!(owner.problem("game_get_project", json!({})).await.status, 404);
}

#[both_databases]
async fn a_call_is_not_replayed_in_another_project(db: TestDb) {
    let place = Place::new(db).await;
    let (one, two) = (place.project("One").await, place.project("Two").await);
    let owner = place.owner();
    let system = |slug: &str| json!({ "name": slug, "slug": slug });
    let model = owner.as_model("call_1");
    let made = [&one, &two].map(|project| bound(&model, project));
    let first = made[0].done("game_create_game_system", system("a")).await;
    let second = made[1].done("game_create_game_system", system("a")).await;
    assert_ne!(first["id"], second["id"], "each project has its own");
    let keyed = owner.with_key("once");
    bound(&keyed, &one).done("game_create_game_system", system("b")).await;
    let problem = bound(&keyed, &two).problem("game_create_game_system", system("b")).await;
    assert_eq!(problem.code.as_str(), "idempotency_mismatch");
}
