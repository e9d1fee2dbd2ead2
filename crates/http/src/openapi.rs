//! Generates the OpenAPI 3.1 document: one typed operation for every action, one for every row of the route
//! table, and the other routes.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolcrib_engine::{CallerTools, Catalog};
use toolcrib_registry::{ActionMeta, PackInfo};

mod actions;
mod components;
mod open_calls;
mod operation;
mod portable;
mod rows;
mod service;
mod special;
mod tags;

use operation::Operation;

/// The description of the document: rules of all operations.
const ABOUT: &str = "Send a user's token or a key as `Authorization: Bearer …`, and `X-Workspace-Id` where the credential \
    names no workspace. Refusals are `application/problem+json`; branch on `code`. A call that needs a human is answered \
    with 202 and a confirmation. Lists are paged: give `next_cursor` as `cursor`. Query parameters that an operation does \
    not have are refused. A number keeps the digits in which it was written, and a text holds no NUL.";

/// Returns the document of a catalogue. The same catalogue gives the same bytes.
pub fn openapi(catalog: &Catalog) -> Value {
    let mut paths = Map::new();
    let mut add = |operation: Operation| {
        let path = paths.entry(operation.path.clone()).or_insert_with(|| json!({}));
        if let Some(methods) = path.as_object_mut() {
            methods.insert(operation.method.clone(), operation.into_value());
        }
    };
    special::operations().into_iter().chain(service::operations()).for_each(&mut add);
    actions::operations(catalog).for_each(&mut add);
    rows::operations(catalog).for_each(&mut add);
    document(paths, catalog.registry().packs(), components::components())
}

/// Returns the document of the actions that a caller may run, for programs that make tools from its operations. Also
/// describes declared tools, which are not in the document of the catalogue.
pub fn openapi_view(tools: &CallerTools<'_>) -> Value {
    let metas = tools.allowed();
    let item = |meta: &&Arc<ActionMeta>| {
        (actions::path(&meta.spec.name), json!({ "post": actions::operation(meta).into_value() }))
    };
    let paths = metas.iter().map(item).collect();
    let components = components::used_by(&components::components(), &paths);
    document(paths, metas.iter().filter_map(|meta| meta.spec.category.pack()), components)
}

fn document(
    paths: Map<String, Value>,
    packs: impl Iterator<Item = &'static PackInfo>,
    components: Value,
) -> Value {
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Toolcrib",
            "version": env!("CARGO_PKG_VERSION"),
            "summary": "Platform actions for chatbots, agents and people, behind one set of gates.",
            "description": ABOUT,
            "license": { "name": "Apache-2.0", "identifier": "Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "security": [{ "bearer": [] }],
        "tags": tags::of(&paths, packs),
        "paths": paths,
        "components": components,
    })
}
