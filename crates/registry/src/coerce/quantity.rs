//! Numbers with a unit: `7 days`, `7d`, `P7D`, `80%`.

use serde_json::Value;

/// The units of time with their words and their length in milliseconds.
const UNITS: [(&[&str], u64); 6] = [
    (&["ms", "msec", "millisecond", "milliseconds"], 1),
    (&["s", "sec", "secs", "second", "seconds"], 1_000),
    (&["m", "min", "mins", "minute", "minutes"], 60_000),
    (&["h", "hr", "hrs", "hour", "hours"], 3_600_000),
    (&["d", "day", "days"], 86_400_000),
    (&["w", "wk", "wks", "week", "weeks"], 604_800_000),
];

/// Returns the number that a text with a unit is in the unit of the parameter, which its name or its description says.
/// `None` if the text has no unit, the parameter has none, or the number is no whole one.
pub fn in_unit_of(name: &str, schema: &Value, text: &str) -> Option<Value> {
    let (number, word) = split(text)?;
    if word == "%" {
        return percent(schema, number);
    }
    let (given, wanted) = (length(word)?, unit_of(name, schema)?);
    let milliseconds = number.parse::<u64>().ok()?.checked_mul(given)?;
    milliseconds.is_multiple_of(wanted).then(|| (milliseconds / wanted).into())
}

/// Returns the number of a text such as `20 items`, if the word after it is no unit.
pub fn counted(text: &str) -> Option<Value> {
    let (number, word) = split(text)?;
    let counts = word.len() > 2 && length(word).is_none() && word.chars().all(char::is_alphabetic);
    counts.then(|| number.parse::<u64>().ok().map(Value::from))?
}

/// Splits `7 days`, `7d`, `P7D` and `PT12H` into number and word.
fn split(text: &str) -> Option<(&str, &str)> {
    let text = text.trim();
    let text = text.strip_prefix("PT").or_else(|| text.strip_prefix('P')).unwrap_or(text);
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.')?;
    let (number, word) = (text.get(..end)?, text.get(end..)?.trim());
    (!number.is_empty() && !word.is_empty() && !word.contains(char::is_whitespace)).then_some((number, word))
}

/// Returns the length of a unit in milliseconds.
fn length(word: &str) -> Option<u64> {
    let word = word.to_ascii_lowercase();
    UNITS.iter().find(|(words, _)| words.contains(&word.as_str())).map(|(_, length)| *length)
}

/// Returns the unit of a parameter: the one in its name, such as `timeout_seconds`; otherwise the only one in its
/// description.
fn unit_of(name: &str, schema: &Value) -> Option<u64> {
    let written = |word: &str| (word.len() > 2 || word == "ms").then(|| length(word)).flatten();
    let only = |text: &str| {
        let mut units = text.split(|c: char| !c.is_ascii_alphabetic()).filter_map(written);
        let first = units.next()?;
        units.all(|unit| unit == first).then_some(first)
    };
    only(name).or_else(|| only(schema.get("description")?.as_str()?))
}

/// Returns a percentage as the parameter wants it: from 0 to 100, or from 0 to 1.
fn percent(schema: &Value, number: &str) -> Option<Value> {
    let percent = number.parse::<f64>().ok()?;
    match schema.get("maximum")?.as_f64()? {
        1.0 => Some((percent / 100.0).into()),
        100.0 => toolcrib_model::parse_strict(number.as_bytes()).ok(),
        _ => None,
    }
}
