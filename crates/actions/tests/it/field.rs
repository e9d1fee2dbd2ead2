//! The field of a mission.

use serde_json::json;
use toolcrib_auth::Credential;
use toolcrib_model::{Id, Role};
use toolcrib_testkit::{Person, TestDb, assert_has, both_databases};

use crate::harness;

/// An app in which both workspaces have missions with these two ids.
async fn with_missions(db: TestDb) -> harness::App {
    let app = harness::App::new(db).await;
    for world in [app.a, app.b] {
        harness::mission(&app, world.workspace, MISSION).await;
        harness::mission(&app, world.workspace, OTHER).await;
    }
    app
}

const MISSION: Id = Id::from_u128(0x11);
const OTHER: Id = Id::from_u128(0x22);

/// An agent of workspace A whose key may be bound to a mission.
async fn agent(app: &harness::App, mission: Option<Id>) -> Person<'_> {
    let made = app.owner().done("create_agent", json!({"name": format!("Agent {mission:?}")})).await;
    let id = made["id"].as_str().unwrap().parse().unwrap();
    let mut authenticated = harness::scoped_agent_key(app, id, Role::Member, &["field:*"]);
    if let Credential::Agent(key) = &mut authenticated.credential {
        key.mission = mission;
    }
    app.as_identity(authenticated)
}

#[both_databases]
async fn strength_halves_in_a_day_and_the_same_key_reinforces(db: TestDb) {
    let app = with_missions(db).await;
    let owner = app.owner();
    let inject = async |key: &str, value: &str, strength: f64| {
        let given = json!({"key": key, "value": value, "strength": strength, "mission": MISSION});
        owner.done("field_inject", given).await
    };
    let query = async || owner.done("field_query", json!({"query": "base?", "mission": MISSION})).await;
    let made = inject("pricing", "base is ten", 1.0).await;
    assert_has(&made, json!({"created": true, "changed": true, "writes": 1}));
    inject("limits", "base is five", 0.5).await;

    // `base` is in both entries, each of which has four words: its relevance is ln(1 + 0.5 / 2.5) = 0.182322
    // in each.
    let found = query().await;
    let told = (harness::texts(&found, "key"), &found["mission_id"]);
    assert_eq!(told, (vec!["pricing", "limits"], &json!(MISSION)));
    for (at, score) in [(0, 0.182_322), (1, 0.091_161)] {
        assert_eq!(found["items"][at]["relevance"], json!(0.182_322));
        assert_eq!(found["items"][at]["score"], json!(score));
    }

    // After a day, strength 1 is 0.5, and 0.5 is 0.25. Reinforced by 0.5 it is 0.75, so `limits` comes first.
    app.clock.advance(86_400);
    let again = inject("limits", "base is five", 0.5).await;
    assert_eq!((&again["created"], &again["changed"]), (&json!(false), &json!(false)));
    assert_eq!((&again["strength"], &again["writes"]), (&json!(0.75), &json!(2)));
    let found = query().await;
    assert_eq!(harness::texts(&found, "key"), ["limits", "pricing"]);
    assert_has(&found["items"], json!({"/0/score": 0.136_741, "/1/score": 0.091_161, "/1/strength": 0.5}));

    // Six hours are a quarter of a day: 0.75 * 2^-0.25 = 0.630672. A new value replaces the words of the old
    // one.
    app.clock.advance(21_600);
    assert_eq!(query().await["items"][0]["strength"], json!(0.630_672));
    let replaced = inject("limits", "ceiling is nine", 1.0).await;
    assert_eq!((&replaced["changed"], &replaced["strength"]), (&json!(true), &json!(1.0)));
    assert_eq!(harness::texts(&query().await, "key"), ["pricing"]);
}

