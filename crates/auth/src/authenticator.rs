//! Verifies the credential of a request: that of the `Authorization` header, or the secret of a console session
//! (`sessions`).

mod client_tokens;
mod keys;
mod login;
mod sessions;
mod sign_in;
mod user;
mod user_tokens;

use std::{net::IpAddr, sync::Arc};

use futures_util::FutureExt as _;
use moka::sync::Cache;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use toolcrib_model::{Clock, Id, Ts};
use toolcrib_store::Db;

pub use client_tokens::ClientTokenClaims;
pub use login::{LOGIN_SECONDS, Login, LoginAnswer, LoginDone, LoginRequest, LoginStart};
pub use sessions::{ConsoleSession, SessionPerson};

use crate::{
    credential::{Credential, UserToken},
    error::{AuthError, unauthenticated},
    key_set::JwksSource,
    peers::Peers,
    secret,
    secret_cipher::SecretCipher,
    settings::TokenSettings,
    verification_limiter::VerificationLimiter,
};
use user_tokens::Verified;

/// Capacity of each cache: verified tokens, valid keys and their last use, known users.
const REMEMBERED: u64 = 10_000;

/// What the header of a call carries.
const OF_CALLERS: &str = "send `Authorization: Bearer` with a user token or a key";
/// What the header carries on a route for a machine of the operator.
const OF_MACHINES: &str =
    "send the token that the operator configured for this route as `Authorization: Bearer …`";

/// Verifies the credential of a request.
pub struct Authenticator {
    db: Db,
    clock: Arc<dyn Clock>,
    settings: TokenSettings,
    issuer: Arc<str>,
    source: Arc<dyn JwksSource>,
    secret_cipher: Arc<SecretCipher>,
    peers: Peers,
    verifications: VerificationLimiter,
    /// Keys that were valid at their last verification, by SHA-256. Every call verifies its key again; a key
    /// in this cache does so without waiting for a permit.
    known: Cache<[u8; 32], ()>,
    /// Verified tokens by SHA-256, so that no token stays in memory.
    verified: Cache<[u8; 32], Verified>,
    /// User ids by subject. A user's id never changes. Unknown subjects are not cached, because their user
    /// may be created at any time.
    users: Cache<Arc<str>, Id>,
    /// When this process last updated a key's `last_used_at`.
    touched: Cache<Id, Ts>,
}

/// The routes to which a credential is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource {
    Api,
    /// The routes of the REST API for confirmations and events, which also accept client tokens.
    Confirmations,
    /// `POST /mcp`. An issuer may restrict tokens to it.
    Mcp,
}

impl Authenticator {
    /// Makes an authenticator that accepts tokens under `settings`, signed by a key of `source`, the keys in
    /// `db`, and client tokens that `secret_cipher` decrypts.
    pub fn new(
        db: Db,
        clock: Arc<dyn Clock>,
        settings: TokenSettings,
        source: Arc<dyn JwksSource>,
        secret_cipher: Arc<SecretCipher>,
    ) -> Self {
        Self {
            peers: Peers::new(Arc::clone(&clock)),
            verifications: VerificationLimiter::default(),
            known: Cache::new(REMEMBERED),
            issuer: settings.issuer.as_str().into(),
            verified: Cache::new(REMEMBERED),
            users: Cache::new(REMEMBERED),
            touched: Cache::new(REMEMBERED),
            db,
            clock,
            settings,
            source,
            secret_cipher,
        }
    }

    /// Verifies the credential of a request by its `Authorization` header.
    ///
    /// Fails with [`AuthError::Unauthenticated`] for a missing or invalid credential, or with
    /// [`AuthError::TooManyFailures`] instead if `peer` failed too often; with [`AuthError::Unavailable`] or
    /// [`AuthError::KeysUnavailable`] if the database or the issuer's keys can't be read. Accepts a valid credential
    /// whatever `peer` did before, because addresses are shared.
    pub async fn authenticate(
        &self,
        resource: Resource,
        authorization: Option<&str>,
        peer: IpAddr,
    ) -> Result<Credential, AuthError> {
        // A request without a credential costs nothing, so it does not count as a failure.
        let text = bearer(authorization, OF_CALLERS)?;
        let result = self.attempt(resource, text, peer).await;
        // The answer does not say which setting does not fit the token. A flood is not logged.
        if let Some(cause) = result.as_ref().err().and_then(AuthError::refusal)
            && self.peers.is_first_failure(peer)
        {
            tracing::info!(%peer, cause, "a credential was refused");
        }
        self.peers.counted(peer, result)
    }

