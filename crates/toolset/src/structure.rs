//! The document's JSON Schema, and the defects that it finds.

mod explain;
mod prune;

use std::sync::LazyLock;

use jsonschema::{PatternOptions, Validator};
use serde_json::{Value, json};
use toolcrib_registry::{coerce_integers, schema_of};

pub use explain::unknown;

use crate::{defect::DefectList, document::Toolset};

static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let mut schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Toolset",
        "description": "A document of declared tools.",
    });
    if let (Some(root), Value::Object(of_type)) = (schema.as_object_mut(), schema_of::<Toolset>()) {
        root.extend(of_type);
    }
    schema
});

/// `None` if the schema does not compile, which a test excludes.
static VALIDATOR: LazyLock<Option<Validator>> =
    LazyLock::new(|| jsonschema::options().with_pattern_options(PatternOptions::regex()).build(&SCHEMA).ok());

/// Returns the JSON Schema of the document.
pub fn schema() -> &'static Value {
    &SCHEMA
}

/// Adds a defect for each place that does not match the schema. Returns the document without these places, so
/// that the rest can be read and checked too.
pub fn check_structure(document: &Value, defects: &mut DefectList) -> Value {
    let mut readable = document.clone();
    coerce_integers(&SCHEMA, &mut readable);
    let Some(validator) = VALIDATOR.as_ref() else {
        defects.add("", "can't be checked: the document's schema does not compile");
        return json!({});
    };
    if validator.is_valid(&readable) {
        return readable;
    }
    let mut wrong = Vec::new();
    for error in validator.iter_errors(document) {
        if defects.is_full() {
            break;
        }
        explain::explain(&SCHEMA, &error, defects, &mut wrong);
    }
    prune::prune(&mut readable, wrong);
    readable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_compiles() {
        assert!(VALIDATOR.is_some());
    }
}
