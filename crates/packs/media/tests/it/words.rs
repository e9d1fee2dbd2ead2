//! The words of the pack: phrases for the search, and the notice of TMDB.

use std::collections::{BTreeMap, BTreeSet};

/// The fewest phrases of an action in a pack that comes with the program.
const MIN_PHRASES: usize = 40;

#[test]
fn each_action_has_forty_phrases_of_its_own() {
    let pack = toolcrib_media::pack();
    let lines: Vec<(&str, &str)> = pack.phrases.lines().map(|line| line.split_once('\t').unwrap()).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (action, _) in &lines {
        *counts.entry(action).or_default() += 1;
    }
    assert_eq!(counts.len(), (pack.actions)().len());
    assert!(counts.values().all(|count| *count >= MIN_PHRASES), "{counts:?}");
    let distinct: BTreeSet<String> = lines.iter().map(|(_, phrase)| phrase.to_lowercase()).collect();
    assert_eq!(distinct.len(), lines.len());
}

#[test]
fn the_pack_names_tmdb_as_its_terms_ask() {
    let notice = "This product uses the TMDB API but is not endorsed or certified by TMDB.";
    assert!(toolcrib_media::pack().info.description.contains(notice));
}
