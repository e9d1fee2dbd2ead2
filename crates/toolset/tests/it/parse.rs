//! TOML and JSON are one form, and errors of syntax name their place.

use serde_json::json;
use toolcrib_toolset::{DocumentFormat, MAX_DOCUMENT_BYTES, ParseError, Toolset, parse};

use DocumentFormat::{Json, Toml};

#[test]
fn toml_and_json_are_one_form() {
    let toml = "slug = 'desk'\nb = [1, 0x10, 1.5, true]\na.z = 1979-05-27\na.c = { x = 'y' }\n[[tools]]\n";
    let json = r#"{"slug":"desk","b":[1,16,1.5,true],"a":{"z":"1979-05-27","c":{"x":"y"}},"tools":[{}]}"#;
    let read = parse(toml, Toml).unwrap();
    assert_eq!(read, parse(json, Json).unwrap());
    // Keys stay in the order of the text.
    assert_eq!(read.to_string(), json);
}

#[test]
fn errors_of_syntax_have_line_and_column() {
    for (text, format, at, words) in [
        ("a = 1\na = 2\n", Toml, (2, 1), "duplicate key"),
        ("[x]\nb = 1\n[x]\n", Toml, (3, 2), "duplicate key"),
        ("a = \n", Toml, (1, 5), "not valid TOML"),
        ("a = 'ä' b", Toml, (1, 9), "not valid TOML"),
        ("a = 1\nb = nan", Toml, (2, 5), "must be finite"),
        ("[a]\n\"$serde_json::private::Number\" = \"5\"", Toml, (2, 1), "is reserved"),
        ("a = [9223372036854775808]", Toml, (1, 6), "±9223372036854775807"),
        ("a = \"\\u0000\"", Toml, (1, 5), "NUL"),
        ("{\"a\": 1,\n \"a\": 2}", Json, (2, 4), "the key `a` appears twice"),
        ("{\"a\": {\"b\": 1, \"b\": 1}}", Json, (1, 18), "the key `b` appears twice"),
        ("{\"a\": 1,}", Json, (1, 9), "trailing comma"),
        ("{'a': 1}", Json, (1, 2), "key must be a string"),
    ] {
        match parse(text, format) {
            Err(ParseError::Syntax { line, column, message }) => {
                assert!(message.contains(words), "{text}: {message}");
                assert!(!message.contains('\n') && !message.contains(" at line "), "{message}");
                assert_eq!((line, column), at, "{text}: {message}");
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn nesting_is_bounded() {
    let deep = |depth: usize| format!("a = {}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse(&deep(60), Toml).is_ok());
    assert!(parse(&deep(70), Toml).is_err());
    assert!(parse(&deep(100_000), Toml).is_err());
}

#[test]
fn a_document_has_at_most_two_mebibytes() {
    let text = " ".repeat(MAX_DOCUMENT_BYTES);
    assert_eq!(parse(&text, Toml), Ok(json!({})));
    let bytes = MAX_DOCUMENT_BYTES + 1;
    assert_eq!(parse(&format!("{text} "), Toml), Err(ParseError::TooLarge { bytes }));
}

#[test]
fn a_value_without_a_form_in_toml_is_an_error() {
    let document = |value: &str| {
        let text = format!(
            r#"{{"schema":"toolcrib.toolset/1","tools":[{{"name":"x","parameters":{{"default":{value}}}}}]}}"#
        );
        serde_json::from_str::<Toolset>(&text).unwrap().to_toml()
    };
    assert!(document("-7").unwrap().contains("\ndefault = -7\n"));
    assert!(document("1.50").unwrap().contains("\ndefault = 1.5\n"));
    assert!(document("[1, {\"a\": 2}]").is_ok());
    assert!(document("null").is_err());
    assert!(document("18446744073709551615").unwrap_err().contains("larger than an integer of TOML"));
}
