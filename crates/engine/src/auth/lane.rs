//! Look-ups of credentials that this process has not seen valid yet: few at a time, so that a flood of invalid ones
//! takes neither the database's connections nor the processors from callers who are known.

use std::{sync::Arc, time::Duration};

use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
    time::sleep,
};

/// Look-ups at a time for addresses with few failures.
const ORDINARY: usize = 4;
/// How long a look-up that failed keeps its place, for an address with more failures than are answered with 401. It
/// bounds such look-ups to 200 a second for all those addresses together, which costs the known callers of two
/// processors less than a tenth (`scripts/bench edge`).
const PAUSE: Duration = Duration::from_millis(5);

/// Places for look-ups. Who waits for one is served in order of arrival, and never refused.
pub struct Lane {
    ordinary: Arc<Semaphore>,
    /// One place for all addresses that fail often: their look-ups are slowed down, and delay nobody else's.
    suspects: Arc<Semaphore>,
}

/// A place in the lane, given back when it is dropped.
pub struct Turn {
    permit: Option<OwnedSemaphorePermit>,
    paused: bool,
}

impl Default for Lane {
    fn default() -> Self {
        Self { ordinary: Arc::new(Semaphore::new(ORDINARY)), suspects: Arc::new(Semaphore::new(1)) }
    }
}

impl Lane {
    /// Waits for a place.
    pub async fn enter(&self, suspect: bool) -> Turn {
        let places = if suspect { &self.suspects } else { &self.ordinary };
        // The semaphores are never closed.
        let permit = Arc::clone(places).acquire_owned().await.ok();
        Turn { permit, paused: suspect }
    }
}

impl Turn {
    /// The credential is valid: the place is given back at once.
    pub fn succeeded(mut self) {
        self.paused = false;
    }
}

impl Drop for Turn {
    /// Also where the client went away meanwhile: closing the connection is no way around the pause.
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
        let lane = Lane::default();
        drop(lane.enter(true).await);
        assert!(lane.enter(true).now_or_never().is_none(), "the failed one keeps its place");
        lane.enter(false).now_or_never().expect("the others have places of their own").succeeded();
        lane.enter(true).await.succeeded();
        assert!(lane.enter(true).now_or_never().is_some(), "a valid one gives its place back at once");
    }

    #[tokio::test]
    async fn the_number_of_look_ups_is_bounded() {
        let lane = Lane::default();
        let mut held = Vec::new();
        while let Some(turn) = lane.enter(false).now_or_never() {
            held.push(turn);
        }
        assert_eq!(held.len(), ORDINARY);
        held.pop();
        assert!(lane.enter(false).now_or_never().is_some());
    }
}
