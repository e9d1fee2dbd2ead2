//! Finds the tools that a query names.

use std::{collections::BTreeSet, sync::Arc};

use crate::{features::word, text};

/// Separates a toolset's slug from the tool's own name.
const SEPARATOR: &str = "__";

/// The tools by their full names and by their own names (`desk__get_ticket`, `get_ticket`), without regard to
/// case.
#[derive(Debug)]
pub(super) struct NameIndex {
    /// Hashes of names in lower case, sorted, with the index of the tool.
    hashes: Box<[(u64, u32)]>,
}

impl NameIndex {
    /// Indexes full names.
    pub(super) fn new(names: &[Arc<str>]) -> Self {
        let each = (0u32..).zip(names).flat_map(|(at, name)| {
            let both = [Some(&**name), bare(name)].into_iter().flatten();
            both.map(move |name| (word(&[&name.to_lowercase()]), at))
        });
        let mut hashes: Vec<(u64, u32)> = each.collect();
        hashes.sort_unstable();
        Self { hashes: hashes.into() }
    }

    /// Returns the indexes of the tools that a query names. A name of one word, such as `search`, must be the
    /// whole query, because a sentence may have the word without meaning the tool.
    pub(super) fn find(&self, names: &[Arc<str>], query: &str) -> BTreeSet<usize> {
        let part_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
        let parts = query.split(|c| !part_of_name(c)).filter(|part| !part.is_empty());
        let parts: BTreeSet<&str> = parts.collect();
        let alone = parts.len() == 1;
        let distinct = |part: &&str| alone || text::words(&text::split_name(part)).len() > 1;
        parts.iter().copied().filter(distinct).flat_map(|part| self.tools(names, part)).collect()
    }

    fn tools(&self, names: &[Arc<str>], written: &str) -> impl Iterator<Item = usize> {
        let written = written.to_lowercase();
        let hash = word(&[&written]);
        let start = self.hashes.partition_point(|(other, _)| *other < hash);
        let same = self.hashes.iter().skip(start).take_while(move |(other, _)| *other == hash);
        same.map(|(_, at)| *at as usize).filter(move |at| {
            names.get(*at).is_some_and(|name| {
                let is = |name: &str| name.to_lowercase() == written;
                is(name) || bare(name).is_some_and(is)
            })
        })
    }

    pub(super) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.hashes)
    }
}

/// Returns the tool's own name, without the toolset's slug.
fn bare(name: &str) -> Option<&str> {
    name.split_once(SEPARATOR).map(|(_, bare)| bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str) -> Vec<&'static str> {
        let known = ["desk__get_ticket", "desk__search", "shop__get_ticket", "srs-writer__readTextFile"];
        let names = known.map(Arc::from);
        NameIndex::new(&names).find(&names, query).into_iter().map(|at| known[at]).collect()
    }

    #[test]
    fn full_names_and_own_names_are_found() {
        assert_eq!(found("desk__get_ticket"), ["desk__get_ticket"]);
        assert_eq!(found("run `Get_Ticket` for 4711, please"), ["desk__get_ticket", "shop__get_ticket"]);
        assert_eq!(found("readTextFile(notes)"), ["srs-writer__readTextFile"]);
        assert_eq!(found("SRS-writer__readtextfile"), ["srs-writer__readTextFile"]);
    }

    #[test]
    fn a_word_of_a_sentence_is_no_name() {
        assert_eq!(found(" search "), ["desk__search"]);
        assert_eq!(found("desk__search for it"), ["desk__search"]);
        for query in ["search for it", "get ticket", "xget_ticket", "", "__", "desk"] {
            assert_eq!(found(query), [""; 0], "{query}");
        }
    }
}
