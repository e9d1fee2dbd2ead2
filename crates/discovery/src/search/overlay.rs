//! The search index of the declared tools of one workspace, or of a pack, beside the index of the platform's actions.

mod declared;
mod named;

use std::sync::Arc;

use declared::DeclaredIndex;
use named::NameIndex;
use toolcrib_registry::{ActionMeta, Category, PackInfo};

use super::{Search, SearchHit, combine};
use crate::{Document, corpus, lexicon::Lexicon, text};

/// The score of a tool that the query names.
const NAMED: f32 = 1.0;
/// Raises the log-odds that an action of a pack serves a text. The pack's phrases are few beside the platform's,
/// which its index takes for texts that none of its actions serves.
///
/// Chosen for the pack `game` (34 actions, 41 phrases each) on a fifth of its phrases, left out, and on half of the
/// platform's questions: the largest multiple of a half with which these lose at most 0.01 of their recall@5.
/// Measured beside the platform's 91 actions:
///
/// | index of the pack | held-out phrases, recall@1, @5 | loss of the platform's questions at 5 |
/// |---|---|---|
/// | as of declared tools, with the phrases as examples | 0.73, 0.96; alone 0.74, 0.97 | 0.034 |
/// | words and nearest phrases, no classifier | alone 0.81, 0.98 | |
/// | classifier that has no phrase of the platform, + 0 | 0.84, 0.98 | 0.007 |
/// | the same, + 0.5 | 0.86, 0.98 | 0.032 |
/// | classifier with the platform's phrases, + 1 | 0.83, 0.97 | 0.002 |
/// | the same, + 2 | 0.86, 0.98 | 0.004 |
/// | the same, + 3 | 0.87, 0.99 | 0.034 |
/// | the same, + 3, scores of the platform's actions left as they are | 0.85, 0.98 | 0.011 |
///
/// The index of `game` takes 10 MiB, and half a second to build.
const LOG_ODDS_OF_PACK: f32 = 2.0;

/// The search index of the declared tools of one workspace, or of a pack, beside [`Search`]. Immutable.
#[derive(Debug)]
pub struct OverlaySearch {
    /// The category of all its tools.
    pub(super) category: Category,
    names: Box<[Arc<str>]>,
    by_name: NameIndex,
    index: Index,
}

#[derive(Debug)]
enum Index {
    Declared(DeclaredIndex),
    /// Of a pack, whose actions have phrases of users, as the platform's have.
    Pack(Box<Search>),
}

impl OverlaySearch {
    /// Indexes declared tools: names, descriptions, tags, examples and parameters. Their order does not matter.
    pub fn new<'a>(metas: impl Iterator<Item = &'a ActionMeta>) -> Self {
        let mut documents: Vec<Document> = metas.map(Document::declared).collect();
        let index = Index::Declared(DeclaredIndex::new(&mut documents));
        Self::of_index(Category::Toolset, documents, index)
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
            doc.phrases = own.map(|(_, phrase)| phrase.to_owned()).collect();
        }
        let others = corpus::phrases().map(|(_, phrase)| phrase);
        let search = Search::trained(&documents, Lexicon::for_tools(), others, LOG_ODDS_OF_PACK);
        Self::of_index(Category::Pack(pack), documents, Index::Pack(Box::new(search)))
    }

    fn of_index(category: Category, documents: Vec<Document>, index: Index) -> Self {
        let names: Box<[Arc<str>]> = documents.into_iter().map(|doc| doc.name).collect();
        Self { category, by_name: NameIndex::new(&names), names, index }
    }

    /// Returns the size of the index in bytes, for a cache that is bounded by bytes. Leaves out the texts of the
    /// names, which the index shares with the tools.
    pub fn heap_bytes(&self) -> usize {
        let names = size_of_val(&*self.names) + self.by_name.heap_bytes();
        let index = match &self.index {
            Index::Declared(index) => index.heap_bytes(),
            Index::Pack(search) => search.heap_bytes(),
        };
        size_of::<Self>() + names + index
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
        let mut scores = match &self.index {
            Index::Declared(index) => combine::scores(query, |text| index.clause_scores(search, text, &open)),
            Index::Pack(own) => own.scores(query, &open),
        };
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

#[cfg(test)]
mod tests;
