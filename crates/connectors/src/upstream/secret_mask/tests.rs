//! Tests of the places where a secret comes back.

use std::time::{Duration, Instant};

use secrecy::SecretString;

use super::*;

fn bearer(secret: &str) -> SecretMask {
    SecretMask::new(Some(&UpstreamCredential::Bearer(SecretString::from(secret.to_owned()))))
}

fn basic(login: &str) -> SecretMask {
    SecretMask::new(Some(&UpstreamCredential::Basic(SecretString::from(login.to_owned()))))
}

#[test]
fn a_secret_is_found_in_each_encoding() {
    let mask = bearer(r#"k"y/9 \+%é&x"#);
    for (text, expected) in [
        (r#"a k"y/9 \+%é&x z"#, "a ••• z"),
        (r#"{"a":"k\"y/9 \\+%é&x"}"#, r#"{"a":"•••"}"#),
        (r#"{"a":"k\"y\/9 \\+%\u00e9\u0026x"}"#, r#"{"a":"•••"}"#),
        (r#""\u006B\u0022\u0079\u002f\u0039\u0020\u005c\u002b\u0025\u00E9\u0026\u0078""#, r#""•••""#),
        ("?k=k%22y%2F9%20%5C%2B%25%C3%A9%26x&a=1", "?k=•••&a=1"),
        ("?k=k%22y%2f9+%5c%2b%25%c3%a9%26x", "?k=•••"),
        (r#"k"y/9 \+%é&xk"y/9 \+%é&x"#, "••••••"),
        (r#"k"y/9 \+%é&"#, r#"k"y/9 \+%é&"#),
    ] {
        assert_eq!(mask.apply_to_text(text), expected);
    }
    assert_eq!(bearer("\u{1f511}key").apply_to_text(r#""\ud83d\udd11key""#), r#""•••""#);
    // Neither half of an escape nor a broken one ends the search.
    for rest in ["\\", "\\u", "\\u12", "\\ud83d", "\\ud83d\\u0041", "%", "%4", "%zz", "+"] {
        assert_eq!(
            bearer("hunter2").apply_to_text(&format!("{rest}-hunter2{rest}")),
            format!("{rest}-•••{rest}")
        );
    }
}

#[test]
fn the_parts_of_a_login_are_secrets() {
    let mask = basic("admin:correct horse");
    for (text, expected) in [
        ("admin:correct horse", "•••"),
        ("YWRtaW46Y29ycmVjdCBob3JzZQ==", "•••=="),
        ("Basic%20YWRtaW46Y29ycmVjdCBob3JzZQ%3D%3D", "Basic%20•••%3D%3D"),
        ("p=correct+horse", "p=•••"),
        ("the admin", "the admin"),
    ] {
        assert_eq!(mask.apply_to_text(text), expected);
    }
    // Base64 with `/` and `+`, escaped as in JSON and as in URLs.
    let mask = basic("user:?>?>~~~~");
    for text in
        ["dXNlcjo/Pj8+fn5+fg", "dXNlcjo\\/Pj8+fn5+fg", "dXNlcjo_Pj8-fn5-fg", "dXNlcjo%2FPj8%2Bfn5%2Bfg"]
    {
        assert_eq!(mask.apply_to_text(text), "•••", "{text}");
    }
    // A key that stands as the user.
    for login in ["sk_live_4711:", "sk_live_4711:x"] {
        assert_eq!(basic(login).apply_to_text("no key sk_live_4711 x"), "no key ••• x");
    }
}

#[test]
fn the_key_behind_a_scheme_is_a_secret_and_a_short_text_is_none() {
    let value = SecretString::from("Token 3f9a77b1");
    let mask = SecretMask::new(Some(&UpstreamCredential::Header { name: "x-key".into(), value }));
    assert_eq!(mask.apply_to_text("Token 3f9a77b1, 3f9a77b1, Token"), "•••, •••, Token");
    assert_eq!(bearer("abc").apply_to_text("abcabc"), "abcabc");
    assert_eq!(bearer("abcd").apply_to_text("abcabcd"), "abc•••");
    assert_eq!(bearer("abab").apply_to_text("abababab-aba"), "•••-aba");
    assert_eq!(SecretMask::new(None).apply(vec![0xff, 0]), [0xff, 0]);
}

#[test]
fn the_time_is_linear_for_any_secret() {
    let mask = bearer(&format!("{}x", "\\".repeat(2_000)));
    let body = vec![b'\\'; 1024 * 1024];
    let begun = Instant::now();
    assert_eq!(mask.apply(body.clone()), body);
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
}
