//! Limits how many requests are open at once: for one upstream, and in the process.

use std::{
    collections::HashMap,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use tokio::sync::Notify;

use super::SendError;

/// How many requests to one upstream may be open.
const PER_UPSTREAM: usize = 16;
/// How many requests may be open in the process.
const IN_PROCESS: usize = 256;

/// How long a request waits for another one to end.
const WAIT: Duration = Duration::from_secs(2);

/// The open requests. An upstream without one has no entry.
#[derive(Debug, Default)]
struct OpenRequests {
    total: usize,
    by_upstream: HashMap<String, usize>,
}

/// The limits of open requests.
#[derive(Debug, Default)]
pub struct ConcurrencyLimit {
    open: Mutex<OpenRequests>,
    /// Notified when a request ends.
    ended: Notify,
}

/// The right to have one request open. It ends when it is dropped.
#[derive(Debug)]
pub struct RequestPermit {
    limit: Arc<ConcurrencyLimit>,
    upstream: String,
}

impl ConcurrencyLimit {
    /// Counts one more open request. Where a limit is reached, waits at most two seconds for others to end.
    pub async fn acquire(self: &Arc<Self>, upstream: &str) -> Result<RequestPermit, SendError> {
        let waiting = tokio::time::timeout(WAIT, self.acquire_when_free(upstream));
        waiting.await.or_else(|_| self.try_acquire(upstream))
    }

    async fn acquire_when_free(self: &Arc<Self>, upstream: &str) -> RequestPermit {
        loop {
            let mut ended = pin!(self.ended.notified());
            // Before the attempt, so that an end between the attempt and the wait is not missed.
            ended.as_mut().enable();
            if let Ok(permit) = self.try_acquire(upstream) {
                return permit;
            }
            ended.await;
        }
    }

    fn try_acquire(self: &Arc<Self>, upstream: &str) -> Result<RequestPermit, SendError> {
        let mut open = self.lock();
        if open.total >= IN_PROCESS {
            return Err(SendError::Busy("256 requests to upstreams are open; try again in a moment"));
        }
        let of_upstream = open.by_upstream.get(upstream).copied().unwrap_or_default();
        if of_upstream >= PER_UPSTREAM {
            return Err(SendError::Busy("16 requests to this upstream are open; try again in a moment"));
        }
        open.by_upstream.insert(upstream.to_owned(), of_upstream + 1);
        open.total += 1;
        Ok(RequestPermit { limit: self.clone(), upstream: upstream.to_owned() })
    }

    fn lock(&self) -> MutexGuard<'_, OpenRequests> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RequestPermit {
    fn drop(&mut self) {
        let mut open = self.limit.lock();
        open.total = open.total.saturating_sub(1);
        if let Some(count) = open.by_upstream.get_mut(&self.upstream) {
            *count = count.saturating_sub(1);
            if *count == 0 {
                open.by_upstream.remove(&self.upstream);
            }
        }
        drop(open);
        self.limit.ended.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_request_waits_for_another_one_to_end() {
        let limit = Arc::new(ConcurrencyLimit::default());
        let mut permits: Vec<_> = (0..PER_UPSTREAM).map(|_| limit.try_acquire("a").unwrap()).collect();
        let (waited, ()) = tokio::join!(limit.acquire("a"), async {
            tokio::task::yield_now().await;
            permits.pop();
        });
        waited.unwrap();
    }

    #[test]
    fn requests_are_limited_by_upstream_and_in_the_process_until_they_end() {
        let limit = Arc::new(ConcurrencyLimit::default());
        let mut permits = Vec::new();
        for upstream in 0..IN_PROCESS / PER_UPSTREAM {
            for _ in 0..PER_UPSTREAM {
                permits.push(limit.try_acquire(&upstream.to_string()).unwrap());
            }
            let busy = limit.try_acquire(&upstream.to_string()).unwrap_err();
            assert!(matches!(busy, SendError::Busy(_)), "{busy:?}");
        }
        assert!(limit.try_acquire("another").unwrap_err().to_string().starts_with("256 "));
        permits.pop();
        permits.push(limit.try_acquire("another").unwrap());
        assert!(limit.try_acquire("another").is_err());
        permits.clear();
        let open = limit.lock();
        assert!(open.total == 0 && open.by_upstream.is_empty(), "{open:?}");
    }
}
