//! Clocks. Code takes the clock as a parameter, so that tests set the time and never sleep.

use std::{
    sync::{
        LazyLock,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use crate::Ts;

/// A source of wall-clock and monotonic time.
pub trait Clock: Send + Sync + 'static {
    /// Returns the current wall-clock time. It jumps when the machine's clock is set.
    fn now(&self) -> Ts;

    /// Returns the time since an arbitrary instant in this process. It never goes back and is not affected
    /// when the machine's clock is set. For timeouts and rate limits within a process.
    fn monotonic(&self) -> Duration;
}

/// The machine's clock.
#[derive(Debug, Default, Clone, Copy)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the wall clock")]
    fn now(&self) -> Ts {
        Ts::from_jiff(jiff::Timestamp::now())
    }

    fn monotonic(&self) -> Duration {
        ORIGIN.elapsed()
    }
}

/// The instant of the first call of [`SystemClock::monotonic`].
static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// A clock that changes only when a test moves it.
#[derive(Debug)]
pub struct TestClock {
    wall: AtomicI64,
    /// The monotonic time in microseconds.
    passed: AtomicI64,
}

impl TestClock {
    /// Creates a clock with the wall-clock time `start` and the monotonic time 0.
    pub fn new(start: Ts) -> Self {
        Self { wall: AtomicI64::new(start.as_micros()), passed: AtomicI64::new(0) }
    }

    /// Moves both times forward by `seconds`. Negative `seconds` set back the wall-clock time only.
    pub fn advance(&self, seconds: i64) {
        self.jump(seconds);
        self.passed.fetch_add(seconds.max(0) * 1_000_000, Ordering::SeqCst);
    }

    /// Sets the wall-clock time to `at`. If `at` is later, the monotonic time advances by the difference.
    pub fn set(&self, at: Ts) {
        let before = self.wall.swap(at.as_micros(), Ordering::SeqCst);
        self.passed.fetch_add((at.as_micros() - before).max(0), Ordering::SeqCst);
    }

    /// Moves the wall-clock time by `seconds`, which may be negative. The monotonic time does not change.
    pub fn jump(&self, seconds: i64) {
        self.wall.fetch_add(seconds * 1_000_000, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Ts {
        Ts::from_micros(self.wall.load(Ordering::SeqCst))
    }

    fn monotonic(&self) -> Duration {
        Duration::from_micros(self.passed.load(Ordering::SeqCst).unsigned_abs())
    }
}
