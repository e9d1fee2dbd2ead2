//! The response of a call.

use serde_json::{Value, json};
use toolcrib_toolset::{max_response_bytes, shape_response, shape_value};

use crate::http_support::shaped;

const JSON: &str = "application/json";

fn data(content_type: Option<&str>, body: &[u8]) -> Value {
    let shaped = shape_response(None, content_type, body);
    assert_eq!(shaped.unreadable, None);
    shaped.data
}

/// What is said of a response that can't be shown.
fn described(content_type: Option<&str>, body: &[u8]) -> String {
    let shaped = shape_response(None, content_type, body);
    assert_eq!((shaped.data, shaped.truncated), (Value::Null, false));
    shaped.unreadable.unwrap()
}

fn unreadable(fields: &Value, content_type: &str, body: &str, description: &str) {
    let shaped = shaped(fields, content_type, body);
    let found = (shaped.data, shaped.unreadable.unwrap());
    assert_eq!(found, (Value::Null, description.to_owned()), "{content_type} {body}");
}

#[test]
fn the_content_type_says_how_a_body_is_read() {
    for content_type in [
        JSON,
        "Application/JSON; charset=utf-8",
        "application/problem+json",
        "text/json",
        " application/json ;x",
    ] {
        assert_eq!(data(Some(content_type), b" [1, \"a\"]\n"), json!([1, "a"]), "{content_type}");
    }
    for content_type in [
        "text/plain",
        "text/html; charset=utf-8",
        "TEXT/CSV",
        "application/xml",
        "image/svg+xml",
        "application/x-ndjson",
    ] {
        assert_eq!(data(Some(content_type), "[1,ü".as_bytes()), json!("[1,ü"), "{content_type}");
    }
    for (body, expected) in [("{\"a\":1}", json!({ "a": 1 })), (" [2]", json!([2])), ("ok", json!("ok"))] {
        assert_eq!(data(None, body.as_bytes()), expected);
        assert_eq!(data(Some(""), body.as_bytes()), expected);
    }
    assert_eq!(data(Some(JSON), b"\xef\xbb\xbf{}"), json!({}));
    assert_eq!(data(Some("text/plain"), b"\xef\xbb\xbfa"), json!("a"));
}

#[test]
fn a_response_without_a_body_is_null() {
    for content_type in [None, Some(JSON), Some("text/html"), Some("image/png")] {
        assert_eq!(data(content_type, b""), Value::Null);
    }
    let mapping = json!({ "select": "/a", "fields": { "b": "/b" } });
    assert_eq!(shaped(&mapping, JSON, "").data, Value::Null);
    assert_eq!(shaped(&mapping, JSON, "null").data, Value::Null);
}

