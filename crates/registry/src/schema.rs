//! Generates JSON Schemas from Rust types. The published schema is also the one that validates.

mod stored;

use std::{borrow::Cow, sync::OnceLock};

use schemars::{
    JsonSchema, Schema,
    generate::SchemaSettings,
    transform::{Transform, transform_subschemas},
};
use serde_json::{Map, Value, json};
pub use stored::StoredSchema;

use crate::validate::{ArgError, Checker};

/// Returns the input schema of `T`: JSON Schema 2020-12 without references, with closed objects and bounded
/// strings.
pub fn schema_of<T: JsonSchema>() -> Value {
    let mut value = published::<T>(SchemaSettings::draft2020_12(), true);
    if let Some(root) = value.as_object_mut() {
        root.remove("description");
        if root.get("type") == Some(&json!("object")) {
            root.entry("properties").or_insert_with(|| json!({}));
        }
    }
    value
}

/// Returns the output schema of `T`. Like [`schema_of`], but objects are open, so that fields can be added
/// later.
pub fn output_schema_of<T: JsonSchema>() -> Value {
    published::<T>(SchemaSettings::draft2020_12().for_serialize(), false)
}

fn published<T: JsonSchema>(settings: SchemaSettings, closed: bool) -> Value {
    let settings = settings.with(|s| {
        s.inline_subschemas = true;
        s.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    Publish { closed }.transform(&mut schema);
    DescribeWords.transform(&mut schema);
    schema.to_value()
}

/// Normalizes the generated schema: removes titles and Rust number formats, closes objects and bounds
/// strings. Removes null from optional parameters, which callers omit instead, unless the type declares
/// `x-nullable`.
struct Publish {
    closed: bool,
}

impl Transform for Publish {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(object) = schema.as_object_mut() else { return };
        object.remove("title");
        drop_number_format(object);
        join_words(object);
        if self.closed {
            crate::untrusted::unmark(object);
            drop_optional_null(object);
            close(object);
            bound(object);
        }
    }
}

/// The temporary keyword with which [`join_words`] passes the texts of an enum's words to [`DescribeWords`].
const WORD_TEXTS: &str = "x-word-texts";

/// The keyword of a parameter whose words need no texts, such as a filter by the status that every item shows.
const PLAIN_WORDS: &str = "x-plain-words";

/// Converts a `oneOf` of documented constants to one enum. Every provider accepts an enum, the error for an
/// unknown word lists the known ones, and an enum needs fewer tokens.
fn join_words(object: &mut Map<String, Value>) {
    let Some(options) = object.get("oneOf").and_then(Value::as_array) else { return };
    let mut words: Vec<Value> = Vec::new();
    let mut texts: Vec<String> = Vec::new();
    for option in options {
        if option.get("type").and_then(Value::as_str) != Some("string") {
            return;
        }
        let several = option.get("enum").and_then(Value::as_array);
        let (Some(own), text) = (
            several.cloned().or_else(|| option.get("const").map(|word| vec![word.clone()])),
            option.get("description").and_then(Value::as_str),
        ) else {
            return;
        };
        if let (Some(text), [Value::String(word)]) = (text, own.as_slice()) {
            texts.push(format!("`{word}`: {}", text.trim_end_matches('.')));
        }
        words.extend(own);
    }
    object.shift_remove("oneOf");
    object.insert("type".into(), json!("string"));
    object.insert("enum".into(), Value::Array(words));
    if !texts.is_empty() {
        object.insert(WORD_TEXTS.into(), json!(texts.join("; ")));
    }
}

/// Appends the texts of an enum's words to its description, unless the description names every word itself or
/// the parameter is marked `x-plain-words`.
struct DescribeWords;

impl Transform for DescribeWords {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(object) = schema.as_object_mut() else { return };
        let plain = object.shift_remove(PLAIN_WORDS).is_some();
        let Some(Value::String(texts)) = object.shift_remove(WORD_TEXTS).filter(|_| !plain) else { return };
        let words = object.get("enum").and_then(Value::as_array).into_iter().flatten();
        let text = object.get("description").and_then(Value::as_str).unwrap_or_default();
        if words.filter_map(Value::as_str).all(|word| text.contains(&format!("`{word}`"))) {
            return;
        }
        let sentence = text.trim_end_matches('.');
        let whole = if sentence.is_empty() { texts + "." } else { format!("{sentence}. {texts}.") };
        object.insert("description".into(), json!(whole));
    }
}

fn drop_number_format(object: &mut Map<String, Value>) {
    let rust_only = ["int", "uint", "float", "double"];
    if object
        .get("format")
        .and_then(Value::as_str)
        .is_some_and(|f| rust_only.iter().any(|p| f.starts_with(p)))
    {
        object.remove("format");
    }
}

