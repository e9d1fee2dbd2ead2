//! The parameters that a server of revision 2026-07-28 also wants to see in headers (`x-mcp-header`).

use std::collections::HashSet;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

/// The most headers of one tool.
const MAX_HEADERS: usize = 16;
/// The most bytes of a header's name, and of the names of the properties that lead to its parameter.
const NAME_BYTES: usize = 256;
const ANNOTATION: &str = "x-mcp-header";
/// What begins and ends a header's value that is encoded.
const ENCODED: (&str, &str) = ("=?base64?", "?=");

/// A parameter of a tool that is also sent as a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParameterHeader {
    /// The names of the properties that lead to the parameter.
    pub path: Vec<String>,
    pub name: String,
}

/// Returns the annotated parameters of a tool. The error is the reason why a client must not use the tool.
pub fn of_schema(schema: &Value) -> Result<Vec<ParameterHeader>, &'static str> {
    let mut found = Vec::new();
    collect(schema, &mut Vec::new(), &mut found)?;
    if found.len() < annotations(schema) {
        return Err("its schema has `x-mcp-header` where no property is reached through `properties` alone");
    }
    let is_long = |header: &ParameterHeader| {
        header.name.len() > NAME_BYTES || header.path.iter().map(String::len).sum::<usize>() > NAME_BYTES
    };
    if found.len() > MAX_HEADERS || found.iter().any(is_long) {
        return Err("its schema has more than 16 `x-mcp-header`, or one with a name of more than 256 bytes");
    }
    let mut names = HashSet::new();
    if !found.iter().all(|header| names.insert(header.name.to_ascii_lowercase())) {
        return Err("its schema names an `x-mcp-header` twice");
    }
    Ok(found)
}

fn collect<'s>(
    schema: &'s Value,
    path: &mut Vec<&'s str>,
    found: &mut Vec<ParameterHeader>,
) -> Result<(), &'static str> {
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        path.push(name);
        if let Some(header) = property.get(ANNOTATION) {
            let name = header.as_str().filter(|name| !name.is_empty() && name.chars().all(is_token));
            let name = name.ok_or("its schema has an `x-mcp-header` that is no name of a header")?;
            let of_type = property.get("type").and_then(Value::as_str);
            if !matches!(of_type, Some("string" | "integer" | "boolean")) {
                return Err(
                    "its schema has an `x-mcp-header` on a value that is no string, integer or boolean",
                );
            }
            let path = path.iter().map(|name| (*name).to_owned()).collect();
            found.push(ParameterHeader { path, name: format!("mcp-param-{name}") });
        }
        collect(property, path, found)?;
        path.pop();
    }
    Ok(())
}

/// Counts the annotations of a schema and its subschemas. Values (`default`, `enum`, …) are no subschemas, and a
/// property may have the annotation's name.
fn annotations(schema: &Value) -> usize {
    let of_map =
        |map: &Value| map.as_object().into_iter().flatten().map(|(_, schema)| annotations(schema)).sum();
    let of_keyword = |(keyword, value): (&String, &Value)| match keyword.as_str() {
        ANNOTATION => 1,
        "properties" | "$defs" | "definitions" | "dependentSchemas" | "patternProperties" => of_map(value),
        "default" | "const" | "enum" | "examples" => 0,
        _ => annotations(value),
    };
    match schema {
        Value::Object(schema) => schema.iter().map(of_keyword).sum(),
        Value::Array(schemas) => schemas.iter().map(annotations).sum(),
        _ => 0,
    }
}

/// A character of a token in HTTP.
fn is_token(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c)
}

/// Returns the headers of a call. A parameter that is absent has none.
pub fn of_call(headers: &[ParameterHeader], arguments: &Map<String, Value>) -> Vec<(String, String)> {
    let value_of = |header: &ParameterHeader| {
        let (first, rest) = header.path.split_first()?;
        let value = rest.iter().try_fold(arguments.get(first)?, |value, name| value.get(name))?;
        match value {
            Value::String(text) => Some(header_value(text)),
            Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
            _ => None,
        }
    };
    headers.iter().filter_map(|header| Some((header.name.clone(), value_of(header)?))).collect()
}

