//! Words for a schema's constraints, for descriptions. They are short, because every strict list has many of them.

use serde_json::Value;
use toolcrib_model::count;

/// Returns the words for a keyword and its value, or `None` if they would not help a reader.
pub fn keyword_in_words(keyword: &str, value: &Value) -> Option<String> {
    Some(match keyword {
        "minLength" if value == 1 => return None,
        "minLength" => format!("min {}", count(value, "character")),
        "maxLength" => format!("max {}", count(value, "character")),
        "minimum" => format!("min {value}"),
        "maximum" => format!("max {value}"),
        "exclusiveMinimum" => format!("more than {value}"),
        "exclusiveMaximum" => format!("less than {value}"),
        "multipleOf" => format!("a multiple of {value}"),
        "minItems" => format!("min {}", count(value, "item")),
        "maxItems" => format!("max {}", count(value, "item")),
        "minProperties" => format!("min {}", count(value, "key")),
        "maxProperties" => format!("max {}", count(value, "key")),
        "uniqueItems" if *value == true => "no item twice".into(),
        "pattern" => format!("matches `{}`", plain(value)),
        "format" => format!("a {}", plain(value)),
        "default" => format!("default: {}", plain(value)),
        "const" => format!("always {}", plain(value)),
        "enum" => format!("one of {}", list(value)?),
        "required" => format!("needs {}", list(value)?),
        "anyOf" | "oneOf" => groups(keyword, value)?,
        "dependentRequired" => dependent(value)?,
        _ => return None,
    })
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn list(value: &Value) -> Option<String> {
    let words: Vec<String> = value.as_array()?.iter().map(plain).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

/// Describes alternatives of required parameters, the only use of combinators at the root of actions'
/// schemas.
fn groups(keyword: &str, value: &Value) -> Option<String> {
    let named = |option: &Value| list(option.get("required")?);
    let options: Vec<String> = value.as_array()?.iter().filter_map(named).collect();
    let how = if keyword == "oneOf" { "exactly one of" } else { "at least one of" };
    (!options.is_empty()).then(|| format!("{how}: {}", options.join(" / ")))
}

fn dependent(value: &Value) -> Option<String> {
    let rule = |(name, needs): (&String, &Value)| Some(format!("`{name}` needs {}", list(needs)?));
    Some(value.as_object()?.iter().filter_map(rule).collect::<Vec<_>>().join("; "))
}
