//! What a card says is what an approval runs: otherwise the confirmation is void.

use serde_json::{Value, json};
use toolcrib_model::{ConfirmationStatus, ErrorCode};
use toolcrib_testkit::{TestDb, both_databases};

use crate::place::{Place, completed, edge};

#[both_databases]
async fn a_changed_target_is_not_deleted(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), place.project("Quest").await);
    place.systems(&quest, &["Alpha", "Beta"]).await;
    let alpha = json!({ "project": quest, "system": "alpha" });
    let asked = owner.pending("game_delete_game_system", alpha.clone()).await;
    let purpose = json!({ "project": quest, "system": "alpha", "purpose": "Everything" });
    owner.done("game_update_game_system", purpose).await;
    assert_eq!(owner.approve(asked).await.unwrap_err().code, ErrorCode::Void, "another purpose");
    let asked = owner.pending("game_delete_game_system", alpha.clone()).await;
    place.require(&quest, &[("beta", "alpha")]).await;
    assert_eq!(owner.approve(asked).await.unwrap_err().code, ErrorCode::Void, "a new dependent");
    let asked = owner.pending("game_delete_game_system", alpha).await;
    completed(owner.approve(asked).await.unwrap());
}

#[both_databases]
async fn a_project_is_deleted_as_its_card_says(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), place.project("Quest").await);
    let project = json!({ "project": quest });
    let asked = owner.pending("game_delete_project", project.clone()).await;
    owner.done("game_update_project", json!({ "project": quest, "name": "Odyssey" })).await;
    assert_eq!(owner.approve(asked).await.unwrap_err().code, ErrorCode::Void, "another name");
    let asked = owner.pending("game_delete_project", project).await;
    place.systems(&quest, &["Alpha"]).await;
    assert_eq!(owner.approve(asked).await.unwrap_err().code, ErrorCode::Void, "another system");
}

#[both_databases]
async fn the_same_call_about_a_changed_target_asks_anew(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), place.project("Quest").await);
    place.systems(&quest, &["Alpha"]).await;
    let alpha = json!({ "project": quest, "system": "alpha" });
    let first = owner.pending("game_delete_game_system", alpha.clone()).await;
    assert_eq!(owner.pending("game_delete_game_system", alpha.clone()).await, first, "nothing changed");
    let name = json!({ "project": quest, "system": "alpha", "name": "Alphabet" });
    owner.done("game_update_game_system", name).await;
    let second = owner.pending("game_delete_game_system", alpha).await;
    assert!(second != first);
    assert_eq!(owner.confirmation(first).await.unwrap().status, ConfirmationStatus::Superseded);
    completed(owner.approve(second).await.unwrap());
}

#[both_databases]
async fn a_card_has_names_in_place_of_ids(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), place.project("Quest").await);
    place.systems(&quest, &["Alpha", "Beta"]).await;
    let lines = async |action: &str, arguments: Value| {
        let lines = owner.check(action, arguments).await.summary.into_iter();
        lines.map(|line| format!("{} {}", line.label, line.value)).collect::<Vec<_>>()
    };
    for project in [&*quest, "quest"] {
        let alpha = json!({ "project": project, "system": "alpha" });
        assert_eq!(lines("game_delete_game_system", alpha).await, ["system Alpha", "project Quest"]);
        let ends = lines("game_add_dependency", edge(project, "alpha", "beta")).await;
        assert_eq!(ends[..3], ["project Quest", "source Alpha", "target Beta"]);
    }
}
