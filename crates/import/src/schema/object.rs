//! Reads objects.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use toolcrib_toolset::{MAX_PROPERTIES, is_named_secret, quoted};

use super::{FlatSchema, SchemaReader, UnfitOperation, finish::accepts_null, free_object};
use crate::{names::is_parameter_name, texts::is_clean};

/// The properties of an object, and the names of the required ones.
type ReadProperties<'a> = (Map<String, Value>, BTreeSet<&'a str>);

impl<'a> SchemaReader<'a> {
    pub(super) fn object(&mut self, flat: &FlatSchema<'a>, depth: usize) -> Result<Value, UnfitOperation> {
        if flat.properties.is_empty() {
            return self.map(flat, depth);
        }
        // A list of objects needs two levels below this one.
        if depth + 2 > self.depth {
            self.note("an object that is nested too deep became an object with any properties");
            return Ok(free_object());
        }
        let Some((properties, required)) = self.properties(flat, depth)? else { return Ok(free_object()) };
        if properties.is_empty() {
            return Ok(free_object());
        }
        let mut object = json!({ "type": "object", "properties": properties });
        let Some(fields) = object.as_object_mut() else { return Ok(object) };
        if !required.is_empty() {
            fields.insert("required".into(), json!(required));
        }
        if flat.is("additionalProperties")
            || flat.keyword("additionalProperties").is_some_and(Value::is_object)
        {
            fields.insert("additionalProperties".into(), json!(true));
            fields.insert("maxProperties".into(), json!(MAX_PROPERTIES));
            fields.insert("x-free".into(), json!(true));
        }
        Ok(object)
    }

    /// Reads the properties and returns them with the names of the required ones. `None` if a required property
    /// can't be described.
    fn properties(
        &mut self,
        flat: &FlatSchema<'a>,
        depth: usize,
    ) -> Result<Option<ReadProperties<'a>>, UnfitOperation> {
        let mut properties = Map::new();
        let mut required = flat.required.clone();
        for (name, schemas) in &flat.properties {
            let needed = required.contains(name);
            if !is_parameter_name(name) || !is_clean(name) {
                self.note(format!(
                    "the name of the property {} is not possible; it was dropped",
                    quoted(name)
                ));
                if needed {
                    return Ok(None);
                }
                continue;
            }
            match self.property(name, schemas, depth + 1) {
                Ok(Some(mut schema)) => {
                    if !needed {
                        mark_optional(&mut schema);
                    }
                    properties.insert((*name).to_owned(), schema);
                }
                Ok(None) => drop(required.remove(name)),
                Err(UnfitOperation::Reason(reason)) if !needed => {
                    self.note(format!("the property {} was dropped: it {reason}", quoted(name)));
                }
                Err(error) => return Err(error),
            }
        }
        required.retain(|name| properties.contains_key(*name));
        Ok(Some((properties, required)))
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
        let Some(flat) = self.flatten(schemas)? else { return Ok(Some(self.recursive())) };
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
        Ok(object)
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
