//! Projects: what asks a person, and what an archived one allows.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolcrib_engine::Outcome;
use toolcrib_registry::Level;
use toolcrib_testkit::{TestDb, both_databases};

use crate::{
    place::{Place, completed, reasons, through},
    walk::{Call, walk},
};

#[both_databases]
async fn seven_actions_ask_a_person(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, mut asked) = (place.owner(), BTreeMap::new());
    walk(&place, async |call: &Call| match owner.call(&call.action, call.params.clone()).await.outcome {
        Outcome::Completed(done) => done.value(),
        Outcome::Waiting(waiting) => {
            let card = owner.confirmation(waiting.confirmation.id).await.unwrap();
            asked.insert(call.action.clone(), (card.level, card.description));
            completed(owner.approve(card.id).await.unwrap())
        }
        other => panic!("{}: {other:?}", call.action),
    })
    .await;
    let archive = json!({ "project": "Quest", "status": "archived" });
    let card = owner.confirmation(owner.pending("game_update_project", archive).await).await.unwrap();
    asked.insert("game_update_project".to_owned(), (card.level, card.description));
    let expected = [
        (
            "game_delete_brainstorm",
            "simple",
            "brainstorm `Wrong` (in project `Quest`: 0 systems made from it)",
        ),
        (
            "game_delete_game_system",
            "simple",
            "system `Baking` (in project `Quest`: no system depends on it)",
        ),
        (
            "game_delete_project",
            "typed",
            "project `Prototype` (0 systems, 0 dependencies, 0 brainstorms, 0 plans, 0 threads, 0 exports)",
        ),
        ("game_delete_version_plan", "simple", "version plan `v2.0` (in project `Quest`)"),
        (
            "game_finalize_threads_to_brainstorm",
            "simple",
            "brainstorm `Bosses` (in project `Quest`: 1 thread with 2 messages: `Bosses`)",
        ),
        (
            "game_finalize_version_plan",
            "simple",
            "version plan `v1.0` (in project `Quest`: 2 systems in 2 phases)",
        ),
        ("game_update_project", "simple", "project `Quest`"),
    ];
    assert_eq!(asked.len(), expected.len(), "{asked:?}");
    for (action, level, card) in expected {
        let (asked_level, sentence) = &asked[action];
        assert_eq!((&**asked_level, sentence.ends_with(card)), (level, true), "{action}: {sentence}");
    }
}

#[both_databases]
async fn a_card_counts_what_is_deleted(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), place.project("Quest").await);
    let names: Vec<String> = (0..13).map(|at| format!("S{at:02}")).collect();
    place.systems(&quest, &names.iter().map(String::as_str).collect::<Vec<_>>()).await;
    for name in &names[1..] {
        place.require(&quest, &[(&name.to_lowercase(), "s00")]).await;
    }
    let project = json!({ "project": quest });
    let card = owner.confirmation(owner.pending("game_delete_project", project.clone()).await).await.unwrap();
    assert!(
        card.description.contains("(13 systems, 12 dependencies, 0 brainstorms,"),
        "{}",
        card.description
    );
    assert_eq!(card.phrase.as_deref(), Some("Quest"));
    let first = json!({ "project": quest, "system": "s00" });
    let asked = owner.pending("game_delete_game_system", first).await;
    let card = owner.confirmation(asked).await.unwrap().description;
    assert!(
        card.contains("12 dependents of it: `S01`, `S02`,") && card.ends_with("`S10` and others)"),
        "{card}"
    );
    completed(owner.approve(asked).await.unwrap());
    let counts = owner.confirmed("game_delete_project", project.clone()).await["counts"].clone();
    assert_eq!((&counts["systems"], &counts["dependencies"]), (&json!(12), &json!(0)));
    assert_eq!(owner.problem("game_get_project", project).await.status, 404);
}

#[both_databases]
async fn an_archived_project_is_read_only(db: TestDb) {
    let place = Place::new(db).await;
    let owner = place.owner();
    let set = async |project: &Value, status: &str| {
        let arguments = json!({ "project": project, "status": status });
        through(&owner, &owner, "game_update_project", arguments).await
    };
    let mut refused = 0;
    walk(&place, async |call: &Call| {
        let (action, project) = (&*call.action, &call.params["project"]);
        let reads = place.engine.catalog().registry().get(action).unwrap().spec.level == Level::Read;
        if project.is_null() || action == "game_update_project" {
            return through(&owner, &owner, action, call.params.clone()).await;
        }
        set(project, "archived").await;
        let allowed = reads || ["game_mark_thread_read", "game_delete_project"].contains(&action);
        if allowed {
            let output = through(&owner, &owner, action, call.params.clone()).await;
            if action != "game_delete_project" {
                set(project, "live").await;
            }
            return output;
        }
        let problem = owner.problem(action, call.params.clone()).await;
        assert!(
            problem.status == 409 && problem.detail.contains("is archived, and read only"),
            "{problem:?}"
        );
        refused += 1;
        set(project, "live").await;
        through(&owner, &owner, action, call.params.clone()).await
    })
    .await;
    assert_eq!(refused, 15);
    assert_eq!(reasons(&place, &["game_create_game_system", "game_generate_export"]).await, ["archived"]);
}
