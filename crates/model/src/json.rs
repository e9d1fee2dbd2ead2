//! A strict JSON parser. It refuses input that two parsers may read differently.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// The maximum nesting depth; the root object has depth 1.
const MAX_DEPTH: usize = 64;
/// `serde_json` passes a number that is no 64-bit integer as an object with this one key, so that its text is kept.
pub const NUMBER_KEY: &str = "$serde_json::private::Number";

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

/// Parses JSON. Refuses duplicate keys, NUL characters, numbers beyond ±1.8e308 and nesting deeper than 64. A number
/// keeps the text in which it was written. An empty text gives an empty object.
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

/// What `serde_json` says of an escape such as `\ud800` that no other half of a character follows or precedes.
const OF_HALF_PAIRS: [&str; 2] = ["unexpected end of hex escape", "lone leading surrogate in hex escape"];

/// Converts a parse error. `serde_json`'s message already contains line and column.
fn plain(error: serde_json::Error) -> JsonError {
    let (why, line, column) = (error.to_string(), error.line(), error.column());
    let message = if OF_HALF_PAIRS.iter().any(|half| why.starts_with(half)) {
        format!("not valid JSON: a string holds half of a surrogate pair at line {line} column {column}")
    } else {
        format!("not valid JSON: {why}")
    };
    JsonError { message, line, column }
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

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
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
        let mut next = entries.next_key::<String>()?;
        if next.as_deref() == Some(NUMBER_KEY) {
            return entries.next_value_seed(NumberText).map(Value::Number);
        }
        check_depth(inner)?;
        let mut out = Map::new();
        while let Some(key) = next {
            check_key(&key)?;
            // Checked before the value is read, so that the error's place is the key's.
            if out.contains_key(&key) {
                return Err(A::Error::custom(format!("the key `{key}` appears twice")));
            }
            let value = entries.next_value_seed(Strict(inner + 1))?;
            out.insert(key, value);
            next = entries.next_key()?;
        }
        Ok(Value::Object(out))
    }
}

/// The text of a number. `serde_json` passes it as an owned string, and a string of the input as a borrowed one, so
/// that an object of the input that has the key is told apart and refused: `serde_json` would read it as a number
/// elsewhere.
struct NumberText;

impl<'de> DeserializeSeed<'de> for NumberText {
    type Value = Number;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Number, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Visitor<'_> for NumberText {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "another key than `{NUMBER_KEY}`, which is reserved")
    }

    fn visit_string<E: serde::de::Error>(self, text: String) -> Result<Number, E> {
        let finite = text.parse::<f64>().is_ok_and(f64::is_finite);
        let number = text.parse().ok().filter(|_| finite);
        number.ok_or_else(|| E::custom("a number must be finite as a 64-bit float"))
    }

    fn visit_str<E: serde::de::Error>(self, _: &str) -> Result<Number, E> {
        Err(reserved())
    }
}

fn check_key<E: serde::de::Error>(key: &str) -> Result<(), E> {
    if key == NUMBER_KEY { Err(reserved()) } else { no_nul(key).map(|_| ()) }
}

fn reserved<E: serde::de::Error>() -> E {
    E::custom(format!("the key `{NUMBER_KEY}` is reserved"))
}

fn check_depth<E: serde::de::Error>(depth: usize) -> Result<(), E> {
    if depth > MAX_DEPTH { Err(E::custom("nested deeper than 64 levels")) } else { Ok(()) }
}

fn no_nul<E: serde::de::Error>(text: &str) -> Result<&str, E> {
    if text.contains('\0') { Err(E::custom("a string holds a NUL character")) } else { Ok(text) }
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
        assert!(parse_strict(nested(64).as_bytes()).is_ok());
    }

    #[test]
    fn a_number_keeps_its_text() {
        let numbers = [
            "9007199254740993",
            "-9223372036854775809",
            "18446744073709551616",
            "123456789012345678901234567890",
            "0.10",
            "1e+5",
            "-0",
            "3.14159265358979323846",
        ];
        for number in numbers {
            for text in [number.to_owned(), format!("[{number}]"), format!("{{\"a\":{number}}}")] {
                assert_eq!(parse_strict(text.as_bytes()).unwrap().to_string(), text);
            }
        }
        let deep = format!("{}1{}", "[".repeat(64), "]".repeat(64));
        assert!(parse_strict(deep.as_bytes()).is_ok(), "a number is no level");
    }

    #[test]
    fn an_error_says_where_it_is() {
        let error = parse_strict(b"{\"a\": 1,\n \"a\": 2}").unwrap_err();
        assert_eq!((error.line, error.column), (2, 4), "{error}");
        assert!(error.message.contains("the key `a` appears twice"), "{error}");
    }

    #[test]
    fn half_a_surrogate_pair_is_named() {
        for text in [r#""\ud83d""#, r#""\ud83d\n""#, r#""\ud83d\u0041""#, r#""\udc00 x""#] {
            let error = parse_strict(text.as_bytes()).unwrap_err().message;
            let told = "not valid JSON: a string holds half of a surrogate pair at line 1 column ";
            assert!(error.starts_with(told), "{text}: {error}");
        }
    }

    #[test]
    fn refuses_what_parsers_read_differently() {
        let bad: [&[u8]; 10] = [
            br#"{"a":1,"a":2}"#,
            br#"{"a":1,"\u0061":2}"#,
            br#"{"a":"\u0000"}"#,
            b"1e400",
            br#"{"$serde_json::private::Number":"5"}"#,
            br#"{"a":[{"b":1,"\u0024serde_json::private::Number":{}}]}"#,
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
