//! Sends signed messages to the URLs of workspaces' webhooks, following the Standard Webhooks specification, and
//! messages to people by Slack, Telegram and Twilio ([`Receiver`]).
//!
//! Prevents requests into the operator's network (SSRF). Allows only `https:` and public addresses, and
//! checks the resolved address to which it connects. Follows no redirect, uses no proxy and keeps only the
//! status and other numbers of the response. Hosts that the operator allows may be private and may use `http:`.

mod texts;

use std::{sync::Arc, time::Duration};

use aws_lc_rs::hmac;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use reqwest::redirect::Policy;
use secrecy::{ExposeSecret as _, SecretString};
use toolcrib_model::{Id, Ts};

pub use crate::address_guard::{Allowed, HostLookup};
pub use texts::{Receiver, Text};

use crate::{
    UpstreamError,
    address_guard::{Guarded, SystemLookup, is_refused_address},
    retry_after::retry_after,
    tls,
};

const CONNECT: Duration = Duration::from_secs(3);
/// The timeout of the whole request.
const TIMEOUT: Duration = Duration::from_secs(10);
pub const PREFIX: &str = "whsec_";

#[derive(Clone, Debug)]
pub struct Message<'m> {
    /// The receiver's URL.
    pub url: &'m str,
    /// The id of the message. It is the same for every attempt, so that receivers recognize duplicates.
    pub id: Id,
    /// The time of this attempt.
    pub at: Ts,
    /// The JSON body.
    pub body: &'m str,
    /// The secrets to sign with: the current one, and the previous one while it is still valid.
    pub secrets: &'m [SecretString],
}

/// The status by which a receiver says that it wants no more messages, in Standard Webhooks as in HTTP.
const GONE: u16 = 410;

/// What a receiver answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Receipt {
    /// The status. The message was accepted if it is 2xx.
    pub status: u16,
    /// The seconds that the receiver asks to wait before the next attempt.
    pub retry_after: Option<u64>,
    /// The number of Twilio's error.
    pub code: Option<i64>,
    /// Whether the receiver wants no more messages.
    pub is_gone: bool,
}

/// A sender of webhook messages. Cheap to clone.
#[derive(Clone, Debug)]
pub struct WebhookSender {
    allowed: Allowed,
    /// The client for public hosts.
    public: reqwest::Client,
    /// The client for the hosts in `allowed`.
    private: reqwest::Client,
}

impl WebhookSender {
    /// Creates a sender with the operator's private hosts.
    pub fn new(allowed: Allowed) -> Result<Self, UpstreamError> {
        Self::with_lookup(allowed, Arc::new(SystemLookup))
    }

    /// Like [`WebhookSender::new`], with another resolver of host names.
    pub fn with_lookup(allowed: Allowed, lookup: Arc<dyn HostLookup>) -> Result<Self, UpstreamError> {
        let not_made = "no client can be made for webhooks";
        let tls = tls::client_config(None).map_err(|_| UpstreamError::Settings(not_made))?;
        let client = |everywhere| {
            reqwest::Client::builder()
                .tls_backend_preconfigured(tls.clone())
                .redirect(Policy::none())
                .no_proxy()
                .referer(false)
                .connect_timeout(CONNECT)
                .timeout(TIMEOUT)
                // No idle connections, so that each message resolves the host and checks its address.
                .pool_max_idle_per_host(0)
                .dns_resolver(Guarded { lookup: lookup.clone(), everywhere })
                .user_agent(concat!("toolcrib/", env!("CARGO_PKG_VERSION")))
                .build()
                .map_err(|_| UpstreamError::Settings(not_made))
        };
        Ok(Self { allowed, public: client(false)?, private: client(true)? })
    }

    /// Sends one message. Returns what the receiver answered, also if it refused the message.
    pub async fn send(&self, message: &Message<'_>) -> Result<Receipt, UpstreamError> {
        let request = self.post(message.url)?;
        let id = message.id.to_string();
        let timestamp = message.at.as_micros().div_euclid(1_000_000).to_string();
        let mut signatures = Vec::new();
        for secret in message.secrets {
            let signature = sign(secret, &id, &timestamp, message.body);
            signatures
                .push(signature.map_err(|NotASecret| UpstreamError::Settings("its secret can't be read"))?);
        }
        let request = request
            .header("content-type", "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", signatures.join(" "))
            .body(message.body.to_owned());
        let answer = request.send().await.map_err(upstream_error)?;
        let status = answer.status().as_u16();
        let retry_after = retry_after(answer.headers());
        Ok(Receipt { status, retry_after, code: None, is_gone: status == GONE })
    }

    /// Sends one message to people. Returns what the service answered, also if it refused the message.
    pub async fn send_text(
        &self,
        receiver: Receiver<'_>,
        secret: &SecretString,
        text: &Text,
    ) -> Result<Receipt, UpstreamError> {
        let sent = receiver.request(text, secret)?;
        let mut request = self.post(&sent.url)?.header("content-type", sent.content_type).body(sent.body);
        if let Some(user) = sent.user {
            request = request.basic_auth(user, Some(secret.expose_secret()));
        }
        Ok(receiver.receipt(request.send().await.map_err(upstream_error)?).await)
    }

    /// Begins a request to an allowed URL.
    fn post(&self, url: &str) -> Result<reqwest::RequestBuilder, UpstreamError> {
        let url = self.allowed.address(url).map_err(UpstreamError::Settings)?;
        let client = if self.allowed.names(&url) { &self.private } else { &self.public };
        Ok(client.post(url))
    }
}

/// Converts the error of a request. Detects a refused address.
fn upstream_error(error: reqwest::Error) -> UpstreamError {
    if is_refused_address(&error) { UpstreamError::NotPublic } else { error.into() }
}

/// The error for a text that is not a webhook's secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a webhook's secret begins with `whsec_`, then base64")]
pub struct NotASecret;

pub fn secret(bytes: &[u8; 32]) -> SecretString {
    SecretString::from(format!("{PREFIX}{}", STANDARD.encode(bytes)))
}

/// Returns the signature of a message, such as `v1,K5oZ…=`: HMAC-SHA256 over id, time and body.
pub fn sign(secret: &SecretString, id: &str, timestamp: &str, body: &str) -> Result<String, NotASecret> {
    let text = secret.expose_secret().strip_prefix(PREFIX).ok_or(NotASecret)?;
    let bytes = STANDARD.decode(text).map_err(|_| NotASecret)?;
    let key = hmac::Key::new(hmac::HMAC_SHA256, &bytes);
    let tag = hmac::sign(&key, format!("{id}.{timestamp}.{body}").as_bytes());
    Ok(format!("v1,{}", STANDARD.encode(tag.as_ref())))
}

#[cfg(test)]
mod tests;
