//! Finds the intents of a text and the categories that serve them. Does not decide about access.

mod cues;
mod intent;
mod small_talk;

use std::collections::BTreeSet;

use toolcrib_registry::Category;

pub use intent::Intent;

use crate::{lexicon::Lexicon, text};
use small_talk::SmallTalk;

/// The number of previous texts that a bare answer is combined with.
const REMEMBERED: usize = 2;

/// The intents and categories of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntentRoute {
    /// The intents of the text, in a fixed order. Empty for an empty text.
    pub intents: Vec<Intent>,
    /// The categories that serve the text, in the order of the catalogue.
    pub categories: Vec<Category>,
    /// The text is empty or small talk, so only the actions that are always offered apply.
    pub small: bool,
}

impl IntentRoute {
    fn small(intent: Option<Intent>) -> Self {
        Self { intents: intent.into_iter().collect(), categories: Vec::new(), small: true }
    }
}

/// Routes a text. `context` has the conversation's previous texts, oldest first. A bare answer ("yes, do it")
/// is combined with the last of them.
pub fn route(query: &str, context: &[String]) -> IntentRoute {
    route_with(Lexicon::shared(), query, context)
}

/// Returns the text to search for: the query, preceded by the context's last texts if the query is a bare
/// answer.
pub(crate) fn meant(query: &str, context: &[String]) -> String {
    if SmallTalk::of(&text::words(query)) != SmallTalk::Answer {
        return text::cut(query).to_owned();
    }
    let last = context.iter().rev().filter(|text| !text.trim().is_empty()).take(REMEMBERED);
    last.map(|text| text::cut(text)).chain([text::cut(query)]).collect::<Vec<_>>().join(" \n ")
}

/// Returns whether the query may be small talk, beside what else it says.
pub(crate) fn is_polite(query: &str) -> bool {
    small_talk::is_polite(&text::words(query))
}

fn route_with(lexicon: &Lexicon, query: &str, context: &[String]) -> IntentRoute {
    match SmallTalk::of(&text::words(query)) {
        SmallTalk::Nothing => return IntentRoute::small(None),
        SmallTalk::Greeting => return IntentRoute::small(Some(Intent::Greeting)),
        SmallTalk::Chitchat => return IntentRoute::small(Some(Intent::Chitchat)),
        SmallTalk::Answer | SmallTalk::Matter => {}
    }
    let meant = meant(query, context);
    let words = text::words(&meant);
    if matches!(SmallTalk::of(&words), SmallTalk::Answer | SmallTalk::Greeting | SmallTalk::Chitchat) {
        // The answer has no context, or its context is small talk.
        return IntentRoute::small(Some(Intent::Chitchat));
    }
    let stems = text::stems(&meant);
    let concepts: BTreeSet<&str> = lexicon.concepts(&stems).into_iter().collect();
    let named: BTreeSet<Category> = concepts.iter().flat_map(|c| cues::categories(c)).copied().collect();
    let intents = cues::intents(&concepts, &words, named.len());
    let categories: BTreeSet<Category> = if named.is_empty() {
        intents.iter().flat_map(|intent| intent.categories()).copied().collect()
    } else {
        named
    };
    IntentRoute { intents, categories: categories.into_iter().collect(), small: false }
}

#[cfg(test)]
mod tests;