fn close(object: &mut Map<String, Value>) {
    if object.contains_key("properties") && !object.contains_key("additionalProperties") {
        object.insert("additionalProperties".into(), json!(false));
    }
}

/// Sets the default bounds: strings have 1 to 200 characters, arrays at most 100 items.
fn bound(object: &mut Map<String, Value>) {
    match object.get("type").and_then(Value::as_str) {
        Some("string")
            if !["enum", "const", "format", "pattern", "maxLength"]
                .iter()
                .any(|k| object.contains_key(*k)) =>
        {
            object.entry("minLength").or_insert(json!(1));
            object.insert("maxLength".into(), json!(200));
        }
        Some("array") => {
            object.entry("maxItems").or_insert(json!(100));
        }
        _ => {}
    }
}

/// Removes `null` from the properties that are optional, unless the property is marked `x-nullable`.
fn drop_optional_null(object: &mut Map<String, Value>) {
    let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for property in properties.values_mut().filter_map(Value::as_object_mut) {
        if property.get("default") == Some(&Value::Null) {
            property.remove("default");
        }
        if property.contains_key("x-nullable") {
            continue;
        }
        without_null(property);
        bound(property);
    }
}

fn without_null(property: &mut Map<String, Value>) {
    if let Some(Value::Array(types)) = property.get_mut("type") {
        types.retain(|t| t != "null");
        if let [only] = types.as_slice() {
            let only = only.clone();
            property.insert("type".into(), only);
        }
    }
    if let Some(Value::Array(values)) = property.get_mut("enum") {
        values.retain(|v| !v.is_null());
    }
    if let Some(Value::Array(options)) = property.get_mut("anyOf") {
        options.retain(|o| o.get("type") != Some(&json!("null")));
        if options.len() == 1 {
            let only = options.remove(0);
            property.remove("anyOf");
            // The description of the property takes precedence over the one of its type.
            if let Value::Object(only) = only {
                for (key, value) in only {
                    property.entry(key).or_insert(value);
                }
            }
        }
    }
}

/// An input schema with its compiled validator.
#[derive(Debug)]
pub struct InputSchema {
    stored: StoredSchema,
    digest: Box<str>,
    /// Compiled at the first check; `None` if it does not compile.
    checker: OnceLock<Option<Checker>>,
    /// Whether the spaces around strings are removed.
    trims: bool,
}

impl InputSchema {
    /// Compiles a schema. The error says what is wrong with the schema.
    pub fn new(value: Value) -> Result<Self, String> {
        let checker = OnceLock::from(Some(Checker::new(&value)?));
        let digest = crate::digest::digest(&value).into();
        Ok(Self { stored: StoredSchema::parsed(value), digest, checker, trims: true })
    }

    /// Makes a schema that was accepted before. Parses and compiles it at its first check, because most of a
    /// workspace's declared tools are listed and not called. Their strings stay as they are sent: the end of a file or
    /// the indentation of a line may matter to whoever runs the tool.
    pub fn accepted(value: &Value) -> Self {
        let digest = crate::digest::digest(value).into();
        Self { stored: StoredSchema::text(value), digest, checker: OnceLock::new(), trims: false }
    }

    /// Keeps the schema as text, and without its validator, until it is used to check arguments.
    pub(crate) fn pack(&mut self) {
        self.stored.pack();
        self.checker = OnceLock::new();
    }

    /// Returns the published schema and keeps it parsed. For calls.
    pub fn value(&self) -> &Value {
        self.stored.value()
    }

    /// Returns the published schema without keeping it parsed. For lists and searches, which read the schemas of many
    /// tools.
    pub fn read(&self) -> Cow<'_, Value> {
        self.stored.read()
    }

    /// Returns whether the schema is in memory as a value.
    pub fn is_parsed(&self) -> bool {
        self.stored.is_parsed()
    }

    /// Returns the SHA-256 of the canonical schema, in hex. Confirmations are bound to this digest.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// Trims strings, but not those of a declared tool, and removes nulls of parameters that don't accept null, in
    /// place. Then validates and returns every error.
    pub fn check(&self, arguments: &mut Value) -> Vec<ArgError> {
        let schema = self.value();
        crate::validate::tidy(schema, arguments, self.trims);
        match self.checker.get_or_init(|| Checker::new(schema).ok()) {
            Some(checker) => checker.errors(schema, arguments),
            None => vec![ArgError::new(
                "",
                "schema",
                "the schema of this tool can't be used; save its toolset again",
            )],
        }
    }
}

/// Returns the names of the required parameters of a schema.
pub fn required_of(schema: &Value) -> impl Iterator<Item = &str> {
    schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
}

/// Returns name and schema of each parameter of a schema, in the order of declaration.
pub fn properties_of(schema: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties.into_iter().flatten().map(|(name, schema)| (name.as_str(), schema))
}

#[cfg(test)]
mod tests;
