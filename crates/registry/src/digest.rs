//! The canonical form of JSON values and its digest.

use std::fmt;

use serde_json::{Number, Value};
use sha2::{Digest, Sha256};

/// Returns the SHA-256 of the RFC 8785 form, in hex. Equal values have equal digests, whatever their key
/// order or number format was. RFC 8785 knows 64-bit floats only: a number that is none, such as 9007199254740993, is
/// held as a string of its digits, so that different numbers have different digests.
pub fn digest(value: &Value) -> String {
    hex::encode(Sha256::digest(canonical(value)))
}

/// Returns the JSON with sorted keys, whose numbers are as they were written, and the digest.
pub fn sorted_and_digest(value: &Value) -> (String, String) {
    let mut sorted = value.clone();
    sorted.sort_all_objects();
    (sorted.to_string(), digest(value))
}

/// Returns the RFC 8785 form.
fn canonical(value: &Value) -> String {
    let exact = if any_inexact(value) { &with_texts(value) } else { value };
    // Can't fail: keys of a `Value` are strings and its numbers are finite.
    serde_json_canonicalizer::to_string(exact).unwrap_or_default()
}

/// Whether the value contains a number that is no 64-bit float.
fn any_inexact(value: &Value) -> bool {
    match value {
        Value::Number(number) => inexact(number).is_some(),
        Value::Array(items) => items.iter().any(any_inexact),
        Value::Object(fields) => fields.values().any(any_inexact),
        _ => false,
    }
}

/// Returns the value with a string for each number that is no 64-bit float.
fn with_texts(value: &Value) -> Value {
    match value {
        Value::Number(number) => inexact(number).map_or_else(|| value.clone(), Value::String),
        Value::Array(items) => items.iter().map(with_texts).collect(),
        Value::Object(fields) => fields.iter().map(|(key, field)| (key.clone(), with_texts(field))).collect(),
        other => other.clone(),
    }
}

/// Returns the digits of a number that is no 64-bit float.
fn inexact(number: &Number) -> Option<String> {
    if number.as_i64().is_some_and(|integer| integer.unsigned_abs() <= 1 << f64::MANTISSA_DIGITS) {
        return None;
    }
    let written = Decimal::parse(number.as_str());
    let float = number.as_f64().and_then(Number::from_f64).map(|float| Decimal::parse(float.as_str()));
    (float.as_ref() != Some(&written)).then(|| written.to_string())
}

/// A number as its digits times a power of ten. Equal numbers are equal, however they were written.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    /// Without zeros at both ends; empty for zero.
    digits: String,
    exponent: i64,
}

impl Decimal {
    /// Reads the text of a JSON number.
    fn parse(text: &str) -> Self {
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{whole}{fraction}");
        let significant = all.trim_end_matches('0');
        let shift = i64::try_from(all.len() - significant.len()).unwrap_or(i64::MAX)
            - i64::try_from(fraction.len()).unwrap_or(i64::MAX);
        let digits = significant.trim_start_matches('0').to_owned();
        if digits.is_empty() {
            return Self { negative: false, digits, exponent: 0 };
        }
        // Only an exponent of a number that is zero as a float has more digits than an i64.
        let exponent = exponent.parse().unwrap_or(i64::MIN).saturating_add(shift);
        Self { negative, digits, exponent }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.negative { "-" } else { "" };
        match usize::try_from(self.exponent) {
            Ok(zeros) if zeros < 400 => write!(f, "{sign}{}{:0<zeros$}", self.digits, ""),
            _ => write!(f, "{sign}{}e{}", self.digits, self.exponent),
        }
    }
}

#[cfg(test)]
mod tests;
