use serde_json::json;
use toolcrib_registry::{Permission, Spec};

use super::*;

#[test]
fn an_agents_own_come_before_its_caller_types() {
    let id = Id::from_u128(7);
    let mut all = Promotions::default();
    assert_eq!(all.write(), None);
    all.caller_types.insert("api".into(), vec!["platform_a".into()]);
    all.agents.insert(id.to_string(), vec![]);
    let again = Promotions::read(all.write().as_deref()).unwrap();
    assert_eq!(again, all);
    assert_eq!(again.of("api", None), Some(&vec!["platform_a".to_owned()]));
    assert_eq!(again.of("api", Some(id)), Some(&vec![]), "nothing at all is a wish too");
    assert_eq!(again.of("chat", None), None);
    assert!(Promotions::read(Some("[")).is_err());
}

#[test]
fn what_is_said_of_either_alone_is_stored() {
    let said = |whose: &str| BTreeMap::from([(whose.to_owned(), vec!["platform_a".to_owned()])]);
    let of_types = Promotions { caller_types: said("api"), ..Promotions::default() };
    let of_agents = Promotions { agents: said("7"), ..Promotions::default() };
    for all in [of_types, of_agents] {
        assert_eq!(Promotions::read(all.write().as_deref()).unwrap(), all);
    }
}

#[test]
fn who_works_alone_gets_tasks_in_place_of_the_marketplace() {
    for (name, category, (promoted, promoted_unattended), at_work) in [
        ("platform_get_task", Category::Tasks, (false, true), true),
        ("platform_get_agent", Category::Agents, (true, false), true),
        ("platform_get_agent", Category::Agents, (false, false), false),
        ("platform_get_listing", Category::Marketplace, (true, false), false),
        ("platform_get_listing", Category::Marketplace, (false, false), false),
    ] {
        let read = Spec::read(name, category, Permission::AGENTS_READ);
        let spec = Spec { promoted, promoted_unattended, ..read };
        let input = json!({ "type": "object", "properties": {}, "additionalProperties": false });
        let meta = ActionMeta::new(spec, input, json!({})).unwrap();
        assert_eq!(
            UNATTENDED_CALLER_TYPES.map(|caller_type| default_for(caller_type, &meta)),
            [at_work; 2],
            "{name} {promoted}"
        );
        assert_eq!(default_for("chat", &meta), promoted, "{name}");
    }
}
