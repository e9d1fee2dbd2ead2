//! What a schema and the parts of its `allOf` say together.

use std::collections::BTreeSet;

use serde_json::Value;
use toolcrib_toolset::length;

/// The types of JSON Schema but null.
const TYPES: [&str; 6] = ["string", "integer", "number", "boolean", "object", "array"];
pub static ANY: Value = Value::Bool(true);

/// What a schema and the parts of its `allOf` say together. Borrows from the document.
#[derive(Clone, Debug, Default)]
pub struct FlatSchema<'a> {
    /// The keywords that are not below. A later part takes precedence.
    pub keywords: Vec<(&'a str, &'a Value)>,
    /// The types that are written, without null. `None` if none is.
    pub written_types: Option<Vec<&'a str>>,
    /// The properties in the order of the document, each with its schemas.
    pub properties: Vec<(&'a str, Vec<&'a Value>)>,
    pub required: BTreeSet<&'a str>,
    /// The options of `anyOf` or `oneOf`.
    pub choice: Option<&'a [Value]>,
    /// Whether null is a value.
    pub nullable: bool,
    /// The references that were followed to reach this schema.
    pub opened: Vec<&'a str>,
}

impl<'a> FlatSchema<'a> {
    pub fn keyword(&self, key: &str) -> Option<&'a Value> {
        self.keywords.iter().rev().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }

    /// Returns the text of a keyword, or an empty text.
    pub fn text(&self, key: &str) -> &'a str {
        self.keyword(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// Returns the value of a keyword that is a whole number from 0.
    pub fn length(&self, key: &str) -> Option<u64> {
        self.keyword(key).and_then(length)
    }

    /// Returns the value of a keyword that is a number.
    pub fn number(&self, key: &str) -> Option<&'a Value> {
        self.keyword(key).filter(|value| value.is_number())
    }

    /// Returns the properties, and those that are required but not described: they may be any value.
    pub fn all_properties(&self) -> Vec<(&'a str, Vec<&'a Value>)> {
        let mut all = self.properties.clone();
        let known: BTreeSet<&str> = self.properties.iter().map(|(name, _)| *name).collect();
        all.extend(self.required.difference(&known).map(|name| (*name, vec![&ANY])));
        all
    }

    pub fn is_null_only(&self) -> bool {
        let no_type = self.written_types.as_ref().is_some_and(Vec::is_empty);
        let null_enum = self
            .keyword("enum")
            .and_then(Value::as_array)
            .is_some_and(|values| values.iter().all(Value::is_null));
        let null_const = self.keyword("const").is_some_and(Value::is_null);
        self.nullable && self.choice.is_none() && (no_type || null_enum || null_const)
    }

    /// Returns whether a keyword is `true`.
    pub fn is(&self, key: &str) -> bool {
        self.keyword(key) == Some(&Value::Bool(true))
    }

    /// Returns the types without null: the written ones, or those that the keywords are for.
    pub fn types(&self) -> Vec<&'a str> {
        self.written_types.clone().filter(|types| !types.is_empty()).unwrap_or_else(|| self.meant_types())
    }

    pub fn of_type(&self, kind: &'a str) -> Self {
        Self { written_types: Some(vec![kind]), ..self.clone() }
    }

    fn meant_types(&self) -> Vec<&'a str> {
        let has = |keys: &[&str]| keys.iter().any(|key| self.keyword(key).is_some());
        if let Some(values) = self.keyword("enum").and_then(Value::as_array) {
            let mut types: Vec<&str> = values.iter().filter_map(type_of).collect();
            types.sort_unstable();
            types.dedup();
            return types;
        }
        if let Some(kind) = self.keyword("const").and_then(type_of) {
            return vec![kind];
        }
        if !self.properties.is_empty() || has(&["additionalProperties", "minProperties", "maxProperties"]) {
            vec!["object"]
        } else if has(&["items", "minItems", "maxItems"]) {
            vec!["array"]
        } else if has(&["pattern", "minLength", "maxLength"]) {
            vec!["string"]
        } else if has(&["minimum", "maximum", "multipleOf"]) {
            vec!["number"]
        } else {
            Vec::new()
        }
    }

    /// Adds the types of a part: what both allow.
    pub fn add_types(&mut self, value: &'a Value) {
        let words: Vec<&str> = match value {
            Value::String(word) => vec![word.as_str()],
            Value::Array(words) => words.iter().filter_map(Value::as_str).take(10).collect(),
            _ => return,
        };
        self.nullable |= words.contains(&"null");
        let new: Vec<&str> = TYPES.into_iter().filter(|kind| words.contains(kind)).collect();
        let both = match &self.written_types {
            None => new,
            Some(before) => {
                let both: Vec<&str> = new.iter().copied().filter(|kind| before.contains(kind)).collect();
                if both.is_empty() { new } else { both }
            }
        };
        self.written_types = Some(both);
    }

    /// Adds a property. The schemas of one name are merged when the property is read.
    pub fn add_property(&mut self, name: &'a str, schema: &'a Value) {
        match self.properties.iter_mut().find(|(known, _)| *known == name) {
            Some((_, parts)) if parts.contains(&schema) => {}
            Some((_, parts)) => parts.push(schema),
            None => self.properties.push((name, vec![schema])),
        }
    }
}

/// Returns the type of a value but null.
pub fn type_of(value: &Value) -> Option<&'static str> {
    match value {
        Value::String(_) => Some("string"),
        Value::Bool(_) => Some("boolean"),
        Value::Number(number) if number.is_f64() => Some("number"),
        Value::Number(_) => Some("integer"),
        Value::Array(_) => Some("array"),
        Value::Object(_) => Some("object"),
        Value::Null => None,
    }
}
