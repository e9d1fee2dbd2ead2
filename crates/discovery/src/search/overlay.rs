//! The search index of the declared tools of one workspace, or of a pack: words and character n-grams, no classifier.

mod declared_scores;
mod named;

use std::sync::Arc;

use named::NameIndex;
use toolcrib_registry::{ActionMeta, Category, PackInfo};

use super::{Search, SearchHit, combine};
use crate::{
    Document,
    bm25::{Bm25, Terms},
    lexicon::Lexicon,
    text,
};

/// The score of a tool that the query names.
const NAMED: f32 = 1.0;
/// The number of characters of each of a tool's lists (tags, examples, parameters) that the words cover. Bounds
/// the memory.
const MAX_LIST_CHARS: usize = 2_000;
/// The number of characters of a description, of tags and of examples that the n-grams cover. They take most of
/// the memory, and the first sentences say what a tool is for.
const MAX_NGRAM_CHARS: usize = 300;

/// The search index of the declared tools of one workspace, beside [`Search`]. Immutable. Has no classifier and
/// no phrases of users.
///
/// 2,000 tools with 230 characters of text each take 75 ms to index and 4 MiB; with texts as long as toolsets
/// allow and few words in common, 31 MiB. `scripts/bench-search` prints the time, the size and the time of a
/// search.
#[derive(Debug)]
pub struct OverlaySearch {
    /// The category of all its tools.
    pub(super) category: Category,
    names: Box<[Arc<str>]>,
    by_name: NameIndex,
    words: Bm25,
    letters: Bm25,
}

impl OverlaySearch {
    /// Indexes declared tools: names, descriptions, tags, examples and parameters. Their order does not matter.
    pub fn new<'a>(metas: impl Iterator<Item = &'a ActionMeta>) -> Self {
        Self::of_documents(Category::Toolset, metas.map(Document::declared).collect())
    }

    fn of_documents(category: Category, mut documents: Vec<Document>) -> Self {
        for doc in &mut documents {
            for list in [&mut doc.tags, &mut doc.examples, &mut doc.parameters] {
                bound(list, MAX_LIST_CHARS);
            }
        }
        let lexicon = Lexicon::for_tools();
        let words = Bm25::new(Terms::Words, lexicon, &documents);
        for doc in &mut documents {
            doc.parameters.clear();
            bound(&mut doc.tags, MAX_NGRAM_CHARS);
            bound(&mut doc.examples, MAX_NGRAM_CHARS);
            if let Some((end, _)) = doc.description.char_indices().nth(MAX_NGRAM_CHARS) {
                doc.description.truncate(end);
            }
        }
        let letters = Bm25::new(Terms::Runs, lexicon, &documents);
        let names: Box<[Arc<str>]> = documents.into_iter().map(|doc| doc.name).collect();
        Self { category, by_name: NameIndex::new(&names), names, words, letters }
    }

    /// Indexes the actions of a pack, with the phrases of users: a line for each, the action's name, a tab, the phrase.
    pub fn of_pack<'a>(
        pack: &'static PackInfo,
        metas: impl Iterator<Item = &'a ActionMeta>,
        phrases: &str,
    ) -> Self {
        let mut documents: Vec<Document> = metas.map(Document::declared).collect();
        for doc in &mut documents {
            let lines = phrases.lines().filter_map(|line| line.split_once('\t'));
            let own = lines.filter(|(action, _)| *action == &*doc.name);
            doc.examples.extend(own.map(|(_, phrase)| phrase.to_owned()));
        }
        Self::of_documents(Category::Pack(pack), documents)
    }

    /// Returns the size of the index in bytes, for a cache that is bounded by bytes. Leaves out the texts of the
    /// names, which the index shares with the tools.
    pub fn heap_bytes(&self) -> usize {
        let names = size_of_val(&*self.names) + self.by_name.heap_bytes();
        size_of::<Self>() + names + self.words.heap_bytes() + self.letters.heap_bytes()
    }

    /// Returns the tools for which `allowed` is true and that fit the query: those that it names, and the others,
    /// in no order. Does not score other tools.
    pub(super) fn hits(
        &self,
        search: &Search,
        query: &str,
        allowed: &dyn Fn(&str) -> bool,
    ) -> (Vec<SearchHit>, Vec<SearchHit>) {
        let open: Vec<bool> = self.names.iter().map(|name| allowed(name)).collect();
        if !open.contains(&true) {
            return (Vec::new(), Vec::new());
        }
        let query = text::cut(query);
        let mut scores = combine::scores(query, |text| self.clause_scores(search, text, &open));
        let mut named = Vec::new();
        for at in self.by_name.find(&self.names, query) {
            if open.get(at) == Some(&true)
                && let (Some(name), Some(score)) = (self.names.get(at), scores.get_mut(at))
            {
                named.push(SearchHit { name: name.clone(), score: NAMED });
                *score = 0.0;
            }
        }
        let scored = self.names.iter().zip(scores).filter(|(_, score)| *score > 0.0);
        (named, scored.map(|(name, score)| SearchHit { name: name.clone(), score }).collect())
    }
}

/// Drops the texts after the first `most` characters of all.
fn bound(texts: &mut Vec<String>, most: usize) {
    let mut left = Some(most);
    texts.retain(|text| {
        left = left.and_then(|left| left.checked_sub(text.chars().count()));
        left.is_some()
    });
}

#[cfg(test)]
mod tests;
