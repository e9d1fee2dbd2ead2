//! Time is passed in, so that tests are exact and never sleep.

use std::sync::atomic::{AtomicI64, Ordering};

use crate::Ts;

/// Says what time it is.
pub trait Clock: Send + Sync + 'static {
    /// The current time.
    fn now(&self) -> Ts;
}

/// The machine's clock.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the wall clock")]
    fn now(&self) -> Ts {
        Ts::from_jiff(jiff::Timestamp::now())
    }
}

/// A clock that stands still until a test moves it.
#[derive(Debug)]
pub struct TestClock(AtomicI64);

impl TestClock {
    /// Stands at `start`.
    pub fn new(start: Ts) -> Self {
        Self(AtomicI64::new(start.as_micros()))
    }

    /// Moves forward by `seconds` (back when negative).
    pub fn advance(&self, seconds: i64) {
        self.0.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }

    /// Jumps to `at`.
    pub fn set(&self, at: Ts) {
        self.0.store(at.as_micros(), Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Ts {
        Ts::from_micros(self.0.load(Ordering::SeqCst))
    }
}
