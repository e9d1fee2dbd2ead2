//! Dependencies: their direction, their order, and cycles.

use std::sync::Arc;

use serde_json::{Value, json};
use toolcrib_engine::Outcome;
use toolcrib_testkit::{TestDb, both_databases, soak};

use crate::{
    limits::largest,
    place::{Place, edge, fields, race, reasons, text},
};

async fn order(place: &Place, project: &str) -> Vec<String> {
    let graph = place.owner().done("game_get_dependency_graph", json!({ "project": project })).await;
    assert_eq!(fields(&graph["nodes"], "slug"), strings(&graph["implementation_order"]));
    strings(&graph["implementation_order"])
}

fn strings(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(text).collect()
}

#[both_databases]
async fn what_is_required_comes_first(db: TestDb) {
    let place = Place::new(db).await;
    let quest = place.project("Quest").await;
    assert_eq!(order(&place, &quest).await, [""; 0]);
    place.systems(&quest, &["Ai", "Loot", "Map", "Core"]).await;
    assert_eq!(order(&place, &quest).await, ["ai", "core", "loot", "map"], "without edges by name");
    // A diamond: both of the middle are in one layer.
    place.require(&quest, &[("ai", "map"), ("ai", "loot"), ("map", "core"), ("loot", "core")]).await;
    assert_eq!(order(&place, &quest).await, ["core", "loot", "map", "ai"]);
    let owner = place.owner();
    let again = owner.problem("game_add_dependency", edge(&quest, "ai", "map")).await;
    assert_eq!((again.status, again.code.as_str()), (409, "conflict"));
    let itself = owner.problem("game_add_dependency", edge(&quest, "ai", "ai")).await;
    assert_eq!((itself.status, &*itself.errors[0].pointer), (422, "/target"));
    let impact = owner.done("game_get_impact_analysis", json!({ "project": quest, "system": "core" })).await;
    assert_eq!(fields(&impact["direct"], "slug"), ["loot", "map"]);
    assert_eq!(
        (&impact["transitive"][0]["slug"], &impact["transitive"][0]["distance"]),
        (&"ai".into(), &2.into())
    );
    assert_eq!(strings(&impact["order_of_work"]), ["core", "loot", "map", "ai"]);
    let gone = edge(&quest, "map", "core");
    owner.done("game_remove_dependency", gone.clone()).await;
    assert_eq!(owner.problem("game_remove_dependency", gone).await.status, 404);
}

#[both_databases]
async fn an_edge_that_closes_a_cycle_is_refused_with_its_path(db: TestDb) {
    let place = Place::new(db).await;
    let owner = place.owner();
    for length in [2, 3, 50] {
        let project = place.project(&format!("Cycle of {length}")).await;
        let names: Vec<String> = (0..length).map(|at| format!("S{at:02}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let ids = place.systems(&project, &names).await;
        for pair in ids.windows(2) {
            place.require(&project, &[(&pair[0], &pair[1])]).await;
        }
        let (first, last) = (&ids[0], &ids[length - 1]);
        let problem = owner.problem("game_add_dependency", edge(&project, last, first)).await;
        let around: Vec<String> =
            [names[length - 1]].iter().chain(&names).map(|name| format!("`{name}`")).collect();
        let path = format!("the dependencies would form a cycle: {}", around.join(" requires "));
        assert_eq!((problem.status, &problem.detail), (409, &path));
        let mut back = edge(&project, last, first);
        back["type"] = "enhances".into();
        assert_eq!(
            owner.done("game_add_dependency", back).await["type"],
            "enhances",
            "other types may point back"
        );
    }
    assert_eq!(reasons(&place, &["game_add_dependency"]).await, ["cycle_detected"]);
}

#[both_databases]
async fn of_two_edges_that_close_a_cycle_one_wins_soak(db: TestDb) {
    let place = Arc::new(Place::new(db).await);
    let quest = place.project("Quest").await;
    place.systems(&quest, &["A", "B", "C"]).await;
    place.require(&quest, &[("c", "a")]).await;
    for round in 0..soak(10, 100) {
        let add = |source: &str, target: &str| {
            let (place, arguments) = (Arc::clone(&place), edge(&quest, source, target));
            async move { place.owner().call("game_add_dependency", arguments).await.outcome }
        };
        let (one, other) = race(add("a", "b"), add("b", "c")).await;
        let (won, lost) = match (one, other) {
            (Outcome::Completed(_), Outcome::Refused(lost)) => (("a", "b"), lost),
            (Outcome::Refused(lost), Outcome::Completed(_)) => (("b", "c"), lost),
            both => panic!("round {round}: {both:?}"),
        };
        assert!(lost.status == 409 && lost.detail.contains("would form a cycle"), "round {round}: {lost:?}");
        place.owner().done("game_remove_dependency", edge(&quest, won.0, won.1)).await;
    }
}

#[both_databases]
async fn a_model_creates_two_systems_and_joins_them_by_their_ids(db: TestDb) {
    let place = Place::new(db).await;
    let quest = place.project("Quest").await;
    let mut ids = Vec::new();
    for (call, slug) in [("call_1", "combat"), ("call_2", "movement")] {
        let arguments = json!({ "project": quest, "name": slug, "slug": slug });
        ids.push(text(&place.owner().as_model(call).done("game_create_game_system", arguments).await["id"]));
    }
    let joined =
        place.owner().as_model("call_3").done("game_add_dependency", edge(&quest, &ids[0], &ids[1])).await;
    assert_eq!(
        (&joined["source"]["slug"], &joined["target"]["slug"]),
        (&"combat".into(), &"movement".into())
    );
    assert_eq!(order(&place, &quest).await, ["movement", "combat"]);
}

#[both_databases]
async fn a_large_graph_is_whole_and_points_a_model_at_its_parts(db: TestDb) {
    const ACTION: &str = "game_get_dependency_graph";
    let place = Place::new(db).await;
    let (owner, quest) = (place.owner(), largest(&place).await);
    let whole = owner.done(ACTION, json!({ "project": quest })).await;
    assert_eq!((&whole["system_count"], &whole["dependency_count"]), (&json!(2_000), &json!(10_000)));
    let sizes = ["nodes", "edges"].map(|list| whole[list].as_array().unwrap().len());
    assert_eq!((sizes, &whole["mermaid_truncated"]), ([2_000, 10_000], &json!(true)));
    assert!(text(&whole["mermaid"]).contains("%% Shows 400 of 10000 dependencies"));
    let answer = owner.as_model("call_1").call(ACTION, json!({ "project": quest })).await;
    let told = answer.outcome.for_model(place.engine.catalog().registry()).to_string();
    let hint = "the graph is large: give `system`, and `depth` from 1 to 5, to see a part of it";
    assert!(told.contains(hint) && told.contains(r#""system_count":2000"#), "{told}");
    assert!(told.len() < 40_000, "{}", told.len());
    let part = owner.done(ACTION, json!({ "project": quest, "system": "a", "depth": 2 })).await;
    assert_eq!(
        (&part["system_count"], &part["hint"], &part["mermaid_truncated"]),
        (&json!(13), &Value::Null, &json!(false))
    );
    let problem = owner.problem(ACTION, json!({ "project": quest, "depth": 2 })).await;
    assert_eq!((problem.status, &*problem.errors[0].pointer), (422, "/depth"));
}
