//! Tests of URLs and signatures, without a network.

use secrecy::SecretString;

use super::*;

#[test]
fn a_signature_is_that_of_the_specification() {
    // The example of the specification's libraries.
    let secret = SecretString::from("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
    let signed = sign(&secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", r#"{"test": 2432232314}"#);
    assert_eq!(signed.as_deref(), Ok("v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="));
    for wrong in ["", "whsec_!", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] {
        assert_eq!(sign(&SecretString::from(wrong), "a", "1", "{}"), Err(NotASecret), "{wrong}");
    }
}

#[test]
fn only_public_https_addresses_may_be_named() {
    let none = Allowed::default();
    for good in [
        "https://example.com/hook?x=1",
        "https://example.com:8443/",
        "https://1.1.1.1/",
        "https://[2606:4700::1111]/",
    ] {
        assert!(none.address(good).is_ok(), "{good}");
    }
    for bad in [
        "",
        "example.com",
        "http://example.com/",
        "ftp://example.com/",
        "https://",
        "https://user@example.com/",
        "https://user:secret@example.com/",
        "https://example.com/#part",
        "https://localhost/",
        "https://LOCALHOST./x",
        "https://a.localhost/",
        "https://db.internal/",
        "https://printer.local/",
        "https://db/",
        "https://127.0.0.1/",
        // Other spellings of 127.0.0.1 and 169.254.169.254.
        "https://127.1/",
        "https://0x7f000001/",
        "https://2130706433/",
        "https://017700000001/",
        "https://0xa9fea9fe/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://10.0.0.1:443/",
        "https://169.254.169.254/latest/meta-data/",
        &format!("https://example.com/{}", "a".repeat(2_000)),
    ] {
        assert!(none.address(bad).is_err(), "{bad}");
    }
}

#[test]
fn the_operators_hosts_may_be_private() {
    let some = Allowed::new(&["Hooks.Internal".to_owned(), "127.0.0.1:9000".to_owned()]);
    for good in ["http://hooks.internal/", "https://hooks.internal:1/x", "http://127.0.0.1:9000/"] {
        assert!(some.address(good).is_ok(), "{good}");
    }
    for bad in
        ["http://127.0.0.1:9001/", "https://127.0.0.1/", "http://x.hooks.internal/", "ftp://hooks.internal/"]
    {
        assert!(some.address(bad).is_err(), "{bad}");
    }
}
