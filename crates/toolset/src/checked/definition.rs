//! The digest of a tool's definition. Confirmations, grants and audit rows are bound to it.

use serde_json::{Map, Value, json};
use toolcrib_registry::digest;

use crate::{
    checked::{CheckedTool, ToolEscalation},
    context::KnownUpstream,
    document::EscalationCondition,
};

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
        "executor": tool.executor.to_json(),
        "base_url": upstream.map(|upstream| &upstream.base_url),
    }))
}

fn escalation(escalation: &ToolEscalation) -> Value {
    let (when, word) = match &escalation.when {
        EscalationCondition::Present => ("present", None),
        EscalationCondition::IsTrue => ("is_true", None),
        EscalationCondition::Equals(word) => ("equals", Some(word)),
    };
    let mut out = Map::new();
    out.insert("parameter".into(), json!(escalation.parameter));
    out.insert("when".into(), json!(when));
    out.insert("word".into(), json!(word));
    out.insert("level".into(), json!(escalation.level));
    Value::Object(out)
}
