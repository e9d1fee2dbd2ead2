//! The canonical form of JSON values, and its digest.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// SHA-256 of the RFC 8785 form, in hex. Equal values have equal digests, however they were written.
pub fn digest(value: &Value) -> String {
    canonical_and_digest(value).1
}

/// The RFC 8785 form, and its SHA-256 in hex.
pub fn canonical_and_digest(value: &Value) -> (String, String) {
    let canonical = canonical(value);
    let digest = hex::encode(Sha256::digest(&canonical));
    (canonical, digest)
}

/// The RFC 8785 form.
fn canonical(value: &Value) -> String {
    // Every `Value` has one: keys are strings and numbers are finite.
    serde_json_canonicalizer::to_string(value).unwrap_or_default()
}

#[cfg(test)]
mod tests;
