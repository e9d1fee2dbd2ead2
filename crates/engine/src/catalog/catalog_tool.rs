//! A declared tool as the gates run it: who runs it, and its texts for people.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_registry::ActionMeta;
use toolcrib_toolset::{CheckedTool, TargetMapping, TemplatePart, ToolExecutor, template_parts};

use super::{action::Target, upstreams::CatalogUpstream};
use crate::base::{UpstreamTarget, mask, show};

/// What stands before the host, and after the target, in what a confirmation says about a tool that an upstream runs.
pub(crate) const SENT_TO: &str = "sent to ";
/// What a confirmation says about a tool that the caller runs.
const RUN_BY_APPLICATION: &str = "the application runs it";

/// What the gates need of a declared tool beside its declaration.
#[derive(Clone, Debug)]
pub struct CatalogTool {
    /// Who runs it.
    pub executor: ToolExecutor,
    /// The upstream that it calls. `None` for a tool that the caller runs, and where there is no such upstream.
    pub upstream: Option<Arc<CatalogUpstream>>,
    confirm_text: Option<Box<str>>,
    result_text: Option<Box<str>>,
}

impl CatalogTool {
    /// Keeps what the gates need.
    pub fn of(tool: &CheckedTool, upstream: Option<Arc<CatalogUpstream>>) -> Self {
        let text = |text: &Option<String>| text.as_deref().map(Box::from);
        let (confirm_text, result_text) = (text(&tool.confirm_text), text(&tool.result_text));
        Self { executor: tool.executor.clone(), upstream, confirm_text, result_text }
    }

    /// Returns whether the caller runs the tool.
    pub fn is_client_run(&self) -> bool {
        matches!(self.executor, ToolExecutor::Client { .. })
    }

    /// Returns whether everything that a call needs is configured, as far as is known before the call.
    pub fn is_available(&self) -> bool {
        self.is_client_run() || self.upstream.as_ref().is_some_and(|upstream| upstream.is_configured())
    }

    /// Fills in the defaults of omitted parameters. Returns what a person confirms.
    pub fn target(&self, meta: &ActionMeta, arguments: &mut Value, found: Option<&UpstreamTarget>) -> Target {
        fill_defaults(meta.input.value(), arguments);
        let whom = match &self.upstream {
            Some(upstream) => Some(format!("{SENT_TO}{}", upstream.host())),
            None => self.is_client_run().then(|| RUN_BY_APPLICATION.to_owned()),
        };
        let parts = found.map(|target| target.label.clone()).into_iter().chain(whom);
        let detail = Some(parts.collect::<Vec<_>>().join("; ")).filter(|detail| !detail.is_empty());
        Target { label: self.sentence(meta, arguments), detail, ..Target::default() }
    }

    /// Returns the mapping of the thing that a call changes, if the tool declares one.
    pub fn target_mapping(&self) -> Option<&TargetMapping> {
        match &self.executor {
            ToolExecutor::Http(mapping) => mapping.target.as_ref(),
            _ => None,
        }
    }

    /// Returns the text for people about a target that the upstream described.
    pub fn target_label(&self, meta: &ActionMeta, arguments: &Value, found: &Value) -> String {
        let label = self.target_mapping().and_then(|target| target.label.as_deref());
        label.map(|label| render(label, meta, arguments, found)).unwrap_or_default()
    }

    /// Returns one sentence about the call before it ran.
    pub fn sentence(&self, meta: &ActionMeta, arguments: &Value) -> String {
        match &self.confirm_text {
            Some(text) => render(text, meta, arguments, &Value::Null),
            None => crate::response::sentence(&meta.spec.name, None, None),
        }
    }

    /// Returns one sentence about the call after it succeeded. `output` is masked already.
    pub fn result_sentence(&self, meta: &ActionMeta, arguments: &Value, output: &Value) -> String {
        match &self.result_text {
            Some(text) => render(text, meta, arguments, output),
            None => self.sentence(meta, arguments),
        }
    }
}

/// Fills places in a text with masked parameters and parts of the response, each cut as in a summary.
fn render(text: &str, meta: &ActionMeta, arguments: &Value, output: &Value) -> String {
    let mut masked = arguments.clone();
    mask::mask(meta.input.value(), &mut masked);
    // The braces were checked with the document.
    let parts = template_parts(text).unwrap_or_default().into_iter();
    let shown = |value: Option<&Value>| value.map(show).unwrap_or_default();
    let words = parts.map(|part| match part {
        TemplatePart::Text(text) => text.to_owned(),
        TemplatePart::Parameter(name) => shown(masked.get(name)),
        TemplatePart::Pointer(pointer) => shown(output.pointer(pointer)),
    });
    words.collect()
}

/// Fills in the defaults of a schema's properties, also of nested objects that are given.
fn fill_defaults(schema: &Value, value: &mut Value) {
    let (Some(properties), Some(fields)) =
        (schema.get("properties").and_then(Value::as_object), value.as_object_mut())
    else {
        return;
    };
    for (name, schema) in properties {
        match fields.get_mut(name) {
            Some(given) => fill_defaults(schema, given),
            None => {
                if let Some(default) = schema.get("default") {
                    fields.insert(name.clone(), default.clone());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolcrib_registry::{Category, Permission, Spec};

    use super::*;

    fn meta() -> ActionMeta {
        let spec = Spec::write("desk__close", Category::Toolset, Permission::AGENTS_MANAGE);
        let input = json!({"type": "object", "properties": {
            "id": {"type": "string"}, "pin": {"type": "string", "x-sensitive": true},
            "how": {"type": "object", "properties": {"fast": {"type": "boolean", "default": true}}},
            "limit": {"type": "integer", "default": 5}
        }});
        ActionMeta::declared(spec, &input, &json!({}), "d")
    }

    fn tool(confirm: Option<&str>, result: Option<&str>) -> CatalogTool {
        let executor = ToolExecutor::Client { claim_seconds: 1, run_seconds: 1 };
        CatalogTool {
            executor,
            upstream: None,
            confirm_text: confirm.map(Box::from),
            result_text: result.map(Box::from),
        }
    }

    #[test]
    fn defaults_are_filled_in_and_what_is_given_stays() {
        let mut arguments = json!({"id": "a", "how": {}});
        tool(None, None).target(&meta(), &mut arguments, None);
        assert_eq!(arguments, json!({"id": "a", "how": {"fast": true}, "limit": 5}));
        let mut given = json!({"limit": 7, "how": {"fast": false}});
        fill_defaults(meta().input.value(), &mut given);
        assert_eq!(given, json!({"limit": 7, "how": {"fast": false}}));
    }

    #[test]
    fn texts_have_masked_and_cut_values() {
        let tool = tool(Some("Close {id} with {pin}{gone}"), Some("Closed {id}: {/state} {/none}"));
        let arguments = json!({"id": "x".repeat(80), "pin": "1234"});
        let before = tool.sentence(&meta(), &arguments);
        assert_eq!(before, format!("Close {}… with {}", "x".repeat(49), mask::MASK));
        let after = tool.result_sentence(&meta(), &json!({"id": "a"}), &json!({"state": "done"}));
        assert_eq!(after, "Closed a: done ");
    }

    #[test]
    fn a_tool_without_texts_is_named() {
        assert_eq!(tool(None, None).sentence(&meta(), &json!({})), "Close");
    }
}
