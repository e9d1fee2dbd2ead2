//! Checks whether a query may continue. SQLite calls the check between VM instructions, our functions also
//! within one. A query computes with a permit, which it passes on after each slice of CPU time.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use tokio::{
    runtime::Handle,
    sync::{OwnedSemaphorePermit, Semaphore},
};
use tokio_util::sync::CancellationToken;

use crate::DatasourceError;

/// The maximum size of the temporary files of one query, in bytes.
pub const MAX_WRITTEN_BYTES: u64 = 64 << 20;
/// How often the bytes are counted. A disk may take a few megabytes in this time.
const COUNT: Duration = Duration::from_millis(5);
/// How long a query computes while another waits.
const SLICE: Duration = Duration::from_millis(10);

/// The watch of one query. Used on the thread that runs the query.
#[derive(Clone)]
pub struct Watch(Arc<Mutex<Inner>>);

struct Inner {
    goes_on: Box<dyn FnMut() -> bool + Send>,
    /// The bytes that the thread had written before. `None` if the system does not count them.
    began: Option<u64>,
    counted: Instant,
    ended: Option<End>,
}

/// Why a query was interrupted.
#[derive(Clone, Copy)]
enum End {
    Time,
    Written,
}

impl Watch {
    /// Creates a watch. Must be called on the thread that runs the query, because the bytes are counted per
    /// thread.
    pub fn new(goes_on: impl FnMut() -> bool + Send + 'static) -> Self {
        let inner =
            Inner { goes_on: Box::new(goes_on), began: written(), counted: Instant::now(), ended: None };
        Self(Arc::new(Mutex::new(inner)))
    }

    /// Returns whether the query may continue.
    pub fn goes_on(&self) -> bool {
        let mut inner = self.0.lock();
        if inner.ended.is_none() {
            inner.ended = inner.end_reason();
        }
        inner.ended.is_none()
    }

    /// Returns the error of an interrupted query, or `None` if this watch did not interrupt the query.
    pub fn ended(&self) -> Option<DatasourceError> {
        let inner = self.0.lock();
        inner.ended.map(|end| match end {
            End::Time => DatasourceError::Timeout,
            End::Written => DatasourceError::Query(format!(
                "the query sorts or collects more than {} MiB: sort or group fewer or shorter values",
                MAX_WRITTEN_BYTES >> 20
            )),
        })
    }
}

impl Inner {
    fn end_reason(&mut self) -> Option<End> {
        if !(self.goes_on)() {
            return Some(End::Time);
        }
        if self.counted.elapsed() >= COUNT {
            self.counted = Instant::now();
            let most = self.began?.saturating_add(MAX_WRITTEN_BYTES);
            return (written()? > most).then_some(End::Written);
        }
        None
    }
}

/// Returns the bytes that this thread has written to files so far. `None` on systems other than Linux.
pub fn written() -> Option<u64> {
    let counts = std::fs::read_to_string("/proc/thread-self/io").ok()?;
    counts.lines().find_map(|line| line.strip_prefix("wchar: "))?.trim().parse().ok()
}

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
