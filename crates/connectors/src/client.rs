//! The HTTP client of all connectors: with a timeout and a limit of the response's size, without redirects,
//! only for the operator's URL.

use std::{fmt, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use futures_util::future::BoxFuture;
use reqwest::{
    ClientBuilder, Method, Proxy, RequestBuilder, Url,
    header::{AUTHORIZATION, HeaderValue},
    redirect::Policy,
};
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Serialize, de::DeserializeOwned};
use url::form_urlencoded::{Serializer, byte_serialize};

use crate::{UpstreamError, tls};

const CONNECT: Duration = Duration::from_secs(3);
const NOT_MADE: &str = "no client can be made for it";
/// How many bytes of an error response are read, for the log.
const REFUSAL: usize = 2_048;

/// A client that can check whether its service responds.
pub trait Ping: Send + Sync + 'static {
    /// Sends the cheapest request, with the same client and token as queries.
    fn answers(&self) -> BoxFuture<'_, Result<(), UpstreamError>>;
}

#[derive(Clone, Copy, Debug)]
pub struct RequestLimits {
    /// The timeout from the first byte sent to the last byte read.
    pub timeout: Duration,
    /// The maximum size of the response, in bytes.
    pub bytes: usize,
}

impl RequestLimits {
    /// The limits of most connectors.
    pub const USUAL: Self = Self { timeout: Duration::from_secs(8), bytes: 8 * 1024 * 1024 };
}

/// An HTTP client for one base URL. Cheap to clone.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    base: Url,
    token: Option<SecretString>,
    /// The value of `Authorization: Basic`, instead of a token.
    basic: Option<SecretString>,
    bounds: RequestLimits,
}

impl Client {
    /// Creates a client for the operator's base URL, `https:` or `http:`. Sends `token` as a bearer token.
    pub fn new(
        base: &str,
        token: Option<SecretString>,
        bounds: RequestLimits,
    ) -> Result<Self, UpstreamError> {
        let base: Url = base.parse().map_err(|_| UpstreamError::Settings("it is no URL"))?;
        if !matches!(base.scheme(), "https" | "http") || !base.has_host() {
            return Err(UpstreamError::Settings("its scheme must be https or http"));
        }
        let sendable = |token: &SecretString| HeaderValue::from_str(token.expose_secret()).is_ok();
        if !token.as_ref().is_none_or(sendable) {
            return Err(UpstreamError::Settings(
                "its token can't be sent: it has line breaks or control characters",
            ));
        }
        let http = built(builder(bounds)?)?;
        Ok(Self { http, base, token, basic: None, bounds })
    }

    /// Sends the id and secret of an OAuth client by HTTP Basic, both encoded as in a form (RFC 6749, 2.3.1).
    pub(crate) fn with_basic(self, id: &str, secret: &SecretString) -> Self {
        let encoded = |text: &str| byte_serialize(text.as_bytes()).collect::<String>();
        let pair = format!("{}:{}", encoded(id), encoded(secret.expose_secret()));
        Self { basic: Some(format!("Basic {}", STANDARD.encode(pair)).into()), ..self }
    }

    /// Sends requests through the operator's HTTP proxy. Otherwise the client uses no proxy and ignores
    /// environment variables such as `HTTP_PROXY`, because whoever sets the environment could redirect
    /// tokens.
    pub fn with_proxy(self, proxy: &str) -> Result<Self, UpstreamError> {
        let proxy = Proxy::all(proxy).map_err(|_| UpstreamError::Settings("its proxy is no URL"))?;
        Ok(Self { http: built(builder(self.bounds)?.proxy(proxy))?, ..self })
    }

    /// Sends a GET to `path` below the base URL, or to the base URL if `path` is empty. Returns the body.
    pub async fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Vec<u8>, UpstreamError> {
        let mut url = self.below(path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        self.send(self.http.request(Method::GET, url)).await
    }

    /// POSTs a form to `path` below the base URL. Returns the body.
    pub async fn post_form(&self, path: &str, form: &[(&str, &str)]) -> Result<Vec<u8>, UpstreamError> {
        let body = Serializer::new(String::new()).extend_pairs(form).finish();
        let request = self.http.request(Method::POST, self.below(path)).body(body);
        self.send(request.header("content-type", "application/x-www-form-urlencoded")).await
    }

    /// POSTs JSON to the base URL. Returns the body.
    pub async fn post_json(&self, body: &impl Serialize) -> Result<Vec<u8>, UpstreamError> {
        self.send(self.http.request(Method::POST, self.base.clone()).json(body)).await
    }

    fn below(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        if path.is_empty() {
            return url;
        }
        url.set_query(None);
        url.set_fragment(None);
        if let Ok(mut parts) = url.path_segments_mut() {
            parts.pop_if_empty().extend(path.split('/'));
        }
        url
    }

    async fn send(&self, request: RequestBuilder) -> Result<Vec<u8>, UpstreamError> {
        let request = match (&self.token, &self.basic) {
            (Some(token), _) => request.bearer_auth(token.expose_secret()),
            (None, Some(basic)) => request.header(AUTHORIZATION, basic.expose_secret()),
            (None, None) => request,
        };
        let mut answer = request.header("accept", "application/json").send().await?;
        let status = answer.status();
        let most = if status.is_success() { self.bounds.bytes } else { REFUSAL };
        let mut body = Vec::new();
        // Count the received bytes, because `content-length` may be wrong.
        while let Some(chunk) = answer.chunk().await? {
            if body.len() + chunk.len() > most {
                if status.is_success() {
                    return Err(UpstreamError::TooLarge(most));
                }
                body.extend(chunk.into_iter().take(most - body.len()));
                break;
            }
            body.extend_from_slice(&chunk);
        }
        if status.is_success() {
            return Ok(body);
        }
        Err(UpstreamError::Status {
            status: status.as_u16(),
            body: String::from_utf8_lossy(&body).into_owned(),
        })
    }
}

fn builder(bounds: RequestLimits) -> Result<ClientBuilder, UpstreamError> {
    let tls = tls::client_config(None).map_err(|_| UpstreamError::Settings(NOT_MADE))?;
    let builder = reqwest::Client::builder()
        .tls_backend_preconfigured(tls)
        .redirect(Policy::none())
        .no_proxy()
        .connect_timeout(CONNECT)
        .timeout(bounds.timeout)
        .user_agent(concat!("toolcrib/", env!("CARGO_PKG_VERSION")));
    Ok(builder)
}

fn built(builder: ClientBuilder) -> Result<reqwest::Client, UpstreamError> {
    builder.build().map_err(|_| UpstreamError::Settings(NOT_MADE))
}

/// Omits the login that the URL may contain.
impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client").field("host", &self.base.host_str()).finish_non_exhaustive()
    }
}

/// Parses the JSON of a body.
pub fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, UpstreamError> {
    serde_json::from_slice(body).map_err(|error| UpstreamError::Malformed(error.to_string()))
}
