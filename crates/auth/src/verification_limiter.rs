//! Limits concurrent verifications of credentials that this process has not yet found valid, so that a flood
//! of invalid credentials can't take database connections and CPU time from known callers.

use std::{sync::Arc, time::Duration};

use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
    time::sleep,
};

/// Concurrent verifications for addresses with few failures.
const ORDINARY: usize = 4;
/// How long a failed verification holds its permit, for an address that used up its failures
/// ([`crate::peers`]). Limits such verifications to 200 a second for all those addresses together, which
/// costs known callers on two CPUs less than a tenth (`scripts/bench edge`).
const PAUSE: Duration = Duration::from_millis(5);

/// The permits for verifications. Waiting requests get a permit in order of arrival and are never refused.
pub struct VerificationLimiter {
    ordinary: Arc<Semaphore>,
    /// One permit for all addresses that fail often. Their verifications are slow and delay only each other.
    suspects: Arc<Semaphore>,
}

/// A permit for one verification. Dropping it releases the permit.
pub struct VerificationPermit {
    permit: Option<OwnedSemaphorePermit>,
    paused: bool,
}

impl Default for VerificationLimiter {
    fn default() -> Self {
        Self { ordinary: Arc::new(Semaphore::new(ORDINARY)), suspects: Arc::new(Semaphore::new(1)) }
    }
}

impl VerificationLimiter {
    pub async fn acquire(&self, suspect: bool) -> VerificationPermit {
        let semaphore = if suspect { &self.suspects } else { &self.ordinary };
        // The error case can't occur, because the semaphores are never closed.
        let permit = Arc::clone(semaphore).acquire_owned().await.ok();
        VerificationPermit { permit, paused: suspect }
    }
}

impl VerificationPermit {
    /// Releases the permit at once, because the credential is valid.
    pub fn succeeded(mut self) {
        self.paused = false;
    }
}

impl Drop for VerificationPermit {
    /// Releases the permit, after the pause if the verification failed. A client that disconnects can't skip
    /// the pause, because dropping the future also runs this.
    fn drop(&mut self) {
        let Some(permit) = self.permit.take().filter(|_| self.paused) else { return };
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                sleep(PAUSE).await;
                drop(permit);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn what_fails_often_waits_and_delays_nobody_else() {
        let limiter = VerificationLimiter::default();
        drop(limiter.acquire(true).await);
        assert!(limiter.acquire(true).now_or_never().is_none(), "the failed one keeps its place");
        limiter.acquire(false).now_or_never().expect("the others have places of their own").succeeded();
        limiter.acquire(true).await.succeeded();
        assert!(limiter.acquire(true).now_or_never().is_some(), "a valid one gives its place back at once");
    }

    #[tokio::test]
    async fn the_number_of_look_ups_is_bounded() {
        let limiter = VerificationLimiter::default();
        let mut held = Vec::new();
        while let Some(permit) = limiter.acquire(false).now_or_never() {
            held.push(permit);
        }
        assert_eq!(held.len(), ORDINARY);
        held.pop();
        assert!(limiter.acquire(false).now_or_never().is_some());
    }
}
