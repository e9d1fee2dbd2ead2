//! Replaces the secret that was sent wherever it comes back.
//!
//! An upstream may repeat a secret as it is, in a JSON text or in a URL. So the body is read once for each of
//! these encodings, and the secret is searched in the decoded text. The time is linear in the length of the
//! body, whatever the secret and the body are.

mod decode;
mod search;

use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use secrecy::ExposeSecret as _;

use super::UpstreamCredential;
use decode::Encoding;

/// What replaces a secret.
const REPLACEMENT: &str = "•••";
/// The shortest secret that is replaced, in bytes. A shorter one can be guessed, and is in every text.
const SHORTEST: usize = 4;
/// The shortest part of a login that counts as a secret of its own without being the password, in bytes.
const SHORTEST_KEY: usize = 8;

/// The texts that must not come back.
pub struct SecretMask {
    secrets: Vec<Vec<u8>>,
}

impl SecretMask {
    /// Creates the mask of a credential. Without one, it replaces nothing.
    pub fn new(credential: Option<&UpstreamCredential>) -> Self {
        let mut texts: Vec<String> = match credential {
            None => Vec::new(),
            Some(UpstreamCredential::Bearer(token)) => vec![token.expose_secret().to_owned()],
            Some(UpstreamCredential::Header { value, .. }) => header_texts(value.expose_secret()),
            Some(UpstreamCredential::Basic(login)) => basic_texts(login.expose_secret()),
        };
        texts.retain(|text| text.len() >= SHORTEST);
        texts.sort_unstable();
        texts.dedup();
        Self { secrets: texts.into_iter().map(String::into_bytes).collect() }
    }

    /// How many bytes the longest secret can have in a body.
    pub fn longest_match(&self) -> usize {
        let longest = self.secrets.iter().map(Vec::len).max().unwrap_or_default();
        longest * decode::MAX_ENCODED_BYTES
    }

    /// Replaces the secrets in a body.
    pub fn apply(&self, body: Vec<u8>) -> Vec<u8> {
        let mut found = Vec::new();
        for encoding in Encoding::ALL.into_iter().filter(|encoding| encoding.may_be_in(&body)) {
            for secret in &self.secrets {
                search::find(secret, &body, encoding, &mut found);
            }
        }
        if found.is_empty() {
            return body;
        }
        found.sort_unstable();
        replaced(&body, &found)
    }

    /// Replaces the secrets in a text.
    pub fn apply_to_text(&self, text: &str) -> String {
        String::from_utf8_lossy(&self.apply(text.into())).into_owned()
    }
}

/// The secrets in the value of a header, such as `Token 3f9a…`: the value, and what follows its scheme.
fn header_texts(value: &str) -> Vec<String> {
    let mut texts = vec![value.to_owned()];
    texts.extend(value.split_once(' ').map(|(_, key)| key.trim().to_owned()));
    texts.retain(|text| text.len() >= SHORTEST_KEY || text == value);
    texts
}

/// The secrets in `user:password`. Where the password is empty or short, the user is a key.
fn basic_texts(login: &str) -> Vec<String> {
    let mut texts = vec![login.to_owned(), STANDARD_NO_PAD.encode(login), URL_SAFE_NO_PAD.encode(login)];
    if let Some((user, password)) = login.split_once(':') {
        texts.push(password.to_owned());
        if password.len() < SHORTEST_KEY && user.len() >= SHORTEST_KEY {
            texts.push(user.to_owned());
        }
    }
    texts
}

/// Replaces the ranges, which are sorted and may overlap.
fn replaced(body: &[u8], ranges: &[(usize, usize)]) -> Vec<u8> {
    let mut masked = Vec::with_capacity(body.len());
    let mut at = 0;
    for &(start, end) in ranges {
        // A range that begins inside the one before it only makes that one longer.
        if start >= at {
            masked.extend_from_slice(body.get(at..start).unwrap_or_default());
            masked.extend_from_slice(REPLACEMENT.as_bytes());
        }
        at = at.max(end);
    }
    masked.extend_from_slice(body.get(at..).unwrap_or_default());
    masked
}

#[cfg(test)]
mod tests;
