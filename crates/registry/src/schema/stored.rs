//! A schema in memory: as a value, or as text.

use std::{borrow::Cow, sync::OnceLock};

use serde_json::Value;

/// A JSON Schema in memory. Text takes a tenth of the memory of a value, so the schema of an action is text until the
/// action is called: most actions and tools are listed and not called.
#[derive(Debug)]
pub struct StoredSchema {
    /// `None` if the value was there from the beginning.
    text: Option<Box<str>>,
    value: OnceLock<Box<Value>>,
}

impl StoredSchema {
    /// Makes a schema that is parsed already.
    pub(crate) fn parsed(value: Value) -> Self {
        Self { text: None, value: OnceLock::from(Box::new(value)) }
    }

    /// Makes a schema that is text until [`Self::value`] is called.
    pub(crate) fn text(value: &Value) -> Self {
        Self { text: Some(value.to_string().into()), value: OnceLock::new() }
    }

    /// Turns the schema into text until [`Self::value`] is called.
    pub(crate) fn pack(&mut self) {
        let text = Self::text(&self.read());
        *self = text;
    }

    /// Returns the schema and keeps it parsed. For calls.
    pub fn value(&self) -> &Value {
        self.value.get_or_init(|| Box::new(self.parse()))
    }

    /// Returns the schema without keeping it parsed. For lists and searches, which read the schemas of many tools.
    pub fn read(&self) -> Cow<'_, Value> {
        self.value.get().map_or_else(|| Cow::Owned(self.parse()), |value| Cow::Borrowed(&**value))
    }

    /// Returns whether the schema is in memory as a value.
    pub fn is_parsed(&self) -> bool {
        self.value.get().is_some()
    }

    fn parse(&self) -> Value {
        // Can't fail: the text was written from a value.
        self.text.as_deref().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reading_keeps_nothing_and_a_call_does() {
        let schema = json!({"type": "object", "properties": {"b": {"minimum": 0.1}, "a": {"enum": ["ä\n"]}}});
        let stored = StoredSchema::text(&schema);
        assert_eq!(*stored.read(), schema);
        assert_eq!(stored.read().to_string(), schema.to_string(), "the order of its keys stays");
        assert!(!stored.is_parsed());
        assert_eq!(*stored.value(), schema);
        assert!(stored.is_parsed() && matches!(stored.read(), Cow::Borrowed(_)));
        assert!(StoredSchema::parsed(schema).is_parsed());
    }
}