#[test]
fn a_default_stands_in_for_what_select_does_not_find() {
    let mapping = json!({ "select": "/a", "default": [], "fields": { "b": "/b" } });
    assert_eq!(shaped(&mapping, JSON, "{}").data, json!([]));
    assert_eq!(shaped(&mapping, JSON, r#"{"a":[{"b":1,"c":2}]}"#).data, json!([{ "b": 1 }]));
    assert_eq!(shaped(&mapping, JSON, r#"{"a":null}"#).data, Value::Null);
    unreadable(&json!({ "select": "/a" }), JSON, "{}", "application/json, 2 bytes, nothing at `/a`");
}

#[test]
fn what_is_not_the_json_of_its_type_is_a_text() {
    for odd in ["{\"a\":", "[1,", "nul", "\"\\ud8\"", "NaN", "{} {}", "<html></html>"] {
        assert_eq!(data(Some(JSON), odd.as_bytes()), json!({ "text": odd }), "{odd}");
    }
    assert_eq!(data(None, b"{\"a\":"), json!({ "text": "{\"a\":" }));
    let deep = "[".repeat(1_000);
    assert_eq!(data(Some(JSON), deep.as_bytes()), json!({ "text": deep }));
    let numbers = |count: usize| format!("[{}0]", "0,".repeat(count - 2));
    assert!(shaped(&json!({}), JSON, &numbers(250_000)).data.is_array());
    let result = shaped(&json!({}), JSON, &numbers(250_001));
    assert_eq!((result.data, result.truncated), (json!({ "text": numbers(250_001)[..8_192] }), true));
    // Commas and brackets in a text are no values.
    assert!(shaped(&json!({}), JSON, &format!("[\"\\\"{}\"]", ",[{".repeat(200_000))).data.is_array());
}

#[test]
fn json_with_what_utf8_can_not_hold_is_read() {
    assert_eq!(data(Some(JSON), br#"{"id":7,"title":"x\ud800"}"#), json!({ "id": 7, "title": "x\u{fffd}" }));
    assert_eq!(data(Some(JSON), b"[\"caf\xe9\"]"), json!(["caf\u{fffd}"]));
}

#[test]
fn json_of_another_type_is_read_and_the_rest_is_described() {
    for content_type in ["application/octet-stream", "application/json, text/html", "x"] {
        assert_eq!(data(Some(content_type), b" {\"a\":1}"), json!({ "a": 1 }), "{content_type}");
    }
    for (content_type, body, description) in [
        (Some("application/pdf"), &b"%PDF-1.7\n"[..], "application/pdf, 9 bytes"),
        (Some("Image/PNG; q=1"), b"{\"a\":", "image/png, 5 bytes"),
        (Some("text/plain"), b"a\0b", "text/plain, 3 bytes"),
        (Some("text/plain"), b"caf\xe9", "text/plain, 4 bytes"),
        (Some(JSON), b"\x1f\x8b\x08", "application/json, 3 bytes"),
        (None, b"\xff\xfea", "3 bytes"),
        (Some("a/\u{202e}"), b"1", "1 byte"),
        (Some("follow these instructions"), b"1", "1 byte"),
    ] {
        assert_eq!(described(content_type, body), description);
    }
    assert_eq!(described(Some(&format!("a/{}", "x".repeat(5_000))), b"a"), "1 byte");
}

/// A text might contain what the mapping leaves out.
#[test]
fn a_mapping_that_selects_shows_no_text() {
    for mapping in [json!({ "select": "/a" }), json!({ "fields": { "a": "/a" } })] {
        unreadable(&mapping, "text/html", "<html>{\"a\":1}</html>", "text/html, 20 bytes");
        unreadable(&mapping, JSON, "{\"a\":1,\"secret\":", "application/json, 16 bytes");
        let parsed = serde_json::from_value(mapping.clone()).unwrap();
        assert_eq!(shape_response(Some(&parsed), None, b"ok").unreadable.unwrap(), "2 bytes");
        let mistyped = shaped(&mapping, "text/plain", r#"{"a":1,"b":2}"#).data;
        assert_eq!(mistyped.get("a").unwrap_or(&mistyped), 1);
        assert_eq!(mistyped.get("b"), None);
    }
    assert_eq!(shaped(&json!({ "fields": {} }), "text/html", "<p>").data, "<p>");
}

#[test]
fn the_bytes_of_a_response_are_limited() {
    assert_eq!(max_response_bytes(None), 1 << 20);
    assert_eq!(
        max_response_bytes(Some(&serde_json::from_value(json!({ "max_bytes": 1024 })).unwrap())),
        1_024
    );
}

#[test]
fn overlapping_fields_do_not_multiply_a_response() {
    let fields: serde_json::Map<_, _> = (0..100).map(|n| (format!("f{n}"), json!("/a"))).collect();
    let mapping = json!({ "fields": fields, "max_items": 1000, "max_text": 100_000 });
    let texts = vec![json!({ "a": "t".repeat(900) }); 1_000];
    let result = shaped(&mapping, JSON, &json!(texts).to_string());
    assert!(result.truncated);
    assert!(result.data.to_string().len() < 20 << 20);
    let lists = vec![json!({ "a": vec![0; 100] }); 1_000];
    let result = shaped(&mapping, JSON, &json!(lists).to_string());
    assert!(result.truncated);
    assert!(result.data.to_string().matches('0').count() < 400_000);
}

#[test]
fn select_and_fields_pick_parts() {
    let body = json!({ "items": [
        { "id": 1, "user": { "name": "Ada" }, "a/b": [7, 8], "more": "x" },
        { "id": null, "user": null },
        null,
        "text",
    ], "next": null })
    .to_string();
    let mapping = json!({
        "select": "/items", "fields": { "id": "/id", "name": "/user/name", "second": "/a~1b/1" }
    });
    let result = shaped(&mapping, JSON, &body);
    assert_eq!(result.data, json!([{ "id": 1, "name": "Ada", "second": 8 }, { "id": null }, null, {}]));
    assert!(!result.truncated);
    let one = json!({ "select": "/items/0", "fields": { "id": "/id", "user": "/user", "all": "" } });
    let result = shaped(&one, JSON, &body).data;
    assert_eq!((&result["id"], &result["user"]), (&json!(1), &json!({ "name": "Ada" })));
    assert_eq!(result["all"]["more"], "x");
    assert_eq!(shaped(&json!({ "select": "/next" }), JSON, &body).data, Value::Null);
    assert_eq!(shaped(&json!({ "select": "/items/0/id" }), JSON, &body).data, 1);
    let size = format!("application/json, {} bytes", body.len());
    for pointer in ["/ticket", "/items/9"] {
        let nothing = format!("{size}, nothing at `{pointer}`");
        unreadable(&json!({ "select": pointer }), JSON, &body, &nothing);
    }
}

#[test]
fn lists_and_texts_are_cut_at_every_depth() {
    let body = json!({ "a": [["äöü€", 1, 2], 1, 2], "b": "äöü", "c": "äöü€" }).to_string();
    let mapping = json!({ "max_items": 2, "max_text": 3 });
    let result = shaped(&mapping, JSON, &body);
    assert_eq!(result.data, json!({ "a": [["äöü", 1], 1], "b": "äöü", "c": "äöü" }));
    assert!(result.truncated);
    for fits in [json!({ "x": [1, 2] }), json!("äöü"), json!({ "a key is not cut": 1 })] {
        let result = shaped(&mapping, JSON, &fits.to_string());
        assert_eq!((result.data, result.truncated), (fits, false));
    }
    let picked = json!({ "select": "/a", "fields": { "t": "/0" }, "max_items": 1, "max_text": 2 });
    let result = shaped(&picked, JSON, &body);
    assert_eq!((result.data, result.truncated), (json!([{ "t": "äö" }]), true));
    let result = shaped(&mapping, "text/plain", "€€€€");
    assert_eq!((result.data, result.truncated), (json!("€€€"), true));

    let defaults = json!([vec![0; 101], "x".repeat(8_193)]);
    let result = shape_response(None, Some(JSON), defaults.to_string().as_bytes());
    assert_eq!((result.data, result.truncated), (json!([vec![0; 100], "x".repeat(8_192)]), true));
}

#[test]
fn the_whole_response_is_kept_beside_the_selected_part() {
    let mapping = json!({ "select": "/ticket", "max_text": 1 });
    let whole = json!({ "ticket": { "subject": "Printer" }, "version": 7 });
    let result = shaped(&mapping, JSON, &whole.to_string());
    assert_eq!((result.response, result.data, result.truncated), (whole, json!({ "subject": "P" }), true));
    let result = shape_value(json!(["x".repeat(8_193)]));
    assert_eq!((result.data, result.truncated), (json!(["x".repeat(8_192)]), true));
}
