//! The built-in phrase corpora.

use std::collections::HashMap;

/// Returns phrases of users by the action that serves them.
pub(crate) fn phrases_by_action() -> HashMap<&'static str, Vec<&'static str>> {
    let mut phrases: HashMap<&str, Vec<&str>> = HashMap::new();
    for (action, phrase) in self::phrases() {
        phrases.entry(action).or_default().push(phrase);
    }
    phrases
}

/// Returns phrases of users, each after the action that serves it.
pub(crate) fn phrases() -> impl Iterator<Item = (&'static str, &'static str)> {
    include_str!("../data/phrases.tsv").lines().filter_map(|line| line.split_once('\t'))
}

/// Returns phrases that no action serves.
pub(crate) fn none() -> impl Iterator<Item = &'static str> {
    include_str!("../data/none.tsv").lines().filter(|line| !line.is_empty())
}

/// Returns the platform's concepts and the words for each: `(concept, words)`.
pub(crate) fn concepts() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    parse(include_str!("../data/lexicon.tsv"))
}

/// Returns the concepts that declared tools are about, beside those of the platform, and the words for each.
pub(crate) fn tool_concepts() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    parse(include_str!("../data/tool_lexicon.tsv"))
}

fn parse(concepts: &'static str) -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    let lines = concepts.lines().filter_map(|line| line.split_once('\t'));
    lines.map(|(concept, words)| (concept, words.split(',').map(str::trim).collect()))
}
