//! A DNS resolver that returns no private address. The client connects to exactly the addresses that were
//! checked.

use std::{
    error::Error,
    iter::successors,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::is_public;

pub trait HostLookup: Send + Sync + 'static {
    fn lookup(&self, name: String) -> BoxFuture<'static, std::io::Result<Vec<IpAddr>>>;
}

/// The resolver of the operating system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemLookup;

impl HostLookup for SystemLookup {
    fn lookup(&self, name: String) -> BoxFuture<'static, std::io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// A resolver for the HTTP client that returns only allowed addresses.
pub struct Guarded {
    pub lookup: Arc<dyn HostLookup>,
    /// Also return private addresses, for hosts that the operator allows.
    pub everywhere: bool,
}

impl Resolve for Guarded {
    fn resolve(&self, name: Name) -> Resolving {
        let (found, everywhere) = (self.lookup.lookup(name.as_str().to_owned()), self.everywhere);
        Box::pin(async move {
            let mut found = found.await?;
            found.retain(|address| everywhere || is_public(*address));
            if found.is_empty() {
                return Err(Box::from(NotPublic));
            }
            // The client replaces port 0 with the port of the URL.
            Ok(Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}

/// The error for a name whose addresses are all private.
#[derive(Debug, thiserror::Error)]
#[error("it has no public address")]
struct NotPublic;

/// Returns whether a request failed because all addresses of its host name are private.
pub fn is_refused_address(error: &reqwest::Error) -> bool {
    successors(error.source(), |&cause| cause.source()).any(<dyn Error>::is::<NotPublic>)
}
