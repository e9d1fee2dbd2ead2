use std::cell::RefCell;

use proptest::prelude::*;
use serde_json::json;
use toolcrib_registry::{ActionRegistry, Permission, Spec};

use super::*;
use crate::{Selection, select};

fn meta(spec: Spec) -> ActionMeta {
    let input = json!({"type": "object", "additionalProperties": false, "properties": {
        "limit": {"type": "integer", "description": "how many at most"}}});
    ActionMeta::new(spec, input, json!({"type": "object"})).unwrap()
}

/// Five actions, two of which have no phrases in the corpus.
fn metas() -> Vec<ActionMeta> {
    let warning = "it is gone for good";
    [
        Spec::read("platform_list_agents", Category::Agents, Permission::AGENTS_READ)
            .describe("Lists the agents.")
            .always_offered(),
        Spec::destructive("platform_delete_agent", Category::Agents, Permission::AGENTS_DELETE, warning)
            .describe("Removes an agent."),
        Spec::read("platform_get_alerts", Category::Infrastructure, Permission::INFRASTRUCTURE_READ)
            .describe("Alerts that fire."),
        Spec::read("platform_count_bananas", Category::Data, Permission::DATA_READ)
            .describe("Counts the bananas in the bowl.")
            .tags(&["fruit"]),
        Spec::read("platform_count_apples", Category::Data, Permission::DATA_READ)
            .describe("Counts the apples in the basket."),
    ]
    .map(meta)
    .into()
}

fn names(hits: &[SearchHit]) -> Vec<&str> {
    hits.iter().map(|hit| &*hit.name).collect()
}

#[test]
fn actions_are_found_by_the_users_words_and_by_their_own() {
    let search = Search::new(metas().iter());
    let first = |query: &str| {
        let hits = search.search(query, &|_| true, 3, None);
        hits.first().map(|hit| hit.name.to_string()).unwrap_or_default()
    };
    assert_eq!(first("who is on our team of bots"), "platform_list_agents");
    assert_eq!(first("elimina el asistente"), "platform_delete_agent");
    assert_eq!(first("has the pager gone off"), "platform_get_alerts");
    assert_eq!(first("how many bananas are there"), "platform_count_bananas");
    assert_eq!(first("fruit"), "platform_count_bananas");
    assert_eq!(first(""), "");
}

#[test]
fn what_is_not_allowed_is_never_found_and_changes_no_other_order() {
    let search = Search::new(metas().iter());
    let asked = RefCell::new(Vec::new());
    let allowed = |name: &str| {
        asked.borrow_mut().push(name.to_owned());
        name != "platform_delete_agent"
    };
    let hits = search.search("delete the agent", &allowed, 10, None);
    assert!(!names(&hits).contains(&"platform_delete_agent"));
    assert_eq!(asked.borrow().len(), 5, "each is asked about once");
    assert!(search.search("delete the agent", &|_| false, 10, None).is_empty());
}

#[test]
fn a_category_narrows_and_a_limit_cuts() {
    let search = Search::new(metas().iter());
    let hits = search.search("count the bananas", &|_| true, 10, Some(Category::Agents));
    assert!(hits.iter().all(|hit| hit.name.ends_with("agents") || hit.name.ends_with("agent")), "{hits:?}");
    assert_eq!(search.search("count the bananas and the agents", &|_| true, 1, None).len(), 1);
}

#[test]
fn two_indexes_of_the_same_actions_agree_to_the_bit() {
    let (a, b) = (Search::new(metas().iter()), Search::new(metas().iter()));
    for query in ["bots", "count", "alarms tonight", "lösche den Agenten"] {
        assert_eq!(a.search(query, &|_| true, 9, None), b.search(query, &|_| true, 9, None));
    }
}

#[test]
fn equals_are_ordered_by_name() {
    let hit = |name: &str, score| SearchHit { name: name.into(), score };
    let mut hits = [hit("b", 0.5), hit("c", 0.9), hit("a", 0.5)];
    hits.sort_by(best_first);
    assert_eq!(names(&hits), ["c", "a", "b"]);
}

#[test]
fn a_pick_keeps_the_always_offered_and_adds_what_fits() {
    let registry = ActionRegistry::new(metas()).unwrap();
    let search = Search::new(registry.tools().map(AsRef::as_ref));
    let select =
        |query: &str, context: &[String]| select(&search, &[], &registry, query, context, &|_| true, 2);
    let small = Selection { names: vec!["platform_list_agents".into()], categories: vec![], small: true };
    assert_eq!(select("hello", &[]), small.clone());
    assert_eq!(select("", &[]), Selection { small: false, ..small });
    let alerts = select("which alarms are firing right now", &[]);
    assert_eq!(alerts.names.first(), Some(&"platform_list_agents".into()));
    assert!(alerts.names.contains(&"platform_get_alerts".into()) && alerts.names.len() <= 3);
    assert!(alerts.categories.contains(&Category::Infrastructure));
    let yes = select("yes, do it", &["Shall I delete the agent Nova for good?".into()]);
    assert!(yes.names.contains(&"platform_delete_agent".into()), "{yes:?}");
}

#[test]
fn a_pick_brings_back_nothing_that_is_not_allowed() {
    let registry = ActionRegistry::new(metas()).unwrap();
    let search = Search::new(registry.tools().map(AsRef::as_ref));
    let picked =
        select(&search, &[], &registry, "list agents, alerts", &[], &|name| name == "platform_get_alerts", 9);
    assert_eq!(picked.names, ["platform_get_alerts".into()]);
    assert_eq!(select(&search, &[], &registry, "hi", &[], &|_| false, 9).names, []);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_text_gets_scores_between_0_and_1(query in ".{0,300}") {
        let search = Search::of_documents(&[
            Document { name: "a_b".into(), description: "Some words.".into(), ..Document::default() },
        ]);
        for hit in search.search(&query, &|_| true, 5, None) {
            prop_assert!((0.0..=1.0).contains(&hit.score), "{}", hit.score);
        }
        let route = crate::route(&query, &[]);
        prop_assert!(route.small == route.categories.is_empty() || !route.small);
    }
}
