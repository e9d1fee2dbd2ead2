//! The built-in phrase corpora.

/// Returns phrases of users and the action that serves each: `(action, phrase)`.
pub(crate) fn phrases() -> impl Iterator<Item = (&'static str, &'static str)> {
    include_str!("../data/phrases.tsv").lines().filter_map(|line| line.split_once('\t'))
}

/// Returns phrases that no action serves.
pub(crate) fn none() -> impl Iterator<Item = &'static str> {
    include_str!("../data/none.tsv").lines().filter(|line| !line.is_empty())
}

/// A concept and the words for it.
type Concept =
    (&'static str, std::iter::Map<std::str::Split<'static, char>, fn(&'static str) -> &'static str>);

/// Returns the platform's concepts and the words for each.
pub(crate) fn concepts() -> impl Iterator<Item = Concept> {
    parse(include_str!("../data/lexicon.tsv"))
}

/// Returns the concepts of declared tools and the words for each.
pub(crate) fn tool_concepts() -> impl Iterator<Item = Concept> {
    parse(include_str!("../data/tool_lexicon.tsv"))
}

fn parse(concepts: &'static str) -> impl Iterator<Item = Concept> {
    let lines = concepts.lines().filter_map(|line| line.split_once('\t'));
    lines.map(|(concept, words)| {
        (concept, words.split(',').map(str::trim as fn(&'static str) -> &'static str))
    })
}
