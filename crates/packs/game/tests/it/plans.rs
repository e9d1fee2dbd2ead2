//! Version plans: what a scope lacks, and what a finalized plan keeps.

use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib_engine::{ActionError, CallResponse, Outcome, Problem};
use toolcrib_model::Id;
use toolcrib_testkit::{TestDb, both_databases, soak};

use crate::place::{Place, edge, fields, race, reasons, text};

/// Makes a project in which `a` requires `b`, and `b` requires `c`.
async fn chain(place: &Place) -> String {
    let quest = place.project("Quest").await;
    place.systems(&quest, &["A", "B", "C"]).await;
    place.require(&quest, &[("a", "b"), ("b", "c")]).await;
    quest
}

fn plan(project: &str, label: &str, systems: &[&str]) -> Value {
    json!({ "project": project, "version_label": label, "title": label, "systems": systems })
}

#[both_databases]
async fn a_scope_lacks_all_that_is_required(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), chain(&place).await);
    place.systems(&quest, &["D"]).await;
    let mut uses = edge(&quest, "a", "d");
    uses["type"] = "optional".into();
    owner.done("game_add_dependency", uses).await;
    let scope =
        owner.done("game_validate_version_scope", json!({ "project": quest, "systems": ["a"] })).await;
    assert_eq!(
        (&scope["valid"], fields(&scope["missing"], "slug")),
        (&false.into(), vec!["c".into(), "b".into()])
    );
    assert_eq!(scope["missing"][0]["required_by"], json!(["b"]));
    assert_eq!(scope["missing"][1]["required_by"], json!(["a"]));
    assert_eq!(scope["warnings"], json!([{ "source": "a", "target": "d", "type": "optional" }]));
    let refused = owner.problem("game_create_version_plan", plan(&quest, "v1", &["a"])).await;
    let lacks: Vec<&str> = refused.errors.iter().map(|error| &*error.message).collect();
    assert_eq!(
        (refused.status, lacks),
        (422, vec!["lacks `c`, which `b` requires", "lacks `b`, which `a` requires"])
    );
    let odd = owner.problem("game_create_version_plan", plan(&quest, "v1", &["a", "x", "a", "y"])).await;
    let odd: Vec<_> = odd.errors.iter().map(|error| (&*error.pointer, &*error.code)).collect();
    assert_eq!(odd, [("/systems/1", "unknown"), ("/systems/2", "duplicate"), ("/systems/3", "unknown")]);
    let mut whole = plan(&quest, "v1", &["a"]);
    whole["auto_include"] = true.into();
    let made = owner.done("game_create_version_plan", whole).await;
    assert_eq!(fields(&made["added"], "slug"), ["c", "b"]);
    assert_eq!(
        (fields(&made["systems"], "slug"), &made["phases"]),
        (vec!["c".into(), "b".into(), "a".into()], &json!([["c"], ["b"], ["a"]]))
    );
    assert_eq!(owner.problem("game_create_version_plan", plan(&quest, "V1", &["c"])).await.status, 409);
}

#[both_databases]
async fn a_finalized_plan_stays_as_it_was(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), chain(&place).await);
    owner.done("game_create_version_plan", plan(&quest, "v1", &["a", "b", "c"])).await;
    let v1 = json!({ "project": quest, "plan": "v1" });
    let finalized = owner.confirmed("game_finalize_version_plan", v1.clone()).await;
    assert_eq!((&finalized["status"], text(&finalized["sha256"]).len()), (&"finalized".into(), 64));
    let shown = async || {
        let mut made = json!({ "project": quest, "type": "version_prd", "plan": "v1", "format": "json" });
        made["include_changelog"] = true.into();
        let export = owner.done("game_generate_export", made).await["id"].clone();
        let list = json!({ "project": quest, "export": export });
        let content = text(&owner.done("game_list_exports", list).await["content"]);
        (owner.done("game_get_version_plan", v1.clone()).await, content)
    };
    let before = shown().await;
    assert_eq!(before.0, finalized);
    assert!(before.1.contains("\"kind\": \"created\""), "{}", before.1);
    place.clock.advance(1);
    let renamed = json!({ "project": quest, "system": "b", "name": "Other", "purpose": "Changed" });
    owner.done("game_update_game_system", renamed).await;
    owner.done("game_remove_dependency", edge(&quest, "a", "b")).await;
    place.systems(&quest, &["E"]).await;
    place.require(&quest, &[("c", "e")]).await;
    assert_eq!(shown().await, before);
    for (action, arguments) in [
        ("game_finalize_version_plan", v1.clone()),
        ("game_delete_version_plan", v1.clone()),
        ("game_delete_game_system", json!({ "project": quest, "system": "c" })),
    ] {
        assert_eq!(owner.problem(action, arguments).await.status, 409, "{action}");
        assert_eq!(reasons(&place, &[action]).await, ["immutable"], "{action}");
    }
}

