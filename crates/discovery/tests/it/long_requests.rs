//! How well long, rambling requests find their action, wherever in them the request is.

use toolcrib_discovery::NO_TOOL_BELOW;

use crate::{corpus, figures::measure};

/// As people type who type a lot: no capitals, no punctuation.
fn bare(text: &str) -> String {
    let marks = |c: &char| !matches!(c, '.' | ',' | '?' | '!' | ';' | ':' | '"' | '¿' | '(' | ')');
    text.chars().filter(marks).collect::<String>().to_lowercase()
}

#[test]
fn a_long_request_is_found_by_the_clause_that_asks() {
    let search = corpus::search();
    for (half, first, bare_first) in [("tune", 0.94, 0.87), ("report", 0.9, 0.82)] {
        let questions = corpus::long_questions(half);
        assert!(questions.len() >= 60, "too few questions to mean anything");
        let found = measure(&search, questions.iter().map(|(action, question)| (half, *action, *question)));
        assert!(found["all"].recall_at_1() >= first && found["all"].recall_at_5() >= 0.98, "{half}");
        let texts: Vec<String> = questions.iter().map(|(_, question)| bare(question)).collect();
        let run_on =
            questions.iter().zip(&texts).map(|((action, _), text)| ("no marks", *action, text.as_str()));
        let found = measure(&search, run_on)["all"];
        assert!(found.recall_at_1() >= bare_first && found.recall_at_5() >= 0.95, "{half} without marks");
    }
}

#[test]
fn a_long_request_that_no_action_serves_is_told_apart() {
    let search = corpus::search();
    let best = |text: &str| search.search(text, &|_| true, 1, None).first().map_or(0.0, |hit| hit.score);
    for half in ["tune", "report"] {
        let (served, other) = (corpus::long_questions(half), corpus::long_no_tool(half));
        let missed = served.iter().filter(|(_, text)| best(text) < NO_TOOL_BELOW).count() as f64;
        let told = other.iter().filter(|text| best(text) < NO_TOOL_BELOW).count() as f64;
        let (missed, told) = (missed / served.len() as f64, told / other.len() as f64);
        println!(
            "{half}: judged `nothing`: {missed:.3} of {} served, {told:.3} of {}",
            served.len(),
            other.len()
        );
        assert!(missed <= 0.08 && told >= 0.8, "{half}");
    }
}

/// The request may be anywhere in 2,000 characters.
#[test]
fn the_last_of_2000_characters_are_read() {
    let search = corpus::search();
    let story = "The weather was nice and we sat in the garden for a while. ".repeat(32);
    let request = "Please delete the agent Quill.";
    assert!((1_850..=2_000).contains(&(story.len() + request.len())));
    for text in [format!("{request} {story}"), format!("{story}{request}")] {
        let hits = search.search(&text, &|_| true, 1, None);
        assert_eq!(hits.first().map(|hit| &*hit.name), Some("platform_delete_agent"), "{text}");
    }
}
