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
fn a_secret_is_found_in_each_form() {
    let mask = bearer(r#"k"y/9 \+%é&x='"#);
    for (text, expected) in [
        (r#"a k"y/9 \+%é&x=' z"#, "a ••• z"),
        // As `serde_json`, PHP, Python, Go, Gson and .NET write it, with or without the slash escaped.
        (r#"{"a":"k\"y/9 \\+%é&x='"}"#, r#"{"a":"•••"}"#),
        (r#"{"a":"k\"y\/9 \\+%\u00e9&x='"}"#, r#"{"a":"•••"}"#),
        (r#"{"a":"k\"y/9 \\+%\u00e9&x='"}"#, r#"{"a":"•••"}"#),
        (r#"{"a":"k\"y/9 \\+%é\u0026x='"}"#, r#"{"a":"•••"}"#),
        (r#"{"a":"k\"y/9 \\+%é\u0026x\u003d\u0027"}"#, r#"{"a":"•••"}"#),
        (r#"{"a":"k\"y/9 \\\u002B%\u00E9\u0026x=\u0027"}"#, r#"{"a":"•••"}"#),
        ("?k=k%22y%2F9%20%5C%2B%25%C3%A9%26x%3D%27&a=1", "?k=•••&a=1"),
        ("?k=k%22y%2f9+%5c%2b%25%c3%a9%26x%3d%27", "?k=•••"),
        ("?k=k%22y/9%20%5C%2B%25%C3%A9%26x%3D%27", "?k=•••"),
        ("?k=k%22y%2F9%20%5C%2B%25%C3%A9%26x%3D'", "?k=•••"),
        (r#"k"y/9 \+%é&x='k"y/9 \+%é&x='"#, "••••••"),
        (r#"k"y/9 \+%é&x="#, r#"k"y/9 \+%é&x="#),
    ] {
        assert_eq!(mask.apply_to_text(text), expected);
    }
    assert_eq!(bearer("\u{1f511}key").apply_to_text(r#""\ud83d\udd11key""#), r#""•••""#);
    assert_eq!(bearer("hunter2").apply(b"\xffhunter2".to_vec()), "\u{fffd}•••".as_bytes());
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
    assert_eq!(bearer("abab").apply_to_text("abababab-aba"), "••••••-aba");
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
