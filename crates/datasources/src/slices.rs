//! Slices of CPU time: a query computes with a permit and passes it on after each slice.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::sync::CancellationToken;

/// How long a query computes while another waits.
const SLICE: Duration = Duration::from_millis(10);

/// A query's permit to compute.
pub struct Slices {
    slots: Arc<Semaphore>,
    permit: Option<OwnedSemaphorePermit>,
    began: Instant,
    stop: CancellationToken,
    runtime: Handle,
}

impl Slices {
    /// Waits for the first slice. The query has to end when `stop` is cancelled.
    pub async fn begin(slots: Arc<Semaphore>, stop: CancellationToken) -> Self {
        let permit = Arc::clone(&slots).acquire_owned().await.ok();
        Self { slots, permit, began: Instant::now(), stop, runtime: Handle::current() }
    }

    /// Passes the permit on if the slice is over: the semaphore serves those who wait in order of arrival.
    /// Returns false if the query has to end. Call often while computing. Blocks the thread.
    pub fn goes_on(&mut self) -> bool {
        if self.began.elapsed() >= SLICE {
            self.permit = None;
            let next = self.stop.run_until_cancelled(Arc::clone(&self.slots).acquire_owned());
            self.permit = self.runtime.block_on(next).and_then(Result::ok);
            self.began = Instant::now();
        }
        self.permit.is_some() && !self.stop.is_cancelled()
    }
}
