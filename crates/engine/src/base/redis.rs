//! The connection to the Redis that several processes share: limits, session grants, and notifications of
//! events.

use std::time::Duration;

use redis::{
    Client, RedisError,
    aio::{ConnectionManager, ConnectionManagerConfig},
};
use secrecy::{ExposeSecret, SecretString};

pub(crate) const TIMEOUT: Duration = Duration::from_millis(500);

/// A Redis connection that carries all commands and reconnects by itself. Cheap to clone.
#[derive(Clone)]
pub struct RedisConnection(pub(crate) ConnectionManager);

impl RedisConnection {
    /// Connects to Redis. `url` is `redis://…`, or `rediss://…` with TLS.
    pub async fn connect(url: &SecretString) -> Result<Self, String> {
        let client = Client::open(url.expose_secret()).map_err(|error| error.to_string())?;
        let config = ConnectionManagerConfig::new()
            .set_connection_timeout(Some(Duration::from_secs(2)))
            .set_response_timeout(Some(TIMEOUT))
            .set_max_delay(Duration::from_secs(1))
            .set_number_of_retries(2);
        let connected = ConnectionManager::new_with_config(client, config).await;
        connected.map(Self).map_err(|error| error.to_string())
    }

    /// Awaits the answer to a command, at most [`TIMEOUT`].
    pub(crate) async fn within<T>(
        answer: impl Future<Output = Result<T, RedisError>>,
    ) -> Result<T, RedisError> {
        let late = || Err((redis::ErrorKind::Io, "no answer in time").into());
        tokio::time::timeout(TIMEOUT, answer).await.unwrap_or_else(|_| late())
    }
}
