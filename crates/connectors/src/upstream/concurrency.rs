//! Limits how many requests are open at once: for one upstream, and in the process.

use std::{collections::HashMap, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::{Instant, timeout_at},
};

use super::SendError;

/// How many requests to one upstream may be open.
const PER_UPSTREAM: usize = 16;
/// How many requests may be open in the process.
const IN_PROCESS: usize = 256;

/// How long a request waits for others to end.
const WAIT: Duration = Duration::from_secs(2);

type ByUpstream = Arc<Mutex<HashMap<String, Arc<Semaphore>>>>;

/// The limits of open requests. Who waits first is first.
#[derive(Debug)]
pub struct ConcurrencyLimit {
    process: Arc<Semaphore>,
    wait: Duration,
    /// An upstream without an open or waiting request has no entry.
    by_upstream: ByUpstream,
}

/// The right to have one request open. It ends when it is dropped.
#[derive(Debug)]
pub struct RequestPermit {
    _upstream: OwnedSemaphorePermit,
    _process: OwnedSemaphorePermit,
    // The last field, so that it is dropped after the permits.
    _used: UsedUpstream,
}

/// The limit of an upstream while a request uses it or waits for it.
#[derive(Debug)]
struct UsedUpstream {
    by_upstream: ByUpstream,
    upstream: String,
    limit: Option<Arc<Semaphore>>,
}

impl Default for ConcurrencyLimit {
    fn default() -> Self {
        Self { process: Arc::new(Semaphore::new(IN_PROCESS)), wait: WAIT, by_upstream: Arc::default() }
    }
}

impl ConcurrencyLimit {
    /// Counts one more open request. Where a limit is reached, waits at most two seconds for others to end.
    pub async fn acquire(&self, upstream: &str) -> Result<RequestPermit, SendError> {
        let deadline = Instant::now() + self.wait;
        let (used, limit) = self.used(upstream);
        let of_upstream = timeout_at(deadline, limit.acquire_owned()).await;
        let Ok(Ok(of_upstream)) = of_upstream else {
            return Err(SendError::Busy("16 requests to this upstream are open; try again in a moment"));
        };
        let in_process = timeout_at(deadline, self.process.clone().acquire_owned()).await;
        let Ok(Ok(in_process)) = in_process else {
            return Err(SendError::Busy("256 requests to upstreams are open; try again in a moment"));
        };
        Ok(RequestPermit { _upstream: of_upstream, _process: in_process, _used: used })
    }

    fn used(&self, upstream: &str) -> (UsedUpstream, Arc<Semaphore>) {
        let mut by_upstream = self.by_upstream.lock();
        let new = || Arc::new(Semaphore::new(PER_UPSTREAM));
        let limit = by_upstream.entry(upstream.to_owned()).or_insert_with(new).clone();
        let used = UsedUpstream {
            by_upstream: self.by_upstream.clone(),
            upstream: upstream.to_owned(),
            limit: Some(limit.clone()),
        };
        (used, limit)
    }
}

impl Drop for UsedUpstream {
    fn drop(&mut self) {
        let mut by_upstream = self.by_upstream.lock();
        self.limit = None;
        // Only who holds the lock takes another one, so that an entry that nobody else has stays unused.
        if by_upstream.get(&self.upstream).is_some_and(|limit| Arc::strong_count(limit) == 1) {
            by_upstream.remove(&self.upstream);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::join_all;

    use super::*;

    async fn acquired(limit: &ConcurrencyLimit, upstream: &str, count: usize) -> Vec<RequestPermit> {
        join_all((0..count).map(async |_| limit.acquire(upstream).await.unwrap())).await
    }

    #[tokio::test]
    async fn a_request_waits_for_another_one_to_end() {
        let limit = ConcurrencyLimit::default();
        let mut permits = acquired(&limit, "a", PER_UPSTREAM).await;
        let (waited, ()) = tokio::join!(limit.acquire("a"), async {
            tokio::task::yield_now().await;
            permits.pop();
        });
        waited.unwrap();
    }

    #[tokio::test]
    async fn who_waits_first_is_first() {
        let limit = ConcurrencyLimit::default();
        let mut permits = acquired(&limit, "a", PER_UPSTREAM).await;
        let order = Mutex::new(Vec::new());
        let waiting = join_all((0..8).map(async |n| {
            let permit = limit.acquire("a").await.unwrap();
            order.lock().push(n);
            drop(permit);
        }));
        tokio::join!(waiting, async {
            tokio::task::yield_now().await;
            permits.pop();
        });
        assert_eq!(*order.lock(), [0, 1, 2, 3, 4, 5, 6, 7]);
    }

    #[tokio::test]
    async fn requests_are_limited_by_upstream_and_in_the_process_until_they_end() {
        let limit = ConcurrencyLimit { wait: Duration::ZERO, ..ConcurrencyLimit::default() };
        let mut permits = Vec::new();
        for upstream in 0..IN_PROCESS / PER_UPSTREAM {
            permits.extend(acquired(&limit, &upstream.to_string(), PER_UPSTREAM).await);
        }
        let busy = limit.acquire("0").await.unwrap_err();
        assert!(busy.to_string().starts_with("16 "), "{busy}");
        assert!(limit.acquire("another").await.unwrap_err().to_string().starts_with("256 "));
        permits.pop();
        permits.push(limit.acquire("another").await.unwrap());
        assert!(limit.acquire("another").await.is_err());
        permits.clear();
        assert!(limit.process.available_permits() == IN_PROCESS && limit.by_upstream.lock().is_empty());
    }
}
