//! Checks that a tool is valid in each format of the model providers.

use serde_json::Value;
use toolcrib_registry::{
    Format, InputSchema, Tool, ToolState, carried, render, strict_anthropic, strict_openai,
};
use toolcrib_toolset::CheckedTool;

/// The keywords that Gemini's schemas have.
const GEMINI: [&str; 22] = [
    "type",
    "format",
    "title",
    "description",
    "nullable",
    "default",
    "items",
    "minItems",
    "maxItems",
    "enum",
    "properties",
    "propertyOrdering",
    "required",
    "minProperties",
    "maxProperties",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "pattern",
    "example",
    "anyOf",
];

/// Returns what is wrong with a tool in any of the formats.
pub fn defects(slug: &str, tool: &CheckedTool) -> Vec<String> {
    let mut found = Vec::new();
    let meta = tool.meta(slug, ToolState::On);
    if let Err(error) = InputSchema::new(tool.parameters.clone()) {
        return vec![error];
    }
    for format in Format::ALL {
        let list = render(*format, &[Tool::of(&meta)]);
        let mut say = |message: &str| found.push(format!("{} in {format}: {message}", tool.full_name));
        if !list.to_string().contains(&format!("\"name\":\"{}\"", tool.full_name)) {
            say("not in the list");
        }
        if tool.full_name.len() > 64 || tool.description.chars().count() > 1_024 {
            say("a name or a description that is too long");
        }
        let schema = carried(*format, meta.input.value());
        if let Some(message) = wrong_root(*format, &schema) {
            say(message);
        }
        if *format != Format::Gemini && InputSchema::new(schema.clone()).is_err() {
            say("no JSON Schema");
        }
        let is_empty = schema["properties"].as_object().is_some_and(serde_json::Map::is_empty);
        if *format == Format::Gemini && is_empty {
            continue;
        }
        visit(&schema, &mut |object| wrong_part(*format, object).into_iter().for_each(&mut say));
    }
    for strict in
        [strict_openai(meta.input.value()), strict_anthropic(meta.input.value())].into_iter().flatten()
    {
        if InputSchema::new(strict).is_err() {
            found.push(format!("{}: the strict form is no JSON Schema", tool.full_name));
        }
    }
    found
}

fn wrong_root(format: Format, schema: &Value) -> Option<&'static str> {
    let combines = ["anyOf", "oneOf", "allOf", "not", "enum"].iter().any(|key| schema.get(*key).is_some());
    if schema.get("type").is_none_or(|kind| kind != "object") {
        Some("its root is no object")
    } else if format != Format::Mcp && combines {
        Some("its root is a choice")
    } else {
        None
    }
}

fn wrong_part(format: Format, object: &serde_json::Map<String, Value>) -> Vec<&'static str> {
    let mut wrong = Vec::new();
    if object.contains_key("$ref") {
        wrong.push("a reference");
    }
    if object.keys().any(|key| key.starts_with("x-")) {
        wrong.push("an extension");
    }
    if object.get("type").is_some_and(|kind| kind == "array") && !object.contains_key("items") {
        wrong.push("a list without items");
    }
    if format == Format::Gemini {
        if object.keys().any(|key| !GEMINI.contains(&key.as_str())) {
            wrong.push("a keyword that Gemini refuses");
        }
        let of_properties = object.get("properties").and_then(Value::as_object);
        if object.get("type").is_some_and(|kind| kind == "object")
            && of_properties.is_none_or(serde_json::Map::is_empty)
        {
            wrong.push("an object without properties");
        }
        if !object.contains_key("type") && !object.contains_key("anyOf") {
            wrong.push("a schema without a type");
        }
        if !object.get("type").is_none_or(Value::is_string) {
            wrong.push("a list of types");
        }
        let words = object.get("enum").and_then(Value::as_array);
        if words.is_some_and(|words| !words.iter().all(Value::is_string)) {
            wrong.push("an enum of other values than strings");
        }
    }
    wrong
}

/// Visits a schema and its parts.
fn visit(schema: &Value, visitor: &mut impl FnMut(&serde_json::Map<String, Value>)) {
    let Some(object) = schema.as_object() else { return };
    visitor(object);
    let properties = object.get("properties").and_then(Value::as_object).into_iter().flatten();
    properties.for_each(|(_, property)| visit(property, visitor));
    for key in ["items", "additionalProperties"] {
        if let Some(inner) = object.get(key) {
            visit(inner, visitor);
        }
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        let options = object.get(key).and_then(Value::as_array).into_iter().flatten();
        options.for_each(|option| visit(option, visitor));
    }
}
