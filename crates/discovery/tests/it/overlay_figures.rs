//! How well the tools that a workspace declares are found beside the platform's actions. Prints the figures.

use toolcrib_discovery::{NO_TOOL_BELOW, OverlaySearch, Search};
use toolcrib_registry::ActionMeta;

use crate::{
    corpus, declared,
    figures::{Figures, measure_hits},
};

/// The figures of a set of questions, asked beside overlays.
fn figures(
    search: &Search,
    overlays: &[&OverlaySearch],
    label: &str,
    questions: Vec<(&str, &str)>,
) -> Figures {
    let find = |question: &str| search.search_with(overlays, question, &|_| true, 25, None);
    measure_hits(find, questions.into_iter().map(|(tool, question)| (label, tool, question)))["all"]
}

fn best(search: &Search, overlay: &OverlaySearch, text: &str) -> f32 {
    search.search_with(&[overlay], text, &|_| true, 1, None).first().map_or(0.0, |hit| hit.score)
}

#[test]
fn users_phrases_find_their_declared_tool() {
    let search = corpus::search();
    for (label, tools) in [("examples", declared::examples()), ("100 tools", declared::hundred())] {
        let overlay = OverlaySearch::new(tools.iter());
        for half in ["tune", "report", "later"] {
            let phrases = declared::phrases(half);
            assert!(phrases.len() >= 90, "too few phrases to mean anything");
            let found = figures(&search, &[&overlay], &format!("{label}, {half}"), phrases);
            let (first, five) = (found.recall_at_1(), found.recall_at_5());
            assert!(five >= 0.8 && first >= 0.45, "{label}, {half}: {first:.3}, {five:.3}");
        }
    }
}

#[test]
fn phrases_find_the_tools_of_the_four_examples() {
    let tools = declared::four_examples();
    assert_eq!(tools.len(), 61);
    let (search, overlay) = (corpus::search(), OverlaySearch::new(tools.iter()));
    for part in ["tune", "report", "later", "services"] {
        let found = figures(&search, &[&overlay], &format!("four, {part}"), declared::phrases(part));
        assert!(found.recall_at_5() >= 0.8, "{part}: {:.3}", found.recall_at_5());
    }
    let asked = |tool: &ActionMeta| {
        declared::phrases("services").iter().any(|(of, _)| *of == tool.spec.name.as_ref())
    };
    assert!(tools.iter().skip(48).all(asked), "each of the services' tools has a phrase");
}

#[test]
fn a_misspelled_phrase_finds_its_declared_tool() {
    let (search, overlay) = (corpus::search(), OverlaySearch::new(declared::examples().iter()));
    let phrases = [
        ("orion__archive_project", "archvie the projct"),
        ("orion__get_calendar_events", "my calender next week"),
        ("orion__delete_contact", "delte the contcat of Karl"),
        ("srs-writer__readMarkdownFile", "read the markdwon section"),
        ("srs-writer__createDirectory", "create a foldr"),
        ("srs-writer__syntax-checker", "chekc the sintax"),
    ];
    let found = figures(&search, &[&overlay], "misspelled", phrases.into());
    assert!(found.recall_at_5() >= 0.99, "recall@5 fell to {:.3}", found.recall_at_5());
}

#[test]
fn declared_tools_hide_few_of_the_platforms_actions() {
    let search = corpus::search();
    let questions =
        || corpus::questions().into_iter().map(|(_, action, question)| (action, question)).collect();
    let alone = figures(&search, &[], "alone", questions());
    let overlay = OverlaySearch::new(declared::hundred().iter());
    let beside = figures(&search, &[&overlay], "beside 100 tools", questions());
    assert!(beside.recall_at_5() >= alone.recall_at_5() - 0.02, "recall@5 fell by more than 0.02");
    assert!(beside.recall_at_1() >= alone.recall_at_1() - 0.03, "recall@1 fell by more than 0.03");
}

/// The share of texts that score below the threshold, so that the caller is told that nothing fits.
fn told(search: &Search, overlay: &OverlaySearch, label: &str, texts: &[&str]) -> f64 {
    let below = texts.iter().filter(|text| best(search, overlay, text) < NO_TOOL_BELOW).count();
    let share = below as f64 / texts.len() as f64;
    println!("judged `nothing`: {share:.3} of {}, {label}", texts.len());
    share
}

/// Some of what no action serves is what the example tools are for: `cancel the meeting at four`.
#[test]
fn the_threshold_holds_for_declared_tools() {
    let (search, overlay) = (corpus::search(), OverlaySearch::new(declared::examples().iter()));
    for half in ["tune", "report", "later"] {
        let phrases: Vec<&str> = declared::phrases(half).into_iter().map(|(_, phrase)| phrase).collect();
        let missed = told(&search, &overlay, &format!("served by a tool, {half}"), &phrases);
        assert!(missed <= 0.16, "{missed:.3} of what a tool serves scores below the threshold");
    }
    let corpus: Vec<&str> = corpus::none().collect();
    let sets = [
        ("none.tsv", corpus, 0.84),
        ("chosen on", corpus::no_tool(), 0.77),
        ("far, reported on", corpus::no_tool_later(), 0.9),
        ("near, reported on", corpus::no_tool_held_out(), 0.74),
    ];
    for (label, texts, least) in sets {
        let share = told(&search, &overlay, &format!("served by no action, {label}"), &texts);
        assert!(share >= least, "{label}: {share:.3}");
    }
}
