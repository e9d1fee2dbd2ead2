//! Parses JSON of other services, some of which write text that UTF-8 can't hold.

use serde_json::Value;

/// What replaces a code unit that is no character, as in [`String::from_utf8_lossy`].
const REPLACEMENT: &str = "\\ufffd";

/// Parses JSON. Lone surrogates (`"\ud800"`) and bytes that are not UTF-8 become U+FFFD.
pub fn parse_lossy(json: &[u8]) -> serde_json::Result<Value> {
    serde_json::from_slice(json).or_else(|error| {
        let text = String::from_utf8_lossy(json);
        let text = replace_lone_surrogates(&text);
        serde_json::from_str(&text).map_err(|_| error)
    })
}

/// Replaces the escapes of surrogates that are not half of a pair. In valid JSON, only strings have escapes.
fn replace_lone_surrogates(json: &str) -> String {
    let mut replaced = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        replaced.push_str(before);
        let (text, length) = match unit(escape) {
            None => two(escape),
            Some(0xd800..0xdc00) => match escape.get(6..).and_then(unit) {
                Some(0xdc00..0xe000) => (escape.get(..12).unwrap_or_default(), 12),
                _ => (REPLACEMENT, 6),
            },
            Some(0xdc00..0xe000) => (REPLACEMENT, 6),
            Some(_) => (escape.get(..6).unwrap_or_default(), 6),
        };
        replaced.push_str(text);
        rest = escape.get(length..).unwrap_or_default();
    }
    replaced.push_str(rest);
    replaced
}

/// The backslash and the character after it.
fn two(escape: &str) -> (&str, usize) {
    let length = escape.chars().take(2).map(char::len_utf8).sum();
    (escape.get(..length).unwrap_or_default(), length)
}

/// The code unit of an escape such as `\u0041`, with which the text begins.
fn unit(escape: &str) -> Option<u16> {
    let digits = escape.strip_prefix("\\u")?.get(..4)?;
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    is_hex.then(|| u16::from_str_radix(digits, 16).ok())?
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_utf8_can_not_hold_is_replaced() {
        let face = "\u{1f600}";
        for (text, expected) in [
            (&br#"{"a":"\ud83d\ude00 \u00fc"}"#[..], json!({"a": format!("{face} ü")})),
            (br#"{"a":"x\ud800"}"#, json!({"a": "x\u{fffd}"})),
            (br#"["\ud800\ud83d\ude00"]"#, json!([format!("\u{fffd}{face}")])),
            (br#"["\ude00\ud83d"]"#, json!(["\u{fffd}\u{fffd}"])),
            (br#"["\\ud800 \" \ud800"]"#, json!(["\\ud800 \" \u{fffd}"])),
            (br#"{"\ud800":1}"#, json!({"\u{fffd}": 1})),
            (b"[\"caf\xe9\"]", json!(["caf\u{fffd}"])),
        ] {
            assert_eq!(parse_lossy(text).unwrap(), expected, "{}", String::from_utf8_lossy(text));
        }
        for text in [&b"{\"a\":"[..], b"\"\\ud8\"", b"\"\\", b"\"\\\xe9", b"", b"\xff", b"\"\\u\xc3\xbcxy\""]
        {
            assert!(parse_lossy(text).is_err(), "{}", String::from_utf8_lossy(text));
        }
    }
}
