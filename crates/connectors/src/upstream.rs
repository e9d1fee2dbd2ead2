//! The HTTP client for upstreams, whose addresses workspaces configure.
//!
//! It sends requests only to public addresses over `https:`, or to hosts that the operator lists, and never to
//! this service itself. It follows no redirect, uses no proxy, keeps no cookie and always checks
//! certificates.
//!
//! It sends a request once. A request that may change something has a connection of its own, so that a
//! connection which the upstream closed while it was idle can't leave the end of a write unknown. Other requests
//! use connections that were kept for a moment: see [`UpstreamSend::has_effect`]. Each connection has its own
//! look-up. Only a request of which nothing was written goes to another connection.
//!
//! [`SendError::is_unknown`] tells whether the upstream may have processed a request that failed.

mod answer;
mod concurrency;
mod connecting;
mod http_clients;
mod request;
mod secret_mask;
mod send_error;
mod stream;

use std::{fmt, sync::Arc, time::Duration};

pub(crate) use answer::is_event_stream;
pub use answer::{UnreadBody, UpstreamAnswer, status_hint};
pub use http_clients::{NotCertificates, RootCertificates};
pub use request::{StreamWatch, UpstreamCredential, UpstreamSend};
pub use reqwest::{Method, Url};
pub use send_error::SendError;
pub use stream::UpstreamStream;

use crate::{
    UpstreamError,
    address_guard::{Allowed, HostList, HostLookup, SystemLookup},
};
use concurrency::ConcurrencyLimit;
use connecting::Limits;
use http_clients::HttpClients;
pub(crate) use secret_mask::SecretMask;

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

    /// Sends one request, once. A response of another status than 3xx is an answer, also an error of the
    /// upstream.
    pub async fn send(&self, mut request: UpstreamSend<'_>) -> Result<UpstreamAnswer, SendError> {
        self.check_url(&request.url).map_err(SendError::AddressRefused)?;
        let mask = SecretMask::new(request.credential.as_ref());
        let (timeout, max_bytes) = (request.timeout, request.max_bytes);
        let watch = request.watch.take();
        let everywhere = self.allowed.names(&request.url);
        let permit = self.concurrency.acquire(request.upstream).await?;
        let http = self.clients.get(&request, everywhere)?;
        let limits = Limits { head: timeout, whole: timeout };
        let (response, deadline) = connecting::respond(request::build(&http, request)?, limits).await?;
        let answer = answer::read(response, deadline, max_bytes, &mask, watch).await;
        drop(permit);
        answer
    }

    /// Like [`UpstreamClient::send`], but returns when the head of the response is there, which may take `head`
    /// from the connection on. `timeout` limits the whole response. The caller counts the bytes and the open
    /// streams: `max_bytes`, `watch` and the limits of concurrency are not used.
    pub async fn stream(
        &self,
        request: UpstreamSend<'_>,
        head: Duration,
    ) -> Result<UpstreamStream, SendError> {
        self.check_url(&request.url).map_err(SendError::AddressRefused)?;
        let mask = SecretMask::new(request.credential.as_ref());
        let limits = Limits { head: head.min(request.timeout), whole: request.timeout };
        let http = self.clients.get(&request, self.allowed.names(&request.url))?;
        let (response, deadline) = connecting::respond(request::build(&http, request)?, limits).await?;
        UpstreamStream::new(response, deadline, mask)
    }

    /// Judges the URL of a request. Its host may be an IP address, which is not looked up.
    fn check_url(&self, url: &Url) -> Result<(), &'static str> {
        if !url.username().is_empty() || url.password().is_some() || url.fragment().is_some() {
            return Err("must have neither a login nor a fragment");
        }
        self.allowed.check_url(url)?;
        if self.own.has(url) { Err("must not be the address of this service") } else { Ok(()) }
    }
}

impl fmt::Debug for UpstreamClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UpstreamClient").field("allowed", &self.allowed).finish_non_exhaustive()
    }
}
