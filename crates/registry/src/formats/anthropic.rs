//! Anthropic's Messages: `{name, description, input_schema, strict?, defer_loading?}`.

use serde_json::{Map, Value, json};

use super::{
    Tool,
    openai::unfit,
    rewrite::{DroppedKeyword, carry, drop_keyword, walk},
};

/// The string formats that a strict schema may use.
const FORMATS: [&str; 10] =
    ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];
/// Keywords that a strict schema may not contain.
const BEYOND_STRICT: [&str; 11] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minLength",
    "maxLength",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
];
/// The maximum nesting depth of a strict schema. Anthropic refuses complex schemas.
const DEEPEST: usize = 10;

pub fn tools(tools: &[Tool<'_>]) -> Value {
    let mut list: Vec<Value> = Vec::with_capacity(tools.len() + 1);
    if tools.iter().any(|tool| tool.defer) {
        list.push(json!({ "type": "tool_search_tool_bm25_20251119", "name": "tool_search_tool_bm25" }));
    }
    list.extend(tools.iter().map(tool));
    Value::Array(list)
}

fn tool(tool: &Tool<'_>) -> Value {
    let strict = tool.strict.then(|| strict_anthropic(&tool.input)).flatten();
    let is_strict = strict.is_some();
    let mut out = Map::new();
    out.insert("name".into(), json!(tool.name));
    out.insert("description".into(), json!(tool.description));
    out.insert("input_schema".into(), strict.unwrap_or_else(|| carry(&tool.input, &mut Vec::new())));
    if is_strict {
        out.insert("strict".into(), json!(true));
    }
    if tool.defer {
        out.insert("defer_loading".into(), json!(true));
    }
    Value::Object(out)
}

/// Converts a schema to Anthropic's strict subset. Bounds move into descriptions; optional parameters stay
/// optional. Returns `None` if the subset can't express the schema, such as one with a free object.
pub fn strict_anthropic(input: &Value) -> Option<Value> {
    carry_strict(input, &mut Vec::new()).ok()
}

/// Like [`strict_anthropic`], and also appends the keywords that the subset can't express. The error says why a schema
/// has no strict form.
pub fn carry_strict(
    input: &Value,
    dropped_keywords: &mut Vec<DroppedKeyword>,
) -> Result<Value, &'static str> {
    unfit(input, 1, DEEPEST, false)?;
    let mut schema = carry(input, dropped_keywords);
    walk(&mut schema, "", &mut |object, at| {
        for keyword in BEYOND_STRICT {
            drop_keyword(object, at, keyword, dropped_keywords);
        }
        if object.get("minItems").and_then(Value::as_u64).is_some_and(|n| n > 1) {
            drop_keyword(object, at, "minItems", dropped_keywords);
        }
        if object.get("format").and_then(Value::as_str).is_some_and(|f| !FORMATS.contains(&f)) {
            drop_keyword(object, at, "format", dropped_keywords);
        }
        // The subset's patterns have no look-around, back-reference or counted repetition.
        let hard = |p: &str| p.contains("(?") || p.contains('{') || p.contains("\\b");
        if object.get("pattern").and_then(Value::as_str).is_some_and(hard) {
            drop_keyword(object, at, "pattern", dropped_keywords);
        }
    });
    Ok(schema)
}
