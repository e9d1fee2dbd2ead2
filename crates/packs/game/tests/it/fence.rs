//! The header `X-Project-Id` keeps calls in one project, whatever their arguments name.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolcrib_registry::Level;
use toolcrib_testkit::{Person, TestDb, both_databases};

use crate::place::{Place, bound, text, through};

/// Parameters that name something that belongs to a project.
const REFERENCES: [&str; 9] =
    ["brainstorm", "export", "from_brainstorm", "plan", "system", "systems", "target", "thread", "threads"];

/// What earlier calls returned, by the names under which later ones use it.
type Saved = BTreeMap<String, String>;

/// Replaces `$NAME` in parameters.
fn filled(params: &Value, saved: &Saved) -> Value {
    let mut text = params.to_string();
    for (name, value) in saved {
        text = text.replace(&format!("\"${name}\""), &format!("\"{value}\""));
    }
    serde_json::from_str(&text).unwrap()
}

fn save(call: &Value, output: &Value, saved: &mut Saved) {
    for (name, field) in call["save"].as_object().into_iter().flatten() {
        saved.insert(name.clone(), text(&output[field.as_str().unwrap()]));
    }
}

fn without_project(params: &Value) -> Value {
    let mut params = params.clone();
    params.as_object_mut().unwrap().remove("project");
    params
}

/// Checks that the header keeps a call out, and that the error says nothing of other projects.
async fn is_denied(caller: &Person<'_>, action: &str, arguments: Value) {
    let problem = caller.problem(action, arguments).await;
    let expected = (403, "permission_denied", "`X-Project-Id` binds this call to one project");
    assert_eq!((problem.status, problem.code.as_str(), &*problem.detail), expected, "{action}");
}

/// A call with its project, which calls of the same action in another project must not reach.
struct Tried<'a> {
    action: &'a str,
    params: Value,
    project: String,
    other: &'a str,
}

impl Tried<'_> {
    /// Checks that the call is refused where the header names another project, or none that exists.
    async fn is_kept_out(&self, place: &Place) {
        let owner = place.owner();
        let absent = "01890000-0000-7000-8000-000000000000";
        let plain = without_project(&self.params);
        let elsewhere = bound(&owner, self.other);
        is_denied(&elsewhere, self.action, self.params.clone()).await;
        let mut unknown = plain.clone();
        unknown["project"] = absent.into();
        is_denied(&elsewhere, self.action, unknown).await;
        for (header, params) in [(absent, &plain), ("Nowhere", &plain), (absent, &self.params)] {
            is_denied(&bound(&owner, header), self.action, params.clone()).await;
        }
        self.finds_nothing(place, &elsewhere, plain).await;
    }

    /// Checks that what belongs to the project does not exist in the other one, and that reads don't show it.
    async fn finds_nothing(&self, place: &Place, elsewhere: &Person<'_>, plain: Value) {
        if REFERENCES.iter().any(|name| plain.get(name).is_some()) {
            let problem = elsewhere.problem(self.action, plain).await;
            let list = problem.code.as_str() == "invalid_arguments" && problem.errors[0].code == "unknown";
            assert!(list || problem.status == 404, "{}: {problem:?}", self.action);
            return;
        }
        let meta = place.engine.catalog().registry().get(self.action).unwrap();
        if meta.spec.level == Level::Read {
            let output = elsewhere.done(self.action, plain).await.to_string();
            assert!(!output.contains(&self.project) && !output.contains("uest"), "{}: {output}", self.action);
        }
    }

    /// Makes the call with the header in place of the argument. Someone who is bound to the other project approves it if
    /// it waits.
    async fn is_let_in(&self, place: &Place, header: &str) -> Value {
        let owner = place.owner();
        let approver = bound(&owner, self.other);
        through(&bound(&owner, header), &approver, self.action, without_project(&self.params)).await
    }
}

#[both_databases]
async fn all_tools_stay_in_the_project_of_the_header(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, other) = (place.owner(), place.project("Other").await);
    let calls: Vec<Value> = serde_json::from_str(toolcrib_game::pack().calls).unwrap();
    let (mut saved, mut tried) = (Saved::new(), 0);
    for call in &calls {
        for before in call["before"].as_array().into_iter().flatten() {
            let action = before["action"].as_str().unwrap();
            save(before, &owner.done(action, filled(&before["params"], &saved)).await, &mut saved);
        }
        let (action, params) = (call["action"].as_str().unwrap(), filled(&call["params"], &saved));
        tried += 1;
        let Some(project) = params["project"].as_str().map(str::to_owned) else {
            save(call, &owner.done(action, params).await, &mut saved);
            continue;
        };
        let one = Tried { action, params, project, other: &other };
        one.is_kept_out(&place).await;
        let missing = owner.problem(action, without_project(&one.params)).await;
        assert_eq!((missing.status, &*missing.errors[0].pointer), (422, "/project"), "{action}");
        assert!(missing.hint.unwrap().contains("`Other`"), "{action}");
        let header = if action == "game_delete_project" { &*one.project } else { "quEST" };
        save(call, &one.is_let_in(&place, header).await, &mut saved);
    }
    assert_eq!(tried, 34);
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
        let names: Vec<String> =
            page["items"].as_array().unwrap().iter().map(|row| text(&row["name"])).collect();
        (names, page["next_cursor"].clone())
    };
    assert_eq!(list(json!({})).await, (vec!["Quest".to_owned()], Value::Null));
    assert_eq!(list(json!({ "limit": 1 })).await, (vec!["Quest".to_owned()], Value::Null));
    assert_eq!(list(json!({ "status": "ideation" })).await.0, ["Quest"]);
    assert_eq!(list(json!({ "status": "live" })).await.0, [""; 0]);
    is_denied(&caller, "game_create_project", json!({ "name": "New" })).await;
    is_denied(&bound(&place.owner(), "Nowhere"), "game_list_projects", json!({})).await;
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
    let hint = owner.problem("game_get_project", json!({})).await.hint.unwrap();
    assert!(hint.contains("`Two`") && !hint.contains("`One`"), "up to five, newest first: {hint}");
    place.settle(place.a.workspace, Some(json!({ "default_project": "two" }))).await;
    assert_eq!(owner.done("game_get_project", json!({})).await["name"], "Two");
    assert_eq!(owner.done("game_get_project", json!({ "project": "One" })).await["name"], "One");
    // The header comes before the setting, which binds nobody.
    assert_eq!(bound(&owner, "Six").done("game_get_project", json!({})).await["name"], "Six");
    place.settle(place.a.workspace, Some(json!({ "default_project": "Gone" }))).await;
    assert_eq!(owner.problem("game_get_project", json!({})).await.status, 404);
}
