//! Inputs that a schema accepts.

use serde_json::{Map, Value, json};

use super::Chance;

/// Texts that often break programs: quotes, markup, other scripts, line breaks, characters that change the
/// direction of text.
const TEXTS: [&str; 12] = [
    "plain words",
    "O'Neil \"quoted\"",
    "<script>alert(1)</script>",
    "наименование",
    "東京の在庫",
    "e\u{301}clair",
    "line\nbreak\ttab",
    "right\u{202e}left",
    "100% off_ \\ back",
    "{{template}}",
    "'; DROP TABLE agents; --",
    "🦀 crab",
];

/// A value that the schema accepts.
pub fn sound(schema: &Value, chance: &mut Chance) -> Value {
    if let Some(fixed) = schema.get("const") {
        return fixed.clone();
    }
    if let Some(words) = schema.get("enum").and_then(Value::as_array) {
        return chance.pick(words).clone();
    }
    for any in ["oneOf", "anyOf"] {
        if let Some(branches) = schema.get(any).and_then(Value::as_array) {
            let branch = chance.pick(branches).clone();
            return sound(&branch, chance);
        }
    }
    match kind(schema, chance) {
        "object" => object(schema, chance),
        "array" => array(schema, chance),
        "integer" => {
            json!(chance.draw(bound(schema, "minimum", -1_000)..=bound(schema, "maximum", 1_000_000)))
        }
        "number" => number(schema, chance),
        "boolean" => json!(chance.below(2) == 1),
        "null" => Value::Null,
        _ => text(schema, chance),
    }
}

fn kind<'s>(schema: &'s Value, chance: &mut Chance) -> &'s str {
    match schema.get("type") {
        Some(Value::Array(kinds)) => chance.pick(kinds).as_str().unwrap(),
        Some(Value::String(kind)) => kind,
        _ if schema.get("properties").is_some() => "object",
        other => panic!("a schema without a type: {other:?} in {schema}"),
    }
}

fn object(schema: &Value, chance: &mut Chance) -> Value {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().map(|name| name.as_str().unwrap()).collect();
    let mut made = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if required.contains(&name.as_str()) || chance.below(2) == 1 {
            made.insert(name.clone(), sound(property, chance));
        }
    }
    Value::Object(made)
}

fn array(schema: &Value, chance: &mut Chance) -> Value {
    let least = usize::try_from(bound(schema, "minItems", 0)).unwrap();
    let most = usize::try_from(bound(schema, "maxItems", 4)).unwrap().min(least + 3);
    let length = least + chance.below(most - least + 1);
    (0..length).map(|_| sound(&schema["items"], chance)).collect()
}

fn bound(schema: &Value, key: &str, otherwise: i64) -> i64 {
    schema.get(key).and_then(Value::as_f64).map_or(otherwise, |bound| {
        #[expect(clippy::cast_possible_truncation, reason = "bounds of integers are whole and small")]
        let whole = bound as i64;
        whole
    })
}

fn number(schema: &Value, chance: &mut Chance) -> Value {
    let least = schema.get("minimum").and_then(Value::as_f64).unwrap_or(-1e6);
    let most = schema.get("maximum").and_then(Value::as_f64).unwrap_or(1e6);
    // Bounds are where mistakes are likely.
    json!(*chance.pick(&[least, most, f64::midpoint(least, most)]))
}

fn text(schema: &Value, chance: &mut Chance) -> Value {
    match schema.get("format").and_then(Value::as_str) {
        Some("uuid") => {
            return json!(
                chance.draw("0190[0-9a-f]{4}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")
            );
        }
        Some("date-time") => {
            return json!(chance.draw("20[2-3][0-9]-0[1-9]-[12][0-9]T[01][0-9]:[0-5][0-9]:00Z"));
        }
        Some("uri") => return json!(chance.draw("https://[a-z]{3,9}\\.example/[a-z]{0,8}")),
        _ => {}
    }
    if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
        let made: String = chance.draw(pattern.trim_start_matches('^').trim_end_matches('$'));
        // NUL is refused before the schema is checked.
        return json!(made.replace('\0', "0"));
    }
    let least = usize::try_from(bound(schema, "minLength", 0)).unwrap();
    let most = usize::try_from(bound(schema, "maxLength", 200)).unwrap();
    let mut made: String = (*chance.pick(&TEXTS)).to_owned();
    // One in eight has the maximum length.
    if chance.below(8) == 0 {
        made = made.chars().cycle().take(most.min(30_000)).collect();
    }
    while made.chars().count() < least {
        made.push('x');
    }
    let cut: String = made.chars().take(most).collect();
    // Texts are trimmed before their length is checked.
    json!(if cut.trim().chars().count() < least { "x".repeat(least.max(1)) } else { cut })
}
