//! What search knows of one thing that it can find.

use serde_json::Value;
use toolcrib_registry::{ActionMeta, Category};

use crate::corpus;

/// One thing that can be found, field by field. An empty field is fine.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// The full name, split at `_` when indexed.
    pub name: &'static str,
    /// The section, when there is one; a search can be narrowed to it.
    pub category: Option<Category>,
    /// What it does, in prose.
    pub description: String,
    /// Words that find it.
    pub tags: Vec<String>,
    /// What a user would say, from whoever wrote the document.
    pub examples: Vec<String>,
    /// Names and descriptions of its parameters.
    pub parameters: Vec<String>,
    /// What users say, from the phrase corpus.
    pub phrases: Vec<String>,
}

impl Document {
    /// An action's document, with its part of the built-in phrase corpus.
    pub(crate) fn of(meta: &ActionMeta) -> Self {
        let owned = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        let parameters = meta.input.properties().map(|(name, schema)| {
            let about = schema.get("description").and_then(Value::as_str).unwrap_or_default();
            format!("{name} {about}")
        });
        Self {
            name: meta.spec.name,
            category: Some(meta.spec.category),
            description: meta.spec.description.to_owned(),
            tags: owned(meta.spec.tags),
            examples: owned(meta.spec.examples),
            parameters: parameters.collect(),
            phrases: corpus::phrases()
                .filter(|(action, _)| *action == meta.spec.name)
                .map(|(_, phrase)| phrase.to_owned())
                .collect(),
        }
    }

    /// The name as words, without the platform's prefix.
    pub(crate) fn name_words(&self) -> String {
        crate::text::split_name(self.name.strip_prefix(toolcrib_registry::PREFIX).unwrap_or(self.name))
    }

    /// Everything that reads like something a user could say: what votes and what is learnt from.
    pub(crate) fn sayings(&self) -> impl Iterator<Item = String> {
        let own = [self.name_words(), self.description.clone(), self.tags.join(" ")];
        own.into_iter()
            .chain(self.examples.clone())
            .chain(self.phrases.clone())
            .filter(|text| !text.is_empty())
    }
}
