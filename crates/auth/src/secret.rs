//! The text form of a key, `tc_<id>_<secret>`, and of an invitation's code, and the hash of a secret.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use toolcrib_model::Id;

/// The prefix of every key.
pub const PREFIX: &str = "tc_";

/// Formats a key. The text is shown to the user once.
pub fn format_key(id: Id, secret: &[u8; 32]) -> String {
    format(PREFIX, id, secret)
}

/// Parses id and secret of a key. Returns `None` for any text that [`format_key`] would not produce.
pub fn parse_key(text: &str) -> Option<(Id, [u8; 32])> {
    parse(PREFIX, text)
}

/// Formats `<prefix><id>_<secret>`: the id in simple hex, the secret in base64url.
pub(crate) fn format(prefix: &str, id: Id, secret: &[u8; 32]) -> String {
    format!("{prefix}{}_{}", id.simple(), URL_SAFE_NO_PAD.encode(secret))
}

/// Parses id and secret. Returns `None` for any text that `format` would not produce with this prefix.
pub(crate) fn parse(prefix: &str, text: &str) -> Option<(Id, [u8; 32])> {
    let (id, secret) = text.strip_prefix(prefix)?.split_once('_')?;
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
    use crate::InvitationCode;

    const ID: Id = Id::from_u128(0x0198_0000_0000_7000_8000_0000_0000_00ab);
    const SECRET: [u8; 32] = [0xff; 32];

    /// Checks the text of [`ID`] and [`SECRET`].
    fn reads_back_only_as_written(prefix: &str, text: &str, parse: impl Fn(&str) -> Option<(Id, [u8; 32])>) {
        assert_eq!(parse(text), Some((ID, SECRET)));
        let hex = ID.simple().to_string();
        for bad in [
            text.replace(&hex, &ID.to_string()),
            text.replace(&hex, &hex.to_uppercase()),
            text.replace(prefix, &prefix.to_uppercase()),
            text.replace(prefix, if prefix == PREFIX { "tci_" } else { PREFIX }),
            format!("{text}="),
            format!("{text}A"),
            text[..text.len() - 1].to_owned(),
            format!("{prefix}{hex}"),
            format!("{prefix}_"),
            String::new(),
        ] {
            assert_eq!(parse(&bad), None, "{bad}");
        }
    }

    #[test]
    fn keys_and_codes_read_back_and_only_as_they_were_written() {
        reads_back_only_as_written(PREFIX, &format_key(ID, &SECRET), parse_key);
        let code = InvitationCode { workspace: ID, secret: SECRET };
        let parse = |text: &str| InvitationCode::parse(text).map(|code| (code.workspace, code.secret));
        reads_back_only_as_written("tci_", &code.to_text(), parse);
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
