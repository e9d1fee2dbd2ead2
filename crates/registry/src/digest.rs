//! The canonical form of JSON values and its digest.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// Returns the SHA-256 of the RFC 8785 form, in hex. Equal values have equal digests, whatever their key
/// order or number format was.
pub fn digest(value: &Value) -> String {
    canonical_and_digest(value).1
}

/// Returns the RFC 8785 form and its SHA-256 in hex.
pub fn canonical_and_digest(value: &Value) -> (String, String) {
    let canonical = canonical(value);
    let digest = hex::encode(Sha256::digest(&canonical));
    (canonical, digest)
}

/// Returns the RFC 8785 form.
fn canonical(value: &Value) -> String {
    // Can't fail: keys of a `Value` are strings and its numbers are finite.
    serde_json_canonicalizer::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests;
