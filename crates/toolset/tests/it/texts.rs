//! Hidden characters and secrets in texts.

use serde_json::json;

use crate::{
    json_pointers::set,
    support::{base, defects, each_is_the_one_defect, with},
};

#[test]
fn hidden_characters_are_refused_in_every_text() {
    let hidden = |c: char| json!(format!("a{c}b"));
    each_is_the_one_defect(&[
        ("/title", hidden('\u{200b}'), "/title", "`\\u{200b}`"),
        ("/tools/0/description", hidden('\u{202e}'), "/tools/0/description", "`\\u{202e}`"),
        ("/tools/0/description", hidden('\u{e0041}'), "/tools/0/description", "`\\u{e0041}`"),
        ("/tools/0/description", hidden('\u{1b}'), "/tools/0/description", "`\\u{1b}`"),
        ("/tools/0/description", hidden('\u{e000}'), "/tools/0/description", "`\\u{e000}`"),
        ("/tools/0/warning", hidden('\n'), "/tools/0/warning", "`\\u{a}`"),
        ("/tools/0/tags", json!(["a", "b\u{feff}"]), "/tools/0/tags/1", "hidden"),
        ("/tools/0/http/body/x", hidden('\u{2066}'), "/tools/0/http/body/x", "hidden"),
        (
            "/tools/0/parameters/properties/note/description",
            hidden('\u{200d}'),
            "/tools/0/parameters/properties/note/description",
            "hidden",
        ),
        (
            "/tools/0/parameters/properties/mode/enum",
            json!(["fast", "slow\u{ad}"]),
            "/tools/0/parameters/properties/mode/enum/1",
            "hidden",
        ),
    ]);
    let plain = json!("One.\nTwo.\tمی\u{200c}خواهم 👩\u{200d}💻");
    assert_eq!(defects(&with("/tools/0/description", plain)), []);
}

#[test]
fn a_key_with_a_hidden_character_is_refused() {
    let found = defects(&with("/tools/0/http/body/a\u{200b}", json!(1)));
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(!found[0].to_string().contains('\u{200b}'), "{}", found[0]);
}

#[test]
fn secrets_are_refused_and_not_repeated() {
    let secret = format!("ghp_{}", "16C7e42F292c6912E7710c838347Ae178B4a");
    for pointer in ["/tools/0/description", "/tools/0/http/headers/X-Key", "/upstreams/0/auth/env"] {
        let found = defects(&with(pointer, json!(secret)));
        let words = "looks like a secret";
        assert!(found.iter().any(|defect| defect.pointer == pointer && defect.message.contains(words)));
        assert!(found.iter().all(|defect| !defect.message.contains(&secret)), "{found:?}");
    }
}

#[test]
fn a_pin_and_a_pattern_are_no_secrets() {
    let mut document = base();
    let alphabet = "^[ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789]+$";
    set(&mut document, "/tools/0/parameters/properties/note/pattern", json!(alphabet));
    assert_eq!(defects(&document), []);
}
