//! The response of a call.

use serde_json::{Value, json};
use toolcrib_toolset::{max_response_bytes, read_response, shape_response, shape_value};

use crate::http_support::shaped;

const JSON: &str = "application/json";

fn data(content_type: Option<&str>, body: &[u8]) -> Value {
    shape_response(None, content_type, body).unwrap().data
}

fn unreadable(fields: &Value, content_type: &str, body: &str, words: &str) {
    let error = shaped(fields, content_type, body).unwrap_err().to_string();
    assert!(error.contains(words), "{content_type} {body} {error}");
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
    assert_eq!(shaped(&mapping, JSON, "").unwrap().data, Value::Null);
    assert_eq!(shaped(&mapping, JSON, "null").unwrap().data, Value::Null);
}

#[test]
fn a_default_stands_in_for_what_select_does_not_find() {
    let mapping = json!({ "select": "/a", "default": [], "fields": { "b": "/b" } });
    assert_eq!(shaped(&mapping, JSON, "{}").unwrap().data, json!([]));
    assert_eq!(shaped(&mapping, JSON, r#"{"a":[{"b":1,"c":2}]}"#).unwrap().data, json!([{ "b": 1 }]));
    assert_eq!(shaped(&mapping, JSON, r#"{"a":null}"#).unwrap().data, Value::Null);
    unreadable(&json!({ "select": "/a" }), JSON, "{}", "has nothing at `/a`");
}

#[test]
fn what_is_neither_json_nor_text_is_unreadable() {
    let any = json!({});
    for content_type in
        ["image/png", "application/octet-stream", "application/json, text/html", "x", "a\u{202e}"]
    {
        unreadable(&any, content_type, "{}", "neither JSON nor text");
    }
    for half in ["{\"a\":", "[1,", "nul", "", "\"\\ud800\"", "NaN", "{} {}", "<html></html>"] {
        unreadable(&any, JSON, &format!(" {half}"), "not valid JSON");
    }
    assert!(shape_response(None, None, b"{\"a\":").is_err());
    unreadable(&any, "text/plain", "a\0b", "not text in UTF-8");
    assert!(shape_response(None, Some("text/plain"), b"\xff\xfea").is_err());
    assert!(shape_response(None, Some(JSON), b"\"\xff\"").is_err());
    for mapping in [json!({ "select": "/a" }), json!({ "fields": { "a": "/a" } })] {
        unreadable(&mapping, "text/html", "<html>{\"a\":1}</html>", "`select` and `fields` need JSON");
        let parsed = serde_json::from_value(mapping).unwrap();
        assert!(shape_response(Some(&parsed), None, b"ok").is_err());
    }
    assert_eq!(shaped(&json!({ "fields": {} }), "text/html", "<p>").unwrap().data, "<p>");
    let long = format!("{}\u{202e}", "x".repeat(5_000));
    let message = shaped(&any, &long, "a").unwrap_err().to_string();
    assert!(message.len() < 200 && !message.contains('\u{202e}'), "{message}");
}

#[test]
fn a_response_is_bounded() {
    assert_eq!(max_response_bytes(None), 1 << 20);
    let kibibyte = json!({ "max_bytes": 1024 });
    assert_eq!(max_response_bytes(Some(&serde_json::from_value(kibibyte.clone()).unwrap())), 1_024);
    assert!(shaped(&kibibyte, "text/plain", &"a".repeat(1_024)).is_ok());
    unreadable(&kibibyte, "text/plain", &"a".repeat(1_025), "more than 1024 bytes");
    unreadable(&json!({}), JSON, &"[".repeat(100_000), "recursion limit");
    let numbers = |count: usize| format!("[{}0]", "0,".repeat(count - 2));
    assert!(shaped(&json!({}), JSON, &numbers(250_000)).is_ok());
    unreadable(&json!({}), JSON, &numbers(250_001), "more than 250000 values");
    // Commas and brackets in a text are no values.
    assert!(shaped(&json!({}), JSON, &format!("[\"\\\"{}\"]", ",[{".repeat(200_000))).is_ok());
}

#[test]
fn overlapping_fields_do_not_multiply_a_response() {
    let fields: serde_json::Map<_, _> = (0..100).map(|n| (format!("f{n}"), json!("/a"))).collect();
    let mapping = json!({ "fields": fields, "max_items": 1000, "max_text": 100_000 });
    let texts = vec![json!({ "a": "t".repeat(900) }); 1_000];
    let result = shaped(&mapping, JSON, &json!(texts).to_string()).unwrap();
    assert!(result.truncated);
    assert!(result.data.to_string().len() < 20 << 20);
    let lists = vec![json!({ "a": vec![0; 100] }); 1_000];
    let result = shaped(&mapping, JSON, &json!(lists).to_string()).unwrap();
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
    let result = shaped(&mapping, JSON, &body).unwrap();
    assert_eq!(result.data, json!([{ "id": 1, "name": "Ada", "second": 8 }, { "id": null }, null, {}]));
    assert!(!result.truncated);
    let one = json!({ "select": "/items/0", "fields": { "id": "/id", "user": "/user", "all": "" } });
    let result = shaped(&one, JSON, &body).unwrap().data;
    assert_eq!((&result["id"], &result["user"]), (&json!(1), &json!({ "name": "Ada" })));
    assert_eq!(result["all"]["more"], "x");
    assert_eq!(shaped(&json!({ "select": "/next" }), JSON, &body).unwrap().data, Value::Null);
    assert_eq!(shaped(&json!({ "select": "/items/0/id" }), JSON, &body).unwrap().data, 1);
    unreadable(&json!({ "select": "/ticket" }), JSON, &body, "nothing at `/ticket`");
    unreadable(&json!({ "select": "/items/9" }), JSON, &body, "nothing at `/items/9`");
}

#[test]
fn lists_and_texts_are_cut_at_every_depth() {
    let body = json!({ "a": [["äöü€", 1, 2], 1, 2], "b": "äöü", "c": "äöü€" }).to_string();
    let mapping = json!({ "max_items": 2, "max_text": 3 });
    let result = shaped(&mapping, JSON, &body).unwrap();
    assert_eq!(result.data, json!({ "a": [["äöü", 1], 1], "b": "äöü", "c": "äöü" }));
    assert!(result.truncated);
    for fits in [json!({ "x": [1, 2] }), json!("äöü"), json!({ "a key is not cut": 1 })] {
        let result = shaped(&mapping, JSON, &fits.to_string()).unwrap();
        assert_eq!((result.data, result.truncated), (fits, false));
    }
    let picked = json!({ "select": "/a", "fields": { "t": "/0" }, "max_items": 1, "max_text": 2 });
    let result = shaped(&picked, JSON, &body).unwrap();
    assert_eq!((result.data, result.truncated), (json!([{ "t": "äö" }]), true));
    let result = shaped(&mapping, "text/plain", "€€€€").unwrap();
    assert_eq!((result.data, result.truncated), (json!("€€€"), true));

    let defaults = json!([vec![0; 101], "x".repeat(8_193)]);
    let result = shape_response(None, Some(JSON), defaults.to_string().as_bytes()).unwrap();
    assert_eq!((result.data, result.truncated), (json!([vec![0; 100], "x".repeat(8_192)]), true));
}

#[test]
fn the_whole_response_can_be_read_before_it_is_shaped() {
    let mapping = serde_json::from_value(json!({ "select": "/ticket", "max_text": 1 })).unwrap();
    let whole = json!({ "ticket": { "subject": "Printer" }, "version": 7 });
    let read = read_response(Some(&mapping), Some(JSON), whole.to_string().as_bytes()).unwrap();
    assert_eq!(read, whole);
    let shaped = shape_value(Some(&mapping), &read).unwrap();
    assert_eq!((shaped.data, shaped.truncated), (json!({ "subject": "P" }), true));
}
