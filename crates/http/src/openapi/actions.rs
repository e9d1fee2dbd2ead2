//! Describes every action as an operation of its own.

use std::fmt::Write as _;

use serde_json::{Value, json};
use toolcrib_engine::Catalog;
use toolcrib_registry::{ActionMeta, Dispatcher, Level};

use super::{components::shared, operation::Operation};

pub(super) fn operations(catalog: &Catalog) -> impl Iterator<Item = Operation> {
    catalog.registry().tools().map(|meta| operation(meta))
}

/// Returns the path at which an action is called.
pub(super) fn path(name: &str) -> String {
    format!("/v1/actions/{name}")
}

pub(super) fn operation(meta: &ActionMeta) -> Operation {
    let spec = &meta.spec;
    let mut operation = Operation::new(
        "post",
        &path(&spec.name),
        &spec.name,
        spec.category.title(),
        summary(&spec.description),
    )
    .describe(&description(meta))
    .body(meta.input.read().into_owned())
    .answers(200, "It ran.", envelope(meta))
    .problems(&[409, 410, 504]);
    if Dispatcher::of_action(&spec.name) == Dispatcher::Declared {
        // The document of a declared tool decides who runs it.
        operation = operation.answers(
            202,
            "The call waits for a person, or the caller runs it; `Location` is the URL of the confirmation or of the call.",
            json!({ "anyOf": [shared("Waiting"), shared("ToRun")] }),
        );
    } else if spec.level >= Level::Write {
        // The workspace's mode may require a confirmation for every write.
        operation = operation.answers(
            202,
            "The call waits for a person; `Location` is the URL of the confirmation.",
            shared("Waiting"),
        );
    }
    if spec.external {
        operation = operation.problems(&[501, 502]);
    }
    operation
}

fn envelope(meta: &ActionMeta) -> Value {
    let own = json!({ "action": { "const": meta.spec.name }, "data": meta.output.read() });
    json!({ "allOf": [shared("CompletedCall"), { "type": "object", "required": ["action", "data"], "properties": own }] })
}

/// Returns the first sentence of a text, without its full stop.
pub(super) fn summary(text: &str) -> &str {
    text.split_once(". ").map_or(text, |(first, _)| first).trim_end_matches('.')
}

fn description(meta: &ActionMeta) -> String {
    let spec = &meta.spec;
    let mut text =
        format!("{}\n\nLevel `{}`, permission `{}`.", spec.description, spec.level.as_str(), spec.permission);
    if spec.admin_only {
        text.push_str(" For admins, owners and system admins.");
    }
    if let Some(warning) = &spec.warning {
        // Writing into a string can\'t fail.
        let _ = write!(text, " A person must confirm first (`{}`): {warning}", spec.confirmation.as_str());
    }
    text
}
