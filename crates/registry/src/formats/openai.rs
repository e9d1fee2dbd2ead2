//! OpenAI's Chat Completions: `{type: function, function: {name, description, parameters, strict?}}`.

use serde_json::{Map, Value, json};

use super::{
    Tool,
    rewrite::{Loss, lose, plain, plain_root, required, walk},
};

/// Formats of strings that a strict schema may name.
const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
/// A strict schema may nest this deep.
const DEEPEST: usize = 10;

pub fn tool(tool: &Tool<'_>) -> Value {
    json!({ "type": "function", "function": function(tool) })
}

/// Name, description, parameters and, where it holds, strict.
pub fn function(tool: &Tool<'_>) -> Map<String, Value> {
    let strict = tool.strict.then(|| strict_openai(&tool.input)).flatten();
    let is_strict = strict.is_some();
    let parameters = strict.unwrap_or_else(|| carry(&tool.input, &mut Vec::new()));
    let mut function = Map::new();
    function.insert("name".into(), json!(tool.name));
    function.insert("description".into(), json!(tool.description));
    function.insert("parameters".into(), parameters);
    if is_strict {
        function.insert("strict".into(), json!(true));
    }
    function
}

/// The schema as OpenAI takes it without strict.
pub fn carry(input: &Value, losses: &mut Vec<Loss>) -> Value {
    let mut schema = plain(input);
    plain_root(&mut schema, losses);
    schema
}

/// The schema in OpenAI's strict subset: every property required, the optional ones nullable, objects closed, what
/// the subset lacks told in descriptions. `None` where the meaning would change: a free object, or an optional
/// parameter for which null has a meaning of its own.
pub fn strict_openai(input: &Value) -> Option<Value> {
    if !can_be_strict(input, 1, DEEPEST, true) {
        return None;
    }
    let mut schema = plain(input);
    plain_root(&mut schema, &mut Vec::new());
    walk(&mut schema, "", &mut |object, at| subset(object, at));
    Some(schema)
}

/// Whether a strict schema can say the same. With `all_required`, optional parameters are said by null.
pub fn can_be_strict(schema: &Value, depth: usize, deepest: usize, all_required: bool) -> bool {
    let Some(object) = schema.as_object() else { return false };
    if depth > deepest
        || ["allOf", "$ref", "patternProperties", "prefixItems"].iter().any(|k| object.contains_key(*k))
    {
        return false;
    }
    if depth > 1 && ["oneOf", "not", "if"].iter().any(|k| object.contains_key(*k)) {
        return false;
    }
    let properties = object.get("properties").and_then(Value::as_object);
    let is_object = object.get("type").is_some_and(|kind| kind == "object" || has(kind, "object"));
    if is_object && (properties.is_none() || object.get("additionalProperties") != Some(&json!(false))) {
        return false;
    }
    let needed = required(object);
    let fits = |(name, inner): (&String, &Value)| {
        let ambiguous = all_required && !needed.contains(name) && inner.get("x-nullable").is_some();
        !ambiguous && can_be_strict(inner, depth + 1, deepest, all_required)
    };
    let inner = |s: &Value| can_be_strict(s, depth + 1, deepest, all_required);
    properties.into_iter().flatten().all(fits)
        && object.get("items").is_none_or(inner)
        && (depth == 1
            || object.get("anyOf").and_then(Value::as_array).is_none_or(|all| all.iter().all(inner)))
}

fn has(kinds: &Value, word: &str) -> bool {
    kinds.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == word))
}

fn subset(object: &mut Map<String, Value>, at: &str) {
    for keyword in ["minLength", "maxLength", "uniqueItems", "minProperties", "maxProperties", "default"] {
        lose(object, at, keyword, &mut Vec::new());
    }
    if object.get("format").and_then(Value::as_str).is_some_and(|f| !FORMATS.contains(&f)) {
        lose(object, at, "format", &mut Vec::new());
    }
    let needed = required(object);
    let Some(properties) = object.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (name, property) in properties.iter_mut() {
        if let Some(property) = property.as_object_mut().filter(|_| !needed.contains(name)) {
            nullable(property);
        }
    }
    let all: Vec<String> = properties.keys().cloned().collect();
    object.insert("required".into(), json!(all));
    object.insert("additionalProperties".into(), json!(false));
}

/// Lets null stand for "not given".
fn nullable(property: &mut Map<String, Value>) {
    match property.get_mut("type") {
        Some(Value::String(kind)) => {
            let kinds = json!([kind, "null"]);
            property.insert("type".into(), kinds);
        }
        Some(Value::Array(kinds)) if !kinds.iter().any(|kind| kind == "null") => kinds.push(json!("null")),
        _ => {}
    }
    if let Some(Value::Array(words)) = property.get_mut("enum")
        && !words.contains(&Value::Null)
    {
        words.push(Value::Null);
    }
    if let Some(Value::Array(options)) = property.get_mut("anyOf") {
        let null = json!({ "type": "null" });
        if !options.contains(&null) {
            options.push(null);
        }
    }
}
