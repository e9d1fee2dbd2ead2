//! What a text wants, and which categories serve that. It decides no access and runs nothing.

mod cues;
mod intent;
mod small_talk;

use std::collections::BTreeSet;

use toolcrib_registry::Category;

pub use intent::Intent;

use crate::{lexicon::Lexicon, text};
use small_talk::SmallTalk;

/// How many of the context's last texts a bare answer is read with.
const REMEMBERED: usize = 2;

/// What a text wants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntentRoute {
    /// Every intent that shows, in a fixed order; none for an empty text.
    pub intents: Vec<Intent>,
    /// The categories that serve it, in the order of the catalogue; the actions in them come from the registry.
    pub categories: Vec<Category>,
    /// Nothing beyond the always-offered actions is worth showing.
    pub small: bool,
}

impl IntentRoute {
    fn small(intent: Option<Intent>) -> Self {
        Self { intents: intent.into_iter().collect(), categories: Vec::new(), small: true }
    }
}

/// Reads a text; `context` holds the conversation's texts before it, oldest first. A bare answer ("yes, do it") is
/// read as what the context's last texts were about.
pub fn route(query: &str, context: &[String]) -> IntentRoute {
    route_with(Lexicon::shared(), query, context)
}

/// What a query is about: itself, or with the context's last texts when it is a bare answer.
pub(crate) fn meant(query: &str, context: &[String]) -> String {
    if SmallTalk::of(&text::words(query)) != SmallTalk::Answer {
        return text::cut(query).to_owned();
    }
    let last = context.iter().rev().filter(|text| !text.trim().is_empty()).take(REMEMBERED);
    last.map(|text| text::cut(text)).chain([text::cut(query)]).collect::<Vec<_>>().join(" \n ")
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
        // An answer to nothing, or to small talk.
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