/// Returns a text as the value of a header: encoded, if it can't stand there as it is.
pub fn header_value(text: &str) -> String {
    let (begin, end) = ENCODED;
    let edge = |c: Option<char>| matches!(c, Some(' ' | '\t'));
    let changes = text.bytes().any(|byte| !(b' '..=b'~').contains(&byte))
        || edge(text.chars().next())
        || edge(text.chars().next_back())
        || text.starts_with(begin) && text.ends_with(end);
    if changes { format!("{begin}{}{end}", STANDARD.encode(text)) } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn annotated_parameters_are_found_and_sent() {
        let schema = json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region", "default": {"x-mcp-header": 1}},
            "x-mcp-header": {"type": "integer", "x-mcp-header": "N"},
            "deep": {"type": "object", "properties": {"on": {"type": "boolean", "x-mcp-header": "On"}}},
        }});
        let headers = of_schema(&schema).unwrap();
        let names: Vec<&str> = headers.iter().map(|header| header.name.as_str()).collect();
        assert_eq!(names, ["mcp-param-Region", "mcp-param-N", "mcp-param-On"]);
        let sent = |arguments: Value| of_call(&headers, arguments.as_object().unwrap());
        let header = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        assert_eq!(
            sent(json!({"region": "Zürich", "x-mcp-header": 7, "deep": {"on": true}})),
            [
                header("mcp-param-Region", "=?base64?WsO8cmljaA==?="),
                header("mcp-param-N", "7"),
                header("mcp-param-On", "true")
            ]
        );
        assert_eq!(sent(json!({"region": "eu west", "deep": 1})), [header("mcp-param-Region", "eu west")]);
        assert_eq!(sent(json!({"region": null})), []);
    }

    #[test]
    fn values_that_a_header_would_change_are_encoded() {
        for plain in ["", "a b", "=?base64?x", "~"] {
            assert_eq!(header_value(plain), plain);
        }
        for encoded in [" a", "a\t", "a\nb", "=?base64?YQ==?=", "é"] {
            let value = header_value(encoded);
            let inner = value.strip_prefix(ENCODED.0).unwrap().strip_suffix(ENCODED.1).unwrap();
            assert_eq!(STANDARD.decode(inner).unwrap(), encoded.as_bytes());
        }
    }

    #[test]
    fn bad_annotations_are_refused() {
        let string = |header: Value| json!({"type": "string", "x-mcp-header": header});
        let one_of_many = |n: usize| (n.to_string(), string(format!("A{n}").into()));
        let many: Map<String, Value> = (0..17).map(one_of_many).collect();
        for schema in [
            json!({"x-mcp-header": "A"}),
            json!({"properties": {"a": string(json!(1))}}),
            json!({"properties": {"a": string(json!(""))}}),
            json!({"properties": {"a": string(json!("a b"))}}),
            json!({"properties": {"a": string(json!("a\r\nb"))}}),
            json!({"properties": {"a": {"type": "array", "x-mcp-header": "A"}}}),
            json!({"properties": {"a": string(json!("A")), "b": string(json!("a"))}}),
            json!({"properties": {"a": {"items": {"properties": {"b": string(json!("A"))}}}}}),
            json!({"anyOf": [{"properties": {"a": string(json!("A"))}}]}),
            json!({"$defs": {"a": string(json!("A"))}}),
            json!({"properties": {"a": string(json!("A".repeat(300)))}}),
            json!({"properties": many}),
        ] {
            assert!(of_schema(&schema).is_err(), "{schema}");
        }
        assert_eq!(of_schema(&json!({"enum": [{"x-mcp-header": "A"}]})), Ok(Vec::new()));
    }
}
