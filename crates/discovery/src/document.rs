//! The documents that the search indexes.

use std::{collections::HashMap, sync::Arc};

use serde_json::Value;
use toolcrib_registry::{ActionMeta, Category, properties_of};

/// An entry of the search index. Every field may be empty.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The full name. The index splits it into words.
    pub name: Arc<str>,
    /// The category, if there is one. A search can be limited to a category.
    pub category: Option<Category>,
    pub description: String,
    /// Words by which users search for it.
    pub tags: Vec<String>,
    /// Sentences that a user may write, from the author of the action.
    pub examples: Vec<String>,
    /// Names and descriptions of the parameters.
    pub parameters: Vec<String>,
    /// Phrases of users, from the phrase corpus.
    pub phrases: Vec<String>,
}

impl Document {
    /// Creates the document of an action, with its phrases of those of all actions.
    pub(crate) fn of(meta: &ActionMeta, phrases: &HashMap<&str, Vec<&str>>) -> Self {
        let phrases = phrases.get(&*meta.spec.name).into_iter().flatten();
        Self {
            category: Some(meta.spec.category),
            phrases: phrases.map(|phrase| (*phrase).to_owned()).collect(),
            ..Self::declared(meta)
        }
    }

    /// Creates the document of a declared tool: no phrases, and no category, because all have the same.
    pub(crate) fn declared(meta: &ActionMeta) -> Self {
        let owned = |list: &[Arc<str>]| list.iter().map(ToString::to_string).collect();
        let schema = meta.input.read();
        let parameters = properties_of(&schema).map(|(name, schema)| {
            let about = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            format!("{name} {about}")
        });
        Self {
            name: meta.spec.name.clone(),
            category: None,
            description: meta.spec.description.to_string(),
            tags: owned(&meta.spec.tags),
            examples: owned(&meta.spec.examples),
            parameters: parameters.collect(),
            phrases: Vec::new(),
        }
    }

    /// Returns the name as words, without the prefix.
    pub(crate) fn name_words(&self) -> String {
        crate::text::split_name(self.name.strip_prefix(toolcrib_registry::PREFIX).unwrap_or(&self.name))
    }

    /// Returns the texts that resemble a user's request. The classifier and the nearest-phrase search use
    /// them.
    pub(crate) fn sayings(&self) -> impl Iterator<Item = String> {
        let own = [self.name_words(), self.description.clone(), self.tags.join(" ")];
        own.into_iter()
            .chain(self.examples.clone())
            .chain(self.phrases.clone())
            .filter(|text| !text.is_empty())
    }
}
