//! Checks whether an external service responds.

use futures_util::future::BoxFuture;

use crate::upstream_error::UpstreamError;

/// A client that can check whether its service responds.
pub trait Ping: Send + Sync + 'static {
    /// Sends the cheapest request, with the same client and token as queries.
    fn answers(&self) -> BoxFuture<'_, Result<(), UpstreamError>>;
}
