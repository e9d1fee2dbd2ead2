//! Sign-in through an identity provider: its metadata (`OpenID` Connect Discovery 1.0), and the exchange of an
//! authorization code for an ID token. Verifies no token.

use std::time::{Duration, Instant};

use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::Mutex;
use toolcrib_model::parse_strict;

use crate::{
    UpstreamError,
    client::{Client, RequestLimits, read},
};

const LIMITS: RequestLimits = RequestLimits { timeout: Duration::from_secs(5), bytes: 256 * 1024 };
/// How long metadata is used before it is fetched again.
const METADATA_AGE: Duration = Duration::from_hours(1);

/// The metadata of a provider, as far as it is used.
#[derive(Clone, Debug, Deserialize)]
pub struct OidcMetadata {
    /// The `iss` of the provider's tokens.
    pub issuer: String,
    /// Where a browser is sent to sign in.
    pub authorization_endpoint: String,
    token_endpoint: String,
    userinfo_endpoint: Option<String>,
    /// Whether the provider always adds `iss` to its authorization responses (RFC 9207).
    #[serde(default)]
    pub authorization_response_iss_parameter_supported: bool,
    #[serde(default)]
    token_endpoint_auth_methods_supported: Vec<String>,
}

/// What a client sends to get a token.
#[derive(Clone, Copy, Debug)]
pub struct CodeExchange<'c> {
    /// The code of the authorization response.
    pub code: &'c str,
    /// The `code_verifier` of PKCE.
    pub verifier: &'c str,
    /// The `redirect_uri` of the authorization request.
    pub redirect_uri: &'c str,
}

#[derive(Deserialize)]
struct TokenResponse {
    id_token: String,
    access_token: Option<String>,
}

/// What a code is exchanged for.
pub struct ProviderTokens {
    /// The ID token, which is not verified.
    pub id_token: String,
    /// For the userinfo endpoint.
    access_token: Option<SecretString>,
}

#[derive(Debug)]
pub struct OidcClient {
    issuer: String,
    client_id: String,
    client_secret: Option<SecretString>,
    proxy: Option<SecretString>,
    metadata: Mutex<Option<(Instant, OidcMetadata)>>,
}

impl OidcClient {
    /// Makes a client for the provider with this issuer URL.
    pub fn new(issuer: &str, client_id: &str, client_secret: Option<SecretString>) -> Self {
        let (issuer, client_id) = (issuer.to_owned(), client_id.to_owned());
        Self { issuer, client_id, client_secret, proxy: None, metadata: Mutex::new(None) }
    }

    /// Sends requests through the operator's HTTP proxy.
    #[must_use]
    pub fn with_proxy(self, proxy: SecretString) -> Self {
        Self { proxy: Some(proxy), ..self }
    }

    /// The client's id at the provider.
    pub fn client_id(&self) -> &str {
        &self.client_id
    }

    /// Returns the provider's metadata, which is fetched at most once an hour.
    ///
    /// Returns an error if the provider can't be reached, or if its metadata is for another issuer or names
    /// endpoints without TLS while the issuer has it.
    pub async fn metadata(&self) -> Result<OidcMetadata, UpstreamError> {
        let mut kept = self.metadata.lock().await;
        if let Some((at, metadata)) = kept.as_ref()
            && at.elapsed() < METADATA_AGE
        {
            return Ok(metadata.clone());
        }
        let base = self.issuer.trim_end_matches('/');
        let client = self.client(&format!("{base}/.well-known/openid-configuration"))?;
        let metadata: OidcMetadata = read(&client.get("", &[]).await?)?;
        self.check(&metadata)?;
        *kept = Some((Instant::now(), metadata.clone()));
        Ok(metadata)
    }

    pub async fn tokens(&self, exchange: CodeExchange<'_>) -> Result<ProviderTokens, UpstreamError> {
        let metadata = self.metadata().await?;
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", exchange.code),
            ("code_verifier", exchange.verifier),
            ("redirect_uri", exchange.redirect_uri),
        ];
        let mut client = self.client(&metadata.token_endpoint)?;
        match &self.client_secret {
            None => form.push(("client_id", &self.client_id)),
            Some(secret) if in_the_form(&metadata) => {
                form.extend([("client_id", &*self.client_id), ("client_secret", secret.expose_secret())]);
            }
            Some(secret) => client = client.with_basic(&self.client_id, secret),
        }
        let response: TokenResponse = read(&client.post_form("", &form).await?)?;
        let access_token = response.access_token.map(Into::into);
        Ok(ProviderTokens { id_token: response.id_token, access_token })
    }

    /// Returns the provider's claims about the user of these tokens; `None` if the provider has no endpoint for
    /// it or gave no access token. The claims count only if their `sub` is that of the ID token.
    pub async fn userinfo(&self, tokens: &ProviderTokens) -> Result<Option<Value>, UpstreamError> {
        let metadata = self.metadata().await?;
        let (Some(url), Some(token)) = (&metadata.userinfo_endpoint, &tokens.access_token) else {
            return Ok(None);
        };
        let client = self.client_with(url, Some(token.clone()))?;
        let body = client.get("", &[]).await?;
        let claims = parse_strict(&body).map_err(|error| UpstreamError::Malformed(error.to_string()))?;
        Ok(Some(claims))
    }

    /// Returns whether the provider answers 400 to an authorization request, as it does for a client or a redirect
    /// address that it does not know. Any other answer is for the browser.
    pub async fn refuses(&self, authorization_url: &str) -> bool {
        let Ok(client) = self.client(authorization_url) else { return false };
        matches!(client.get("", &[]).await, Err(UpstreamError::Status { status: 400, .. }))
    }

    fn client(&self, url: &str) -> Result<Client, UpstreamError> {
        self.client_with(url, None)
    }

    fn client_with(&self, url: &str, token: Option<SecretString>) -> Result<Client, UpstreamError> {
        let client = Client::new(url, token, LIMITS)?;
        match &self.proxy {
            Some(proxy) => client.with_proxy(proxy.expose_secret()),
            None => Ok(client),
        }
    }

    fn check(&self, metadata: &OidcMetadata) -> Result<(), UpstreamError> {
        if metadata.issuer != self.issuer {
            return Err(UpstreamError::Refused("the metadata is for another issuer".into()));
        }
        let scheme = if self.issuer.starts_with("https:") { "https://" } else { "http" };
        let endpoints = [&metadata.authorization_endpoint, &metadata.token_endpoint];
        let mut endpoints = endpoints.into_iter().chain(&metadata.userinfo_endpoint);
        if !endpoints.all(|url| url.starts_with(scheme)) {
            return Err(UpstreamError::Malformed("an endpoint of the provider is not https".into()));
        }
        Ok(())
    }
}

/// Whether the provider wants the client's secret in the form. Without a list it takes HTTP Basic.
fn in_the_form(metadata: &OidcMetadata) -> bool {
    let methods = &metadata.token_endpoint_auth_methods_supported;
    let accepts = |method: &str| methods.iter().any(|known| known == method);
    accepts("client_secret_post") && !accepts("client_secret_basic")
}
