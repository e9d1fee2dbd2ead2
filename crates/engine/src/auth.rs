//! Gate 1: who calls, from the `Authorization` header alone. Nothing here looks at rights.

mod claims;
mod key_set;
mod keys;
mod peers;
mod settings;
mod token;

pub mod issuer;
pub mod jwks;
pub mod secret;

use std::{net::IpAddr, sync::Arc};

use futures_util::FutureExt as _;
use moka::sync::Cache;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use toolcrib_model::{Clock, ErrorCode, Id, Ts};
use toolcrib_store::{Db, StoreError, users};

pub use key_set::{KeySet, KeySource, PublicKey};
pub use settings::TokenSettings;

use crate::{ActionError, Credential, UserToken};
use claims::Refused;
use keys::Keys;
use peers::Peers;
use token::Fault;

/// Verified tokens and known users that are remembered.
const REMEMBERED: u64 = 10_000;

/// Turns an `Authorization` header into a verified credential.
pub struct Authenticator {
    db: Db,
    clock: Arc<dyn Clock>,
    settings: TokenSettings,
    issuer: Arc<str>,
    source: Arc<dyn KeySource>,
    keys: Keys,
    peers: Peers,
    /// By the token's SHA-256, so that no token is kept.
    verified: Cache<[u8; 32], Verified>,
    /// By subject. A person's id never changes; who is unknown now may be known soon, and is not remembered.
    users: Cache<Arc<str>, Id>,
}

/// A token that was found good with the keys of one generation.
#[derive(Clone)]
struct Verified {
    generation: u64,
    subject: Arc<str>,
    workspace: Option<Arc<str>>,
    system_admin: bool,
    expires_at: Ts,
}

impl Authenticator {
    /// Accepts tokens under `settings` that a key of `source` signed, and the keys in `db`.
    pub fn new(db: Db, clock: Arc<dyn Clock>, settings: TokenSettings, source: Arc<dyn KeySource>) -> Self {
        Self {
            keys: Keys::new(db.clone(), Arc::clone(&clock)),
            peers: Peers::new(Arc::clone(&clock)),
            issuer: settings.issuer.as_str().into(),
            verified: Cache::new(REMEMBERED),
            users: Cache::new(REMEMBERED),
            db,
            clock,
            settings,
            source,
        }
    }

    /// The credential in the header.
    ///
    /// 401 `unauthenticated` where there is none that is valid; 429 `rate_limited` where `peer` failed too often (a
    /// token that was verified before passes all the same: it costs nothing); 503 `authorization_unavailable` where
    /// the database or the issuer's keys can't be read.
    pub async fn authenticate(
        &self,
        authorization: Option<&str>,
        peer: IpAddr,
    ) -> Result<Credential, ActionError> {
        // No credential is no attempt: it costs nothing and is not counted.
        let text = bearer(authorization)?;
        let answer = self.attempt(text, peer).await;
        if answer.as_ref().is_err_and(|error| error.code == ErrorCode::Unauthenticated) {
            self.peers.failed(peer);
        }
        answer
    }

    /// Whether the header carries this secret: for a machine of the operator's that has no other credential. It opens
    /// nothing but the one route that asks for it.
    ///
    /// 401 `unauthenticated` where it does not, or where `secret` is absent; 429 `rate_limited` as above.
    pub fn know_machine(
        &self,
        authorization: Option<&str>,
        peer: IpAddr,
        secret: Option<&str>,
    ) -> Result<(), ActionError> {
        let text = bearer(authorization)?;
        self.peers.check(peer)?;
        // Hashes are of one length, so that comparing them tells nothing about the secret's.
        let same = |secret: &str| Sha256::digest(text).ct_eq(&Sha256::digest(secret));
        if secret.is_some_and(|secret| same(secret).into()) {
            return Ok(());
        }
        self.peers.failed(peer);
        let hint = "send the token that the operator set for this route as `Authorization: Bearer …`";
        Err(unauthenticated(
            "the secret is not the one of this route",
            hint,
            "another secret, or none is set",
        ))
    }

