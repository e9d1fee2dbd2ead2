//! Which keys of an issuer's key set are accepted.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use toolcrib_auth::KeySet;

/// Returns this many bytes in base64url, as a component of a key.
fn part(bytes: usize) -> String {
    URL_SAFE_NO_PAD.encode(vec![7; bytes])
}

fn set(keys: &[Value]) -> Result<KeySet, &'static str> {
    KeySet::parse(json!({ "keys": keys }).to_string().as_bytes())
}

fn ed25519(x: usize) -> Value {
    json!({ "kty": "OKP", "crv": "Ed25519", "x": part(x) })
}

fn p256(x: usize, y: usize) -> Value {
    json!({ "kty": "EC", "crv": "P-256", "x": part(x), "y": part(y) })
}

fn rsa(n: usize, e: usize) -> Value {
    json!({ "kty": "RSA", "n": part(n), "e": part(e) })
}

#[test]
fn keys_of_another_length_are_no_keys() {
    for good in [ed25519(32), p256(32, 32), rsa(256, 1), rsa(1024, 8)] {
        assert!(set(std::slice::from_ref(&good)).is_ok(), "{good}");
    }
    for bad in [
        ed25519(31),
        ed25519(33),
        p256(31, 32),
        p256(32, 33),
        rsa(255, 3),
        rsa(1025, 3),
        rsa(256, 9),
        rsa(256, 0),
    ] {
        assert!(set(std::slice::from_ref(&bad)).is_err(), "{bad}");
    }
}

#[test]
fn a_set_has_at_most_64_keys() {
    assert!(set(&vec![ed25519(32); 64]).is_ok());
    assert!(set(&vec![ed25519(32); 65]).is_err());
}

#[test]
fn without_a_kid_the_only_key_is_meant_for_its_own_algorithm() {
    let only = set(&[ed25519(32)]).unwrap();
    assert!(only.find(None, "EdDSA").is_some());
    assert!(only.find(None, "RS256").is_none());
    assert!(set(&[ed25519(32), ed25519(32)]).unwrap().find(None, "EdDSA").is_none());
}
