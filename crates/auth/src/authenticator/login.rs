//! Sign-in to the console through the identity provider: the authorization code flow of `OpenID` Connect, with
//! PKCE.
//!
//! What a sign-in must remember travels encrypted in a cookie, so that any process can finish it. No token of
//! the provider is kept.

use std::{net::IpAddr, sync::Arc};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use toolcrib_connectors::{
    UpstreamError,
    oidc::{CodeExchange, OidcClient},
};
use toolcrib_model::{IdGen, Ts};
use url::Url;

use super::Authenticator;
use crate::{
    error::{AuthError, unauthenticated},
    secret_cipher::SecretCipher,
};

/// How long a sign-in may take, in seconds.
pub const LOGIN_SECONDS: i64 = 600;
/// What the cookie's ciphertext is bound to.
const PURPOSE: &[u8] = b"console login";
/// The longest cookie, in bytes.
const MAX_COOKIE_LEN: usize = 4_096;
/// The longest address to return to, in bytes.
const MAX_NEXT_LEN: usize = 1_024;

/// Signs users in through one provider.
pub struct Login {
    client: OidcClient,
    redirect_uri: String,
    secret_cipher: Arc<SecretCipher>,
    ids: Arc<dyn IdGen>,
}

/// The beginning of a sign-in.
#[derive(Debug)]
pub struct LoginStart {
    /// Where the browser goes.
    pub location: String,
    /// What the browser brings back, encrypted.
    pub cookie: String,
}

/// What the provider sent the browser back with.
#[derive(Debug, Default, Deserialize)]
pub struct LoginAnswer {
    /// The authorization code.
    pub code: Option<String>,
    /// The `state` of the request.
    pub state: Option<String>,
    /// The provider's issuer (RFC 9207).
    pub iss: Option<String>,
    /// Why the provider refused.
    pub error: Option<String>,
}

/// A sign-in that has ended well.
#[derive(Debug)]
pub struct LoginDone {
    /// The secret of the session, for its cookie.
    pub secret: String,
    /// Where the browser goes.
    pub next: String,
}

/// What a sign-in remembers.
#[derive(Serialize, Deserialize)]
struct Remembered {
    state: String,
    nonce: String,
    verifier: String,
    next: String,
    until: Ts,
}

impl Login {
    /// Makes the sign-in of a client. The provider sends browsers back to `redirect_uri`.
    pub fn new(
        client: OidcClient,
        redirect_uri: String,
        secret_cipher: Arc<SecretCipher>,
        ids: Arc<dyn IdGen>,
    ) -> Self {
        Self { client, redirect_uri, secret_cipher, ids }
    }

    /// Begins a sign-in, after which the browser goes to `next`, an address of this service.
    ///
    /// Fails with [`AuthError::Unavailable`] if the provider can't be reached.
    pub async fn start(&self, next: &str, now: Ts) -> Result<LoginStart, AuthError> {
        let metadata = self.client.metadata().await.map_err(|error| unreachable(&error))?;
        let next = if next.len() > MAX_NEXT_LEN { "/console/" } else { next };
        let remembered = Remembered {
            state: self.random(),
            nonce: self.random(),
            verifier: self.random(),
            next: next.to_owned(),
            until: now.plus_seconds(LOGIN_SECONDS),
        };
        let location = self.authorization_url(&metadata.authorization_endpoint, &remembered)?;
        let text =
            serde_json::to_string(&remembered).map_err(|error| AuthError::Internal(error.to_string()))?;
        let sealed = self.secret_cipher.seal(self.ids.as_ref(), PURPOSE, &SecretString::from(text))?;
        // A cookie may not contain `=`, `+` or `/` everywhere, so that the text is encoded again.
        Ok(LoginStart { location, cookie: URL_SAFE_NO_PAD.encode(sealed) })
    }

