//! The errors of gate 1.

use toolcrib_store::StoreError;

use crate::{claims::TokenRefused, secret_cipher::CipherError, sign_in_problem::SignInProblem};

/// Why a credential is refused or can't be checked. Its text is for the caller; only the log contains `reason` and
/// `cause`.
#[derive(Debug, thiserror::Error)]
pub enum AuthError {
    /// The credential is missing or not valid.
    #[error("{detail}")]
    Unauthenticated { detail: &'static str, hint: &'static str, reason: String },
    /// The user token is not valid.
    #[error("{}", token_words(*.0).0)]
    Token(TokenRefused),
    /// A sign-in is refused for a reason that somebody can mend.
    #[error("{}", .problem.detail())]
    SignIn { problem: SignInProblem, reason: String },
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

impl AuthError {
    /// Returns why the credential is not valid, for the log; `None` if it could not be checked.
    pub fn refusal(&self) -> Option<&str> {
        match self {
            Self::Unauthenticated { reason, .. } | Self::SignIn { reason, .. } => Some(reason),
            Self::Token(refused) => Some(token_words(*refused).2),
            _ => None,
        }
    }
}

/// Returns detail, hint and reason of a token that is refused. Only the log contains the reason.
pub fn token_words(refused: TokenRefused) -> (&'static str, &'static str, &'static str) {
    const INVALID: &str = "the token is not valid";
    const HINT: &str = "get a new token from the issuer";
    match refused {
        TokenRefused::Expired => ("the token is expired", HINT, "expired"),
        TokenRefused::NotYet => {
            ("the token is not valid yet", "wait until the time in its `nbf` claim", "not yet valid")
        }
        TokenRefused::FromFuture => (INVALID, HINT, "issued in the future"),
        TokenRefused::Issuer => (INVALID, HINT, "another issuer, or none"),
        TokenRefused::UnknownKey => (INVALID, HINT, "signed by no key of the issuer"),
        TokenRefused::Audience(why) | TokenRefused::Invalid(why) => (INVALID, HINT, why),
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
