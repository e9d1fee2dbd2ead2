//! Prevents requests into the operator's network (SSRF), for URLs that workspaces configure.
//!
//! A URL is checked twice. [`Allowed`] checks its text, so that a host that is an IP address needs no look-up
//! to be refused. `Guarded` checks each address that its host name resolves to, and the HTTP client connects
//! to exactly these addresses.

mod public;
mod resolver;

use reqwest::Url;

pub use public::is_public;
pub use resolver::{HostLookup, SystemLookup};

pub(crate) use resolver::{Guarded, is_refused_address};

/// The maximum length of a URL, in bytes.
const MAX_LENGTH: usize = 2_000;

/// A list of hosts: `HOST`, which means each of its ports, or `HOST:PORT`.
#[derive(Clone, Debug, Default)]
pub(crate) struct HostList(Vec<String>);

impl HostList {
    pub(crate) fn new(hosts: &[String]) -> Self {
        Self(hosts.iter().map(|host| host.to_lowercase()).collect())
    }

    /// Returns whether the list has the URL's host. `HOST.` is the same as `HOST`.
    pub(crate) fn has(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default().trim_end_matches('.');
        let with_port = format!("{host}:{}", url.port_or_known_default().unwrap_or_default());
        self.0.iter().any(|listed| listed == host || *listed == with_port)
    }
}

/// The hosts that may be private and may use `http:`. They are `HOST` or `HOST:PORT`, from the operator's
/// settings.
#[derive(Clone, Debug, Default)]
pub struct Allowed(HostList);

impl Allowed {
    /// Creates the list from the operator's settings.
    pub fn new(hosts: &[String]) -> Self {
        Self(HostList::new(hosts))
    }

    pub(crate) fn names(&self, url: &Url) -> bool {
        self.0.has(url)
    }

    /// Parses a URL and checks its text. Does not resolve its host name: the address is checked when it is connected to.
    pub fn address(&self, text: &str) -> Result<Url, &'static str> {
        let url: Url = text.parse().map_err(|_| "is no URL")?;
        if text.len() > MAX_LENGTH {
            return Err("must have at most 2,000 bytes");
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err("must not hold a login: receivers know us by the signature");
        }
        if url.fragment().is_some() {
            return Err("must not have a fragment");
        }
        self.check_url(&url)?;
        Ok(url)
    }

    /// Judges the scheme and the host of a URL, without resolving the host.
    pub(crate) fn check_url(&self, url: &Url) -> Result<(), &'static str> {
        if self.names(url) && matches!(url.scheme(), "https" | "http") {
            return Ok(());
        }
        if url.scheme() != "https" {
            return Err("must begin with https://");
        }
        if public::names_itself_private(url) {
            return Err("must be a public address");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
