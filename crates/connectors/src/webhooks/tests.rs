//! Tests of addresses and signatures, without a network.

use std::net::IpAddr;

use futures_util::future::BoxFuture;
use reqwest::dns::Resolve as _;
use secrecy::SecretString;

use super::*;

/// A resolver that returns the same addresses for every name.
struct Fixed(Vec<IpAddr>);

impl HostLookup for Fixed {
    fn lookup(&self, _: String) -> BoxFuture<'static, std::io::Result<Vec<IpAddr>>> {
        Box::pin(std::future::ready(Ok(self.0.clone())))
    }
}

#[tokio::test]
async fn of_several_addresses_of_a_name_only_public_ones_are_given_out() {
    let both: Vec<IpAddr> = ["127.0.0.1", "1.1.1.1", "::1"].map(|text| text.parse().unwrap()).into();
    for (everywhere, expected) in [(false, vec![both[1]]), (true, both.clone())] {
        let guarded = Guarded { lookup: Arc::new(Fixed(both.clone())), everywhere };
        let found = guarded.resolve("hooks.example.com".parse().unwrap()).await.unwrap();
        assert_eq!(found.map(|address| address.ip()).collect::<Vec<_>>(), expected);
    }
    let guarded = Guarded { lookup: Arc::new(Fixed(vec![both[0]])), everywhere: false };
    assert!(guarded.resolve("hooks.example.com".parse().unwrap()).await.is_err());
}

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
fn private_addresses_are_told_from_public_ones() {
    let public = [
        "1.1.1.1",
        "93.184.216.34",
        "100.63.0.1",
        "172.32.0.1",
        "2606:4700::1111",
        "2a00:1450::1",
        "::ffff:1.1.1.1",
        "64:ff9b::101:101",
        "2002:101:101::1",
    ];
    let private = [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::7f00:1",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "2002:c0a8:1::1",
        "3fff::1",
        "5f00::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ];
    for text in public {
        assert!(is_public(text.parse::<IpAddr>().unwrap()), "{text}");
    }
    for text in private {
        assert!(!is_public(text.parse::<IpAddr>().unwrap()), "{text}");
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