#[both_databases]
async fn a_plan_that_became_incomplete_is_not_finalized(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), chain(&place).await);
    owner.done("game_create_version_plan", plan(&quest, "v1", &["a", "b", "c"])).await;
    let v1 = json!({ "project": quest, "plan": "v1" });
    let asked = owner.pending("game_finalize_version_plan", v1.clone()).await;
    place.systems(&quest, &["D"]).await;
    place.require(&quest, &[("c", "d")]).await;
    let late = refusal(owner.approve(asked).await).unwrap();
    assert!(late.1.contains("it lacks 1 system: lacks `d`, which `c` requires"), "{late:?}");
    let now = owner.problem("game_finalize_version_plan", v1.clone()).await;
    assert_eq!((now.status, &*now.errors[0].message), (409, "lacks `d`, which `c` requires"));
    let draft = owner.done("game_get_version_plan", v1).await;
    assert_eq!(
        (&draft["status"], fields(&draft["missing"], "slug")),
        (&"draft".into(), vec!["d".to_owned()])
    );
}

#[both_databases]
async fn a_plan_that_lost_a_system_is_asked_for_anew(db: TestDb) {
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), chain(&place).await);
    owner.done("game_create_version_plan", plan(&quest, "v1", &["a", "b", "c"])).await;
    let v1 = json!({ "project": quest, "plan": "v1" });
    let asked = owner.pending("game_finalize_version_plan", v1.clone()).await;
    owner.confirmed("game_delete_game_system", json!({ "project": quest, "system": "a" })).await;
    assert_eq!(refusal(owner.approve(asked).await).map(|refused| refused.0), Some(410));
    let finalized = owner.confirmed("game_finalize_version_plan", v1).await;
    assert_eq!(fields(&finalized["systems"], "slug"), ["c", "b"]);
}

/// Returns the status and text with which a call ended; `None` if it completed.
fn refusal(answer: Result<CallResponse, ActionError>) -> Option<(u16, String)> {
    match answer {
        Err(error) => Some((error.code.status(), error.detail)),
        Ok(CallResponse { outcome: Outcome::Completed(_), .. }) => None,
        Ok(CallResponse { outcome: Outcome::Refused(problem), .. }) => {
            let Problem { status, detail, .. } = *problem;
            Some((status, detail))
        }
        other => panic!("{other:?}"),
    }
}

/// Approves two calls at once, and returns how each ended.
async fn decided(place: &Arc<Place>, calls: [Id; 2]) -> [Option<(u16, String)>; 2] {
    let approve = |id: Id| {
        let place = Arc::clone(place);
        async move { refusal(place.owner().approve(id).await) }
    };
    let (one, other) = race(approve(calls[0]), approve(calls[1])).await;
    [one, other]
}

#[both_databases]
async fn of_finalizing_and_deleting_a_plan_one_wins_soak(db: TestDb) {
    let place = Arc::new(Place::new(db).await);
    let quest = chain(&place).await;
    for round in 0..soak(10, 100) {
        let (owner, label) = (place.owner(), format!("v{round}"));
        owner.done("game_create_version_plan", plan(&quest, &label, &["b", "c"])).await;
        let named = json!({ "project": quest, "plan": label });
        let finalize = owner.pending("game_finalize_version_plan", named.clone()).await;
        let delete = owner.pending("game_delete_version_plan", named.clone()).await;
        let [finalized, deleted] = decided(&place, [finalize, delete]).await;
        match (finalized, deleted) {
            (None, Some((409 | 410, _))) => {
                assert_eq!(owner.done("game_get_version_plan", named).await["status"], "finalized");
            }
            (Some((404 | 410, _)), None) => {
                assert_eq!(owner.problem("game_get_version_plan", named).await.status, 404);
            }
            both => panic!("round {round}: {both:?}"),
        }
    }
}

#[both_databases]
async fn a_finalized_plan_keeps_its_systems_whoever_deletes_them_soak(db: TestDb) {
    let place = Arc::new(Place::new(db).await);
    let quest = place.project("Quest").await;
    for round in 0..soak(10, 100) {
        let (owner, names) = (place.owner(), [format!("A{round}"), format!("B{round}")]);
        let slugs = [names[0].to_lowercase(), names[1].to_lowercase()];
        place.systems(&quest, &[&names[0], &names[1]]).await;
        place.require(&quest, &[(&slugs[0], &slugs[1])]).await;
        let label = format!("v{round}");
        owner.done("game_create_version_plan", plan(&quest, &label, &[&slugs[0], &slugs[1]])).await;
        let named = json!({ "project": quest, "plan": label });
        let finalize = owner.pending("game_finalize_version_plan", named.clone()).await;
        let system = json!({ "project": quest, "system": slugs[1] });
        let delete = owner.pending("game_delete_game_system", system.clone()).await;
        let [finalized, deleted] = decided(&place, [finalize, delete]).await;
        let plan = owner.done("game_get_version_plan", named).await;
        let kept = fields(&plan["systems"], "slug");
        match (finalized, deleted) {
            (None, Some((409 | 410, _))) => {
                assert_eq!(
                    (&plan["status"], kept),
                    (&"finalized".into(), vec![slugs[1].clone(), slugs[0].clone()])
                );
                owner.done("game_get_game_system", system).await;
            }
            (_, None) => {
                assert_eq!(kept, [slugs[0].clone()], "round {round}");
                assert_eq!(owner.problem("game_get_game_system", system).await.status, 404);
            }
            both => panic!("round {round}: {both:?}"),
        }
    }
}
