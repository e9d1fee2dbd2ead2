//! Whether a query may go on: SQLite asks between steps, and functions of ours ask within one.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use crate::DatasourceError;

/// The most bytes that one query writes to temporary files, for sorting and for what it collects.
pub const MOST_WRITTEN: u64 = 64 << 20;
/// How often the bytes are counted. A disk takes some megabytes meanwhile.
const COUNT: Duration = Duration::from_millis(5);

/// Watches one query, on the thread that runs it.
#[derive(Clone)]
pub struct Watch(Arc<Mutex<Inner>>);

struct Inner {
    goes_on: Box<dyn FnMut() -> bool + Send>,
    /// What the thread had written before; nothing where the system does not tell.
    began: Option<u64>,
    counted: Instant,
    ended: Option<End>,
}

/// Why a query was ended.
#[derive(Clone, Copy)]
enum End {
    Time,
    Written,
}

impl Watch {
    /// Made on the thread that runs the query: what that thread writes is what the query writes.
    pub fn new(goes_on: impl FnMut() -> bool + Send + 'static) -> Self {
        let inner =
            Inner { goes_on: Box::new(goes_on), began: written(), counted: Instant::now(), ended: None };
        Self(Arc::new(Mutex::new(inner)))
    }

    /// `false` where the query is to end.
    pub fn goes_on(&self) -> bool {
        let mut inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if inner.ended.is_none() {
            inner.ended = inner.look();
        }
        inner.ended.is_none()
    }

    /// What is said of a query that was ended here; nothing where it was not.
    pub fn ended(&self) -> Option<DatasourceError> {
        let inner = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        inner.ended.map(|end| match end {
            End::Time => DatasourceError::Timeout,
            End::Written => DatasourceError::Query(format!(
                "the query sorts or collects more than {} MiB: sort or group fewer or shorter values",
                MOST_WRITTEN >> 20
            )),
        })
    }
}

impl Inner {
    fn look(&mut self) -> Option<End> {
        if !(self.goes_on)() {
            return Some(End::Time);
        }
        if self.counted.elapsed() >= COUNT {
            self.counted = Instant::now();
            let most = self.began?.saturating_add(MOST_WRITTEN);
            return (written()? > most).then_some(End::Written);
        }
        None
    }
}

/// How many bytes this thread has written to files in its life. Linux alone tells.
pub fn written() -> Option<u64> {
    let counts = std::fs::read_to_string("/proc/thread-self/io").ok()?;
    counts.lines().find_map(|line| line.strip_prefix("wchar: "))?.trim().parse().ok()
}
