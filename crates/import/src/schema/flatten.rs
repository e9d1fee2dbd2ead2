//! Follows the references of a schema and merges the parts of its `allOf`.

use serde_json::{Map, Value};
use toolcrib_toolset::{length, quoted};

use super::{FlatSchema, SchemaReader, UnfitOperation};
use crate::limits::MAX_HOPS;

/// Keywords that restrict values and that a tool's schema can't have.
const DROPPED: [&str; 15] = [
    "not",
    "if",
    "then",
    "else",
    "contains",
    "minContains",
    "maxContains",
    "patternProperties",
    "propertyNames",
    "prefixItems",
    "dependentRequired",
    "dependentSchemas",
    "unevaluatedItems",
    "unevaluatedProperties",
    "$dynamicRef",
];

/// Where the reading of one schema and its parts stands.
pub struct ReferenceTrail<'a> {
    /// The references that were followed.
    hops: Vec<&'a str>,
    /// The number of references and parts in a row.
    nesting: usize,
    /// Whether a reference stands for the whole schema, and not for one of several parts.
    is_whole: bool,
}

impl Default for ReferenceTrail<'_> {
    fn default() -> Self {
        Self { hops: Vec::new(), nesting: 0, is_whole: true }
    }
}

impl<'a> SchemaReader<'a> {
    /// Returns what schemas say together. `None` if a reference leads back to a schema that is being read.
    pub fn flatten(&mut self, schemas: &[&'a Value]) -> Result<Option<FlatSchema<'a>>, UnfitOperation> {
        let mut flat = FlatSchema::default();
        for schema in schemas {
            if !self.add(&mut flat, schema, &mut ReferenceTrail::default())? {
                return Ok(None);
            }
        }
        Ok(Some(flat))
    }

    /// Adds what a schema says. Returns whether no reference leads back.
    pub(super) fn add(
        &mut self,
        flat: &mut FlatSchema<'a>,
        schema: &'a Value,
        trail: &mut ReferenceTrail<'a>,
    ) -> Result<bool, UnfitOperation> {
        self.spend(1)?;
        let object = match schema {
            Value::Object(object) => object,
            Value::Bool(true) => return Ok(true),
            _ => return Err("has a schema that admits nothing or can't be read".to_owned().into()),
        };
        trail.nesting += 1;
        if trail.nesting > MAX_HOPS {
            return Err(format!("has schemas with more than {MAX_HOPS} references or parts in a row").into());
        }
        self.spend(object.len() / 16)?;
        let fits = self.add_target(flat, object, trail)? && self.add_parts(flat, object, trail)?;
        trail.nesting -= 1;
        for (key, value) in object {
            self.add_keyword(flat, key, value)?;
        }
        Ok(fits)
    }

    fn add_target(
        &mut self,
        flat: &mut FlatSchema<'a>,
        object: &'a Map<String, Value>,
        trail: &mut ReferenceTrail<'a>,
    ) -> Result<bool, UnfitOperation> {
        let Some(reference) = object.get("$ref").and_then(Value::as_str) else { return Ok(true) };
        if self.open.contains(&reference) || trail.hops.contains(&reference) {
            return Ok(false);
        }
        let target = self.references.target(reference)?;
        // One of several parts does not enclose the properties of the other parts.
        if trail.is_whole {
            flat.opened.push(reference);
        }
        trail.hops.push(reference);
        let fits = self.add(flat, target, trail)?;
        trail.hops.pop();
        Ok(fits)
    }

    fn add_parts(
        &mut self,
        flat: &mut FlatSchema<'a>,
        object: &'a Map<String, Value>,
        trail: &mut ReferenceTrail<'a>,
    ) -> Result<bool, UnfitOperation> {
        let Some(parts) = object.get("allOf").and_then(Value::as_array) else { return Ok(true) };
        let before = trail.is_whole;
        trail.is_whole = before && parts.len() == 1;
        for part in parts {
            if !self.add(flat, part, trail)? {
                return Ok(false);
            }
        }
        trail.is_whole = before;
        Ok(true)
    }

    fn add_keyword(
        &mut self,
        flat: &mut FlatSchema<'a>,
        key: &'a str,
        value: &'a Value,
    ) -> Result<(), UnfitOperation> {
        if let Some(what) = wrong_value(key, value) {
            let shown = quoted(&value.to_string());
            self.note(format!("the keyword {} was dropped: {shown} is {what}", quoted(key)));
            return Ok(());
        }
        match (key, value) {
            ("type", value) => flat.add_types(value),
            ("properties", Value::Object(properties)) => {
                self.spend(properties.len())?;
                for (name, schema) in properties {
                    flat.add_property(name, schema);
                }
            }
            ("required", Value::Array(names)) => {
                self.spend(names.len() / 4)?;
                flat.required.extend(names.iter().filter_map(Value::as_str));
            }
            ("anyOf" | "oneOf", Value::Array(options)) => {
                if flat.choice.is_some_and(|before| before != options.as_slice()) {
                    self.note("a second choice between schemas of one value was dropped");
                } else {
                    flat.choice = Some(options);
                }
            }
            ("nullable", value) => flat.nullable |= value == &Value::Bool(true),
            ("$ref" | "allOf", _) => {}
            (key, _) if DROPPED.contains(&key) => {
                self.note(format!("the keyword {} was dropped", quoted(key)));
            }
            (key, value) => {
                flat.nullable |= lists_null(key, value);
                flat.keywords.push((key, value));
            }
        }
        Ok(())
    }
}

/// Returns whether a keyword has null among its values.
fn lists_null(key: &str, value: &Value) -> bool {
    match key {
        "enum" => value.as_array().is_some_and(|values| values.contains(&Value::Null)),
        "const" => value.is_null(),
        _ => false,
    }
}

/// Returns what the value of a keyword is that can't be read.
fn wrong_value(key: &str, value: &Value) -> Option<&'static str> {
    /// Larger integers lose precision in parsers that use 64-bit floats.
    const MAX_INTEGER: f64 = 9_007_199_254_740_991.0;
    let is_readable = || value.as_f64().is_some_and(|number| number.abs() <= MAX_INTEGER);
    let number = || {
        if value.is_number() { "a number that not every program reads" } else { "no number" }
    };
    match key {
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            (length(value).is_none() || !is_readable()).then_some("no whole number from 0")
        }
        "exclusiveMinimum" | "exclusiveMaximum" if value.is_boolean() => None,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => (!is_readable()).then(number),
        "multipleOf" if !is_readable() => Some(number()),
        "multipleOf" => value.as_f64().is_none_or(|step| step <= 0.0).then_some("not above 0"),
        "uniqueItems" => (!value.is_boolean()).then_some("neither `true` nor `false`"),
        "enum" | "required" | "anyOf" | "oneOf" | "allOf" => (!value.is_array()).then_some("no list"),
        "properties" => (!value.is_object()).then_some("no object"),
        "pattern" => (!value.is_string()).then_some("no text"),
        _ => None,
    }
}
