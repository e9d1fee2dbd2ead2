//! The request of a call.

use serde_json::{Value, json};
use toolcrib_toolset::{HttpMethod, TargetMapping, ToolExecutor, build_request, build_target_request};
use url::Url;

use crate::{
    http_support::{BASE, body, mapping, request, url},
    support::{base, checked},
};

/// Fails unless each pair of a mapping and arguments is refused at the pointer and with the words.
fn each_is_refused(rows: &[(Value, Value, &str, &str)]) {
    for (fields, arguments, pointer, words) in rows {
        let defect = request(fields, arguments).unwrap_err();
        assert_eq!(defect.pointer, *pointer, "{fields} {arguments} {defect}");
        assert!(defect.message.contains(words), "{fields} {arguments} {defect}");
    }
}

#[test]
fn the_request_of_a_checked_tool() {
    let toolset = checked(&base());
    let ToolExecutor::Http(mapping) = &toolset.tools[0].executor else { panic!("no http") };
    let upstream = Url::parse("https://api.helpdesk.example/v2/").unwrap();
    let arguments = json!({ "id": 4711, "note": "a \"b\"\nc", "force": false, "labels": ["x y", "z"] });
    let request = build_request(mapping, &upstream, &arguments).unwrap();
    assert_eq!(request.method, HttpMethod::Post);
    assert_eq!(
        request.url.as_str(),
        "https://api.helpdesk.example/v2/tickets/4711/close?label=x+y&label=z&page=1"
    );
    assert_eq!(request.headers, []);
    let body = request.body.unwrap();
    assert_eq!(body.content_type, "application/json");
    assert_eq!(String::from_utf8(body.bytes).unwrap(), r#"{"note":"a \"b\"\nc","force":false}"#);

    let target = mapping.target.as_ref().unwrap();
    let request = build_target_request(target, &upstream, &arguments).unwrap();
    assert_eq!(request.url.as_str(), "https://api.helpdesk.example/v2/tickets/4711");
    assert_eq!((request.method, request.headers.len(), request.body), (HttpMethod::Get, 0, None));
}

#[test]
fn a_text_that_is_only_a_parameter_takes_its_type() {
    let fields = json!({ "body": {
        "whole": "{x}", "joined": "no {x}", "list": ["{x}", "b", "{absent}", "{x}{absent}"],
        "left": "{absent}", "out": "a{absent}", "deep": { "x": "{absent}" }, "fixed": [1, null, true]
    } });
    for (value, whole, joined) in [
        (json!(1), "1", "1"),
        (json!(-0.5), "-0.5", "-0.5"),
        (json!(u64::MAX), "18446744073709551615", "18446744073709551615"),
        (json!(true), "true", "true"),
        (json!("é\"{x}"), r#""é\"{x}""#, r#"é\"{x}"#),
    ] {
        let rest = r#""deep":{},"fixed":[1,null,true]"#;
        let expected = format!(r#"{{"whole":{whole},"joined":"no {joined}","list":[{whole},"b"],{rest}}}"#);
        assert_eq!(body(&fields, &json!({ "x": value })).unwrap(), expected);
    }
    let whole = json!({ "body": "{x}" });
    for value in [json!({ "a": [1, null, { "b": "{x}" }] }), json!([]), json!(null), json!("t")] {
        assert_eq!(body(&whole, &json!({ "x": value })).unwrap(), value.to_string());
    }
    assert_eq!(body(&whole, &json!({})), None);
    assert_eq!(body(&json!({ "body": "{x}", "method": "GET" }), &json!({ "x": 1 })), None);
    let text = json!({ "body": { "a": "{x}", "b": "x{x}" } });
    assert_eq!(body(&text, &json!({ "x": null })).unwrap(), r#"{"a":null}"#);
}

#[test]
fn a_body_has_the_media_type_of_its_mapping() {
    for content_type in ["application/merge-patch+json", "application/vnd.api+json; charset=utf-8"] {
        let fields = json!({ "content_type": content_type, "body": { "a": "{x}" } });
        let body = request(&fields, &json!({ "x": 1 })).unwrap().body.unwrap();
        assert_eq!((body.content_type.as_str(), body.bytes.as_slice()), (content_type, &br#"{"a":1}"#[..]));
    }
}

#[test]
fn a_form_is_encoded_and_repeats_the_key_of_a_list() {
    let fields =
        json!({ "form": true, "body": { "a": "{list}", "b": "{x}&c=1", "n": 1.5, "z": "{absent}" } });
    let arguments = json!({ "list": ["1&b=2", 2, true, null], "x": "ü =\r\n" });
    let request = request(&fields, &arguments).unwrap();
    let body = request.body.unwrap();
    assert_eq!(body.content_type, "application/x-www-form-urlencoded");
    let text = String::from_utf8(body.bytes.clone()).unwrap();
    assert_eq!(text, "a=1%26b%3D2&a=2&a=true&b=%C3%BC+%3D%0D%0A%26c%3D1&n=1.5");
    assert!(!format!("{body:?}").contains("true"));
}

#[test]
fn a_query_is_encoded_and_repeats_the_key_of_a_list() {
    let query = |query: Value| json!({ "path": "x", "query": query });
    let all = query(json!({ "a": "{x}", "b": "v{x}", "c": 1, "d": false, "e": "{list}", "f&": "{x}" }));
    let arguments = json!({ "x": "1&a=2#ü+ %26", "list": [] });
    let x = "1%26a%3D2%23%C3%BC%2B+%2526";
    assert_eq!(url(&all, &arguments), format!("x?a={x}&b=v{x}&c=1&d=false&f%26={x}"));
    assert_eq!(url(&all, &json!({ "list": [1, "b", 2.5] })), "x?c=1&d=false&e=1&e=b&e=2.5");
    assert_eq!(url(&query(json!({ "a": "{x}" })), &json!({ "x": null })), "x");
    each_is_refused(&[
        (query(json!({ "a": "{x}" })), json!({ "x": {} }), "/x", "string, a number or a boolean"),
        (query(json!({ "a": "{x}" })), json!({ "x": ["a", ["b"]] }), "/x/1", "string, a number or a boolean"),
        (query(json!({ "a": "b{x/y}" })), json!({ "x/y": ["a"] }), "/x~1y", "string, a number or a boolean"),
        (query(json!({ "a": "{x}" })), json!({ "x": "ü".repeat(3_000) }), "", "URL of 18032 bytes"),
    ]);
}

#[test]
fn a_header_has_visible_ascii_only() {
    let fields = json!({ "headers": { "X-Mode": "mode {x}", "X-Left": "{absent}", "X-Fixed": "a" } });
    let built = request(&fields, &json!({ "x": "a b~" })).unwrap().headers;
    let expected = [("X-Fixed", "a"), ("X-Mode", "mode a b~")];
    assert_eq!(built, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
    for hostile in ["a\r\nX-Evil: 1", "\r", "\n", "\0", "\t", "\u{7f}", "ü", "\u{2028}", "\u{560d}\u{560a}"]
    {
        each_is_refused(&[(fields.clone(), json!({ "x": hostile }), "/x", "visible ASCII")]);
    }
    assert!(request(&fields, &json!({ "x": "a".repeat(1_019) })).is_ok());
    each_is_refused(&[
        (fields.clone(), json!({ "x": "a".repeat(1_020) }), "/x", "would have 1025 characters"),
        (fields.clone(), json!({ "x": "a".repeat(1_025) }), "/x", "at most 1024 characters"),
        (fields, json!({ "x": [] }), "/x", "string, a number or a boolean"),
    ]);
}

#[test]
fn each_value_in_a_path_is_one_segment() {
    let fields = json!({ "path": "a%20b/{x}/n-{x}.json/" });
    for (value, encoded) in [
        (json!("q?#&=:@;+ ü"), "q%3F%23%26%3D%3A%40%3B%2B%20%C3%BC"),
        (json!("..a..."), "..a..."),
        (json!("100% sure %zz"), "100%25%20sure%20%25zz"),
        (json!("https:x"), "https%3Ax"),
        (json!("a%20b"), "a%2520b"),
        (json!("%25252561"), "%2525252561"),
        (json!(1), "1"),
        (json!(-1e30), "-1e%2B30"),
        (json!(true), "true"),
    ] {
        assert_eq!(url(&fields, &json!({ "x": value })), format!("a%20b/{encoded}/n-{encoded}.json/"));
    }
    assert_eq!(url(&json!({ "path": "" }), &json!({})), "");
    for hostile in [
        "",
        ".",
        "..",
        "/",
        "a/b",
        "../x",
        "\\",
        "..\\x",
        "a\r\nb",
        "\0",
        "\t",
        "\u{7f}",
        "\u{85}",
        "%2e",
        "%2E%2e",
        ".%2e",
        "%2f",
        "a%5Cb",
        "%00",
        "%0d%0a",
        "%252e%252e",
        "%25252f",
        "%25252525252e",
        "..;x",
        "..%3bx",
        "https://evil.example",
    ] {
        for path in ["{x}", "t/{x}/y", "a-{x}.json"] {
            let defect = request(&json!({ "path": path }), &json!({ "x": hostile })).unwrap_err();
            assert_eq!(defect.pointer, "/x", "{path} {hostile:?}");
        }
    }
}

#[test]
fn values_that_are_harmless_alone_do_not_leave_the_path_together() {
    let row = |path: &str, x: &str, y: &str| {
        (json!({ "path": path }), json!({ "x": x, "y": y }), "/y", "together with the text beside it")
    };
    each_is_refused(&[
        row("{x}{y}", "%2", "e"),
        row("{x}{y}", "%", "2f"),
        row("%25{y}", "", "5C"),
        row("{x}25{y}", "%", "2f"),
    ]);
    each_is_refused(&[
        (json!({ "path": "a/{x}" }), json!({}), "/x", "needs a value"),
        (json!({ "path": "a/{x}" }), json!({ "x": null }), "/x", "needs a value"),
        (json!({ "path": "a/{x}" }), json!({ "x": ["a"] }), "/x", "string, a number or a boolean"),
        (json!({ "path": "a/{x}" }), json!(["a"]), "/x", "needs a value"),
    ]);
}

#[test]
fn a_template_does_not_multiply_its_arguments() {
    let arguments = json!({ "x": "a".repeat(8_192), "list": vec![1; 10_000] });
    let many = |text: &str, times: usize| json!({ "body": vec![text; times] });
    assert!(request(&many("{x}", 256), &arguments).is_ok());
    let long_key = json!({ "form": true, "body": { "k".repeat(1_000): "{list}" } });
    each_is_refused(&[
        (many("{x}", 257), arguments.clone(), "/x", "2097152 bytes"),
        (many("a{x}", 257), arguments.clone(), "/x", "2097152 bytes"),
        (many("{list}", 257), arguments.clone(), "/list", "2097152 bytes"),
        (json!({ "path": "{x}".repeat(257) }), arguments.clone(), "/x", "2097152 bytes"),
        (long_key, arguments, "/list", "2097152 bytes"),
    ]);
}

#[test]
fn a_mapping_that_no_check_accepts_is_refused() {
    each_is_refused(&[
        (json!({ "method": null }), json!({}), "", "has no method"),
        (json!({ "path": "a{" }), json!({}), "", "without its counterpart"),
        (json!({ "path": "a/../b" }), json!({}), "", "not the one of this tool"),
        (json!({ "body": "{/x}" }), json!({}), "", "part of a response"),
        (json!({ "form": true, "body": [] }), json!({}), "", "form is no object"),
        (json!({ "form": true, "body": { "a": [] } }), json!({}), "", "a list or an object"),
    ]);
    let base = Url::parse(BASE).unwrap();
    let defect = build_target_request(&TargetMapping::default(), &base, &json!({})).unwrap_err();
    assert!(defect.to_string().contains("target has no path"));
    let other = Url::parse("mailto:a@b.example").unwrap();
    assert!(build_request(&mapping(&json!({ "path": "x" })), &other, &json!({})).is_err());
}
