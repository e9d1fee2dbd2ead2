//! Asks an outside service whether it answers.

use futures_util::future::BoxFuture;

use crate::upstream_error::UpstreamError;

/// A service that can be asked whether it answers.
pub trait Ping: Send + Sync + 'static {
    /// Sends the cheapest request, in the way in which queries are sent.
    fn answers(&self) -> BoxFuture<'_, Result<(), UpstreamError>>;
}
