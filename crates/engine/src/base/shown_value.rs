//! Argument values as people read them.

use serde_json::Value;
use toolcrib_model::{characters, code_point, count};

/// Maximum characters of a value.
const CHARACTERS: usize = 50;

/// Returns a value in at most 50 visible characters. Lists and objects are counted.
pub fn show(value: &Value) -> String {
    match value {
        Value::String(text) => cut(text),
        Value::Array(items) => count(items.len(), "item"),
        Value::Object(fields) => count(fields.len(), "item"),
        other => cut(&other.to_string()),
    }
}

/// Returns at most 50 visible characters. A hidden character is shown as its code point, which is never cut
/// in the middle.
fn cut(text: &str) -> String {
    let mut shown = String::new();
    let (mut length, mut fits) = (0, 0);
    for (c, hidden) in characters(text) {
        let part = if hidden { code_point(c) } else { c.to_string() };
        length += part.chars().count();
        shown.push_str(&part);
        if length < CHARACTERS {
            fits = shown.len();
        }
        if length > CHARACTERS {
            shown.truncate(fits);
            shown.push('…');
            return shown;
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_values_are_cut_at_a_character() {
        let text = show(&Value::String("ä".repeat(80)));
        assert_eq!(text.chars().count(), 50);
        assert!(text.ends_with('…'));
        assert_eq!(show(&Value::String("ä".repeat(50))), "ä".repeat(50), "what fits is whole");
        // A code point that does not fit is left out completely.
        let text = show(&Value::String(format!("{}\u{202e}{}", "a".repeat(45), "b".repeat(9))));
        assert_eq!(text, format!("{}…", "a".repeat(45)));
    }

    #[test]
    fn what_is_nested_is_counted() {
        assert_eq!(show(&json!([1, 2, 3])), "3 items");
        assert_eq!(show(&json!({"a": {"b": 1}})), "1 item");
        assert_eq!(
            (show(&json!(null)), show(&json!(1.5)), show(&json!(true))),
            ("null".into(), "1.5".into(), "true".into())
        );
    }
}
