//! Gate 1: verifies credentials (user tokens, keys, client tokens, sessions of the console) and signs people in to the
//! console.
//!
//! Depends on `access`, `connectors`, `store` and `model`. Decides who calls, never what they may do: the gates of
//! `engine` read the role of a verified [`Credential`]. Knows no call: `engine` turns an [`AuthError`] into the error
//! of one. [`secret_cipher`] encrypts client tokens and what a sign-in remembers, and all other secrets that are
//! stored.
//!
//! To add a kind of credential: a variant of [`Credential`] and a file in `authenticator/` that verifies it.

mod authenticator;
mod claims;
mod credential;
mod error;
mod invitations;
mod key_set;
mod peers;
mod settings;
mod sign_in_problem;
mod token;
mod verification_limiter;

pub mod issuer;
pub mod jwks;
pub mod key_file;
pub mod secret;
pub mod secret_cipher;

pub use authenticator::{
    Authenticator, ClientTokenClaims, ConsoleSession, LOGIN_SECONDS, Login, LoginAnswer, LoginDone,
    LoginRequest, LoginStart, Resource, SessionPerson,
};
pub use credential::{
    AgentKey, Authenticated, ClientToken, Credential, OperatorKey, RequestedContext, ServiceKey,
    StoredCaller, UserToken,
};
pub use error::{AuthError, token_words};
pub use invitations::{InvitationCode, Invitations, InvitedPerson, MAX_EMAIL_LEN, is_email, is_same_email};
pub use key_set::{JwksSource, KeySet, PublicKey};
pub use settings::TokenSettings;
pub use sign_in_problem::SignInProblem;
