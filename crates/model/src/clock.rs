//! Time is passed in, so that tests are exact and never sleep.

use std::{
    sync::{
        LazyLock,
        atomic::{AtomicI64, Ordering},
    },
    time::{Duration, Instant},
};

use crate::Ts;

/// Says what time it is.
pub trait Clock: Send + Sync + 'static {
    /// The current time. It jumps when somebody sets the machine's clock.
    fn now(&self) -> Ts;

    /// How long this process has run, more or less: it never goes back, and only passing time moves it. For what waits or
    /// is counted within a process.
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

/// When somebody first asked.
static ORIGIN: LazyLock<Instant> = LazyLock::new(Instant::now);

/// A clock that stands still until a test moves it.
#[derive(Debug)]
pub struct TestClock {
    wall: AtomicI64,
    /// Microseconds that have passed.
    passed: AtomicI64,
}

impl TestClock {
    /// Stands at `start`.
    pub fn new(start: Ts) -> Self {
        Self { wall: AtomicI64::new(start.as_micros()), passed: AtomicI64::new(0) }
    }

    /// Lets `seconds` pass. Negative ones only put the clock back: time does not.
    pub fn advance(&self, seconds: i64) {
        self.jump(seconds);
        self.passed.fetch_add(seconds.max(0) * 1_000_000, Ordering::SeqCst);
    }

    /// Lets the time until `at` pass; puts the clock back where that was before.
    pub fn set(&self, at: Ts) {
        let before = self.wall.swap(at.as_micros(), Ordering::SeqCst);
        self.passed.fetch_add((at.as_micros() - before).max(0), Ordering::SeqCst);
    }

    /// Sets the clock forward by `seconds`, or back, while no time passes.
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
