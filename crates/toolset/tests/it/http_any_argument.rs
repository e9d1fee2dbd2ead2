//! No argument makes a request that leaves its path or adds to its query, headers or body.

use percent_encoding::percent_decode_str;
use proptest::{collection, prelude::*, sample::select};
use serde_json::{Value, json};
use toolcrib_toolset::{TargetMapping, UpstreamRequest, build_request, build_target_request, shape_response};
use url::{Url, form_urlencoded};

use crate::http_support::mapping;

const BASES: &[&str] = &[
    "https://api.example/",
    "https://api.example/v2/",
    "http://127.0.0.1:8080/a/b%20c/",
    "https://[::1]:8443/x.y/",
];

/// What is dangerous in a URL, a header or a form, as it is and percent-encoded.
const HOSTILE: &[&str] = &[
    "../",
    "..",
    ".",
    "/",
    "//",
    "\\",
    "%2e%2e",
    "%2E",
    "%2f",
    "%5c",
    "%252e",
    "%25252f",
    "%",
    "%2",
    "25",
    "e",
    "\r\n",
    "\r",
    "\n",
    "%0d%0a",
    "\0",
    "%00",
    "\t",
    "?",
    "#",
    "@",
    ":",
    ";",
    "&",
    "=",
    "+",
    " ",
    "a",
    "x.json",
    "é",
    "…",
    "\u{ff0e}",
    "\u{202e}",
    "\u{2028}",
    "\u{85}",
    "https://evil.example",
    "evil.example:80",
    "{a}",
    "}",
    "\"",
    "<",
    "|",
    "%c0%ae",
];

const SEGMENTS: &[&str] =
    &["tickets", "a..b", "x%20y", "v1~", "{a}", "{b}", "{a}{b}", ".{a}", "a-{a}.json", "{a}.{b}", "%25{a}"];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => collection::vec(select(HOSTILE), 1..5).prop_map(|parts| parts.concat()),
        1 => any::<String>(),
        1 => "[a-zA-Z0-9._~ -]{1,16}",
    ]
}

fn argument() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => text().prop_map(Value::String),
        1 => any::<i64>().prop_map(|number| json!(number)),
        1 => any::<f64>().prop_map(|number| json!(number)),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => collection::vec(text(), 0..3).prop_map(|list| json!(list)),
        1 => Just(Value::Null),
        1 => text().prop_map(|text| json!({ "x": [text] })),
    ]
}

fn path() -> impl Strategy<Value = String> {
    (collection::vec(select(SEGMENTS), 1..5), any::<bool>())
        .prop_map(|(segments, slash)| segments.join("/") + if slash { "/" } else { "" })
}

/// The text of a scalar.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8().unwrap().into_owned()
}

/// The path of a mapping with its parameters replaced, segment by segment.
fn expected_segments(path: &str, a: &str, b: &str) -> Vec<String> {
    let fill = |segment: &str| {
        let pieces =
            segment.split("{a}").map(|piece| piece.split("{b}").map(decoded).collect::<Vec<_>>().join(b));
        pieces.collect::<Vec<_>>().join(a)
    };
    path.split('/').map(fill).collect()
}