    /// Checks that the header carries this secret. For a machine of the operator that has no other
    /// credential. The secret is valid only on the route that calls this.
    ///
    /// Fails with [`AuthError::Unauthenticated`] if the secret differs or `secret` is absent, or with
    /// [`AuthError::TooManyFailures`] as above.
    pub fn verify_shared_secret(
        &self,
        authorization: Option<&str>,
        peer: IpAddr,
        secret: Option<&str>,
    ) -> Result<(), AuthError> {
        let text = bearer(authorization, OF_MACHINES)?;
        // Hashes have the same length, so that the comparison does not reveal the length of the secret.
        let same = |secret: &str| Sha256::digest(text).ct_eq(&Sha256::digest(secret));
        if secret.is_some_and(|secret| same(secret).into()) {
            return Ok(());
        }
        let refused =
            unauthenticated("the secret does not match", OF_MACHINES, "another secret, or none is set");
        Err(self.peers.failed(peer, refused))
    }

    async fn attempt(&self, resource: Resource, text: &str, peer: IpAddr) -> Result<Credential, AuthError> {
        if text.starts_with(client_tokens::PREFIX) {
            return match resource {
                Resource::Confirmations => self.client_token(text).boxed().await,
                Resource::Api | Resource::Mcp => Err(client_tokens::elsewhere()),
            };
        }
        let digest: [u8; 32] = Sha256::digest(text).into();
        if text.starts_with(secret::PREFIX) {
            return self.key(text, digest, peer).boxed().await;
        }
        let verified = if let Some(verified) = self.remembered(&digest) {
            verified
        } else {
            self.verify(text, digest, peer).boxed().await?
        };
        if verified.mcp_only && resource != Resource::Mcp {
            return Err(for_mcp_only());
        }
        let user_id = self.user_id(&verified.subject, verified.name.as_deref()).await?;
        Ok(Credential::User(UserToken {
            user_id,
            issuer: Arc::clone(&self.issuer),
            subject: verified.subject,
            workspace: verified.workspace,
            system_admin: verified.system_admin,
            expires_at: verified.expires_at,
            console: false,
        }))
    }

    /// Verifies a key. A key that is not known to be valid waits for a permit.
    async fn key(&self, text: &str, digest: [u8; 32], peer: IpAddr) -> Result<Credential, AuthError> {
        if self.known.contains_key(&digest) {
            let answer = self.verify_key(text).await;
            if matches!(answer, Err(AuthError::Unauthenticated { .. })) {
                self.known.invalidate(&digest);
            }
            return answer;
        }
        let permit = self.verifications.acquire(self.peers.suspects(peer)).await;
        let credential = self.verify_key(text).await?;
        permit.succeeded();
        self.known.insert(digest, ());
        Ok(credential)
    }
}

/// Returns the bearer token of the header. `hint` says what the route takes.
fn bearer<'h>(authorization: Option<&'h str>, hint: &'static str) -> Result<&'h str, AuthError> {
    let header = authorization
        .filter(|header| !header.trim().is_empty())
        .ok_or_else(|| unauthenticated("the `Authorization` header is missing", hint, "missing"))?;
    let text = header
        .split_once(' ')
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, text)| text.trim_matches(' '))
        .filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic()));
    text.ok_or_else(|| unauthenticated("the `Authorization` header has no bearer token", hint, "no bearer"))
}

/// Makes the error for a token for MCP on another route.
fn for_mcp_only() -> AuthError {
    let hint =
        "send the token to `/mcp`, or ask your identity provider for a token with the audience of this API";
    unauthenticated("this token is valid for `/mcp` only", hint, "the audience of MCP")
}

#[cfg(test)]
mod tests;