    async fn attempt(&self, text: &str, peer: IpAddr) -> Result<Credential, ActionError> {
        if text.starts_with(secret::PREFIX) {
            self.peers.check(peer)?;
            return self.keys.verify(text).boxed().await;
        }
        let digest: [u8; 32] = Sha256::digest(text).into();
        let verified = if let Some(verified) = self.remembered(&digest) {
            verified
        } else {
            self.peers.check(peer)?;
            self.verify(text, digest).boxed().await?
        };
        let user_id = self.user_id(&verified.subject).await?;
        Ok(Credential::User(UserToken {
            user_id,
            issuer: Arc::clone(&self.issuer),
            subject: verified.subject,
            workspace: verified.workspace,
            system_admin: verified.system_admin,
            expires_at: verified.expires_at,
        }))
    }

    /// A token found good before, while it is not expired and the keys are the same and fresh.
    fn remembered(&self, digest: &[u8; 32]) -> Option<Verified> {
        let (now, keys) = (self.clock.now(), self.source.current());
        let verified = self.verified.get(digest)?;
        let good = keys.usable(self.clock.monotonic())
            && verified.generation == keys.generation
            && now < verified.expires_at;
        good.then_some(verified)
    }

    async fn verify(&self, text: &str, digest: [u8; 32]) -> Result<Verified, ActionError> {
        let mut keys = self.usable_keys().await?;
        let claims = match token::verify(text, &keys) {
            Err(Fault::UnknownKey) => {
                self.source.renew().await;
                keys = self.usable_keys().await?;
                token::verify(text, &keys)
            }
            answer => answer,
        };
        let claims = claims.map_err(|fault| match fault {
            Fault::UnknownKey => refused(Refused::Invalid("an unknown key")),
            Fault::Refused(reason) => refused(reason),
        })?;
        let claims = claims::check(&claims, &self.settings, self.clock.now()).map_err(refused)?;
        let verified = Verified {
            generation: keys.generation,
            subject: claims.subject.into(),
            workspace: claims.workspace.map(Into::into),
            system_admin: claims.system_admin,
            expires_at: claims.expires_at,
        };
        self.verified.insert(digest, verified.clone());
        Ok(verified)
    }

    async fn usable_keys(&self) -> Result<Arc<KeySet>, ActionError> {
        let keys = self.source.current();
        if keys.usable(self.clock.monotonic()) {
            return Ok(keys);
        }
        self.source.renew().await;
        let keys = self.source.current();
        if keys.usable(self.clock.monotonic()) {
            return Ok(keys);
        }
        let detail = "the issuer's keys can't be read now; nothing was done";
        let mut error = ActionError::new(ErrorCode::AuthorizationUnavailable, detail);
        error.retry_after = Some(jwks::COOLDOWN);
        Err(error)
    }

    async fn user_id(&self, subject: &Arc<str>) -> Result<Option<Id>, ActionError> {
        if let Some(known) = self.users.get(subject) {
            return Ok(Some(known));
        }
        let found = users::find(&self.db, &self.issuer, subject).boxed().await;
        let found = found.map_err(|fault| unavailable(&fault))?;
        if let Some(id) = found {
            self.users.insert(Arc::clone(subject), id);
        }
        Ok(found)
    }
}

/// The credential's text in the header.
fn bearer(authorization: Option<&str>) -> Result<&str, ActionError> {
    const HINT: &str = "send `Authorization: Bearer` with a user token or a key";
    let header = authorization
        .filter(|header| !header.trim().is_empty())
        .ok_or_else(|| unauthenticated("there is no `Authorization` header", HINT, "missing"))?;
    let text = header
        .split_once(' ')
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, text)| text.trim_matches(' '))
        .filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic()));
    text.ok_or_else(|| unauthenticated("the `Authorization` header holds no bearer token", HINT, "no bearer"))
}

fn refused(reason: Refused) -> ActionError {
    const HINT: &str = "get a new token from the issuer";
    match reason {
        Refused::Expired => unauthenticated("the token is expired", HINT, "expired"),
        Refused::NotYet => {
            unauthenticated("the token is not valid yet", "wait until its `nbf`", "not yet valid")
        }
        Refused::Invalid(why) => unauthenticated("the token is not valid", HINT, why),
    }
}

fn unauthenticated(detail: &str, hint: &str, reason: &str) -> ActionError {
    let mut error = ActionError::new(ErrorCode::Unauthenticated, detail).hint(hint);
    error.internal = Some(format!("not authenticated: {reason}"));
    error
}

fn unavailable(fault: &StoreError) -> ActionError {
    let detail = "the credential can't be checked now; nothing was done";
    let mut error = ActionError::new(ErrorCode::AuthorizationUnavailable, detail);
    error.internal = Some(fault.to_string());
    error
}

#[cfg(test)]
mod tests;