    /// Returns what the cookie remembers, if this service wrote it, it has not expired and `answer` belongs to
    /// it.
    fn remembered(&self, cookie: &str, answer: &LoginAnswer, now: Ts) -> Result<Remembered, AuthError> {
        let remembered = self.open(cookie).ok_or_else(|| refused("no cookie of a sign-in"))?;
        if now >= remembered.until {
            return Err(refused("the sign-in took too long"));
        }
        let state = answer.state.as_deref().unwrap_or_default();
        if !bool::from(state.as_bytes().ct_eq(remembered.state.as_bytes())) {
            return Err(refused("another state"));
        }
        Ok(remembered)
    }

    fn open(&self, cookie: &str) -> Option<Remembered> {
        if cookie.len() > MAX_COOKIE_LEN {
            return None;
        }
        let sealed = String::from_utf8(URL_SAFE_NO_PAD.decode(cookie).ok()?).ok()?;
        let text = self.secret_cipher.open(PURPOSE, &sealed).ok()?;
        serde_json::from_str(text.expose_secret()).ok()
    }

    fn authorization_url(&self, endpoint: &str, remembered: &Remembered) -> Result<String, AuthError> {
        let mut url = Url::parse(endpoint).map_err(|error| AuthError::Internal(error.to_string()))?;
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&remembered.verifier));
        url.query_pairs_mut()
            .append_pair("response_type", "code")
            .append_pair("client_id", self.client.client_id())
            .append_pair("redirect_uri", &self.redirect_uri)
            .append_pair("scope", "openid profile")
            .append_pair("state", &remembered.state)
            .append_pair("nonce", &remembered.nonce)
            .append_pair("code_challenge", &challenge)
            .append_pair("code_challenge_method", "S256");
        Ok(url.into())
    }

    fn random(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.ids.secret())
    }
}

impl Authenticator {
    /// Finishes a sign-in: exchanges the code for an ID token, verifies it, and makes the session.
    ///
    /// Fails with [`AuthError::Unauthenticated`] for an answer that does not belong to the cookie, a provider that
    /// refused, and a token that is not valid, or with [`AuthError::TooManyFailures`] if `peer` failed too often; with
    /// [`AuthError::Unavailable`] if the provider can't be reached.
    pub async fn finish_login(
        &self,
        login: &Login,
        cookie: &str,
        answer: &LoginAnswer,
        peer: IpAddr,
    ) -> Result<LoginDone, AuthError> {
        self.peers.counted(peer, self.finish(login, cookie, answer, peer).await)
    }

    async fn finish(
        &self,
        login: &Login,
        cookie: &str,
        answer: &LoginAnswer,
        peer: IpAddr,
    ) -> Result<LoginDone, AuthError> {
        let remembered = login.remembered(cookie, answer, self.clock.now())?;
        let metadata = login.client.metadata().await.map_err(|error| unreachable(&error))?;
        match &answer.iss {
            Some(iss) if *iss != metadata.issuer => return Err(refused("another issuer")),
            None if metadata.authorization_response_iss_parameter_supported => {
                return Err(refused("no issuer"));
            }
            _ => {}
        }
        let (None, Some(code)) = (&answer.error, &answer.code) else {
            return Err(refused("the provider refused"));
        };
        let exchange =
            CodeExchange { code, verifier: &remembered.verifier, redirect_uri: &login.redirect_uri };
        let token = login.client.id_token(exchange).await.map_err(|error| exchange_failed(&error))?;
        let expected = (login.client.client_id(), remembered.nonce.as_str());
        let used = (remembered.state.as_str(), remembered.until);
        let secret = self.sign_in_with_id_token(&token, expected, used, peer, login.ids.as_ref()).await?;
        Ok(LoginDone { secret, next: remembered.next })
    }
}

fn refused(reason: &str) -> AuthError {
    unauthenticated("this sign-in can't be finished", "sign in again at `/console/login`", reason)
}

/// Makes the error for a failed exchange: the provider's refusal of the code is the browser's error.
fn exchange_failed(error: &UpstreamError) -> AuthError {
    match error {
        UpstreamError::Status { status: 400..=499, .. } => refused(&error.logged()),
        _ => unreachable(error),
    }
}

fn unreachable(cause: &UpstreamError) -> AuthError {
    let detail = "the identity provider can't be used now; nothing was done";
    AuthError::Unavailable { detail, cause: cause.logged() }
}
