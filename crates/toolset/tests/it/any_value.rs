//! A check ends for every JSON value, and what it accepts is stable.

use proptest::{collection, prelude::*};
use serde_json::{Map, Value, json};
use toolcrib_toolset::{DocumentFormat, MAX_DEFECTS, check, parse, schema};

use crate::{
    json_pointers::{pointers, set},
    support::{base, operator},
};

/// Keys of documents and schemas, so that arbitrary values get past the first rule.
const KEYS: &[&str] = &[
    "slug",
    "tools",
    "name",
    "http",
    "client",
    "parameters",
    "properties",
    "type",
    "$ref",
    "$defs",
    "items",
    "anyOf",
    "allOf",
    "enum",
    "required",
    "pattern",
    "default",
    "x-sensitive",
    "path",
    "body",
    "query",
    "accessible_by",
    "types",
    "names",
    "escalations",
    "when",
    "equals",
    "upstream",
    "x",
    "a/b~",
    "",
];

const WORDS: &[&str] = &[
    "x",
    "{x}",
    "{/x}",
    "{",
    "..",
    "#",
    "#/$defs/x",
    "object",
    "string",
    "array",
    "read",
    "everyone",
    "ä\u{200b}",
    "(a)\\1",
    "https://x.example/",
    "",
];

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i32>().prop_map(|number| json!(number)),
        any::<f64>().prop_map(|number| json!(number)),
        proptest::sample::select(WORDS).prop_map(|word| json!(word)),
        "\\PC{0,12}".prop_map(|text| json!(text)),
    ];
    leaf.prop_recursive(6, 48, 6, |inner| {
        let key = proptest::sample::select(KEYS).prop_map(str::to_owned);
        prop_oneof![
            collection::vec(inner.clone(), 0..4).prop_map(Value::Array),
            collection::vec((key, inner), 0..6)
                .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>())),
        ]
    })
}

fn check_ends(document: &Value) {
    match check(document, &operator()) {
        Err(defects) => assert!((1..=MAX_DEFECTS).contains(&defects.len())),
        Ok(toolset) => {
            let again = check(&toolset.to_json(), &operator()).unwrap();
            assert_eq!(again.to_json(), toolset.to_json());
            assert_eq!(again.tools, toolset.tools);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_check_ends_for_every_value(document in any_value()) {
        check_ends(&document);
    }

    #[test]
    fn a_check_ends_for_every_value_at_every_place(value in any_value(), at in any::<prop::sample::Index>()) {
        let mut document = base();
        let mut places = Vec::new();
        pointers(&document, "", &mut places);
        set(&mut document, at.get::<String>(&places), if value.is_null() { json!({}) } else { value });
        check_ends(&document);
    }

    #[test]
    fn a_text_is_read_or_refused(text in "[\\[\\]{}=\"'a-c0-9.\\n#\\\\ ]{0,40}") {
        for format in [DocumentFormat::Toml, DocumentFormat::Json] {
            let _ = parse(&text, format);
        }
    }
}

#[test]
fn a_value_without_a_required_field_has_a_defect() {
    for name in schema()["required"].as_array().unwrap() {
        let mut document = base();
        set(&mut document, &format!("/{}", name.as_str().unwrap()), Value::Null);
        assert!(check(&document, &operator()).is_err(), "{name}");
    }
}
