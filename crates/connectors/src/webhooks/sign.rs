//! Signatures of the Standard Webhooks specification: HMAC-SHA256 over id, time and body.

use aws_lc_rs::hmac;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use secrecy::{ExposeSecret as _, SecretString};

/// The prefix of a secret.
pub const PREFIX: &str = "whsec_";

/// The error for a text that is not a webhook's secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a webhook's secret begins with `whsec_`, then base64")]
pub struct NotASecret;

/// Encodes bytes as a secret.
pub fn secret(bytes: &[u8; 32]) -> SecretString {
    SecretString::from(format!("{PREFIX}{}", STANDARD.encode(bytes)))
}

/// Returns the signature of a message, such as `v1,K5oZ…=`.
pub fn sign(secret: &SecretString, id: &str, timestamp: &str, body: &str) -> Result<String, NotASecret> {
    let text = secret.expose_secret().strip_prefix(PREFIX).ok_or(NotASecret)?;
    let bytes = STANDARD.decode(text).map_err(|_| NotASecret)?;
    let key = hmac::Key::new(hmac::HMAC_SHA256, &bytes);
    let tag = hmac::sign(&key, format!("{id}.{timestamp}.{body}").as_bytes());
    Ok(format!("v1,{}", STANDARD.encode(tag.as_ref())))
}
