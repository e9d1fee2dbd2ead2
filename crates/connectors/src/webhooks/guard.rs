//! DNS look-ups that give out no private address: what is judged is what is connected to.

use std::{
    error::Error,
    fmt,
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use futures_util::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::address::is_public;
use crate::UpstreamError;

/// Looks a name up.
pub trait HostLookup: Send + Sync + 'static {
    /// The addresses that it leads to.
    fn lookup(&self, name: String) -> BoxFuture<'static, std::io::Result<Vec<IpAddr>>>;
}

/// Asks the machine's own resolver.
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

/// Gives the client addresses that it may connect to.
pub struct Guarded {
    pub lookup: Arc<dyn HostLookup>,
    /// Private ones too: the operator named the host.
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
            // The client puts the URL's port where there is none.
            Ok(Box::new(found.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}

/// Every address of a name is private.
#[derive(Debug)]
struct NotPublic;

impl fmt::Display for NotPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("it has no public address")
    }
}

impl Error for NotPublic {}

/// What went wrong: an address that was refused is told apart.
pub fn fault(error: reqwest::Error) -> UpstreamError {
    let mut cause: Option<&(dyn Error + 'static)> = error.source();
    while let Some(inner) = cause {
        if inner.is::<NotPublic>() {
            return UpstreamError::NotPublic;
        }
        cause = inner.source();
    }
    error.into()
}
