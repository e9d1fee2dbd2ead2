//! Reads schemas of OpenAPI 3.0 and 3.1 as schemas of tools: references inlined, `allOf` merged, and without the
//! keywords that a tool's schema can't have.

mod choice;
mod finish;
mod flat;
mod flatten;
mod object;
mod scalar;
mod url_value;

use std::{cell::Cell, collections::BTreeSet};

use serde_json::{Value, json};
use toolcrib_toolset::MAX_SCHEMA_DEPTH;

pub use choice::is_condition_only;
pub use finish::{describe, remove_null};
pub use flat::{ANY, FlatSchema};
pub use object::{mark_optional, mark_secret, takes_others};
pub use url_value::UrlStyle;

use crate::{
    limits::{MAX_FREE_PROPERTIES, MAX_SCHEMAS},
    references::DocumentReferences,
};

/// Why an operation does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnfitOperation {
    /// It has too many parts. Fewer levels of its schemas may fit.
    TooDetailed(String),
    /// Another reason.
    Reason(String),
}

impl From<String> for UnfitOperation {
    fn from(reason: String) -> Self {
        Self::Reason(reason)
    }
}

/// Reads the schemas of one operation.
pub struct SchemaReader<'a> {
    references: DocumentReferences<'a>,
    /// The depth to which objects and choices are read. The root of the parameters has depth 1.
    depth: usize,
    /// What the import may still do, so that no document takes forever.
    work: &'a Cell<usize>,
    /// The references that are being inlined.
    open: Vec<&'a str>,
    schemas: usize,
    properties: usize,
    patterns: usize,
    /// What differs from the document.
    pub notes: BTreeSet<String>,
}

impl<'a> SchemaReader<'a> {
    /// Creates a reader that reads objects to this depth.
    pub fn new(references: DocumentReferences<'a>, depth: usize, work: &'a Cell<usize>) -> Self {
        let notes = BTreeSet::new();
        Self { references, depth, work, open: Vec::new(), schemas: 0, properties: 0, patterns: 0, notes }
    }

    /// Adds a note about the operation.
    pub fn note(&mut self, message: impl Into<String>) {
        self.notes.insert(message.into());
    }

    /// Returns what was read of a part of the operation, which `part` names in messages. Drops a part that does not
    /// fit, unless it is required.
    pub fn drop_unfit<T: Default>(
        &mut self,
        read: Result<T, UnfitOperation>,
        part: &str,
        required: bool,
    ) -> Result<T, UnfitOperation> {
        match read {
            Err(UnfitOperation::Reason(reason)) if required => {
                Err(format!("needs the {part}, which {reason}").into())
            }
            Err(UnfitOperation::Reason(reason)) => {
                self.note(format!("the {part} was dropped: it {reason}"));
                Ok(T::default())
            }
            read => read,
        }
    }

    pub fn read(&mut self, schema: &'a Value, depth: usize) -> Result<Value, UnfitOperation> {
        match self.flatten(&[schema])? {
            Some(flat) => self.build(&flat, depth),
            None => Ok(self.recursive(&[schema])),
        }
    }

    /// Does something with the parts of a schema, while the references to it count as open.
    pub fn inside<T>(&mut self, flat: &FlatSchema<'a>, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.open.len();
        self.open.extend(&flat.opened);
        let done = work(self);
        self.open.truncate(before);
        done
    }

    /// Makes the schema of a tool from what a schema says.
    pub fn build(&mut self, flat: &FlatSchema<'a>, depth: usize) -> Result<Value, UnfitOperation> {
        let built = self.inside(flat, |reader| match flat.choice {
            _ if flat.is_null_only() => Ok(json!({ "type": "null" })),
            Some(options) => reader.choice(flat, options, depth),
            None => {
                reader.note_unlisted(flat);
                reader.of_types(flat, depth)
            }
        });
        let mut schema = built?;
        if flat.nullable {
            finish::add_null(&mut schema);
        }
        finish::describe(&mut schema, flat.text("description"), flat.keyword("default"));
        Ok(schema)
    }

    fn of_types(&mut self, flat: &FlatSchema<'a>, depth: usize) -> Result<Value, UnfitOperation> {
        let types = flat.types();
        match types.as_slice() {
            [] => Ok(any_value()),
            ["object"] => self.object(flat, depth),
            ["array"] => self.list(flat, depth),
            types if !types.iter().any(|kind| matches!(*kind, "object" | "array")) => {
                Ok(self.scalar(flat, types))
            }
            types => {
                let mut options = Vec::new();
                for kind in types {
                    let mut one = flat.of_type(kind);
                    one.nullable = false;
                    options.push(self.of_types(&one, depth + 1)?);
                }
                Ok(json!({ "anyOf": options }))
            }
        }
    }

    fn list(&mut self, flat: &FlatSchema<'a>, depth: usize) -> Result<Value, UnfitOperation> {
        if depth >= MAX_SCHEMA_DEPTH {
            return Err(format!("has lists that are nested deeper than {MAX_SCHEMA_DEPTH} levels").into());
        }
        let items = match flat.keyword("items") {
            Some(items @ (Value::Object(_) | Value::Bool(true))) => self.read(items, depth + 1)?,
            // Each item has a schema of its own, or there are none beside those of `prefixItems`.
            Some(_) => {
                self.note("the keyword `items` was dropped: it is no schema of every item");
                any_value()
            }
            None => any_value(),
        };
        let mut list = json!({ "type": "array", "items": items });
        bound_list(flat, &mut list);
        Ok(list)
    }

    /// Returns the schema that stands for one that contains itself.
    fn recursive(&mut self, schemas: &[&'a Value]) -> Value {
        if schemas.iter().any(|schema| self.is_object(schema)) {
            self.note("a recursive schema became an object with any properties");
            free_object()
        } else {
            self.note("a recursive schema became any value");
            any_value()
        }
    }

    /// Returns whether a schema or what it refers to says that its values are objects.
    fn is_object(&self, schema: &'a Value) -> bool {
        let Ok(target) = self.references.resolve(schema) else { return false };
        target.get("type").is_some_and(|kind| kind == "object")
            && target.get("nullable") != Some(&json!(true))
    }

    /// Counts work. Fails when the operation has too many parts.
    fn spend(&mut self, schemas: usize) -> Result<(), UnfitOperation> {
        self.schemas += schemas;
        self.work.set(self.work.get().saturating_sub(schemas));
        if self.schemas > MAX_SCHEMAS || self.work.get() == 0 {
            return Err(UnfitOperation::TooDetailed(format!("has more than {MAX_SCHEMAS} parts")));
        }
        Ok(())
    }
}

/// Adds the bounds of a list.
fn bound_list(flat: &FlatSchema<'_>, list: &mut Value) {
    let Some(list) = list.as_object_mut() else { return };
    object::bound(flat, "minItems", None, list);
    object::bound(flat, "maxItems", None, list);
    if flat.is("uniqueItems") {
        list.insert("uniqueItems".into(), json!(true));
    }
}

/// Returns a schema for an object with any properties.
pub fn free_object() -> Value {
    json!({
        "type": "object", "additionalProperties": true, "maxProperties": MAX_FREE_PROPERTIES, "x-free": true
    })
}

/// Returns a schema for any value. It names the types, because some models need them.
pub fn any_value() -> Value {
    json!({
        "type": ["string", "number", "boolean", "object", "array", "null"],
        "additionalProperties": true, "maxProperties": MAX_FREE_PROPERTIES, "items": { "x-free": true },
        "x-free": true
    })
}
