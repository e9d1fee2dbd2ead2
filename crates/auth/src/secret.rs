//! The text form of a key, `tc_<id>_<secret>`, and the hash of its secret.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use toolcrib_model::Id;

/// The prefix of every key.
pub const PREFIX: &str = "tc_";

/// Formats a key: the id in simple hex, the secret in base64url. The text is shown to the user once.
pub fn format_key(id: Id, secret: &[u8; 32]) -> String {
    format!("{PREFIX}{}_{}", id.simple(), URL_SAFE_NO_PAD.encode(secret))
}

/// Parses id and secret of a key. Returns `None` for any text that [`format_key`] would not produce.
pub fn parse_key(text: &str) -> Option<(Id, [u8; 32])> {
    let (id, secret) = text.strip_prefix(PREFIX)?.split_once('_')?;
    let simple = id.len() == 32 && id.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    let id = simple.then(|| Id::try_parse(id).ok()).flatten()?;
    let secret = URL_SAFE_NO_PAD.decode(secret).ok()?.try_into().ok()?;
    Some((id, secret))
}

/// Returns the hash of a secret, which is what the database stores. A secret has 256 random bits, so a fast
/// hash suffices.
pub fn hash(secret: &[u8; 32]) -> [u8; 32] {
    Sha256::digest(secret).into()
}

/// Returns whether `stored` is the hash of `secret`. The comparison takes constant time.
pub fn matches(secret: &[u8; 32], stored: &[u8]) -> bool {
    is_same(&hash(secret), stored)
}

/// Compares two hashes in constant time.
pub fn is_same(hash: &[u8], stored: &[u8]) -> bool {
    hash.ct_eq(stored).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: [u8; 32] = [0xff; 32];

    #[test]
    fn a_key_reads_back_and_only_as_it_was_written() {
        let id = Id::from_u128(0x0198_0000_0000_7000_8000_0000_0000_00ab);
        let text = format_key(id, &SECRET);
        assert_eq!(parse_key(&text).unwrap(), (id, SECRET));
        let hex = id.simple().to_string();
        for bad in [
            text.replace(&hex, &id.to_string()),
            text.replace(&hex, &hex.to_uppercase()),
            text.replace("tc_", "TC_"),
            format!("{text}="),
            format!("{text}A"),
            text[..text.len() - 1].to_owned(),
            format!("tc_{hex}"),
            "tc__".to_owned(),
        ] {
            assert!(parse_key(&bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn only_the_secret_itself_matches() {
        let stored = hash(&SECRET);
        assert!(matches(&SECRET, &stored));
        let mut near = SECRET;
        near[31] ^= 1;
        assert!(!matches(&near, &stored));
        assert!(!matches(&SECRET, &stored[..31]));
        assert!(!matches(&SECRET, &[]));
    }
}
