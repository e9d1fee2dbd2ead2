//! The digest of a tool's definition. Confirmations, grants and audit rows are bound to it.

use serde_json::{Value, json};
use toolcrib_registry::{Condition, Escalation, digest};

use crate::{checked::CheckedTool, context::KnownUpstream};

/// Returns the SHA-256 in hex of what the tool is and does: its name, level, texts, schemas, confirmation and
/// executor, and the base URL of its upstream if it is known. Who may call it and how it is found do not
/// belong to it.
pub fn definition_digest(tool: &CheckedTool, upstream: Option<&KnownUpstream>) -> String {
    digest(&json!({
        "form": "toolset-tool/1",
        "name": tool.full_name,
        "level": tool.level,
        "description": tool.description,
        "parameters": tool.parameters,
        "output": tool.output,
        "confirmation": tool.confirmation,
        "warning": tool.warning,
        "confirm_text": tool.confirm_text,
        "result_text": tool.result_text,
        "always_show": tool.always_show,
        "escalations": tool.escalations.iter().map(escalation).collect::<Vec<_>>(),
        "executor": tool.executor,
        "base_url": upstream.map(|upstream| &upstream.base_url),
    }))
}

fn escalation(Escalation { parameter, when, level }: &Escalation) -> Value {
    let (when, word) = match when {
        Condition::Present => ("present", None),
        Condition::IsTrue => ("is_true", None),
        Condition::Equals(word) => ("equals", Some(word)),
    };
    json!({ "parameter": parameter, "when": when, "word": word, "level": level })
}
