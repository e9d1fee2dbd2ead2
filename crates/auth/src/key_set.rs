//! The issuer's public keys. The key determines the algorithm; the token's header can't choose another one.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use futures_util::future::BoxFuture;
use jsonwebtoken::{Algorithm, DecodingKey};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::{sync::Arc, time::Duration};
use toolcrib_model::parse_strict;

/// Maximum number of keys; issuers have far fewer.
const MAX_KEYS: usize = 64;

/// A source of the issuer's public keys.
pub trait JwksSource: Send + Sync {
    /// Returns the known keys without waiting.
    fn current(&self) -> Arc<KeySet>;

    /// Fetches newer keys, if the source's cooldown allows it. [`JwksSource::current`] then returns them.
    fn renew(&self) -> BoxFuture<'_, ()>;
}

/// A public key with the one algorithm it verifies.
#[derive(Clone, Debug)]
pub struct PublicKey {
    kid: Option<String>,
    algorithm: Algorithm,
    key: DecodingKey,
}

/// The issuer's public keys at one time.
#[derive(Clone, Debug)]
pub struct KeySet {
    /// Increases when the keys change. A token that was verified with another generation is verified again.
    pub generation: u64,
    /// The monotonic time at which the keys expire; absent for the service's own keys.
    pub usable_until: Option<Duration>,
    /// SHA-256 of the keys, to compare two sets.
    pub fingerprint: [u8; 32],
    keys: Vec<PublicKey>,
}

impl KeySet {
    /// Returns a set without keys that is already expired.
    pub fn unread() -> Self {
        Self { generation: 0, usable_until: Some(Duration::ZERO), fingerprint: [0; 32], keys: Vec::new() }
    }

    /// Parses a JSON Web Key Set. Skips keys that can't verify `EdDSA`, RS256 or ES256 signatures. A set
    /// without a usable key is an error, so that a broken response never replaces good keys.
    pub fn parse(bytes: &[u8]) -> Result<Self, &'static str> {
        let set = parse_strict(bytes).map_err(|_| "the key set is not valid JSON")?;
        let list = set.get("keys").and_then(Value::as_array).ok_or("the key set has no list `keys`")?;
        if list.len() > MAX_KEYS {
            return Err("the key set has too many keys");
        }
        let keys: Vec<PublicKey> = list.iter().filter_map(PublicKey::read).collect();
        if keys.is_empty() {
            return Err("the key set has no key for EdDSA, RS256 or ES256");
        }
        let fingerprint = Sha256::digest(Value::from(list.clone()).to_string()).into();
        Ok(Self { generation: 1, usable_until: None, fingerprint, keys })
    }

    /// Returns whether the keys have not expired.
    pub fn usable(&self, now: Duration) -> bool {
        self.usable_until.is_none_or(|until| now < until)
    }

    /// Returns whether a key has this id.
    pub fn knows(&self, kid: &str) -> bool {
        self.keys.iter().any(|key| key.kid.as_deref() == Some(kid))
    }

    /// Returns the key for a token's `kid` and `alg`. A token without `kid` matches only if the set has one
    /// key.
    pub fn find(&self, kid: Option<&str>, alg: &str) -> Option<&PublicKey> {
        match kid {
            Some(_) => self.keys.iter().find(|key| key.kid.as_deref() == kid && key.alg() == alg),
            None => match self.keys.as_slice() {
                [only] if only.alg() == alg => Some(only),
                _ => None,
            },
        }
    }
}

impl PublicKey {
    /// Returns whether `signature` (in base64url) is a valid signature of `message`.
    pub fn verifies(&self, message: &str, signature: &str) -> bool {
        jsonwebtoken::crypto::verify(signature, message.as_bytes(), &self.key, self.algorithm)
            .unwrap_or(false)
    }

    fn alg(&self) -> &'static str {
        match self.algorithm {
            Algorithm::EdDSA => "EdDSA",
            Algorithm::RS256 => "RS256",
            Algorithm::ES256 => "ES256",
            _ => "",
        }
    }

    fn read(jwk: &Value) -> Option<Self> {
        let field = |name: &str| jwk.get(name).and_then(Value::as_str);
        let bytes = |name: &str| field(name).and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
        let long = |name: &str, least: usize, most: usize| {
            bytes(name).is_some_and(|bytes| (least..=most).contains(&bytes.len()))
        };
        let (algorithm, key) = match (field("kty")?, field("crv")) {
            ("OKP", Some("Ed25519")) if long("x", 32, 32) => {
                (Algorithm::EdDSA, DecodingKey::from_ed_components(field("x")?).ok()?)
            }
            ("EC", Some("P-256")) if long("x", 32, 32) && long("y", 32, 32) => {
                (Algorithm::ES256, DecodingKey::from_ec_components(field("x")?, field("y")?).ok()?)
            }
            // 2,048 to 8,192 bits.
            ("RSA", None) if long("n", 256, 1024) && long("e", 1, 8) => {
                (Algorithm::RS256, DecodingKey::from_rsa_components(field("n")?, field("e")?).ok()?)
            }
            _ => return None,
        };
        let kid = match jwk.get("kid") {
            None => None,
            Some(kid) => Some(kid.as_str()?.to_owned()),
        };
        let key = Self { kid, algorithm, key };
        let for_signatures = jwk.get("use").is_none_or(|purpose| purpose == "sig")
            && jwk.get("alg").is_none_or(|alg| alg == key.alg())
            && jwk
                .get("key_ops")
                .is_none_or(|ops| ops.as_array().is_some_and(|ops| ops.iter().any(|op| op == "verify")));
        for_signatures.then_some(key)
    }
}
