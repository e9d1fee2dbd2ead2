//! Reads objects.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use toolcrib_registry::accepts_null;
use toolcrib_toolset::{MAX_PROPERTIES, is_named_secret, quoted};

use super::{FlatSchema, SchemaReader, UnfitOperation, free_object};
use crate::{limits::MAX_FREE_PROPERTIES, names::is_parameter_name, texts::is_clean};

#[derive(Default)]
struct ReadProperties<'a> {
    properties: Map<String, Value>,
    required: BTreeSet<&'a str>,
    /// Whether a property is not listed, because a parameter can't have its name.
    has_unlisted: bool,
}

impl<'a> SchemaReader<'a> {
    pub(super) fn object(&mut self, flat: &FlatSchema<'a>, depth: usize) -> Result<Value, UnfitOperation> {
        if flat.properties.is_empty() && flat.required.is_empty() {
            return self.map(flat, depth);
        }
        // A list of objects needs two levels below this one.
        if depth + 2 > self.depth {
            self.note("an object that is nested too deep became an object with any properties");
            return Ok(free_object());
        }
        let ReadProperties { properties, required, has_unlisted } = self.properties(flat, depth)?;
        if properties.is_empty() {
            return Ok(free_object());
        }
        let mut object = json!({ "type": "object", "properties": properties });
        let Some(fields) = object.as_object_mut() else { return Ok(object) };
        if !required.is_empty() {
            fields.insert("required".into(), json!(required));
        }
        bound(flat, "minProperties", None, fields);
        if takes_others(flat) || has_unlisted {
            fields.insert("additionalProperties".into(), json!(true));
            fields.insert("x-free".into(), json!(true));
            bound(flat, "maxProperties", Some(MAX_PROPERTIES), fields);
        } else {
            bound(flat, "maxProperties", None, fields);
        }
        Ok(object)
    }

    /// Reads the properties and returns them with the names of the required ones.
    fn properties(
        &mut self,
        flat: &FlatSchema<'a>,
        depth: usize,
    ) -> Result<ReadProperties<'a>, UnfitOperation> {
        let mut read = ReadProperties { required: flat.required.clone(), ..ReadProperties::default() };
        for (name, schemas) in &flat.all_properties() {
            let needed = read.required.contains(name);
            if !is_parameter_name(name) || !is_clean(name) {
                let name = quoted(name);
                self.note(format!(
                    "the property {name} is not listed, as its name is not possible; it can be given"
                ));
                read.has_unlisted = true;
                continue;
            }
            match self.property(name, schemas, depth + 1) {
                Ok(Some(mut schema)) => {
                    if !needed {
                        mark_optional(&mut schema);
                    }
                    read.properties.insert((*name).to_owned(), schema);
                }
                Ok(None) => drop(read.required.remove(name)),
                Err(UnfitOperation::Reason(reason)) if !needed => {
                    self.note(format!("the property {} was dropped: it {reason}", quoted(name)));
                }
                Err(error) => return Err(error),
            }
        }
        read.required.retain(|name| read.properties.contains_key(*name));
        Ok(read)
    }

    /// Reads a property. `None` if only the service sets it.
    pub fn property(
        &mut self,
        name: &str,
        schemas: &[&'a Value],
        depth: usize,
    ) -> Result<Option<Value>, UnfitOperation> {
        self.properties += 1;
        if self.properties > MAX_PROPERTIES {
            let reason = format!("has more than {MAX_PROPERTIES} properties");
            return Err(UnfitOperation::TooDetailed(reason));
        }
        let Some(flat) = self.flatten(schemas)? else { return Ok(Some(self.recursive(schemas))) };
        if flat.is("readOnly") {
            return Ok(None);
        }
        let mut schema = self.build(&flat, depth)?;
        mark_secret(name, &mut schema);
        Ok(Some(schema))
    }

    /// Reads an object without named properties.
    fn map(&mut self, flat: &FlatSchema<'a>, depth: usize) -> Result<Value, UnfitOperation> {
        let mut object = free_object();
        let values = flat.keyword("additionalProperties").filter(|values| values.as_object().is_some());
        if let Some(values) = values.filter(|_| depth + 2 <= self.depth)
            && values != &json!({})
        {
            let read = self.read(values, depth + 1)?;
            if let Some(fields) = object.as_object_mut() {
                fields.insert("additionalProperties".into(), read);
            }
        }
        if let Some(fields) = object.as_object_mut() {
            bound(flat, "minProperties", None, fields);
            bound(flat, "maxProperties", Some(MAX_FREE_PROPERTIES), fields);
        }
        Ok(object)
    }
}

/// Returns whether an object has other properties than those that are listed.
pub fn takes_others(flat: &FlatSchema<'_>) -> bool {
    flat.is("additionalProperties") || flat.keyword("additionalProperties").is_some_and(Value::is_object)
}

/// Sets a bound to what is written, or else to the default.
pub fn bound(flat: &FlatSchema<'_>, key: &str, default: Option<usize>, fields: &mut Map<String, Value>) {
    if let Some(length) = flat.length(key) {
        fields.insert(key.into(), json!(length));
    } else if let Some(default) = default {
        fields.insert(key.into(), json!(default));
    }
}

/// Marks a property that has the name of a secret.
pub fn mark_secret(name: &str, schema: &mut Value) {
    if is_named_secret(name, schema)
        && let Some(object) = schema.as_object_mut()
    {
        object.insert("x-sensitive".into(), json!(true));
    }
}

/// Marks an optional property for which null is a value of its own.
pub fn mark_optional(schema: &mut Value) {
    if accepts_null(schema)
        && let Some(object) = schema.as_object_mut()
    {
        object.insert("x-nullable".into(), json!(true));
    }
}
