//! OpenAI's Chat Completions: `{type: function, function: {name, description, parameters, strict?}}`.

use serde_json::{Map, Value, json};

use super::{
    Tool,
    rewrite::{DroppedKeyword, carry, drop_keyword, required, walk},
};

/// The string formats that a strict schema may use.
const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];
/// The maximum nesting depth of a strict schema.
const DEEPEST: usize = 10;

pub fn tool(tool: &Tool<'_>) -> Value {
    json!({ "type": "function", "function": function(tool) })
}

/// Returns name, description and parameters, and `strict: true` if the schema has a strict form.
pub fn function(tool: &Tool<'_>) -> Map<String, Value> {
    let strict = tool.strict.then(|| strict_openai(&tool.input)).flatten();
    let is_strict = strict.is_some();
    let parameters = strict.unwrap_or_else(|| carry(&tool.input, &mut Vec::new()));
    let mut function = Map::new();
    function.insert("name".into(), json!(tool.name));
    function.insert("description".into(), json!(tool.description));
    if is_strict {
        function.insert("strict".into(), json!(true));
    }
    function.insert("parameters".into(), parameters);
    function
}

/// Converts a schema to OpenAI's strict subset: every property is required, optional ones are nullable,
/// objects are closed, and keywords that the subset lacks move into descriptions. Returns `None` if the
/// meaning would change: for a free object, or an optional parameter for which null is a value of its own.
pub fn strict_openai(input: &Value) -> Option<Value> {
    carry_strict(input, &mut Vec::new()).ok()
}

/// Like [`strict_openai`], and also appends the keywords that the subset can't express. The error says why a schema
/// has no strict form.
pub fn carry_strict(
    input: &Value,
    dropped_keywords: &mut Vec<DroppedKeyword>,
) -> Result<Value, &'static str> {
    unfit(input, 1, DEEPEST, true)?;
    let mut schema = carry(input, dropped_keywords);
    walk(&mut schema, "", &mut |object, at| subset(object, at, dropped_keywords));
    Ok(schema)
}

/// Returns an error that says why a schema has no strict form. With `all_required`, null stands for an
/// optional parameter that is not given.
pub fn unfit(schema: &Value, depth: usize, deepest: usize, all_required: bool) -> Result<(), &'static str> {
    let Some(object) = schema.as_object() else { return Err("takes any value in one place") };
    if depth > deepest {
        return Err("is nested too deep");
    }
    let combines = ["allOf", "$ref", "patternProperties", "prefixItems"];
    if combines.iter().any(|k| object.contains_key(*k))
        || (depth > 1 && ["oneOf", "not", "if"].iter().any(|k| object.contains_key(*k)))
    {
        return Err("combines schemas");
    }
    if !["type", "enum", "const", "anyOf", "oneOf", "properties", "required"]
        .iter()
        .any(|k| object.contains_key(*k))
    {
        return Err("takes any value in one place");
    }
    let properties = object.get("properties").and_then(Value::as_object);
    let is_object = object.get("type").is_some_and(|kind| kind == "object" || has(kind, "object"));
    if is_object && (properties.is_none() || object.get("additionalProperties") != Some(&json!(false))) {
        return Err("takes an object with keys of the model's own");
    }
    let needed = required(object);
    let inner = |s: &Value| unfit(s, depth + 1, deepest, all_required);
    for (name, property) in properties.into_iter().flatten() {
        if all_required && !needed.contains(name) && property.get("x-nullable").is_some() {
            return Err("gives null a meaning of its own");
        }
        inner(property)?;
    }
    object.get("items").map_or(Ok(()), inner)?;
    let options = object.get("anyOf").and_then(Value::as_array).filter(|_| depth > 1);
    options.into_iter().flatten().try_for_each(inner)
}

fn has(kinds: &Value, word: &str) -> bool {
    kinds.as_array().is_some_and(|kinds| kinds.iter().any(|kind| kind == word))
}

fn subset(object: &mut Map<String, Value>, at: &str, dropped_keywords: &mut Vec<DroppedKeyword>) {
    for keyword in ["minLength", "maxLength", "uniqueItems", "minProperties", "maxProperties", "default"] {
        drop_keyword(object, at, keyword, dropped_keywords);
    }
    if object.get("format").and_then(Value::as_str).is_some_and(|f| !FORMATS.contains(&f)) {
        drop_keyword(object, at, "format", dropped_keywords);
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

/// Makes a property accept null, which then means "not given".
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
