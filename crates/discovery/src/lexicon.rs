//! Finds the platform's concepts in a text: in several languages, inside compound words, misspelled.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::OnceLock,
};

use crate::{corpus, suggestions::slips, text};

/// The maximum length of an entry, in words.
const MAX_ENTRY_WORDS: usize = 4;
/// The minimum length of a part of a compound, in bytes.
const SHORTEST_PART: usize = 5;
/// The minimum length of a compound, in bytes.
const SHORTEST_COMPOUND: usize = 9;

/// The platform's concepts, by the stems of the words for them.
#[derive(Debug)]
pub(crate) struct Lexicon {
    entries: HashMap<Vec<String>, BTreeSet<&'static str>>,
    /// For each first stem of an entry, the length of the longest such entry, in words.
    longest: HashMap<String, usize>,
    /// The entries of one stem by first letter, each with its letters. For misspelled words.
    singles: BTreeMap<char, Vec<(Letters, String)>>,
    /// The entries of one long word, unstemmed, with their concepts. For compounds.
    parts: HashMap<String, BTreeSet<&'static str>>,
}

impl Lexicon {
    /// Returns the built-in lexicon, parsed once.
    pub(crate) fn shared() -> &'static Self {
        static SHARED: OnceLock<Lexicon> = OnceLock::new();
        SHARED.get_or_init(|| Self::new(corpus::concepts()))
    }

    /// Returns the lexicon for declared tools, parsed once: the built-in one with the words of subjects that
    /// the platform's own actions do not have.
    pub(crate) fn for_tools() -> &'static Self {
        static FOR_TOOLS: OnceLock<Lexicon> = OnceLock::new();
        FOR_TOOLS.get_or_init(|| Self::new(corpus::concepts().chain(corpus::tool_concepts())))
    }

    fn new(concepts: impl Iterator<Item = (&'static str, Vec<&'static str>)>) -> Self {
        let mut entries: HashMap<Vec<String>, BTreeSet<&'static str>> = HashMap::new();
        let mut parts: HashMap<String, BTreeSet<&'static str>> = HashMap::new();
        for (concept, words) in concepts {
            for word in words {
                if let [only] = text::words(word).as_slice()
                    && only.len() >= SHORTEST_PART
                {
                    parts.entry(only.clone()).or_default().insert(concept);
                }
                let stems = text::stems(word);
                if (1..=MAX_ENTRY_WORDS).contains(&stems.len()) {
                    entries.entry(stems).or_default().insert(concept);
                }
            }
        }
        let mut longest: HashMap<String, usize> = HashMap::new();
        for key in entries.keys() {
            if let Some(first) = key.first() {
                let length = longest.entry(first.clone()).or_default();
                *length = key.len().max(*length);
            }
        }
        let mut singles: BTreeMap<char, Vec<(Letters, String)>> = BTreeMap::new();
        for key in entries.keys() {
            if let [only] = key.as_slice()
                && let Some(first) = only.chars().next()
            {
                singles.entry(first).or_default().push((Letters::of(only), only.clone()));
            }
        }
        for list in singles.values_mut() {
            list.sort_unstable();
        }
        Self { entries, longest, singles, parts }
    }

    /// Returns the concepts that the stems of a text name, in the order of the text. At each position the
    /// longest entry matches.
    pub(crate) fn concepts(&self, stems: &[String]) -> Vec<&'static str> {
        self.concepts_with(stems, &mut HashMap::new())
    }

    /// Returns the concepts as [`Self::concepts`] does. Keeps those of stems without an entry in `inexact`, and
    /// takes them from there: to find them takes the most time.
    pub(crate) fn concepts_with(
        &self,
        stems: &[String],
        inexact: &mut HashMap<String, BTreeSet<&'static str>>,
    ) -> Vec<&'static str> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(stem) = stems.get(at) {
            let longest = self.longest.get(stem).map_or(0, |length| (stems.len() - at).min(*length));
            let hit = (1..=longest).rev().find_map(|n| Some((n, self.entries.get(stems.get(at..at + n)?)?)));
            if let Some((n, concepts)) = hit {
                found.extend(concepts.iter().copied());
                at += n;
            } else {
                if !inexact.contains_key(stem) {
                    inexact.insert(stem.clone(), self.inexact(stem));
                }
                found.extend(inexact.get(stem).into_iter().flatten().copied());
                at += 1;
            }
        }
        found
    }

    /// Returns the concepts of a stem without an entry: those of its parts as a compound, or else those of
    /// the most similar entry.
    fn inexact(&self, stem: &str) -> BTreeSet<&'static str> {
        let parts = self.parts(stem);
        if !parts.is_empty() {
            return parts;
        }
        let allowed = match stem.chars().count() {
            0..=3 => return BTreeSet::new(),
            4..=7 => 1,
            _ => 2,
        };
        let first = stem.chars().next().and_then(|c| self.singles.get(&c));
        let letters = Letters::of(stem);
        let near = first.into_iter().flatten().filter(|(other, _)| letters.may_be(*other, allowed));
        let best = near.filter_map(|(_, entry)| slips(stem, entry, allowed).map(|n| (n, entry))).min();
        best.and_then(|(_, entry)| self.entries.get(std::slice::from_ref(entry))).cloned().unwrap_or_default()
    }

    fn parts(&self, stem: &str) -> BTreeSet<&'static str> {
        if stem.len() < SHORTEST_COMPOUND {
            return BTreeSet::new();
        }
        let starts = (SHORTEST_PART..=stem.len()).filter_map(|end| stem.get(..end));
        let ends = (0..=stem.len() - SHORTEST_PART).filter_map(|start| stem.get(start..));
        starts.chain(ends).filter_map(|part| self.parts.get(part)).flatten().copied().collect()
    }
}

/// The length and the set of letters of a word. Cheaply excludes words that can't be within an edit distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Letters {
    length: usize,
    set: u32,
}

impl Letters {
    fn of(word: &str) -> Self {
        let set = word.chars().fold(0, |set, c| set | 1 << (u32::from(c) % 32));
        Self { length: word.chars().count(), set }
    }

    /// Returns whether the edit distance may be at most `slips`. One edit changes at most two letters of the
    /// set.
    fn may_be(self, other: Self, slips: usize) -> bool {
        other.length >= SHORTEST_PART - 1
            && self.length.abs_diff(other.length) <= slips
            && (self.set ^ other.set).count_ones() as usize <= 2 * slips
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn concepts(text: &str) -> Vec<&'static str> {
        Lexicon::shared().concepts(&text::stems(text))
    }

    #[test]
    fn one_concept_has_words_in_many_languages() {
        for word in ["bot", "asistente", "Assistenten", "assistants"] {
            assert!(concepts(word).contains(&"agent"), "{word}");
        }
        assert!(concepts("lösche die Datei").contains(&"delete"));
    }

    #[test]
    fn compounds_and_misspellings_count() {
        assert!(concepts("Kostenübersicht").contains(&"cost"));
        assert!(concepts("agnet").contains(&"agent"));
        assert!(concepts("bluprint").contains(&"blueprint"));
        assert_eq!(concepts("zzzz"), [""; 0]);
    }
}
