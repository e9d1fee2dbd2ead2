//! The phrase corpora that are built in.

/// What users say, and the action that serves it: `(action, phrase)`.
pub(crate) fn phrases() -> impl Iterator<Item = (&'static str, &'static str)> {
    include_str!("../data/phrases.tsv").lines().filter_map(|line| line.split_once('\t'))
}

/// What people say that no action is for.
pub(crate) fn none() -> impl Iterator<Item = &'static str> {
    include_str!("../data/none.tsv").lines().filter(|line| !line.is_empty())
}

/// The platform's concepts with the words for them: `(concept, words)`.
pub(crate) fn concepts() -> impl Iterator<Item = (&'static str, impl Iterator<Item = &'static str>)> {
    include_str!("../data/lexicon.tsv")
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(concept, words)| (concept, words.split(',').map(str::trim)))
}
