//! An inverted index in three flat arrays. A map with a list for each term would take several times as much
//! memory, because most terms have few documents.

/// A document's index and a term's frequency in it, over all fields, weighted and normalized by length.
pub(super) type Posting = (u32, f32);

/// The documents of each term. Immutable.
#[derive(Debug)]
pub(super) struct Postings {
    /// The terms, sorted.
    terms: Box<[u64]>,
    /// For each term, the end of its range in `entries`. The range starts at the end of the one before.
    ends: Box<[u32]>,
    /// The postings of each term, in the order of the documents.
    entries: Box<[Posting]>,
}

impl Postings {
    /// Builds the index from the postings of each term.
    pub(super) fn new(terms: impl Iterator<Item = (u64, Vec<Posting>)>) -> Self {
        let mut lists: Vec<(u64, Vec<Posting>)> = terms.collect();
        lists.sort_unstable_by_key(|(term, _)| *term);
        let mut entries = Vec::with_capacity(lists.iter().map(|(_, list)| list.len()).sum());
        let mut ends = Vec::with_capacity(lists.len());
        for (_, list) in &lists {
            entries.extend_from_slice(list);
            ends.push(u32::try_from(entries.len()).unwrap_or(u32::MAX));
        }
        let terms = lists.iter().map(|(term, _)| *term).collect();
        Self { terms, ends: ends.into(), entries: entries.into() }
    }

    /// Returns the documents that have a term.
    pub(super) fn get(&self, term: u64) -> &[Posting] {
        let Ok(at) = self.terms.binary_search(&term) else { return &[] };
        let end = |at: usize| self.ends.get(at).map_or(0, |end| *end as usize);
        let start = at.checked_sub(1).map_or(0, end);
        self.entries.get(start..end(at)).unwrap_or_default()
    }

    pub(super) fn heap_bytes(&self) -> usize {
        size_of_val(&*self.terms) + size_of_val(&*self.ends) + size_of_val(&*self.entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_term_has_its_own_documents() {
        let lists = [(7, vec![(0, 1.0), (2, 0.5)]), (3, vec![(1, 2.0)]), (u64::MAX, vec![])];
        let postings = Postings::new(lists.into_iter());
        assert_eq!(postings.get(3), [(1, 2.0)]);
        assert_eq!(postings.get(7), [(0, 1.0), (2, 0.5)]);
        assert!(postings.get(u64::MAX).is_empty() && postings.get(5).is_empty());
        assert_eq!(postings.heap_bytes(), 3 * 8 + 3 * 4 + 3 * 8);
    }
}
