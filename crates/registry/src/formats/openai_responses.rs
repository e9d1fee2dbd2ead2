//! OpenAI's Responses: `{type: function, name, description, parameters, strict, defer_loading?}`.

use serde_json::{Map, Value, json};

use super::{Tool, openai};

pub fn tools(tools: &[Tool<'_>]) -> Value {
    let mut list: Vec<Value> = tools.iter().map(tool).collect();
    if tools.iter().any(|tool| tool.defer) {
        list.push(json!({ "type": "tool_search" }));
    }
    Value::Array(list)
}

fn tool(tool: &Tool<'_>) -> Value {
    let mut out = Map::new();
    out.insert("type".into(), json!("function"));
    out.extend(openai::function(tool));
    // In this format tools are strict by default.
    out.entry("strict").or_insert(json!(false));
    if tool.defer {
        out.insert("defer_loading".into(), json!(true));
    }
    Value::Object(out)
}
