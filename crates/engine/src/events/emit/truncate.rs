//! Masks and shortens the arguments in events. A client can request the full arguments.

use serde_json::Value;
use toolcrib_registry::ActionMeta;

use crate::base::mask;

/// Maximum characters of a text.
const CHARACTERS: usize = 200;
/// Maximum items of a list or fields of an object.
const ITEMS: usize = 20;
/// Maximum nesting of lists and objects.
const DEPTH: usize = 5;
/// Maximum size of the arguments as JSON, in bytes.
const BYTES: usize = 8 * 1024;

/// Returns the arguments of an action, masked and shortened.
pub fn input(meta: &ActionMeta, arguments: &Value) -> Value {
    let mut masked = arguments.clone();
    mask::mask(meta.input.value(), &mut masked);
    shorten(&mut masked, DEPTH);
    fit(masked)
}

fn shorten(value: &mut Value, depth: usize) {
    match value {
        Value::String(text) if text.chars().count() > CHARACTERS => {
            *text = text.chars().take(CHARACTERS - 1).chain(['…']).collect();
        }
        Value::Array(_) | Value::Object(_) if depth == 0 => *value = Value::String("…".into()),
        Value::Array(items) => {
            items.truncate(ITEMS);
            for item in items {
                shorten(item, depth - 1);
            }
        }
        Value::Object(fields) => {
            let beyond: Vec<String> = fields.keys().skip(ITEMS).cloned().collect();
            for key in beyond {
                fields.remove(&key);
            }
            fields.values_mut().for_each(|field| shorten(field, depth - 1));
        }
        _ => {}
    }
}

/// Replaces the values of the last parameters if all of them together are too large.
fn fit(mut value: Value) -> Value {
    let Value::Object(fields) = &mut value else { return value };
    let mut left = BYTES;
    for field in fields.values_mut() {
        let weight = field.to_string().len();
        if weight > left {
            *field = Value::String("…".into());
        }
        left = left.saturating_sub(weight);
    }
    value
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_long_deep_or_heavy_is_cut() {
        let mut value = json!({"text": "ä".repeat(500), "list": vec![1; 100], "deep": [[[[[[1]]]]]]});
        shorten(&mut value, DEPTH);
        assert_eq!(value["text"].as_str().unwrap().chars().count(), CHARACTERS);
        assert_eq!(value["list"].as_array().unwrap().len(), ITEMS);
        assert_eq!(value["deep"], json!([[[["…"]]]]));
        let heavy: Vec<String> = vec!["x".repeat(199); 20];
        let fitted = fit(json!({"a": heavy, "b": heavy, "c": heavy, "d": 1}));
        assert_eq!((&fitted["c"], &fitted["a"][0]), (&json!("…"), &json!("x".repeat(199))));
        assert!(fitted.to_string().len() <= BYTES + 100);
    }

    #[test]
    fn what_just_fits_is_whole() {
        for (length, whole) in [(CHARACTERS, true), (CHARACTERS + 1, false)] {
            let mut text = json!("ä".repeat(length));
            shorten(&mut text, DEPTH);
            assert_eq!(text == json!("ä".repeat(length)), whole, "{length}");
        }
        // The limit includes the quotation marks.
        for (length, whole) in [(BYTES - 2, true), (BYTES - 1, false)] {
            let text = json!("x".repeat(length));
            assert_eq!(fit(json!({"a": text}))["a"] == text, whole, "{length}");
        }
    }
}
