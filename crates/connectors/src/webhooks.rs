//! Sends signed messages to the addresses that workspaces name, after the Standard Webhooks specification.
//!
//! Nobody but the operator can have this service reach into its own network: only `https:` and public addresses, checked
//! again after each DNS look-up on the very address that is connected to; no redirect is followed, no proxy asked, and
//! nothing of the answer but its status is read. The hosts that the operator names may be private, and plain `http:`.

mod address;
mod guard;
mod sign;

use std::{sync::Arc, time::Duration};

use reqwest::{Url, redirect::Policy};
use secrecy::SecretString;
use toolcrib_model::{Id, Ts};

pub use address::is_public;
pub use guard::{HostLookup, SystemLookup};
pub use sign::{NotASecret, PREFIX, secret, sign};

use crate::UpstreamError;
use guard::Guarded;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(3);
/// How long a receiver may take to answer altogether.
const PATIENCE: Duration = Duration::from_secs(10);
/// The longest address, in bytes.
const LONGEST: usize = 2_000;

/// The hosts that may be private: `HOST` or `HOST:PORT`, as the operator wrote them.
#[derive(Clone, Debug, Default)]
pub struct Allowed(Vec<String>);

impl Allowed {
    /// From what the operator wrote.
    pub fn new(hosts: &[String]) -> Self {
        Self(hosts.iter().map(|host| host.to_lowercase()).collect())
    }

    fn names(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let with_port = format!("{host}:{}", url.port_or_known_default().unwrap_or_default());
        self.0.iter().any(|allowed| allowed == host || *allowed == with_port)
    }

    /// The address that a text names, or what is wrong with it. Where a name leads is looked at when something is sent.
    pub fn address(&self, text: &str) -> Result<Url, &'static str> {
        let url: Url = text.parse().map_err(|_| "is no URL")?;
        if text.len() > LONGEST {
            return Err("must have at most 2,000 bytes");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("must not hold a login: receivers know us by the signature");
        }
        if url.fragment().is_some() {
            return Err("must not have a fragment");
        }
        if self.names(&url) && matches!(url.scheme(), "https" | "http") {
            return Ok(url);
        }
        if url.scheme() != "https" {
            return Err("must begin with https://");
        }
        if address::names_itself_private(&url) {
            return Err("must be a public address");
        }
        Ok(url)
    }
}

/// One message.
#[derive(Clone, Debug)]
pub struct Message<'m> {
    /// Where it goes.
    pub url: &'m str,
    /// The same with every attempt: what a receiver knows it by.
    pub id: Id,
    /// When this attempt is made.
    pub at: Ts,
    /// JSON.
    pub body: &'m str,
    /// What signs: the secret that counts, and the one before while it still does.
    pub secrets: &'m [SecretString],
}

/// Sends messages. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Courier {
    allowed: Allowed,
    /// For everybody's hosts.
    public: reqwest::Client,
    /// For the operator's.
    private: reqwest::Client,
}

impl Courier {
    /// With the operator's private hosts.
    pub fn new(allowed: Allowed) -> Result<Self, UpstreamError> {
        Self::with_lookup(allowed, Arc::new(SystemLookup))
    }

    /// The same with another way to look names up.
    pub fn with_lookup(allowed: Allowed, lookup: Arc<dyn HostLookup>) -> Result<Self, UpstreamError> {
        let client = |everywhere| {
            reqwest::Client::builder()
                .redirect(Policy::none())
                .no_proxy()
                .referer(false)
                .connect_timeout(CONNECT)
                .timeout(PATIENCE)
                // Every message is looked up, and its address judged, anew.
                .pool_max_idle_per_host(0)
                .dns_resolver(Guarded { lookup: lookup.clone(), everywhere })
                .user_agent(concat!("toolcrib/", env!("CARGO_PKG_VERSION")))
                .build()
                .map_err(|_| UpstreamError::Settings("no client can be made for webhooks"))
        };
        Ok(Self { allowed, public: client(false)?, private: client(true)? })
    }

    /// Sends one message; the status of a receiver that took it.
    pub async fn send(&self, message: &Message<'_>) -> Result<u16, UpstreamError> {
        let url = self.allowed.address(message.url).map_err(UpstreamError::Settings)?;
        let client = if self.allowed.names(&url) { &self.private } else { &self.public };
        let id = message.id.to_string();
        let timestamp = message.at.as_micros().div_euclid(1_000_000).to_string();
        let mut signatures = Vec::new();
        for secret in message.secrets {
            let signature = sign(secret, &id, &timestamp, message.body);
            signatures
                .push(signature.map_err(|NotASecret| UpstreamError::Settings("its secret can't be read"))?);
        }
        let request = client
            .post(url)
            .header("content-type", "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", timestamp)
            .header("webhook-signature", signatures.join(" "))
            .body(message.body.to_owned());
        let answer = request.send().await.map_err(guard::fault)?;
        let status = answer.status();
        if status.is_success() {
            return Ok(status.as_u16());
        }
        Err(UpstreamError::Status { status: status.as_u16(), body: String::new() })
    }
}

#[cfg(test)]
mod tests;
