//! The document's JSON Schema, and the defects that it finds.

mod explain;

use std::sync::LazyLock;

use jsonschema::{PatternOptions, Validator};
use serde_json::{Value, json};
use toolcrib_registry::{coerce_integers, schema_of};

pub use explain::unknown;

use crate::{
    defect::{DefectList, by_pointer},
    document::Toolset,
};

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
    prune(&mut readable, wrong);
    readable
}

/// Removes the values at these pointers. A wrong item of a list removes the list, because positions in the other
/// pointers must stay right. A wrong tool or upstream becomes an empty object.
fn prune(document: &mut Value, mut wrong: Vec<String>) {
    // Deeper and later places first, so that no removal moves a place that is still to be removed.
    wrong.sort_by(|a, b| by_pointer(b, a));
    for pointer in wrong {
        remove(document, &pointer);
    }
}

fn remove(document: &mut Value, pointer: &str) {
    let Some((parent, key)) = pointer.rsplit_once('/') else {
        *document = json!({});
        return;
    };
    match document.pointer_mut(parent) {
        Some(Value::Object(fields)) => {
            fields.shift_remove(&key.replace("~1", "/").replace("~0", "~"));
        }
        Some(Value::Array(items)) if matches!(parent, "/tools" | "/upstreams") => {
            if let Some(item) = key.parse::<usize>().ok().and_then(|at| items.get_mut(at)) {
                *item = json!({});
            }
        }
        Some(_) => remove(document, parent),
        None => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_compiles() {
        assert!(VALIDATOR.is_some());
    }

    #[test]
    fn wrong_values_are_removed_and_positions_stay() {
        let mut document = json!({
            "slug": 1, "tools": [{ "tags": ["a", 1, 2], "name": "x" }, 3, { "a/b": 1, "name": "y" }]
        });
        let wrong = ["/slug", "/tools/0/tags/1", "/tools/0/tags/2", "/tools/1", "/tools/2/a~1b", "/none/x"];
        prune(&mut document, wrong.map(str::to_owned).to_vec());
        assert_eq!(document, json!({ "tools": [{ "name": "x" }, {}, { "name": "y" }] }));
    }
}
