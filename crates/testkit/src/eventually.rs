//! Waiting for what comes by and by: the one place where tests let time pass.
//!
//! [`eventually`] waits until something is so, [`settled`] until nothing changes any more.

use std::{
    fmt::Display,
    time::{Duration, Instant},
};

/// Generous: what comes at all comes long before, on any machine.
const LIMIT: Duration = Duration::from_mins(2);
/// How long nothing may have changed.
const QUIET: Duration = Duration::from_millis(300);

/// What one look at a condition tells.
pub trait Look {
    /// What was waited for.
    type Value;

    /// The value; else what was seen instead, for whoever reads why the test failed.
    fn told(self) -> Result<Self::Value, String>;
}

impl Look for bool {
    type Value = ();

    fn told(self) -> Result<(), String> {
        self.then_some(()).told()
    }
}

impl<T> Look for Option<T> {
    type Value = T;

    fn told(self) -> Result<T, String> {
        self.ok_or_else(String::new)
    }
}

impl<T, E: Display> Look for Result<T, E> {
    type Value = T;

    fn told(self) -> Result<T, String> {
        self.map_err(|seen| seen.to_string())
    }
}

/// Looks until it is so (`true`, `Some(…)`, `Ok(…)`), and gives what was waited for.
///
/// # Panics
/// After two minutes, with `what` was waited for and what the last look saw.
pub async fn eventually<L: Look>(what: &str, look: impl AsyncFnMut() -> L) -> L::Value {
    within(LIMIT, what, look).await.unwrap_or_else(|late| panic!("{late}"))
}

/// The same for a test without a runtime, or a function that has to return when it is so.
///
/// # Panics
/// After two minutes, as [`eventually`] does.
#[expect(clippy::disallowed_methods, reason = "the one place where tests let time pass")]
pub fn eventually_blocking<L: Look>(what: &str, mut look: impl FnMut() -> L) -> L::Value {
    let begun = Instant::now();
    let mut pauses = Pauses::default();
    loop {
        match look().told() {
            Ok(value) => return value,
            Err(seen) => assert!(begun.elapsed() < LIMIT, "{}", late(LIMIT, what, &seen)),
        }
        std::thread::sleep(pauses.next());
    }
}

/// What is read once it stays the same for a while: whatever was under way has come to its end.
///
/// # Panics
/// Where it changes for two minutes without a rest.
pub async fn settled<T: PartialEq>(what: &str, read: impl AsyncFn() -> T) -> T {
    let mut last = read().await;
    eventually(what, async || {
        let changes = within(QUIET, what, async || read().await != last);
        let changed = changes.await.is_ok();
        // However long a look takes, one is made after the rest.
        let now = read().await;
        let rested = !changed && now == last;
        last = now;
        rested
    })
    .await;
    last
}

async fn within<L: Look>(
    limit: Duration,
    what: &str,
    mut look: impl AsyncFnMut() -> L,
) -> Result<L::Value, String> {
    let mut seen = String::new();
    let looking = async {
        let mut pauses = Pauses::default();
        loop {
            match look().await.told() {
                Ok(value) => return value,
                Err(other) => seen = other,
            }
            tokio::time::sleep(pauses.next()).await;
        }
    };
    let found = tokio::time::timeout(limit, looking).await;
    found.map_err(|_| late(limit, what, &seen))
}

fn late(limit: Duration, what: &str, seen: &str) -> String {
    let seen = if seen.is_empty() { String::new() } else { format!("; seen last: {seen}") };
    format!("not within {limit:?}: {what}{seen}")
}

/// Between two looks: a few milliseconds, and longer by and by, for what takes long is asked less often.
struct Pauses(Duration);

impl Default for Pauses {
    fn default() -> Self {
        Self(Duration::from_millis(2))
    }
}

impl Pauses {
    fn next(&mut self) -> Duration {
        let pause = self.0;
        self.0 = (pause * 5 / 4).min(QUIET);
        pause
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn a_look_is_made_until_it_is_so() {
        let mut looks = 0;
        let found = eventually("three looks", async || {
            looks += 1;
            (looks == 3).then_some("here")
        });
        assert_eq!(found.await, "here");
        assert_eq!(looks, 3);
        let mut looks = 0;
        eventually_blocking("three looks", || {
            looks += 1;
            looks == 3
        });
        assert_eq!(looks, 3);
    }

    #[tokio::test]
    async fn what_does_not_come_is_told() {
        let short = Duration::from_millis(20);
        let late = within(short, "a miracle", async || Err::<(), _>("the usual")).await.unwrap_err();
        assert_eq!(late, "not within 20ms: a miracle; seen last: the usual");
        let late = within(short, "a look that ends", async || std::future::pending::<bool>().await).await;
        assert!(late.is_err(), "it has no more time than the others");
    }

    #[tokio::test]
    async fn what_moves_is_waited_for() {
        let reads = AtomicUsize::new(0);
        let read = async || reads.fetch_add(1, Ordering::Relaxed).min(5);
        assert_eq!(settled("five", read).await, 5);
    }
}
