//! Parses query parameters according to their schema.

use axum::{extract::Query, http::Uri};
use serde_json::{Map, Value};
use toolcrib_engine::ActionError;
use toolcrib_registry::ArgError;

use crate::problem::malformed;

/// Returns the parameters as one object. Converts text to numbers and booleans if the schema has that type.
/// Lists are repeated parameters or values separated by commas. A value that cannot be converted stays text,
/// which the validation against the schema refuses.
pub(crate) fn object(uri: &Uri, schema: &Value) -> Result<Map<String, Value>, ActionError> {
    let pairs = Query::<Vec<(String, String)>>::try_from_uri(uri)
        .map_err(|_| malformed("the query of the address can't be read"))?;
    let mut fields = Map::new();
    for (name, text) in pairs.0 {
        let wanted = schema.get("properties").and_then(|all| all.get(&name));
        if wanted.is_some_and(is_list) {
            let items = wanted.and_then(|list| list.get("items"));
            let more = text.split(',').filter(|item| !item.is_empty()).map(|item| read(item, items));
            if let Value::Array(list) = fields.entry(name).or_insert_with(|| Value::Array(Vec::new())) {
                list.extend(more);
            }
        } else if fields.contains_key(&name) {
            return Err(ActionError::invalid(&format!("/{name}"), "duplicate", "was given more than once"));
        } else {
            fields.insert(name, read(&text, wanted));
        }
    }
    Ok(fields)
}

/// Refuses every query parameter.
pub(crate) fn none(uri: &Uri) -> Result<(), ActionError> {
    let given = object(uri, &Value::Null)?;
    if given.is_empty() {
        return Ok(());
    }
    let message = "is no query parameter of this path";
    let errors = given.keys().map(|name| ArgError::new(&format!("/{name}"), "additionalProperties", message));
    Err(ActionError::invalid_all(errors.collect()))
}

fn is_list(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("array")
}

/// Converts a text to the type of its schema. Returns it as a string if that fails.
pub(crate) fn read(text: &str, schema: Option<&Value>) -> Value {
    let wants = |kind: &str| match schema.and_then(|schema| schema.get("type")) {
        Some(Value::String(one)) => one == kind,
        Some(Value::Array(several)) => several.iter().any(|one| one == kind),
        _ => false,
    };
    let as_read = match text {
        "true" | "false" if wants("boolean") => Some(Value::Bool(text == "true")),
        _ if wants("integer") => text.parse::<i64>().ok().map(Value::from),
        _ if wants("number") => text.parse::<f64>().ok().filter(|number| number.is_finite()).map(Value::from),
        _ => None,
    };
    as_read.unwrap_or_else(|| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parameters_are_read_as_the_schema_wants_them() {
        let schema = json!({"properties": {
            "limit": {"type": "integer"}, "mine": {"type": "boolean"}, "status": {"type": "string"},
            "types": {"type": "array", "items": {"type": "string"}},
        }});
        let read = |query: &str| object(&format!("/x?{query}").parse().unwrap(), &schema).map(Value::Object);
        assert_eq!(
            read("limit=5&mine=true&status=5&types=a,b&types=c").unwrap(),
            json!({"limit": 5, "mine": true, "status": "5", "types": ["a", "b", "c"]})
        );
        assert_eq!(read("limit=five&q=a%20b").unwrap(), json!({"limit": "five", "q": "a b"}));
        assert!(read("limit=1&limit=2").is_err());
        assert!(none(&"/x?a=1".parse().unwrap()).is_err());
        assert!(none(&"/x".parse().unwrap()).is_ok());
    }
}
