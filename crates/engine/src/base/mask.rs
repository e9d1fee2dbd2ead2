//! Masks sensitive values, so that audit rows, summaries, events and logs never contain them.

use serde_json::Value;

/// The replacement for a sensitive value.
pub const MASK: &str = "•••";

/// Masks a value in place: every field whose schema has `x-sensitive` or `x-secret`. Of a URL whose schema
/// has `x-sensitive-query`, masks what [`masked_address`] masks.
pub fn mask(schema: &Value, value: &mut Value) {
    if schema.get("x-sensitive").is_some() || schema.get("x-secret").is_some() {
        *value = Value::String(MASK.to_owned());
        return;
    }
    if schema.get("x-sensitive-query").is_some()
        && let Value::String(text) = value
    {
        *text = masked_address(text);
        return;
    }
    match value {
        Value::Object(fields) => {
            for (key, field) in fields.iter_mut() {
                match schema.get("properties").and_then(|properties| properties.get(key)) {
                    Some(schema) => mask(schema, field),
                    // The validation refused a field that is not in the schema. Its value may be a secret.
                    None if schema.get("properties").is_some() => *field = Value::String(MASK.to_owned()),
                    None => {}
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for item in items {
                    mask(schema, item);
                }
            }
        }
        _ => {}
    }
}

/// The most characters of a segment of a path that is shown. A longer one may be a token.
const MAX_SEGMENT: usize = 30;

/// Returns an `http` or `https` URL up to the first segment of its path, because the rest often contains a secret:
/// the query, the fragment, and the path of chat services. Masks the whole text if it is not such a URL or contains a
/// login.
pub fn masked_address(text: &str) -> String {
    let web = text.starts_with("https://") || text.starts_with("http://");
    let (shown, rest) = text.split_at(text.find(['?', '#']).unwrap_or(text.len()));
    // Parsers disagree on where a login ends, so no part of such a URL is safe to show.
    if !web || shown.contains('@') {
        return MASK.to_owned();
    }
    let host_at = shown.find("://").map_or(0, |at| at + 3);
    let path_at = shown[host_at..].find('/').map_or(shown.len(), |at| host_at + at);
    let (origin, path) = shown.split_at(path_at);
    let path = path.trim_start_matches('/');
    let (segment, further) = path.split_once('/').unwrap_or((path, ""));
    if segment.chars().count() > MAX_SEGMENT || segment.contains(':') {
        return format!("{origin}/{MASK}");
    }
    match rest.chars().next() {
        _ if !further.is_empty() => format!("{origin}/{segment}/{MASK}"),
        Some(mark) => format!("{shown}{mark}{MASK}"),
        None => shown.to_owned(),
    }
}

/// Returns whether a schema marks any value as a secret that is shown once (`x-secret`).
pub fn has_secret(schema: &Value) -> bool {
    has(schema, "x-secret")
}

/// Returns whether a schema marks any value as sensitive (`x-sensitive`): never logged or shown.
pub fn has_sensitive(schema: &Value) -> bool {
    has(schema, "x-sensitive")
}

fn has(schema: &Value, mark: &str) -> bool {
    match schema {
        Value::Object(fields) => fields.contains_key(mark) || fields.values().any(|field| has(field, mark)),
        Value::Array(items) => items.iter().any(|item| has(item, mark)),
        _ => false,
    }
}

/// Sets every secret in an output to null, in place.
pub fn withhold(schema: &Value, value: &mut Value) {
    if schema.get("x-secret").is_some() {
        *value = Value::Null;
        return;
    }
    match value {
        Value::Object(fields) => {
            for (key, field) in fields.iter_mut() {
                if let Some(schema) = schema.get("properties").and_then(|properties| properties.get(key)) {
                    withhold(schema, field);
                }
            }
        }
        Value::Array(items) => {
            if let Some(schema) = schema.get("items") {
                for item in items {
                    withhold(schema, item);
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_marked_is_masked_wherever_it_stands() {
        let login = json!({ "properties": { "user": {}, "token": { "x-secret": true } } });
        let schema = json!({ "properties": {
            "name": {}, "password": { "x-sensitive": true }, "free": { "type": "object" },
            "login": login, "logins": { "items": login },
        } });
        let mut value = json!({
            "name": "n", "password": { "in": "parts" }, "free": { "any": "thing" }, "login": { "user": "a", "token": "b" },
            "logins": [{ "user": "c", "token": "d" }, { "user": "e", "tokn": "f" }], "unknown": "g",
        });
        mask(&schema, &mut value);
        let masked = json!({
            "name": "n", "password": MASK, "free": { "any": "thing" }, "login": { "user": "a", "token": MASK },
            "logins": [{ "user": "c", "token": MASK }, { "user": "e", "tokn": MASK }], "unknown": MASK,
        });
        assert_eq!(value, masked);
    }

    #[test]
    fn of_an_address_host_and_first_segment_are_kept() {
        let schema =
            json!({ "properties": { "url": { "x-sensitive-query": true, "type": ["string", "null"] } } });
        for (address, kept) in [
            ("https://hooks.test/in", "https://hooks.test/in"),
            ("https://hooks.test:8443/in?token=s3", "https://hooks.test:8443/in?•••"),
            ("https://hooks.test?a=1#b", "https://hooks.test?•••"),
            ("https://hooks.test/in#s3", "https://hooks.test/in#•••"),
            ("https://me:s3@hooks.test/in", MASK),
            ("https:////me:s3@hooks.test/in", MASK),
            ("https://hooks.test/?to=a@b.test", "https://hooks.test/?•••"),
            ("https://hooks.test", "https://hooks.test"),
            ("https://hooks.test/", "https://hooks.test/"),
            ("https://hooks.test/services/", "https://hooks.test/services/"),
            ("https://hooks.test/services/T01/B02/s3", "https://hooks.test/services/•••"),
            ("https://hooks.test//services/T01?a=s3", "https://hooks.test/services/•••"),
            ("https://chat.test/bot7:s3/send", "https://chat.test/•••"),
            ("https://chat.test/0123456789abcdef0123456789abcdef", "https://chat.test/•••"),
            (" https://hooks.test/in?token=s3", MASK),
            ("s3", MASK),
        ] {
            let mut value = json!({ "url": address });
            mask(&schema, &mut value);
            assert_eq!(value["url"], kept, "{address}");
        }
        let mut none = json!({ "url": null });
        mask(&schema, &mut none);
        assert!(none["url"].is_null());
    }

    #[test]
    fn a_secret_is_withheld_wherever_it_stands() {
        let key = json!({ "properties": { "id": {}, "secret": { "x-secret": true } } });
        let schema = json!({ "properties": { "key": key, "keys": { "items": key }, "names": {} } });
        let mut value = json!({ "key": { "id": 1, "secret": "a" }, "keys": [{ "id": 2, "secret": "b" }], "names": ["c"] });
        withhold(&schema, &mut value);
        let kept = json!({ "key": { "id": 1, "secret": null }, "keys": [{ "id": 2, "secret": null }], "names": ["c"] });
        assert_eq!(value, kept);
    }

    #[test]
    fn a_mark_is_found_however_deep_and_only_where_it_is() {
        let deep =
            |mark: &str| json!({ "properties": { "a": { "anyOf": [{ "type": "null" }, { mark: true }] } } });
        for (schema, secret, sensitive) in [
            (deep("x-secret"), true, false),
            (deep("x-sensitive"), false, true),
            (deep("x-nullable"), false, false),
        ] {
            assert_eq!((has_secret(&schema), has_sensitive(&schema)), (secret, sensitive), "{schema}");
        }
    }
}
