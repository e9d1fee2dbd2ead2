//! Sign-in to the console through the identity provider: the authorization code flow of `OpenID` Connect, with
//! PKCE.
//!
//! What a sign-in must remember travels encrypted in a cookie, so that any process can finish it. No token of
//! the provider is kept.

use std::{
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use toolcrib_connectors::{
    UpstreamError,
    oidc::{CodeExchange, OidcClient, ProviderTokens},
};
use toolcrib_model::{IdGen, Ts};
use url::Url;

use super::{Authenticator, sign_in::Redemption};
use crate::{
    claims::{Claims, name, verified_email},
    error::{AuthError, unauthenticated},
    invitations::{InvitationCode, Invitations, InvitedPerson},
    secret_cipher::SecretCipher,
    sign_in_problem::SignInProblem,
};

/// How long a sign-in may take, in seconds.
pub const LOGIN_SECONDS: i64 = 600;
/// What the cookie's ciphertext is bound to.
const PURPOSE: &[u8] = b"console login";
/// What is asked of the provider, and with an invitation, which may be for one address.
const SCOPE: &str = "openid profile";
const INVITED_SCOPE: &str = "openid profile email";
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
    invitations: Arc<dyn Invitations>,
    /// Whether the provider has taken an authorization request of this client.
    accepted: AtomicBool,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct LoginRequest<'r> {
    /// Where the browser goes afterwards, an address of this service. Without one to the console, or to the workspace
    /// of the invitation.
    pub next: Option<&'r str>,
    /// The code of an invitation, which the sign-in uses up.
    pub invitation: Option<&'r str>,
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

#[derive(Serialize, Deserialize)]
struct Remembered {
    state: String,
    nonce: String,
    verifier: String,
    next: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    invitation: Option<String>,
    until: Ts,
}

impl Login {
    /// Makes the sign-in of a client. The provider sends browsers back to `redirect_uri`.
    pub fn new(
        client: OidcClient,
        redirect_uri: String,
        secret_cipher: Arc<SecretCipher>,
        ids: Arc<dyn IdGen>,
        invitations: Arc<dyn Invitations>,
    ) -> Self {
        let accepted = AtomicBool::new(false);
        Self { client, redirect_uri, secret_cipher, ids, invitations, accepted }
    }

    /// Begins a sign-in.
    ///
    /// Fails with [`AuthError::SignIn`] for a text that is no code of an invitation and for a provider that is not
    /// the one of the settings or does not know the client, and with [`AuthError::Unavailable`] if the provider
    /// can't be reached.
    pub async fn start(&self, request: LoginRequest<'_>, now: Ts) -> Result<LoginStart, AuthError> {
        let code =
            request.invitation.map(|text| InvitationCode::parse(text).ok_or_else(no_code)).transpose()?;
        let metadata = self.client.metadata().await.map_err(|error| metadata_failed(&error))?;
        let home = || code.map_or("/console/".to_owned(), |code| format!("/console/w/{}/", code.workspace));
        let next = request.next.filter(|next| next.len() <= MAX_NEXT_LEN);
        let remembered = Remembered {
            state: self.random(),
            nonce: self.random(),
            verifier: self.random(),
            next: next.map_or_else(home, str::to_owned),
            invitation: request.invitation.map(str::to_owned),
            until: now.plus_seconds(LOGIN_SECONDS),
        };
        let location = self.authorization_url(&metadata.authorization_endpoint, &remembered)?;
        self.check_accepted(&location).await?;
        let text =
            serde_json::to_string(&remembered).map_err(|error| AuthError::Internal(error.to_string()))?;
        let sealed = self.secret_cipher.seal(self.ids.as_ref(), PURPOSE, &SecretString::from(text))?;
        // A cookie may not contain `=`, `+` or `/` everywhere, so that the text is encoded again.
        Ok(LoginStart { location, cookie: URL_SAFE_NO_PAD.encode(sealed) })
    }

    /// Asks the provider whether it takes the request, until it did once. A browser would be left on a page of
    /// the provider, which knows no setting of this service.
    async fn check_accepted(&self, location: &str) -> Result<(), AuthError> {
        if self.accepted.load(Ordering::Relaxed) {
            return Ok(());
        }
        if self.client.refuses(location).await {
            let reason = "the provider refused the authorization request";
            return Err(mendable(SignInProblem::RedirectUri, reason));
        }
        self.accepted.store(true, Ordering::Relaxed);
        Ok(())
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
            .append_pair("scope", if remembered.invitation.is_some() { INVITED_SCOPE } else { SCOPE })
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
        let finished = async {
            let remembered = login.remembered(cookie, answer, self.clock.now())?;
            let metadata = login.client.metadata().await.map_err(|error| metadata_failed(&error))?;
            match &answer.iss {
                Some(iss) if *iss != metadata.issuer => {
                    return Err(mendable(SignInProblem::Issuer, "the answer is of another issuer"));
                }
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
            let tokens = login.client.tokens(exchange).await.map_err(|error| exchange_failed(&error))?;
            let (client_id, nonce) = (login.client.client_id(), remembered.nonce.as_str());
            let mut claims = self.id_token_claims(&tokens.id_token, client_id, nonce, peer).await?;
            if claims.name.is_none() || (remembered.invitation.is_some() && claims.verified_email.is_none()) {
                login.complete(&mut claims, &tokens).await;
            }
            let redemption = match &remembered.invitation {
                Some(code) => Some(self.redemption(login, code, &claims)?),
                None => None,
            };
            let (id, until) = (remembered.state.as_str(), remembered.until);
            let secret = self.begin_with_claims(claims, id, until, redemption, login.ids.as_ref()).await?;
            Ok(LoginDone { secret, next: remembered.next })
        };
        self.peers.counted(peer, finished.await)
    }

    /// Returns who uses the invitation.
    fn redemption<'l>(
        &self,
        login: &'l Login,
        code: &str,
        claims: &Claims,
    ) -> Result<Redemption<'l>, AuthError> {
        let code = InvitationCode::parse(code).ok_or_else(no_code)?;
        let person = InvitedPerson {
            issuer: self.issuer.as_ref().to_owned(),
            subject: claims.subject.clone(),
            name: claims.name.clone(),
            verified_email: claims.verified_email.clone(),
        };
        Ok(Redemption { code, person, invitations: login.invitations.as_ref() })
    }
}

