//! Verifies user tokens with the issuer's keys, and remembers those that are valid.

use std::{net::IpAddr, sync::Arc};

use toolcrib_model::Ts;

use super::Authenticator;
use crate::{
    claims::{self, Claims, TokenRefused},
    error::AuthError,
    key_set::KeySet,
    settings::TokenSettings,
    token::{self, TokenError},
};

/// A token that was verified with the keys of one generation.
#[derive(Clone)]
pub(super) struct Verified {
    pub generation: u64,
    pub subject: Arc<str>,
    pub name: Option<Arc<str>>,
    pub workspace: Option<Arc<str>>,
    pub system_admin: bool,
    pub mcp_only: bool,
    pub expires_at: Ts,
}

impl Authenticator {
    /// Returns a cached token, if it is not expired and the issuer's keys are unchanged and fresh.
    pub(super) fn remembered(&self, digest: &[u8; 32]) -> Option<Verified> {
        let (now, keys) = (self.clock.now(), self.source.current());
        let verified = self.verified.get(digest)?;
        let good = keys.usable(self.clock.monotonic())
            && verified.generation == keys.generation
            && now < verified.expires_at;
        good.then_some(verified)
    }

    pub(super) async fn verify(
        &self,
        text: &str,
        digest: [u8; 32],
        peer: IpAddr,
    ) -> Result<Verified, AuthError> {
        let (generation, claims) = self.claims_under(text, &self.settings, peer).await?;
        let verified = Verified {
            generation,
            subject: claims.subject.into(),
            name: claims.name.map(Into::into),
            workspace: claims.workspace.map(Into::into),
            system_admin: claims.system_admin,
            mcp_only: claims.mcp_only,
            expires_at: claims.expires_at,
        };
        self.verified.insert(digest, verified.clone());
        Ok(verified)
    }

    /// Verifies a token under these settings. Fetches the issuer's keys again if the token names an unknown
    /// one. Returns the generation of the keys, and the claims.
    pub(super) async fn claims_under(
        &self,
        text: &str,
        settings: &TokenSettings,
        peer: IpAddr,
    ) -> Result<(u64, Claims), AuthError> {
        let mut keys = self.usable_keys().await?;
        let mut checked = self.check(text, &keys, settings, peer).await;
        if matches!(checked, Err(TokenError::UnknownKey)) {
            // The fetch holds no permit, because an issuer that hangs would take the permits of all callers.
            self.source.renew().await;
            keys = self.usable_keys().await?;
            checked = self.check(text, &keys, settings, peer).await;
        }
        let claims = checked.map_err(|error| match error {
            TokenError::UnknownKey => AuthError::Token(TokenRefused::UnknownKey),
            TokenError::Refused(reason) => AuthError::Token(reason),
        })?;
        Ok((keys.generation, claims))
    }

    /// Checks signature and claims of a token, with a permit.
    pub(super) async fn check(
        &self,
        text: &str,
        keys: &KeySet,
        settings: &TokenSettings,
        peer: IpAddr,
    ) -> Result<Claims, TokenError> {
        let permit = self.verifications.acquire(self.peers.suspects(peer)).await;
        let signed = token::verify(text, keys)?;
        let claims = claims::check(&signed, settings, self.clock.now()).map_err(TokenError::Refused)?;
        permit.succeeded();
        Ok(claims)
    }

    pub(super) async fn usable_keys(&self) -> Result<Arc<KeySet>, AuthError> {
        let keys = self.source.current();
        if keys.usable(self.clock.monotonic()) {
            return Ok(keys);
        }
        self.source.renew().await;
        let keys = self.source.current();
        if keys.usable(self.clock.monotonic()) {
            return Ok(keys);
        }
        Err(AuthError::KeysUnavailable)
    }
}
