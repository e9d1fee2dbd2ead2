//! The errors of gate 1.

use toolcrib_store::StoreError;

use crate::{claims::TokenRefused, secret_cipher::CipherError};

/// Why a credential is refused or can't be checked. Its text is for the caller; only the log contains `reason` and
/// `cause`.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// The credential is missing or not valid.
    #[error("{detail}")]
    Unauthenticated { detail: &'static str, hint: &'static str, reason: String },
    /// The credential is not valid, and the address failed too often.
    #[error("too many authentications from this address failed")]
    TooManyFailures {
        /// Seconds until the address may fail again.
        retry_after: u64,
        reason: String,
    },
    /// The credential of a sign-in is a key.
    #[error("a key does not sign in to the console")]
    KeySignsIn,
    /// The database or the identity provider can't be used.
    #[error("{detail}")]
    Unavailable { detail: &'static str, cause: String },
    /// The issuer's keys can't be read. They are fetched again after [`COOLDOWN`](crate::jwks::COOLDOWN) seconds.
    #[error("the issuer's keys can't be read now; nothing was done")]
    KeysUnavailable,
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Cipher(#[from] CipherError),
    #[error("{0}")]
    Internal(String),
}

/// Makes the error for a token that is refused.
pub fn refused(reason: TokenRefused) -> AuthError {
    const HINT: &str = "get a new token from the issuer";
    match reason {
        TokenRefused::Expired => unauthenticated("the token is expired", HINT, "expired"),
        TokenRefused::NotYet => unauthenticated(
            "the token is not valid yet",
            "wait until the time in its `nbf` claim",
            "not yet valid",
        ),
        TokenRefused::Invalid(why) => unauthenticated("the token is not valid", HINT, why),
    }
}

/// Makes the error for a credential that is not valid.
pub fn unauthenticated(detail: &'static str, hint: &'static str, reason: &str) -> AuthError {
    AuthError::Unauthenticated { detail, hint, reason: reason.to_owned() }
}

/// Makes the error for a credential that can't be checked, because the database can't be read.
pub fn unavailable(cause: &StoreError) -> AuthError {
    let detail = "the credential can't be checked now; nothing was done";
    AuthError::Unavailable { detail, cause: cause.to_string() }
}