impl Login {
    /// Adds the name and the verified address of the user, which many providers tell at their userinfo endpoint alone.
    /// An answer that can't be read, or is about somebody else, counts as none: neither is needed to sign in.
    async fn complete(&self, claims: &mut Claims, tokens: &ProviderTokens) {
        match self.client.userinfo(tokens).await {
            Ok(Some(user)) if user.get("sub").and_then(Value::as_str) == Some(&*claims.subject) => {
                claims.name = claims.name.take().or_else(|| name(&user));
                claims.verified_email = claims.verified_email.take().or_else(|| verified_email(&user));
            }
            Ok(Some(_)) => tracing::warn!("the provider's answer about a user is about another one"),
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(error = error.public_text(), "the provider does not tell about a user");
            }
        }
    }
}

fn no_code() -> AuthError {
    mendable(SignInProblem::Invitation, "not in the form of a code")
}

fn mendable(problem: SignInProblem, reason: &str) -> AuthError {
    AuthError::SignIn { problem, reason: reason.to_owned() }
}

fn refused(reason: &str) -> AuthError {
    unauthenticated("this sign-in can't be finished", "sign in again at `/console/login`", reason)
}

/// The error of a token endpoint (RFC 6749, 5.2).
#[derive(Default, Deserialize)]
struct ExchangeError {
    #[serde(default)]
    error: String,
    #[serde(default)]
    error_description: String,
}

/// Makes the error for a failed exchange: the provider's refusal of the code is the browser's error, that of the
/// client one of the settings.
fn exchange_failed(error: &UpstreamError) -> AuthError {
    let UpstreamError::Status { status: status @ 400..=499, body } = error else { return unreachable(error) };
    let said: ExchangeError = serde_json::from_str(body).unwrap_or_default();
    // The description is the provider's text, of which only this word counts.
    let is_address = said.error_description.to_ascii_lowercase().contains("redirect");
    match said.error.as_str() {
        // Keycloak answers `unauthorized_client` to a wrong secret.
        "invalid_client" | "unauthorized_client" => {
            mendable(SignInProblem::ClientSecret, "the provider does not accept the client")
        }
        "" if *status == 401 => mendable(SignInProblem::ClientSecret, "the provider answered 401"),
        "invalid_grant" if is_address => {
            mendable(SignInProblem::RedirectUri, "the provider refused the redirect address")
        }
        "invalid_grant" => refused("the provider does not accept the code"),
        _ => refused(&error.to_string()),
    }
}

/// Makes the error for metadata that can't be used.
fn metadata_failed(error: &UpstreamError) -> AuthError {
    match error {
        UpstreamError::Refused(reason) => mendable(SignInProblem::Issuer, reason),
        // The metadata's address is made of the issuer.
        UpstreamError::Status { status: 404, .. } => {
            mendable(SignInProblem::Issuer, "there is no metadata of this issuer")
        }
        _ => unreachable(error),
    }
}

fn unreachable(cause: &UpstreamError) -> AuthError {
    let detail = "the identity provider can't be used now; nothing was done";
    AuthError::Unavailable { detail, cause: cause.to_string() }
}