/// Fails unless the URL is the base URL, then exactly the segments.
fn assert_below(url: &Url, base: &str, path: &str, a: &Value, b: &Value) {
    let text = url.as_str();
    assert!(text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\'), "{text}");
    assert_eq!(&Url::parse(text).unwrap(), url);
    let base_url = Url::parse(base).unwrap();
    assert_eq!(url.origin(), base_url.origin());
    assert_eq!((url.username(), url.password(), url.fragment()), ("", None, None), "{text}");
    let below = text.strip_prefix(base).unwrap_or_else(|| panic!("{text}"));
    let below = below.split('?').next().unwrap();
    assert_eq!(url.path(), format!("{}{below}", base_url.path()));
    let (a, b) = (plain(a).unwrap_or_default(), plain(b).unwrap_or_default());
    let found: Vec<String> = below.split('/').map(decoded).collect();
    assert_eq!(found, expected_segments(path, &a, &b), "{text}");
    // Nor does a server leave the path that decodes it again.
    let again = percent_decode_str(&found.join("/")).decode_utf8_lossy().into_owned();
    assert_eq!(again.matches(['/', '\\']).count(), path.matches('/').count(), "{text}");
    assert!(!again.split('/').any(|segment| segment == "." || segment == ".."), "{text}");
}

fn pairs(value: &Value, key: &str, prefix: &str) -> Vec<(String, String)> {
    let texts = match value {
        Value::Array(items) => items.iter().filter_map(plain).collect(),
        other => Vec::from_iter(plain(other)),
    };
    texts.into_iter().map(|text| (key.to_owned(), format!("{prefix}{text}"))).collect()
}

fn parsed(text: &[u8]) -> Vec<(String, String)> {
    form_urlencoded::parse(text).into_owned().collect()
}

fn build(base: &str, fields: &Value, arguments: &Value) -> Option<UpstreamRequest> {
    build_request(&mapping(fields), &Url::parse(base).unwrap(), arguments).ok()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_path_stays_as_written(
        base in select(BASES), path in path(), a in argument(), b in argument(),
    ) {
        let arguments = json!({ "a": a, "b": b });
        let fields = json!({ "path": path, "query": { "q": "1" } });
        if let Some(request) = build(base, &fields, &arguments) {
            assert_below(&request.url, base, &path, &a, &b);
            prop_assert_eq!(request.url.query(), Some("q=1"));
        }
        let target = TargetMapping { path: Some(path.clone()), ..TargetMapping::default() };
        if let Ok(request) = build_target_request(&target, &Url::parse(base).unwrap(), &arguments) {
            assert_below(&request.url, base, &path, &a, &b);
            prop_assert_eq!(request.url.query(), None);
        }
    }

    #[test]
    fn a_harmless_value_comes_back(base in select(BASES), value in "[a-z0-9é€?#&=+@: <>\"{}|~_-]{1,24}") {
        let request = build(base, &json!({ "path": "x/{a}/y" }), &json!({ "a": value })).unwrap();
        assert_below(&request.url, base, "x/{a}/y", &json!(value), &Value::Null);
    }

    #[test]
    fn a_query_has_exactly_its_values(base in select(BASES), a in argument(), b in text()) {
        let fields = json!({ "path": "x", "query": { "a": "{a}", "b": "b{b}", "c": true } });
        let built = build(base, &fields, &json!({ "a": a, "b": b }));
        prop_assert_eq!(built.is_none(), a.is_object());
        let Some(request) = built else { return Ok(()) };
        assert_below(&request.url, base, "x", &Value::Null, &Value::Null);
        let mut expected = pairs(&a, "a", "");
        expected.extend(pairs(&json!(b), "b", "b"));
        expected.push(("c".into(), "true".into()));
        prop_assert_eq!(parsed(request.url.query().unwrap().as_bytes()), expected);
    }

    #[test]
    fn a_header_has_exactly_its_value(a in argument()) {
        let fields = json!({ "headers": { "X-A": "a {a}", "X-B": "b" } });
        let is_visible = |text: &str| text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        let is_fit = |text: &String| text.len() < 1_022 && is_visible(text);
        let expected = match plain(&a) {
            Some(text) => Some(text).filter(is_fit).map(|text| vec![("X-A", format!("a {text}"))]),
            None => a.is_null().then(Vec::new),
        };
        let found = build(BASES[0], &fields, &json!({ "a": a })).map(|request| request.headers);
        let expected = expected.map(|headers| {
            let all = headers.into_iter().chain([("X-B", "b".to_owned())]);
            all.map(|(name, value)| (name.to_owned(), value)).collect::<Vec<_>>()
        });
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn a_body_has_exactly_its_values(a in argument(), b in text()) {
        let arguments = json!({ "a": a, "b": b });
        let body = json!({ "a": "{a}", "b": "b{b}" });
        let request = build(BASES[0], &json!({ "body": body }), &arguments).unwrap();
        let sent: Value = serde_json::from_slice(&request.body.unwrap().bytes).unwrap();
        prop_assert_eq!(sent, json!({ "a": a, "b": format!("b{b}") }));
        if let Some(request) = build(BASES[0], &json!({ "body": body, "form": true }), &arguments) {
            let mut expected = pairs(&a, "a", "");
            expected.extend(pairs(&json!(b), "b", "b"));
            prop_assert_eq!(parsed(&request.body.unwrap().bytes), expected);
        }
    }

    #[test]
    fn every_response_is_shown_or_described(
        body in prop_oneof![
            collection::vec(any::<u8>(), 0..64),
            "[\\[\\]{}\":,0-9a\\\\ u<>]{0,40}".prop_map(String::into_bytes),
        ],
        content_type in select(
            vec![None, Some("application/json"), Some("text/plain"), Some("a/b"), Some(";+json")]
        ),
    ) {
        let shaped = shape_response(None, content_type, &body);
        prop_assert!(!shaped.truncated && (shaped.unreadable.is_none() || shaped.data.is_null()));
        prop_assert!(shaped.data.to_string().len() <= 16 + 6 * body.len());
    }
}
