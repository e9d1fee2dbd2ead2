//! The Model Context Protocol: `{name, title, description, inputSchema, annotations}`.
//!
//! Without `outputSchema`: the output schemas of all actions cost more tokens than everything else in their list.

use serde_json::{Map, Value, json};

use super::{Tool, rewrite::plain};
use crate::Level;

pub fn tool(tool: &Tool<'_>) -> Value {
    let mut out = Map::new();
    out.insert("name".into(), json!(tool.name));
    out.insert("title".into(), json!(tool.title));
    out.insert("description".into(), json!(tool.description));
    out.insert("inputSchema".into(), plain(&tool.input));
    out.insert("annotations".into(), annotations(tool));
    Value::Object(out)
}

fn annotations(tool: &Tool<'_>) -> Value {
    let mut out = Map::new();
    // Without annotations a client assumes that the tool may be destructive, which is right for the
    // dispatcher.
    if let Some(level) = tool.level {
        out.insert("readOnlyHint".into(), json!(level == Level::Read));
        out.insert("destructiveHint".into(), json!(level == Level::Destructive));
        out.insert("idempotentHint".into(), json!(level == Level::Read));
    }
    out.insert("openWorldHint".into(), json!(tool.open_world));
    Value::Object(out)
}
