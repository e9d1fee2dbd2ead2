//! The keys of an issuer's JWKS URL. Failed fetches leave the known keys in use, until they are older than
//! [`MAX_AGE`].

use std::{sync::Arc, time::Duration};

use futures_util::future::BoxFuture;
use parking_lot::RwLock;
use tokio::{sync::Mutex, task::JoinHandle};
use toolcrib_connectors::jwks::JwksClient;
use toolcrib_model::Clock;

use crate::key_set::{JwksSource, KeySet};

/// Minimum seconds between two fetches. Unknown key ids in tokens can't make fetches more frequent.
pub const COOLDOWN: u64 = 30;
/// Seconds after the last successful fetch at which the keys expire.
pub const MAX_AGE: u64 = 3_600;
/// Timeout of one fetch, whatever the HTTP client does.
pub const FETCH_TIMEOUT: Duration = Duration::from_secs(10);

/// Fetches the text of a key set.
pub trait JwksFetch: Send + Sync + 'static {
    /// Returns the body of a successful response, or the reason for the failure.
    fn fetch(&self) -> BoxFuture<'_, Result<Vec<u8>, String>>;
}

impl JwksFetch for JwksClient {
    fn fetch(&self) -> BoxFuture<'_, Result<Vec<u8>, String>> {
        Box::pin(async move { JwksClient::fetch(self).await.map_err(|error| error.to_string()) })
    }
}

/// The keys of a JWKS URL. Cheap to clone.
#[derive(Clone)]
pub struct JwksKeys(Arc<Inner>);

struct Inner {
    fetch: Arc<dyn JwksFetch>,
    clock: Arc<dyn Clock>,
    timeout: Duration,
    current: RwLock<Arc<KeySet>>,
    /// The monotonic time at which the last fetch began. Locked during a fetch, so that only one runs at a
    /// time.
    attempted: Mutex<Option<Duration>>,
}

impl JwksKeys {
    /// Makes a source without keys. The first token causes the first [`JwksSource::renew`]. A fetch times out
    /// after `timeout` (see [`FETCH_TIMEOUT`]).
    pub fn new(fetch: Arc<dyn JwksFetch>, clock: Arc<dyn Clock>, timeout: Duration) -> Self {
        let current = RwLock::new(Arc::new(KeySet::unread()));
        Self(Arc::new(Inner { fetch, clock, timeout, current, attempted: Mutex::new(None) }))
    }

    /// Fetches the keys now and at each interval `every`, until the handle is aborted.
    pub fn keep_fresh(&self, every: Duration) -> JoinHandle<()> {
        let inner = Arc::clone(&self.0);
        tokio::spawn(async move {
            let mut ticks = tokio::time::interval(every);
            loop {
                ticks.tick().await;
                inner.renew().await;
            }
        })
    }
}

impl JwksSource for JwksKeys {
    fn current(&self) -> Arc<KeySet> {
        Arc::clone(&self.0.current.read())
    }

    fn renew(&self) -> BoxFuture<'_, ()> {
        let inner = Arc::clone(&self.0);
        Box::pin(async move {
            // The fetch runs in its own task, so that it completes even if the client disconnects: a cooldown
            // allows only one.
            if let Err(error) = tokio::spawn(async move { inner.renew().await }).await {
                tracing::error!(%error, "fetching the issuer's keys broke");
            }
        })
    }
}

impl Inner {
    async fn renew(&self) {
        let mut attempted = self.attempted.lock().await;
        let now = self.clock.monotonic();
        if attempted.is_some_and(|at| now.saturating_sub(at) < Duration::from_secs(COOLDOWN)) {
            return;
        }
        *attempted = Some(now);
        let answer = match tokio::time::timeout(self.timeout, self.fetch.fetch()).await {
            Ok(answer) => answer,
            Err(_) => Err("no answer in time".to_owned()),
        };
        match answer.and_then(|bytes| KeySet::parse(&bytes).map_err(str::to_owned)) {
            Ok(set) => self.store(set, now),
            Err(reason) => tracing::warn!(reason, "the issuer's keys can't be read; those known are kept"),
        }
    }

    fn store(&self, mut set: KeySet, now: Duration) {
        let mut current = self.current.write();
        let moved = u64::from(set.fingerprint != current.fingerprint);
        set.generation = current.generation + moved;
        set.usable_until = Some(now + Duration::from_secs(MAX_AGE));
        *current = Arc::new(set);
    }
}
