use std::time::Instant;

use super::*;

fn of(query: &str) -> IntentRoute {
    route(query, &[])
}

#[test]
fn every_category_but_administration_is_reached() {
    let reached: BTreeSet<Category> = Intent::ALL.iter().flat_map(|i| i.categories()).copied().collect();
    for category in Category::ALL.iter().filter(|c| **c != Category::Administration) {
        assert!(reached.contains(category), "no intent reaches `{}`", category.as_str());
    }
    assert!(!reached.contains(&Category::Administration), "administration is in no tool list");
}

#[test]
fn every_category_but_administration_is_named_by_some_concept() {
    let named: BTreeSet<Category> =
        crate::corpus::concepts().flat_map(|(concept, _)| cues::categories(concept)).copied().collect();
    assert_eq!(named.len(), Category::ALL.len() - 1);
}

#[test]
fn small_talk_is_small() {
    for text in ["hi", "Hello there!", "guten Tag", "hola, ¿qué tal?", "good morning everyone", "bonjour"] {
        assert_eq!(of(text), IntentRoute::small(Some(Intent::Greeting)), "{text}");
    }
    for text in ["thanks a lot", "lol", "great, thank you so much", "merci beaucoup", "tell me a joke"] {
        assert_eq!(of(text), IntentRoute::small(Some(Intent::Chitchat)), "{text}");
    }
    assert_eq!(of(""), IntentRoute::small(None));
    assert_eq!(of("  ?!  "), IntentRoute::small(None));
}

#[test]
fn a_greeting_with_a_matter_is_the_matter() {
    let route = of("hi, please show me the alerts that are firing");
    assert!(!route.small);
    assert!(route.categories.contains(&Category::Infrastructure));
}

#[test]
fn a_bare_answer_is_read_from_the_context() {
    let context = ["hello".into(), "Shall I delete the document `Old price list`?".to_owned()];
    for answer in ["yes", "ok do it", "yes, delete it", "ja", "sí, hazlo", "go ahead, do that"] {
        let route = route(answer, &context);
        assert!(!route.small, "{answer}");
        assert!(route.categories.contains(&Category::Documents), "{answer}: {route:?}");
    }
    assert!(of("yes").small, "an answer to nothing");
    assert!(route("yes", &["hi".into()]).small, "an answer to a greeting");
}

#[test]
fn intents_show() {
    let has =
        |text: &str, intent: Intent| assert!(of(text).intents.contains(&intent), "{text}: {:?}", of(text));
    has("do you remember what we said about pricing", Intent::MemoryRecall);
    has("why did our bill double last month", Intent::DataQuery);
    has("find the passage on parental leave in the handbook", Intent::Search);
    has("which plugins are on offer in the marketplace", Intent::External);
    has("erstelle einen neuen Agenten", Intent::Creation);
    has("create an agent, then install the skill and schedule it every monday", Intent::MultiStep);
    has("qwertz uiop", Intent::Factual);
}

#[test]
fn any_input_is_answered_quickly() {
    let long = "löschen delete wörkflow ".repeat(50_000);
    for text in
        [long.as_str(), "\u{0}\u{1}\u{202e}", "私のエージェントを表示して", "🙂🙂🙂", "a_b.c/d-e", "ÀÉÎ"]
    {
        let start = Instant::now();
        let route = route(text, std::slice::from_ref(&long));
        println!("{:?}: {} categories", start.elapsed(), route.categories.len());
        assert!(route.intents.len() <= Intent::ALL.len());
    }
}
