//! What is sent to an upstream.

use std::{fmt, time::Duration};

use aws_lc_rs::digest;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::{
    Client, Method, RequestBuilder, Url,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};
use secrecy::{ExposeSecret as _, SecretString};

use super::{RootCertificates, SendError};

/// The headers that tell where a message ends and where it goes. Only the HTTP client sets them.
const FRAMING: [&str; 10] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];
/// The headers that [`build`] sets itself. They win over those of the request, so that a credential can't have
/// one of these names.
const OURS: [&str; 5] = ["accept", "accept-encoding", "content-type", "traceparent", "user-agent"];

/// What is accepted where a request does not say it.
const ACCEPT: &str = "application/json, text/*;q=0.5";

#[derive(Debug)]
pub struct UpstreamSend<'r> {
    /// The upstream that the limit of concurrency is for, such as `<workspace>/<name>`.
    pub upstream: &'r str,
    pub method: Method,
    /// The whole URL, with the query.
    pub url: Url,
    /// Whether the request may change something. It has a connection of its own then. Another request may use
    /// one that was kept from a request with the same upstream, origin, credential and certificates.
    pub has_effect: bool,
    /// The `Accept` header. By default JSON, else text.
    pub accept: Option<&'static str>,
    /// Further headers. `User-Agent`, `Accept`, `Accept-Encoding`, `Content-Type` and `traceparent` are ours.
    pub headers: &'r [(String, String)],
    /// The content type and the body.
    pub body: Option<(&'r str, Vec<u8>)>,
    pub credential: Option<UpstreamCredential>,
    /// The certificates that are trusted. By default those of the operating system.
    pub roots: Option<&'r RootCertificates>,
    /// The timeout from the first byte sent to the last byte read. Connecting takes at most 3 seconds more.
    pub timeout: Duration,
    /// The maximum size of a successful response's body, in bytes.
    pub max_bytes: usize,
    /// The `traceparent` header.
    pub traceparent: Option<&'r str>,
    /// Ends the reading of an event stream. By default it is read until the upstream ends it.
    pub watch: Option<&'r mut (dyn StreamWatch + 'static)>,
}

/// Reads along while the body of a `text/event-stream` arrives, which the upstream may keep open.
pub trait StreamWatch: fmt::Debug + Send {
    /// Gets the next bytes of the body, and returns whether the rest of the body is not needed.
    fn has_enough(&mut self, bytes: &[u8]) -> bool;
}

#[derive(Clone, Debug)]
pub enum UpstreamCredential {
    /// A token for `Authorization: Bearer`.
    Bearer(SecretString),
    /// The value of another header.
    Header {
        /// The header's name.
        name: String,
        /// The header's value.
        value: SecretString,
    },
    /// `user:password` for `Authorization: Basic`.
    Basic(SecretString),
}

impl UpstreamCredential {
    /// Returns a digest that differs for each kind, header and secret.
    pub(super) fn digest(&self) -> [u8; 32] {
        let (kind, name, secret) = match self {
            Self::Bearer(token) => (b"bearer", "", token),
            Self::Header { name, value } => (b"header", name.as_str(), value),
            Self::Basic(login) => (b"basic ", "", login),
        };
        let mut digest = digest::Context::new(&digest::SHA256);
        digest.update(kind);
        // No name of a header has a line break.
        digest.update(name.as_bytes());
        digest.update(b"\n");
        digest.update(secret.expose_secret().as_bytes());
        let mut bytes = [0; 32];
        bytes.copy_from_slice(digest.finish().as_ref());
        bytes
    }
}

/// Builds the request for the HTTP client.
pub fn build(client: &Client, send: UpstreamSend<'_>) -> Result<RequestBuilder, SendError> {
    let mut headers = HeaderMap::new();
    for (name, value) in send.headers {
        let name = header_name(name)?;
        let value = HeaderValue::from_str(value)
            .map_err(|_| SendError::Request("the value of a header has line breaks or is not ASCII"))?;
        headers.append(name, value);
    }
    if let Some(credential) = &send.credential {
        let (name, value) = credential_header(credential)?;
        headers.insert(name, value);
    }
    headers.insert(header::ACCEPT, HeaderValue::from_static(send.accept.unwrap_or(ACCEPT)));
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    headers.remove(header::USER_AGENT);
    headers.remove(header::CONTENT_TYPE);
    headers.remove("traceparent");
    if let Some(traceparent) = send.traceparent {
        let value = HeaderValue::from_str(traceparent);
        headers.insert("traceparent", value.map_err(|_| SendError::Request("its traceparent is not valid"))?);
    }
    let mut request = client.request(send.method, send.url);
    if let Some((content_type, body)) = send.body {
        let value = HeaderValue::from_str(content_type);
        let value = value.map_err(|_| SendError::Request("the type of its body is not valid"))?;
        headers.insert(header::CONTENT_TYPE, value);
        request = request.body(body);
    }
    Ok(request.headers(headers))
}

fn header_name(name: &str) -> Result<HeaderName, SendError> {
    let name = HeaderName::from_bytes(name.as_bytes());
    let name = name.map_err(|_| SendError::Request("the name of a header is not valid"))?;
    if FRAMING.contains(&name.as_str()) {
        return Err(SendError::Request("only the HTTP client sets the headers that frame a message"));
    }
    Ok(name)
}

/// The header that carries a credential.
fn credential_header(credential: &UpstreamCredential) -> Result<(HeaderName, HeaderValue), SendError> {
    let (name, text) = match credential {
        UpstreamCredential::Bearer(token) => {
            (header::AUTHORIZATION, format!("Bearer {}", sendable(token.expose_secret())?))
        }
        UpstreamCredential::Header { name, value } => {
            (header_name(name)?, sendable(value.expose_secret())?.to_owned())
        }
        UpstreamCredential::Basic(login) => (header::AUTHORIZATION, basic(login.expose_secret())?),
    };
    if OURS.contains(&name.as_str()) {
        return Err(SendError::Request("the header of its credential has the name of one of our headers"));
    }
    let value = HeaderValue::from_str(&text);
    let mut value = value.map_err(|_| SendError::Request("its credential can't stand in a header"))?;
    value.set_sensitive(true);
    Ok((name, value))
}

fn sendable(secret: &str) -> Result<&str, SendError> {
    let visible = secret.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if secret.is_empty() || !visible || secret.trim() != secret {
        return Err(SendError::Request(
            "its credential can't stand in a header: it is empty, or has spaces around it, line breaks or \
             characters that are not ASCII",
        ));
    }
    Ok(secret)
}

fn basic(login: &str) -> Result<String, SendError> {
    if !login.contains(':') || login.chars().any(char::is_control) {
        return Err(SendError::Request("its credential must be `user:password` without control characters"));
    }
    Ok(format!("Basic {}", STANDARD.encode(login)))
}
