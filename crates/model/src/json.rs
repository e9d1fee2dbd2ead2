//! A strict JSON parser. It refuses input that two parsers may read differently.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The maximum nesting depth; the root object has depth 1.
const MAX_DEPTH: usize = 64;
/// Larger integers lose precision in parsers that use 64-bit floats.
const MAX_INTEGER: u64 = (1 << 53) - 1;

/// Why a text was refused, and where. The message says how to correct it.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{message}")]
pub struct JsonError {
    /// What is wrong. Contains line and column.
    pub message: String,
    /// Line of the text, from 1.
    pub line: usize,
    /// Column of the line, in bytes from 1.
    pub column: usize,
}

/// Parses JSON. Refuses duplicate keys, NUL characters, integers beyond ±(2^53−1), non-finite numbers and
/// nesting deeper than 64. An empty text gives an empty object.
pub fn parse_strict(bytes: &[u8]) -> Result<Value, JsonError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Ok(Value::Object(Map::new()));
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = Strict(1).deserialize(&mut reader).map_err(plain)?;
    reader.end().map_err(plain)?;
    Ok(value)
}

/// Returns how many values a JSON text has at most, without parsing it: one more than its commas and opening brackets.
pub fn count_values(body: &[u8]) -> usize {
    let mut values = 1;
    let mut in_text = false;
    let mut escaped = false;
    for byte in body {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b',' | b'[' | b'{' if !in_text => values += 1,
            _ => {}
        }
    }
    values
}

/// Converts a parse error. `serde_json`'s message already contains line and column.
fn plain(error: serde_json::Error) -> JsonError {
    JsonError { message: format!("not valid JSON: {error}"), line: error.line(), column: error.column() }
}

struct Strict(usize);

impl<'de> DeserializeSeed<'de> for Strict {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<Value, E> {
        if value.unsigned_abs() > MAX_INTEGER { Err(too_large()) } else { Ok(value.into()) }
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Value, E> {
        if value > MAX_INTEGER { Err(too_large()) } else { Ok(value.into()) }
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Value, E> {
        // serde_json turns integers beyond 64 bits into floats, so a whole number this large may have been an
        // integer.
        #[expect(clippy::cast_precision_loss, reason = "2^53 - 1 is exact")]
        let limit = MAX_INTEGER as f64;
        if value.fract() == 0.0 && value.abs() > limit {
            return Err(too_large());
        }
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number must be finite"))
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Value, E> {
        no_nul(value).map(|text| Value::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let inner = self.0;
        check_depth(inner)?;
        let mut out = Vec::new();
        while let Some(item) = items.next_element_seed(Strict(inner + 1))? {
            out.push(item);
        }
        Ok(Value::Array(out))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let inner = self.0;
        check_depth(inner)?;
        let mut out = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            no_nul(&key)?;
            // Checked before the value is read, so that the error's place is the key's.
            if out.contains_key(&key) {
                return Err(A::Error::custom(format!("the key `{key}` appears twice")));
            }
            let value = entries.next_value_seed(Strict(inner + 1))?;
            out.insert(key, value);
        }
        Ok(Value::Object(out))
    }
}

fn check_depth<E: serde::de::Error>(depth: usize) -> Result<(), E> {
    if depth > MAX_DEPTH { Err(E::custom("nested deeper than 64 levels")) } else { Ok(()) }
}

fn no_nul<E: serde::de::Error>(text: &str) -> Result<&str, E> {
    if text.contains('\0') { Err(E::custom("a string holds a NUL character")) } else { Ok(text) }
}

fn too_large<E: serde::de::Error>() -> E {
    E::custom("an integer must lie within ±9007199254740991")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nested(depth: usize) -> String {
        format!("{}{}", "[".repeat(depth), "]".repeat(depth))
    }

    #[test]
    fn reads_what_is_plain() {
        assert_eq!(parse_strict(b"  ").unwrap(), serde_json::json!({}));
        assert_eq!(
            parse_strict(br#"{"a":[1,-2.5,null,true,"x"]}"#).unwrap(),
            serde_json::json!({"a":[1,-2.5,null,true,"x"]})
        );
        assert!(parse_strict(b"9007199254740991").is_ok());
        assert!(parse_strict(nested(64).as_bytes()).is_ok());
    }

    #[test]
    fn an_error_says_where_it_is() {
        let error = parse_strict(b"{\"a\": 1,\n \"a\": 2}").unwrap_err();
        assert_eq!((error.line, error.column), (2, 4), "{error}");
        assert!(error.message.contains("the key `a` appears twice"), "{error}");
    }

    #[test]
    fn refuses_what_parsers_read_differently() {
        let bad: [&[u8]; 10] = [
            br#"{"a":1,"a":2}"#,
            br#"{"a":1,"\u0061":2}"#,
            br#"{"a":"\u0000"}"#,
            b"9007199254740992",
            b"18446744073709551616",
            b"1e400",
            br#"{"a":1}}"#,
            b"{'a':1}",
            br#""\ud800""#,
            b"{",
        ];
        for text in bad {
            assert!(parse_strict(text).is_err(), "{}", String::from_utf8_lossy(text));
        }
        assert!(parse_strict(nested(65).as_bytes()).is_err());
        assert!(parse_strict(nested(100_000).as_bytes()).is_err());
    }
}
