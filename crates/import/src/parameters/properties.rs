//! Objects in a query or a form whose properties are parameters of their own, as `style` says.

use std::collections::BTreeSet;

use serde_json::Value;
use toolcrib_toolset::{is_named_secret, quoted};

use super::{ImportedParameter, ParameterPlace};
use crate::{
    schema::{SchemaReader, UnfitOperation, UrlStyle},
    texts::is_clean,
};

/// How a property is named in the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKey {
    /// By its own name: `style: form` with `explode`.
    Own,
    /// As `object[property]`: `style: deepObject`.
    Nested,
}

impl PropertyKey {
    /// Returns the form that a parameter or an encoding describes. `None` if its properties do not stand for
    /// themselves. `default` is the style of one that names none.
    pub fn of(described: &Value, default: &str) -> Option<Self> {
        let style = described.get("style").and_then(Value::as_str).unwrap_or(default);
        match style {
            "deepObject" => Some(Self::Nested),
            "form" if described.get("explode") != Some(&Value::Bool(false)) => Some(Self::Own),
            _ => None,
        }
    }

    fn key(self, object: &str, property: &str) -> String {
        match self {
            Self::Own => property.to_owned(),
            Self::Nested => format!("{object}[{property}]"),
        }
    }
}

/// An object whose properties become parameters.
#[derive(Clone, Copy, Debug)]
pub struct SpreadObject<'o> {
    /// Its name in the request.
    pub name: &'o str,
    /// The query or the body.
    pub place: ParameterPlace,
    /// Whether every call has it.
    pub required: bool,
    pub keys: PropertyKey,
}

/// Reads the properties of an object as parameters. `None` if the schemas are not those of an object with properties.
/// `taken` are the keys that stand in the same place.
pub fn read_properties<'a>(
    object: SpreadObject<'_>,
    schemas: &[&'a Value],
    taken: &mut BTreeSet<String>,
    reader: &mut SchemaReader<'a>,
) -> Result<Option<Vec<ImportedParameter>>, UnfitOperation> {
    let Some(flat) = reader.object_of_properties(schemas)? else { return Ok(None) };
    // It does not stand in the request itself, so that a property may have its name.
    if object.keys == PropertyKey::Own {
        taken.remove(object.name);
    }
    let mut parameters = Vec::new();
    for (name, schemas) in &flat.all_properties() {
        let (key, place) = (object.keys.key(object.name, name), object.place);
        let required = object.required && flat.required.contains(name);
        let read = reader.inside(&flat, |reader| read_property(name, &key, place, schemas, reader));
        let read = match read {
            Ok(Some(_)) if !taken.insert(key.clone()) => {
                Err("has the name of another parameter".to_owned().into())
            }
            read => read,
        };
        match read {
            Ok(schema) => {
                let parameter = |schema| ImportedParameter { key, place, required, schema };
                parameters.extend(schema.map(parameter));
            }
            Err(UnfitOperation::Reason(reason)) if !required => reader.note(format!(
                "the property {} of {} was dropped: it {reason}",
                quoted(name),
                quoted(object.name)
            )),
            Err(UnfitOperation::Reason(reason)) => {
                return Err(format!("needs the property {}, which {reason}", quoted(name)).into());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Some(parameters))
}

/// Reads a property. `None` if only the service sets it.
fn read_property<'a>(
    name: &str,
    key: &str,
    place: ParameterPlace,
    schemas: &[&'a Value],
    reader: &mut SchemaReader<'a>,
) -> Result<Option<Value>, UnfitOperation> {
    if !is_clean(key) || key.contains(['{', '}']) {
        return Err("has a name that is not possible".to_owned().into());
    }
    let schema = reader.form_value(name, schemas, UrlStyle::Repeated)?;
    if place == ParameterPlace::Query
        && let Some(schema) = &schema
    {
        refuse_secret(name, schema)?;
    }
    Ok(schema)
}

/// Refuses a secret that would stand in a URL or a header.
pub fn refuse_secret(name: &str, schema: &Value) -> Result<(), UnfitOperation> {
    if is_named_secret(name, schema) || schema.get("x-sensitive").is_some() {
        let reason = "has the name or form of a secret, and a secret may only stand in a body";
        return Err(reason.to_owned().into());
    }
    Ok(())
}
