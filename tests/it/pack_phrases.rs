//! The search phrases of the packs that come with the program: how many, and how well search finds the packs'
//! actions and the platform's beside each other. Prints the figures of `docs/testing.md`.
//!
//! The figures are a little below what was measured; raise them when search improves.

#[path = "../../crates/discovery/tests/it/corpus.rs"]
#[expect(dead_code, reason = "the rest is for the platform's own tests")]
mod corpus;
#[path = "../../crates/discovery/tests/it/figures.rs"]
#[expect(dead_code, clippy::cast_precision_loss, reason = "the rest is for the platform's own tests")]
mod figures;

use std::collections::BTreeSet;

use toolcrib_discovery::{NO_TOOL_BELOW, OverlaySearch, Search};
use toolcrib_engine::{Catalog, Pack};

use figures::{Figures, measure_hits};

/// The fewest phrases of an action of a pack that comes with the program.
const PHRASES: usize = 40;
/// The fewest held-out phrases of an action.
const HELD_OUT: usize = 20;

type Lines = Vec<(&'static str, &'static str)>;

/// Pairs of action and phrase.
fn lines(tsv: &'static str) -> Lines {
    tsv.lines().map(|line| line.split_once('\t').unwrap()).collect()
}

/// A pack, with phrases that the index does not have. They were written apart from the others; choose nothing
/// on them.
struct Shipped {
    pack: Pack,
    held_out: Lines,
}

impl Shipped {
    fn slug(&self) -> &'static str {
        self.pack.info.slug
    }
}

fn shipped() -> [Shipped; 2] {
    let game = include_str!("../../crates/packs/game/tests/data/held_out_phrases.tsv");
    let media = include_str!("../../crates/packs/media/tests/data/held_out_phrases.tsv");
    [
        Shipped { pack: toolcrib_game::pack(), held_out: lines(game) },
        Shipped { pack: toolcrib_media::pack(), held_out: lines(media) },
    ]
}

fn catalog(packs: &[Pack]) -> Catalog {
    Catalog::with_packs(Vec::new(), packs, None).unwrap()
}

/// The catalogue of all packs that come with the program.
fn both() -> Catalog {
    catalog(&shipped().map(|shipped| shipped.pack))
}

#[test]
fn each_action_has_its_phrases_in_the_order_of_the_registry() {
    for shipped in shipped() {
        let phrases = lines(shipped.pack.phrases);
        let catalog = catalog(&[shipped.pack]);
        let actions: Vec<&str> = catalog.registry().compiled().map(|meta| &*meta.spec.name).collect();
        for (least, lines) in [(PHRASES, phrases), (HELD_OUT, shipped.held_out)] {
            let runs: Vec<_> = lines.chunk_by(|(a, _), (b, _)| a == b).collect();
            assert_eq!(runs.iter().map(|run| run[0].0).collect::<Vec<_>>(), actions);
            for run in runs {
                assert!(run.len() >= least, "`{}` has {} phrases", run[0].0, run.len());
            }
        }
    }
}

/// Neither in a pack, nor as an example of an action, nor among the texts of the platform.
#[test]
fn no_phrase_is_there_twice() {
    let catalog = both();
    let examples = catalog.registry().compiled().flat_map(|meta| meta.spec.examples.iter());
    let mut seen: BTreeSet<String> = examples.map(|example| example.to_lowercase()).collect();
    seen.extend(corpus::phrases().into_iter().map(|(_, phrase)| phrase.to_lowercase()));
    seen.extend(corpus::questions().into_iter().map(|(_, _, question)| question.to_lowercase()));
    seen.extend(corpus::none().map(str::to_lowercase));
    let mut twice = Vec::new();
    for shipped in shipped() {
        for (_, phrase) in lines(shipped.pack.phrases).into_iter().chain(shipped.held_out) {
            if !seen.insert(phrase.to_lowercase()) {
                twice.push(phrase);
            }
        }
    }
    assert!(twice.is_empty(), "{twice:?}");
}

