//! Parses a token and verifies its signature with the issuer's keys. Ignores keys that the token itself
//! names.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::Value;
use toolcrib_model::parse_strict;

use crate::{claims::TokenRefused, key_set::KeySet};

/// Maximum length of a token, in bytes.
pub const MAX_TOKEN: usize = 16 * 1024;
/// The accepted algorithms. All others are refused, including `none` and HMAC.
const ALGORITHMS: [&str; 3] = ["EdDSA", "RS256", "ES256"];

/// Why a token can't be verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenError {
    /// The token names an unknown key. The issuer may have a new one.
    UnknownKey,
    /// The token is invalid, whatever the keys are.
    Refused(TokenRefused),
}

/// Verifies the signature of a token with `keys` and returns its claims, which are not checked yet.
pub fn verify(token: &str, keys: &KeySet) -> Result<Value, TokenError> {
    if token.len() > MAX_TOKEN {
        return Err(invalid("longer than 16 KiB"));
    }
    let (message, signature) = token.rsplit_once('.').ok_or(invalid("not three parts"))?;
    let (header, payload) = message.split_once('.').ok_or(invalid("not three parts"))?;
    if payload.contains('.') {
        return Err(invalid("not three parts"));
    }
    let header = object(header)?;
    // `jku`, `x5u`, `jwk` and `x5c` are ignored, because a token must not supply its own key.
    if header.get("crit").is_some() {
        return Err(invalid("it asks for extensions"));
    }
    check_type(header.get("typ"))?;
    let alg = header.get("alg").and_then(Value::as_str).unwrap_or_default();
    if !ALGORITHMS.contains(&alg) {
        return Err(invalid("an algorithm that is not accepted"));
    }
    let kid = match header.get("kid") {
        None => None,
        Some(Value::String(kid)) => Some(kid.as_str()),
        Some(_) => return Err(invalid("a kid that is no text")),
    };
    let key = keys.find(kid, alg).ok_or_else(|| match kid {
        Some(kid) if !keys.knows(kid) => TokenError::UnknownKey,
        _ => invalid("the key is for another algorithm, or none is named"),
    })?;
    if !key.verifies(message, signature) {
        return Err(TokenError::Refused(TokenRefused::UnknownKey));
    }
    object(payload)
}

/// Refuses tokens that are not access tokens. The issuer also signs logout tokens, security events and
/// proofs, and marks them with their own `typ`, with or without the prefix `application/`, in any case (RFC
/// 7515, 4.1.9). Access tokens have the `typ` `at+jwt` or `JWT`, or none.
fn check_type(typ: Option<&Value>) -> Result<(), TokenError> {
    let Some(typ) = typ else { return Ok(()) };
    let typ = typ.as_str().unwrap_or_default().to_ascii_lowercase();
    match typ.strip_prefix("application/").unwrap_or(&typ) {
        "at+jwt" | "jwt" => Ok(()),
        _ => Err(invalid("a type that is no token for access")),
    }
}

fn object(part: &str) -> Result<Value, TokenError> {
    let bytes = URL_SAFE_NO_PAD.decode(part).map_err(|_| invalid("a part that is no base64url"))?;
    let value = parse_strict(&bytes).map_err(|_| invalid("a part that is no strict JSON"))?;
    if value.is_object() { Ok(value) } else { Err(invalid("a part that is no object")) }
}

const fn invalid(reason: &'static str) -> TokenError {
    TokenError::Refused(TokenRefused::Invalid(reason))
}