#[both_databases]
async fn stability_is_the_share_of_strength_that_did_not_change(db: TestDb) {
    let app = with_missions(db).await;
    let owner = app.owner();
    let stability = async || owner.done("field_stability", json!({"mission": MISSION})).await;
    let inject = async |key: &str, strength: f64| {
        let given = json!({"key": key, "value": "same", "strength": strength, "mission": MISSION});
        owner.done("field_inject", given).await
    };
    let empty = json!({
        "mission_id": MISSION, "stability": null, "churn": null, "entries": 0, "strength": 0.0,
        "samples": 0
    });
    assert_eq!(stability().await, empty);

    inject("a", 1.0).await;
    inject("b", 0.25).await;
    inject("b", 0.25).await;
    // Both entries were added within the last three writes, and two of these writes added an entry.
    let early = stability().await;
    assert_has(&early, json!({"stability": 0.0, "churn": 0.666_667, "strength": 1.5, "samples": 3}));

    // After a day, a is 0.5 and b is 0.25. c is added with 1, and b is reinforced four times by 0.1, to 0.65.
    app.clock.advance(86_400);
    inject("c", 1.0).await;
    for _ in 0..4 {
        inject("b", 0.1).await;
    }
    // One of the last five writes added c, while a and b did not change: (0.5 + 0.65) / (0.5 + 0.65 + 1) =
    // 0.534884.
    let late = stability().await;
    assert_eq!((&late["stability"], &late["churn"]), (&json!(0.534_884), &json!(0.2)));
    assert_eq!((&late["entries"], &late["strength"], &late["samples"]), (&json!(3), &json!(2.15), &json!(5)));
}

#[both_databases]
async fn a_mission_of_the_header_is_meant_unless_another_is_named(db: TestDb) {
    let app = with_missions(db).await;
    let mut named = app.owner();
    named.authenticated.requested.mission = Some(MISSION.to_string());
    let made = named.done("field_inject", json!({"key": "k", "value": "v"})).await;
    assert_eq!(made["mission_id"], json!(MISSION));
    let other = json!({"query": "v", "mission": OTHER});
    assert_eq!(named.done("field_query", other).await["items"], json!([]), "each mission has its own field");
    assert_eq!(harness::texts(&named.done("field_query", json!({"query": "v"})).await, "key"), ["k"]);
}

#[both_databases]
async fn an_agent_reaches_its_own_mission_only(db: TestDb) {
    let app = with_missions(db).await;
    let bound = agent(&app, Some(MISSION)).await;
    let made = bound.done("field_inject", json!({"key": "k", "value": "v"})).await;
    assert_eq!(made["mission_id"], json!(MISSION));
    bound.done("field_query", json!({"query": "v", "mission": MISSION})).await;
    for (action, mut arguments) in [
        ("field_query", json!({"query": "x"})),
        ("field_inject", json!({"key": "k", "value": "v"})),
        ("field_stability", json!({})),
    ] {
        arguments["mission"] = json!(OTHER);
        let problem = bound.problem(action, arguments).await;
        assert_eq!(problem.code.as_str(), "permission_denied");
        assert!(problem.detail.contains("`mission`"), "{}", problem.detail);
    }
    let free = agent(&app, None).await;
    assert_eq!(free.refused("field_stability", json!({})).await, "invalid_arguments");
    assert_eq!(free.done("field_stability", json!({"mission": MISSION})).await["entries"], json!(1));
}

#[both_databases]
async fn another_tenants_field_is_empty(db: TestDb) {
    let app = with_missions(db).await;
    let stranger = app.as_role_b(Role::Owner);
    stranger.done("field_inject", json!({"key": "canary", "value": "canary", "mission": MISSION})).await;
    let owner = app.owner();
    let found = owner.done("field_query", json!({"query": "canary", "mission": MISSION})).await;
    assert_eq!(found["items"], json!([]));
    assert_eq!(owner.done("field_stability", json!({"mission": MISSION})).await["samples"], json!(0));
    let mine =
        owner.done("field_inject", json!({"key": "canary", "value": "mine", "mission": MISSION})).await;
    assert_eq!(mine["created"], json!(true));
    let theirs = stranger.done("field_query", json!({"query": "canary", "mission": MISSION})).await;
    assert_eq!(theirs["items"][0]["value"], json!("canary"));
}
