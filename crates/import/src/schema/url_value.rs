//! Reads the schemas of values that stand in a path, a query or a header: scalars, and in a query lists of these.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{FlatSchema, SchemaReader, UnfitOperation, choice::without_choice, describe};
use crate::limits::MAX_HOPS;

/// How a list is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlStyle {
    /// Its key is repeated.
    Repeated,
    /// Its values are joined by these characters. The tool takes the joined text.
    Joined(&'static str),
}

impl<'a> SchemaReader<'a> {
    /// Reads a value that stands in a URL or a header. `text` describes it better than its schema.
    pub fn url_value(
        &mut self,
        schema: &'a Value,
        style: UrlStyle,
        text: &str,
    ) -> Result<Value, UnfitOperation> {
        let Some(flat) = self.flatten(&[schema])? else { return Err(not_flat()) };
        let text = if text.is_empty() { flat.text("description") } else { text };
        let mut value = self.flat_value(&flat, 0)?;
        match style {
            UrlStyle::Joined(separators) if value.get("type").is_some_and(|kind| kind == "array") => {
                self.note(format!("a list became a text whose values are separated by {separators}"));
                value = json!({ "type": "string" });
                describe(&mut value, &format!("Values separated by {separators}. {text}"), None);
            }
            _ => describe(&mut value, text, flat.keyword("default")),
        }
        Ok(value)
    }

    fn flat_value(&mut self, flat: &FlatSchema<'a>, nesting: usize) -> Result<Value, UnfitOperation> {
        if nesting > MAX_HOPS {
            return Err(not_flat());
        }
        if let Some(options) = flat.choice {
            return self.flat_choice(flat, options, nesting);
        }
        let types = flat.types();
        let scalars: Vec<&str> =
            types.iter().copied().filter(|kind| !matches!(*kind, "object" | "array")).collect();
        if !scalars.is_empty() {
            return Ok(self.scalar(flat, &scalars));
        }
        match types.as_slice() {
            [] => Ok(json!({ "type": "string" })),
            types if types.contains(&"array") => self.flat_list(flat, nesting),
            _ => Err(not_flat()),
        }
    }

    fn flat_list(&mut self, flat: &FlatSchema<'a>, nesting: usize) -> Result<Value, UnfitOperation> {
        let items = match flat.keyword("items").map(|items| self.flatten(&[items])).transpose()? {
            Some(Some(items)) => {
                let mut read = self.flat_value(&items, nesting + 1)?;
                describe(&mut read, items.text("description"), None);
                read
            }
            Some(None) => return Err(not_flat()),
            None => json!({ "type": "string" }),
        };
        if items.get("type").is_some_and(|kind| kind == "array") {
            return Err(not_flat());
        }
        let mut list = json!({ "type": "array", "items": items });
        for key in ["minItems", "maxItems"] {
            if let (Some(list), Some(length)) = (list.as_object_mut(), flat.length(key)) {
                list.insert(key.into(), json!(length));
            }
        }
        Ok(list)
    }

    /// Reads a choice: what the scalars among its options admit, or else its first list.
    fn flat_choice(
        &mut self,
        flat: &FlatSchema<'a>,
        options: &'a [Value],
        nesting: usize,
    ) -> Result<Value, UnfitOperation> {
        let mut read = Vec::new();
        for option in self.options(&without_choice(flat), options)?.into_iter().flatten() {
            match self.flat_value(&option, nesting + 1) {
                Ok(value) if !read.contains(&value) => read.push(value),
                Err(error @ UnfitOperation::TooDetailed(_)) => return Err(error),
                Ok(_) | Err(_) => {}
            }
        }
        let scalars: Vec<&Value> =
            read.iter().filter(|value| value.get("type").is_some_and(|kind| kind != "array")).collect();
        match (scalars.as_slice(), read.first()) {
            ([only], _) => Ok((*only).clone()),
            ([], Some(list)) => Ok(list.clone()),
            ([], None) => Err(not_flat()),
            (scalars, _) => Ok(union(scalars)),
        }
    }
}

/// Returns a schema for the values of several scalars.
fn union(scalars: &[&Value]) -> Value {
    let types: BTreeSet<&str> = scalars
        .iter()
        .filter_map(|value| value.get("type"))
        .flat_map(|kind| match kind {
            Value::Array(kinds) => kinds.iter().collect(),
            kind => vec![kind],
        })
        .filter_map(Value::as_str)
        .collect();
    let mut union = Map::new();
    union.insert("type".into(), if types.len() == 1 { json!(types.first()) } else { json!(types) });
    let enums: Option<Vec<&Vec<Value>>> =
        scalars.iter().map(|value| value.get("enum").and_then(Value::as_array)).collect();
    if let Some(enums) = enums {
        let mut values: Vec<&Value> = Vec::new();
        for value in enums.into_iter().flatten() {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        union.insert("enum".into(), json!(values));
    }
    Value::Object(union)
}

fn not_flat() -> UnfitOperation {
    "is no string, number, boolean or list of these, and stands in the URL or a header".to_owned().into()
}
