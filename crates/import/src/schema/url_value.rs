//! Reads the schemas of values that stand in a path, a query, a header or a form: scalars, and in a query or a form
//! lists of these. Recognises objects whose properties stand in a query or a form, each for itself.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use toolcrib_registry::accepts_null;

use super::{
    FlatSchema, SchemaReader, UnfitOperation, bound_list, choice::without_choice, describe, finish::add_null,
    mark_secret,
};
use crate::limits::MAX_HOPS;

/// The depth of the properties of an object in a query or a form.
const PROPERTY_DEPTH: usize = 2;

/// How a list is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlStyle {
    /// Its key is repeated.
    Repeated,
    /// Its values are joined by these characters. The tool takes the joined text.
    Joined(&'static str),
}

impl<'a> SchemaReader<'a> {
    /// Reads a value that stands in a URL or a header. `text` describes it better than its schema. A null leaves its
    /// key out.
    pub fn url_value(
        &mut self,
        schema: &'a Value,
        style: UrlStyle,
        text: &str,
    ) -> Result<Value, UnfitOperation> {
        let Some(flat) = self.flatten(&[schema])? else { return Err(not_flat()) };
        let text = if text.is_empty() { flat.text("description") } else { text };
        self.described(&flat, style, text)
    }

    /// Reads a property of a form. `None` if only the service sets it.
    pub fn form_value(
        &mut self,
        name: &str,
        schemas: &[&'a Value],
        style: UrlStyle,
    ) -> Result<Option<Value>, UnfitOperation> {
        let Some(flat) = self.flatten(schemas)? else { return Err(not_flat()) };
        if flat.is("readOnly") {
            return Ok(None);
        }
        let mut value = self.described(&flat, style, flat.text("description"))?;
        mark_secret(name, &mut value);
        Ok(Some(value))
    }

    fn described(
        &mut self,
        flat: &FlatSchema<'a>,
        style: UrlStyle,
        text: &str,
    ) -> Result<Value, UnfitOperation> {
        let mut value = self.flat_value(flat, 0)?;
        match style {
            UrlStyle::Joined(separators) if has_list(&value) => {
                if !flat.types().is_empty() || flat.choice.is_some() {
                    self.note(format!("a list became a text whose values are separated by {separators}"));
                }
                value = joined(value);
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
        let mut value = match flat.choice {
            _ if flat.is_null_only() => json!({ "type": "null" }),
            Some(options) => self.flat_choice(flat, options, nesting)?,
            None => self.flat_types(flat, nesting)?,
        };
        if flat.nullable {
            add_null(&mut value);
        }
        Ok(value)
    }

    fn flat_types(&mut self, flat: &FlatSchema<'a>, nesting: usize) -> Result<Value, UnfitOperation> {
        self.note_unlisted(flat);
        let types = flat.types();
        if types.is_empty() {
            let scalar = any_scalar();
            let list = json!({ "type": "array", "items": scalar });
            return Ok(if nesting == 0 {
                json!({ "anyOf": [scalar, list, { "type": "null" }] })
            } else {
                scalar
            });
        }
        let scalars: Vec<&str> =
            types.iter().copied().filter(|kind| !matches!(*kind, "object" | "array")).collect();
        let scalar = (!scalars.is_empty()).then(|| self.scalar(flat, &scalars));
        let list = types.contains(&"array").then(|| self.flat_list(flat, nesting));
        match (scalar, list) {
            (Some(scalar), Some(Ok(list))) => Ok(json!({ "anyOf": [scalar, list] })),
            (_, Some(Err(error @ UnfitOperation::TooDetailed(_)))) => Err(error),
            (Some(scalar), _) => {
                if types.len() > scalars.len() {
                    self.note("the lists and objects among the values of a parameter were dropped");
                }
                Ok(scalar)
            }
            (None, Some(list)) => list,
            (None, None) => Err(not_flat()),
        }
    }

    fn flat_list(&mut self, flat: &FlatSchema<'a>, nesting: usize) -> Result<Value, UnfitOperation> {
        let items = match flat.keyword("items") {
            Some(items @ (Value::Object(_) | Value::Bool(true))) => {
                let Some(items) = self.flatten(&[items])? else { return Err(not_flat()) };
                let mut read = self.flat_value(&items, nesting + 1)?;
                describe(&mut read, items.text("description"), None);
                read
            }
            _ => any_scalar(),
        };
        if has_list(&items) {
            return Err(not_flat());
        }
        let mut list = json!({ "type": "array", "items": items });
        bound_list(flat, &mut list);
        Ok(list)
    }

    /// Reads a choice of scalars and lists.
    fn flat_choice(
        &mut self,
        flat: &FlatSchema<'a>,
        options: &'a [Value],
        nesting: usize,
    ) -> Result<Value, UnfitOperation> {
        let mut read: Vec<Value> = Vec::new();
        let (mut nullable, mut unfit) = (false, false);
        for option in self.options(&without_choice(flat), options)? {
            let Ok(Some(option)) = option else {
                unfit = true;
                continue;
            };
            nullable |= option.nullable;
            match self.flat_value(&FlatSchema { nullable: false, ..option.clone() }, nesting + 1) {
                _ if option.is_null_only() => {}
                Err(error @ UnfitOperation::TooDetailed(_)) => return Err(error),
                Ok(value) if !read.contains(&value) => read.push(value),
                Ok(_) => {}
                Err(_) => unfit = true,
            }
        }
        if unfit && !read.is_empty() {
            self.note("the lists and objects among the values of a parameter were dropped");
        }
        let mut value = match choice_of(read) {
            Some(value) => value,
            None if nullable => json!({ "type": "null" }),
            None => return Err(not_flat()),
        };
        if nullable {
            add_null(&mut value);
        }
        Ok(value)
    }

    /// Returns what schemas say together if their only values but null are objects with listed properties.
    pub fn object_of_properties(
        &mut self,
        schemas: &[&'a Value],
    ) -> Result<Option<FlatSchema<'a>>, UnfitOperation> {
        // As in a body, an object counts as one value when few levels are read.
        if PROPERTY_DEPTH + 2 > self.depth {
            return Ok(None);
        }
        let Some(flat) = self.flatten(schemas)? else { return Ok(None) };
        let flat = match flat.choice {
            None => flat,
            Some(options) => match self.only_option(&flat, options)? {
                Some(option) => option,
                None => return Ok(None),
            },
        };
        Ok((flat.types() == ["object"] && !flat.all_properties().is_empty()).then_some(flat))
    }

    /// Returns the only option of a choice that is not null.
    fn only_option(
        &mut self,
        flat: &FlatSchema<'a>,
        options: &'a [Value],
    ) -> Result<Option<FlatSchema<'a>>, UnfitOperation> {
        let mut only = None;
        for option in self.options(&without_choice(flat), options)? {
            match option {
                Ok(Some(option)) if option.is_null_only() => {}
                Ok(Some(option)) if only.is_none() && option.choice.is_none() => only = Some(option),
                _ => return Ok(None),
            }
        }
        Ok(only)
    }
}

/// Returns the schema with a text for its lists.
fn joined(value: Value) -> Value {
    let nullable = accepts_null(&value);
    let options = match value {
        Value::Object(mut object) if object.contains_key("anyOf") => object.shift_remove("anyOf"),
        value => Some(json!([value])),
    };
    let is_scalar = |option: &Value| !has_list(option) && option != &json!({ "type": "null" });
    let options = options.as_ref().and_then(Value::as_array).into_iter().flatten();
    let mut scalars: Vec<Value> = options.filter(|option| is_scalar(option)).cloned().collect();
    scalars.push(json!({ "type": "string" }));
    let mut joined = union(&scalars);
    if nullable {
        add_null(&mut joined);
    }
    joined
}

/// Returns the choice of several schemas, of which the scalars are one. `None` without schemas.
fn choice_of(read: Vec<Value>) -> Option<Value> {
    let (lists, scalars): (Vec<Value>, Vec<Value>) = read.into_iter().partition(has_list);
    let mut parts: Vec<Value> = match scalars.as_slice() {
        [] => Vec::new(),
        [only] => vec![only.clone()],
        scalars => vec![union(scalars)],
    };
    parts.extend(lists);
    match parts.len() {
        0 => None,
        1 => parts.pop(),
        _ => Some(json!({ "anyOf": parts })),
    }
}

fn any_scalar() -> Value {
    json!({ "type": ["string", "number", "boolean"] })
}

fn has_list(schema: &Value) -> bool {
    let is_array = |kind: &Value| kind == "array";
    let kinds = schema.get("type");
    kinds
        .is_some_and(|kind| is_array(kind) || kind.as_array().is_some_and(|kinds| kinds.iter().any(is_array)))
        || schema.get("anyOf").and_then(Value::as_array).is_some_and(|options| options.iter().any(has_list))
}

/// Returns a schema for the values of several scalars.
fn union(scalars: &[Value]) -> Value {
    let parts = scalars.iter().flat_map(|value| match value.get("anyOf") {
        Some(Value::Array(options)) => options.iter().collect(),
        _ => vec![value],
    });
    let (nulls, parts): (Vec<&Value>, Vec<&Value>) =
        parts.partition(|part| part.get("type") == Some(&json!("null")));
    let types: BTreeSet<&str> = parts
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
        parts.iter().map(|value| value.get("enum").and_then(Value::as_array)).collect();
    if let Some(enums) = enums {
        let mut values: Vec<&Value> = Vec::new();
        for value in enums.into_iter().flatten() {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        union.insert("enum".into(), json!(values));
    }
    let mut union = Value::Object(union);
    if !nulls.is_empty() {
        add_null(&mut union);
    }
    union
}

fn not_flat() -> UnfitOperation {
    "is no string, number, boolean or list of these, and stands in the URL, a header or a form"
        .to_owned()
        .into()
}