fn figures(search: &Search, overlays: &[&OverlaySearch], label: &str, asked: &Lines) -> Figures {
    let find = |phrase: &str| search.search_with(overlays, phrase, &|_| true, 25, None);
    measure_hits(find, asked.iter().map(|(action, phrase)| (label, *action, *phrase)))["all"]
}

/// The best score of a text.
fn best(search: &Search, overlays: &[&OverlaySearch], text: &str) -> f32 {
    let hits = search.search_with(overlays, text, &|_| true, 1, None);
    hits.first().map_or(0.0, |hit| hit.score)
}

/// The share of texts that score below the threshold.
#[expect(clippy::cast_precision_loss, reason = "a share")]
fn below(search: &Search, overlays: &[&OverlaySearch], texts: &[&str]) -> f64 {
    let below = texts.iter().filter(|text| best(search, overlays, text) < NO_TOOL_BELOW).count();
    below as f64 / texts.len() as f64
}

/// Each pack alone beside the platform, and both.
#[test]
fn held_out_phrases_find_their_action_beside_the_platforms() {
    let (search, both) = (corpus::search(), both());
    for Shipped { pack, held_out } in shipped() {
        let (slug, alone) = (pack.info.slug, catalog(&[pack]));
        for (catalog, packs) in [(&alone, "alone"), (&both, "both")] {
            let overlays = catalog.overlays(|_| true);
            let found = figures(&search, &overlays, &format!("{slug}, {packs}"), &held_out);
            let (first, five) = (found.recall_at_1(), found.recall_at_5());
            assert!(first >= 0.85, "{slug}, {packs}: recall@1 fell to {first:.3}");
            assert!(five >= 0.97, "{slug}, {packs}: recall@5 fell to {five:.3}");
        }
        let texts: Vec<&str> = held_out.iter().map(|(_, phrase)| *phrase).collect();
        let share = below(&search, &both.overlays(|_| true), &texts);
        println!("{slug}, below the threshold: {share:.3}");
        assert!(share <= 0.1, "{slug}: {share:.3} of what an action serves scores below the threshold");
    }
}

#[test]
fn the_packs_hide_few_of_the_platforms_actions() {
    let (search, both) = (corpus::search(), both());
    let questions: Lines =
        corpus::questions().into_iter().map(|(_, action, question)| (action, question)).collect();
    let alone = figures(&search, &[], "alone", &questions);
    let beside = figures(&search, &both.overlays(|_| true), "beside", &questions);
    assert!(beside.recall_at_5() >= alone.recall_at_5() - 0.01, "recall@5 fell by more than 0.01");
    assert!(beside.recall_at_1() >= alone.recall_at_1() - 0.02, "recall@1 fell by more than 0.02");
}

/// What no action serves is still told apart.
#[test]
fn the_threshold_holds_beside_the_packs() {
    let (search, both) = (corpus::search(), both());
    for (label, texts, least) in
        [("far", corpus::no_tool_later(), 0.95), ("near", corpus::no_tool_held_out(), 0.9)]
    {
        let share = below(&search, &both.overlays(|_| true), &texts);
        println!("judged `nothing`: {share:.3} of {}, {label}", texts.len());
        assert!(share >= least, "{label}: {share:.3}");
    }
}

/// With the packs off, their actions are not allowed.
#[test]
fn while_the_packs_are_off_nothing_changes() {
    let (search, both) = (corpus::search(), both());
    let overlays = both.overlays(|_| true);
    let slugs = shipped().map(|shipped| format!("{}_", shipped.slug()));
    let off = |name: &str| !slugs.iter().any(|slug| name.starts_with(slug));
    for (_, _, question) in corpus::questions() {
        let expected = search.search(question, &off, 9, None);
        assert_eq!(search.search_with(&overlays, question, &off, 9, None), expected, "{question}");
    }
}
