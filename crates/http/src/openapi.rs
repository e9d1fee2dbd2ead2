//! The OpenAPI 3.1 document, generated: every action as its own typed operation, every row of the route table, and
//! what is neither.

use serde_json::{Map, Value, json};
use toolcrib_engine::Catalog;

mod actions;
mod components;
mod operation;
mod rows;
mod special;

use operation::Operation;

/// The document for a catalogue. The same catalogue gives the same bytes.
pub fn openapi(catalog: &Catalog) -> Value {
    let mut paths = Map::new();
    let mut add = |operation: Operation| {
        let path = paths.entry(operation.path.clone()).or_insert_with(|| json!({}));
        if let Some(methods) = path.as_object_mut() {
            methods.insert(operation.method.to_owned(), operation.into_value());
        }
    };
    special::operations().into_iter().for_each(&mut add);
    actions::operations(catalog).for_each(&mut add);
    rows::operations(catalog).for_each(&mut add);
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Toolcrib",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Platform actions for chatbots, agents and people, behind one set of gates.",
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": [{ "bearer": [] }],
        "paths": paths,
        "components": components::components(),
    })
}
