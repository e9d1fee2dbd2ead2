//! Texts as models write them, and texts of any kind.

use std::time::Instant;

use proptest::prelude::*;
use serde_json::json;

use super::*;

#[test]
fn text_that_is_nearly_json_has_one_reading() {
    for text in [
        r#"{"a": 1, "b": ["x"],}"#,
        "{'a': 1, 'b': ['x']}",
        "{a: 1, b: [\"x\",],}",
        "{\"a\": 1, // one\n \"b\": [\"x\"] /* two */}",
        "{\"a\": 1, # one\n \"b\": [\"x\"]}",
        "```json\n{\"a\": 1, \"b\": [\"x\"]}\n```",
        "```\n{'a': 1, 'b': ['x']}\n```\n",
        "```json {\"a\": 1, \"b\": [\"x\"]}```",
        "{\"a\": 1, \"b\": [\"x\"]} // done",
        "{“a”: 1, „b“: [”x”]}",
        "{‘a’: 1, ’b’: [\"x\"]}",
        "{\"a\": 1, \"b\": [\"x\"]}}",
        "{\"a\": 1, \"b\": [\"x\"]} ] }\n",
        "```json\n{\"a\": 1, \"b\": [\"x\"]}}\n```",
    ] {
        let read = parse_lenient(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        assert_eq!(read, (json!({"a": 1, "b": ["x"]}), TextRepair::Syntax), "{text}");
    }
    let read = |text: &str| parse_lenient(text).unwrap().0;
    assert_eq!(read("{'a': True, 'b': False, 'c': None,}"), json!({"a": true, "b": false, "c": null}));
    assert_eq!(read("{'it': 'say \"hi\" don\\'t'}"), json!({"it": "say \"hi\" don't"}));
    assert_eq!(read("{\"a\": \"one\ntwo\tthree\"}"), json!({"a": "one\ntwo\tthree"}));
    assert_eq!(read("{'a': '\\xe9 // no comment, {'}"), json!({"a": "é // no comment, {"}));
    assert_eq!(read("[{'a': 1},]"), json!([{"a": 1}]));
    assert_eq!(read("{“a”: “say \"hi\" don’t”, b: undefined}"), json!({"a": "say \"hi\" don’t", "b": null}));
}

#[test]
fn prose_around_one_object_is_seen() {
    for text in
        ["Here you are: {\"a\": 1}", "I will not send {\"a\": 1}", "{\"a\": 1} is the call", "x [1] {'a': 1}"]
    {
        assert_eq!(parse_lenient(text).unwrap(), (json!({"a": 1}), TextRepair::Prose), "{text}");
    }
}

#[test]
fn what_has_no_single_meaning_is_refused() {
    for text in [
        "{\"a\": 1",
        "{\"a\": \"x",
        "{\"a\": [1, 2}",
        "{\"a\": 1} {\"b\": 2}",
        "{\"a\": 1} {",
        "{\"a\": 1}} or {",
        "{'a': 1} or {'b': 2}",
        "{'a': 1, 'a': 2}",
        "{a: 1, \"a\": 2}",
        "{'a': it's}",
        "{'a': 'it's'}",
        "{\"a\": NaN}",
        "{\"a\": yes}",
        "{\"a\" 1}",
        "{\"a\": 1 \"b\": 2}",
        "{\"a\": ,}",
        "{,}",
        "{\"a\": 1,,}",
        "{\"a\": \"\\u0000\",}",
        "{\"a\": 1 /* no end",
        "{\"a\": 1 // no end }",
        "limit=1",
        "no object",
    ] {
        assert!(parse_lenient(text).is_err(), "{text}: {:?}", parse_lenient(text));
    }
}

#[test]
fn nesting_is_refused_by_the_strict_parser_and_needs_no_recursion() {
    let deep = format!("{}1{},", "[".repeat(500_000), "]".repeat(500_000));
    assert!(parse_lenient(&format!("{{'a': {deep}}}")).is_err());
}

/// Prints the time for texts of 1 MiB that are hard to read.
#[test]
fn the_time_is_linear() {
    let size = 1 << 20;
    for (what, part) in [
        ("commas", "{'a':[1,                ],"),
        ("brackets", "{"),
        ("quotes", "{'a':'\\'"),
        ("comments", "{/* */"),
        ("fences", "```"),
        ("prose", "no "),
        ("list", "["),
        ("slashes", "{/*"),
    ] {
        let time = |size: usize| {
            let text = part.repeat(size / part.len());
            let begin = Instant::now();
            let _ = parse_lenient(&text);
            begin.elapsed()
        };
        println!("{what}: {:?} for {size} bytes, {:?} for half", time(size), time(size / 2));
    }
}

fn nearly_json() -> impl Strategy<Value = String> {
    let part = prop::sample::select(vec![
        "{", "}", "[", "]", ",", ":", "\"a\"", "'b'", "c", "1", "-2.5", "true", "None", " ", "\n", "//",
        "/*", "*/", "#", "```", "json", "\\", "\"", "'", "é", "\u{2028}", "text",
    ]);
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn the_rewritten_text_is_read_by_the_strict_parser_or_refused(text in nearly_json()) {
        if let Ok((value, repair)) = parse_lenient(&text) {
            let strict = parse_strict(text.as_bytes());
            prop_assert_eq!(strict.is_ok(), repair == TextRepair::None);
            prop_assert_eq!(parse_strict(value.to_string().as_bytes()).unwrap(), value);
        }
    }

    #[test]
    fn strict_json_is_not_changed(value in crate::repair::anything()) {
        let text = value.to_string();
        if let Ok(strict) = parse_strict(text.as_bytes()) {
            prop_assert_eq!(parse_lenient(&text).unwrap(), (strict, TextRepair::None));
            // The rewriting itself keeps it too.
            if value.is_object() {
                prop_assert_eq!(to_strict(&text).unwrap(), (text, TextRepair::Syntax));
            }
        }
    }
}
