//! Replaces names of a workspace's records in a query by the word for their kind: an agent called "Churn
//! digest" would otherwise make a query look like one about digests.
//!
//! The caller looks the candidates up, since only it knows the names. A name whose words the index knows is
//! never a candidate: an agent called "delete task" must not hide an action from everybody.

use std::{collections::BTreeSet, ops::Range};

use crate::{lexicon::Lexicon, search::Search, text};

/// The maximum number of candidates of a query. Bounds the look-up.
const MAX_CANDIDATES: usize = 64;
/// The maximum length of a candidate, in words.
const MAX_CANDIDATE_WORDS: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    Agent,
    Playbook,
    /// A document, by its title.
    Document,
    Mission,
}

impl NameKind {
    /// Returns the word for the kind, which is also its concept in the lexicon.
    const fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Playbook => "playbook",
            Self::Document => "document",
            Self::Mission => "mission",
        }
    }
}

impl Search {
    /// Returns the parts of a query that may be names of records, shortest first, at most 64: up to five words
    /// in a row, of which the index does not know at least one. Takes the range as bytes of the query.
    pub fn name_candidates(&self, query: &str) -> Vec<Range<usize>> {
        let words = text::word_ranges(query);
        let unknown: Vec<bool> = words
            .iter()
            .map(|range| query.get(range.clone()).is_some_and(|word| !self.knows(word)))
            .collect();
        let spans = (1..=MAX_CANDIDATE_WORDS).flat_map(|length| {
            let starts = unknown.windows(length).enumerate().filter(|(_, words)| words.contains(&true));
            starts.map(move |(at, _)| (at, at + length - 1)).collect::<Vec<_>>()
        });
        let range = |(first, last): (usize, usize)| Some(words.get(first)?.start..words.get(last)?.end);
        spans.filter_map(range).take(MAX_CANDIDATES).collect()
    }
}

/// Replaces names in a query by the words for their kinds. Removes a name instead if the query has a word for
/// its kind elsewhere. Of names that overlap, the longest is replaced.
pub fn mask_names(query: &str, names: &[(Range<usize>, NameKind)]) -> String {
    let mut longest: Vec<&(Range<usize>, NameKind)> = names.iter().collect();
    longest.sort_by_key(|(range, _)| (std::cmp::Reverse(range.len()), range.start));
    let mut chosen: Vec<&(Range<usize>, NameKind)> = Vec::new();
    for name in longest {
        if chosen.iter().all(|(range, _)| range.end <= name.0.start || name.0.end <= range.start) {
            chosen.push(name);
        }
    }
    chosen.sort_by_key(|(range, _)| range.start);
    let rest = replace(query, &chosen, |_| "");
    let said: BTreeSet<&str> = Lexicon::shared().concepts(&text::stems(&rest)).into_iter().collect();
    replace(query, &chosen, |kind| if said.contains(kind.word()) { "" } else { kind.word() })
}

/// Replaces ranges, which are sorted and do not overlap.
fn replace(
    query: &str,
    names: &[&(Range<usize>, NameKind)],
    word: impl Fn(NameKind) -> &'static str,
) -> String {
    let (mut out, mut at) = (String::with_capacity(query.len()), 0);
    for (range, kind) in names {
        out.push_str(query.get(at..range.start).unwrap_or_default());
        out.push_str(word(*kind));
        at = range.end;
    }
    out + query.get(at..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_becomes_the_word_for_its_kind() {
        let name = |query: &str, name: &str, kind| {
            let start = query.find(name).unwrap_or_default();
            mask_names(query, &[(start..start + name.len(), kind)])
        };
        assert_eq!(name("delete Quill", "Quill", NameKind::Agent), "delete agent");
        assert_eq!(name("delete the bot Quill", "Quill", NameKind::Agent), "delete the bot ");
        assert_eq!(name("run Q3 pipeline now", "Q3 pipeline", NameKind::Playbook), "run playbook now");
    }

    #[test]
    fn the_longest_of_names_that_overlap_counts() {
        let names = [(4..6, NameKind::Agent), (4..15, NameKind::Document)];
        assert_eq!(mask_names("run Q3 pipeline now", &names), "run document now");
        assert_eq!(mask_names("run", &[(1..9, NameKind::Agent)]), "ragent", "a wrong range is no panic");
    }
}
