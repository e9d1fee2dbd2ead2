//! The HTTP client for upstreams, whose addresses workspaces configure.
//!
//! It sends requests only to public addresses over `https:`, or to hosts that the operator lists, and never to
//! this service itself. It follows no redirect, uses no proxy, keeps no cookie and always checks
//! certificates. It sends a request once: each request has its own connection, and nothing is tried again. So
//! each connection has its own look-up, and a connection that the upstream closed while it was idle can't
//! leave the end of a write unknown.
//!
//! [`SendError::is_unknown`] tells whether the upstream may have processed a request that failed.

mod answer;
mod concurrency;
mod http_clients;
mod request;
mod secret_mask;
mod send_error;

use std::{fmt, sync::Arc, time::Duration};

use reqwest::{RequestBuilder, Response};
use tokio::{
    sync::Notify,
    time::{Instant, timeout_at},
};

pub use answer::UpstreamAnswer;
pub(crate) use answer::is_event_stream;
pub use http_clients::{NotCertificates, RootCertificates};
pub use request::{StreamWatch, UpstreamCredential, UpstreamSend};
pub use reqwest::{Method, Url};
pub use send_error::SendError;

use crate::{
    UpstreamError,
    address_guard::{Allowed, HostList, HostLookup, SystemLookup},
};
use concurrency::ConcurrencyLimit;
use http_clients::{CONNECT_TIMEOUT, CONNECTED, HttpClients};
use secret_mask::SecretMask;

/// The settings of an [`UpstreamClient`]. Hosts are `HOST`, which means each of its ports, or `HOST:PORT`.
#[derive(Clone, Debug, Default)]
pub struct UpstreamClientSettings {
    /// The hosts that may be private and may use `http:` (`upstream_hosts`).
    pub allowed_hosts: Vec<String>,
    /// The hosts of our own `public_url`. They are refused, also where `allowed_hosts` lists them.
    pub own_hosts: Vec<String>,
}

/// A client that sends requests to upstreams. Cheap to clone; clones share their limits of concurrency.
#[derive(Clone)]
pub struct UpstreamClient {
    allowed: Allowed,
    own: HostList,
    clients: Arc<HttpClients>,
    concurrency: Arc<ConcurrencyLimit>,
}

impl UpstreamClient {
    /// Creates a client that resolves host names by the operating system.
    pub fn new(settings: UpstreamClientSettings) -> Result<Self, UpstreamError> {
        Self::with_lookup(settings, Arc::new(SystemLookup))
    }

    /// Like [`UpstreamClient::new`], with another resolver of host names.
    pub fn with_lookup(
        settings: UpstreamClientSettings,
        lookup: Arc<dyn HostLookup>,
    ) -> Result<Self, UpstreamError> {
        Ok(Self {
            allowed: Allowed::new(&settings.allowed_hosts),
            own: HostList::new(&settings.own_hosts),
            clients: Arc::new(HttpClients::new(lookup)?),
            concurrency: Arc::default(),
        })
    }

    /// Parses a base URL and checks that requests may be sent to it. Does not resolve its host name;
    /// [`UpstreamClient::send`] checks the address. The error follows the name of the field, such as "must
    /// begin with https://".
    pub fn check_base_url(&self, text: &str) -> Result<Url, &'static str> {
        let url =
            self.allowed.parse(text, "must not hold a login: set the secret of the upstream instead")?;
        if url.query().is_some() {
            return Err("must not have a query: write it in the tools that need it");
        }
        self.check_own(&url)?;
        Ok(url)
    }

    /// Sends one request, once. A response of another status than 3xx is an answer, also an error of the
    /// upstream.
    pub async fn send(&self, mut request: UpstreamSend<'_>) -> Result<UpstreamAnswer, SendError> {
        self.check_url(&request.url).map_err(SendError::AddressRefused)?;
        let mask = SecretMask::new(request.credential.as_ref());
        let (timeout, max_bytes) = (request.timeout, request.max_bytes);
        let watch = request.watch.take();
        let everywhere = self.allowed.names(&request.url);
        let permit = self.concurrency.acquire(request.upstream).await?;
        let http = self.clients.get(request.roots, everywhere)?;
        let (response, deadline) = respond(request::build(&http, request)?, timeout).await?;
        let answer = answer::read(response, deadline, max_bytes, &mask, watch).await;
        drop(permit);
        answer
    }

    /// Judges the URL of a request. Its host may be an IP address, which is not looked up.
    fn check_url(&self, url: &Url) -> Result<(), &'static str> {
        if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
            return Err("must have neither a login nor a fragment");
        }
        self.allowed.judge(url)?;
        self.check_own(url)
    }

    fn check_own(&self, url: &Url) -> Result<(), &'static str> {
        if self.own.has(url) { Err("must not be the address of this service") } else { Ok(()) }
    }
}

impl fmt::Debug for UpstreamClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpstreamClient").field("allowed", &self.allowed).finish_non_exhaustive()
    }
}

/// Sends a request and waits for the head of the response. Returns also when its body must be complete: the
/// time limit begins when there is a connection.
async fn respond(request: RequestBuilder, limit: Duration) -> Result<(Response, Instant), SendError> {
    let connected = Arc::new(Notify::new());
    // This limit works only where `connected` is not told; else one of the two shorter ones ends the request.
    let request = request.timeout(CONNECT_TIMEOUT + limit);
    let mut sending = std::pin::pin!(CONNECTED.scope(connected.clone(), request.send()));
    let early = tokio::select! {
        biased;
        response = &mut sending => Some(response),
        () = connected.notified() => None,
    };
    let deadline = Instant::now() + limit;
    let response = match early {
        Some(response) => response,
        None => timeout_at(deadline, sending).await.map_err(|_| SendError::TimedOut)?,
    };
    Ok((response.map_err(SendError::from)?, deadline))
}
