//! Codes of invitations, and who becomes a member by one.

use futures_util::future::BoxFuture;
use toolcrib_model::{Id, kept_name};
use toolcrib_store::WriteTx;

use crate::{error::AuthError, secret};

/// The prefix of every code.
const PREFIX: &str = "tci_";
/// The longest e-mail address, in bytes (RFC 5321).
pub const MAX_EMAIL_LEN: usize = 254;

/// The parts of a code, `tci_<workspace>_<secret>`. The workspace is in it because rows are read in one alone.
#[derive(Clone, Copy)]
pub struct InvitationCode {
    pub workspace: Id,
    pub secret: [u8; 32],
}

impl InvitationCode {
    /// Returns the text, which is shown once.
    pub fn to_text(self) -> String {
        secret::format(PREFIX, self.workspace, &self.secret)
    }

    /// Parses a code. Returns `None` for any text that [`InvitationCode::to_text`] would not return.
    pub fn parse(text: &str) -> Option<Self> {
        let (workspace, secret) = secret::parse(PREFIX, text)?;
        Some(Self { workspace, secret })
    }

    /// Returns the hash of the secret, which is what the database stores.
    pub fn hash(&self) -> [u8; 32] {
        secret::hash(&self.secret)
    }

    /// Returns the address at which it is used. The code stands behind `#`, so that no server, proxy or
    /// `Referer` has it.
    pub fn link(self, public_url: &str) -> String {
        format!("{public_url}/console/login#invitation={}", self.to_text())
    }
}

/// A person whom the provider has just signed in, by the code flow with a nonce.
#[derive(Clone, Debug)]
pub struct InvitedPerson {
    pub issuer: String,
    /// The issuer's id of the person.
    pub subject: String,
    /// The claim `name`.
    pub name: Option<String>,
    /// The e-mail address, if the provider says with JSON `true` that it is verified.
    pub verified_email: Option<String>,
}

/// Makes members by invitations.
pub trait Invitations: Send + Sync {
    /// Uses up the invitation with this code and makes the person a member, in a transaction that is bound to the
    /// code's workspace. A person who is an active member already stays as they are, and the invitation open.
    ///
    /// Fails with [`AuthError::SignIn`] if it can't be used.
    fn redeem<'r>(
        &'r self,
        tx: &'r mut WriteTx,
        code: &'r InvitationCode,
        person: &'r InvitedPerson,
    ) -> BoxFuture<'r, Result<(), AuthError>>;
}

/// Returns whether two e-mail addresses are the same. Letters outside of ASCII must be the same, because what
/// Unicode folds together can be two mailboxes.
pub fn is_same_email(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
}

/// Returns whether a text can be an e-mail address.
pub fn is_email(text: &str) -> bool {
    let plain = text.len() <= MAX_EMAIL_LEN && !text.contains(char::is_whitespace) && kept_name(text).is_ok();
    plain && text.rsplit_once('@').is_some_and(|(local, domain)| !local.is_empty() && !domain.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_unicode_folds_into_ascii_are_another_address() {
        assert!(is_same_email("Ann@Example.com", "ann@example.COM"));
        assert!(!is_same_email("mik@example.com", "mi\u{212a}@example.com"), "the sign of kelvin");
        assert!(!is_same_email("ann@example.com", "ann@example.com "));
    }

    #[test]
    fn what_can_be_an_address() {
        for good in ["a@b", "ann.lee+x@mail.example", "\"a@b\"@c"] {
            assert!(is_email(good), "{good}");
        }
        for bad in [
            "",
            "a",
            "@b",
            "a@",
            "a b@c",
            "a@b\n",
            "a\u{200b}@b",
            "a@\u{202e}b",
            &format!("{}@b", "a".repeat(MAX_EMAIL_LEN)),
        ] {
            assert!(!is_email(bad), "{bad}");
        }
    }
}
