//! Client tokens: a service key relays the decisions of one user in one conversation, from the user's browser.
//!
//! A token is a delegation in the sense of RFC 8693: its subject is the user and its actor is the key. It is
//! encrypted and stored nowhere, so that every process with the same secret key reads it.

use std::{io, sync::Arc};

use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use toolcrib_access::{Scope, Scopes, Special};
use toolcrib_model::{Id, IdGen, Ts};

use super::Authenticator;
use crate::{
    credential::{ClientToken, Credential, ServiceKey},
    error::{AuthError, unauthenticated},
    secret_cipher::{CipherError, SecretCipher},
};

pub(super) const PREFIX: &str = "tct_";
/// The associated data of the encryption.
const PURPOSE: &[u8] = b"client-token";
/// The maximum length of a client token, in bytes: more than that of the longest conversation.
const MAX_TOKEN_LEN: usize = 4_096;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClientTokenClaims {
    pub workspace: Id,
    pub key: Id,
    /// The hash of the secret that the key had then. The token ends with that secret.
    pub secret_hash: Vec<u8>,
    /// The user who decides.
    pub user: Id,
    /// The conversation.
    pub session: String,
    pub expires_at: Ts,
}

impl ClientTokenClaims {
    /// Returns the token. `ids` generates the nonce.
    pub fn seal(&self, cipher: &SecretCipher, ids: &dyn IdGen) -> Result<String, AuthError> {
        let text = serde_json::to_string(self).map_err(|error| AuthError::Internal(error.to_string()))?;
        Ok(format!("{PREFIX}{}", cipher.seal(ids, PURPOSE, &SecretString::from(text))?))
    }

    /// Returns the contents of a token, or `None` if it was changed or made with another secret key.
    fn open(cipher: &SecretCipher, text: &str) -> Result<Option<Self>, CipherError> {
        let Some(sealed) = text.strip_prefix(PREFIX).filter(|_| text.len() <= MAX_TOKEN_LEN) else {
            return Ok(None);
        };
        match cipher.open(PURPOSE, sealed) {
            Ok(opened) => Ok(serde_json::from_str(opened.expose_secret()).ok()),
            Err(CipherError::Decrypt | CipherError::NoKey) => Ok(None),
            // Without a key nothing was encrypted.
            Err(CipherError::File(error)) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

impl Authenticator {
    /// Verifies a client token. It ends with its key, and with the secret that the key had when it was made.
    pub(super) async fn client_token(&self, text: &str) -> Result<Credential, AuthError> {
        let claims = ClientTokenClaims::open(&self.secret_cipher, text)?;
        let claims = claims.ok_or_else(|| refused("the client token is not valid", "not decrypted"))?;
        if self.clock.now() >= claims.expires_at {
            return Err(refused("the client token is expired", "expired"));
        }
        match self.key_with_hash(claims.key, &claims.secret_hash).await? {
            Credential::Service(key) if key.workspace == claims.workspace => {
                Ok(Credential::Client(ClientToken {
                    key: relay_only(key),
                    user_id: claims.user,
                    session: Arc::from(claims.session),
                    expires_at: claims.expires_at,
                }))
            }
            _ => Err(refused("the client token is not valid", "of no service key")),
        }
    }
}

/// Returns the key with no other scope than that of relaying decisions.
fn relay_only(key: ServiceKey) -> ServiceKey {
    let relays = key.scopes.special(Special::ApprovalsRelay);
    let scopes = relays.then_some(Scope::Special(Special::ApprovalsRelay));
    ServiceKey { scopes: Scopes::Only(scopes.into_iter().collect()), ..key }
}

/// Makes the error for a client token on another route than those of confirmations and events.
pub(super) fn elsewhere() -> AuthError {
    let detail = "a client token is valid for confirmations and events only";
    let hint = "send it to `/v1/confirmations` or `/v1/events`, or use another credential";
    unauthenticated(detail, hint, "a client token on another route")
}

fn refused(detail: &'static str, reason: &str) -> AuthError {
    unauthenticated(detail, "get a new client token: `POST /v1/client-tokens`", reason)
}
