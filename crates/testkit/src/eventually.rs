//! Polling: the only module of tests in which time passes.
//!
//! [`eventually`] waits until a condition holds, [`settled`] until a value no longer changes.

use std::{
    fmt::Display,
    time::{Duration, Instant},
};

/// The time limit of a wait. A slow machine needs seconds for what others do in milliseconds.
const LIMIT: Duration = Duration::from_mins(2);
/// How long a value must stay the same to be settled, and the longest pause between two checks.
const QUIET: Duration = Duration::from_millis(300);

/// The result of one check: `true`, `Some` or `Ok` end the wait.
pub trait Check {
    /// The value that was waited for.
    type Value;

    /// Returns the value, or what the check saw instead, for the panic's message.
    fn into_result(self) -> Result<Self::Value, String>;
}

impl Check for bool {
    type Value = ();

    fn into_result(self) -> Result<(), String> {
        if self { Ok(()) } else { Err(String::new()) }
    }
}

impl<T> Check for Option<T> {
    type Value = T;

    fn into_result(self) -> Result<T, String> {
        self.ok_or_else(String::new)
    }
}

impl<T, E: Display> Check for Result<T, E> {
    type Value = T;

    fn into_result(self) -> Result<T, String> {
        self.map_err(|seen| seen.to_string())
    }
}

/// Calls `check` until it returns `true`, `Some` or `Ok`, and returns the value.
///
/// # Panics
/// Panics after two minutes, with `what` and what the last check saw.
pub async fn eventually<C: Check>(what: &str, check: impl AsyncFnMut() -> C) -> C::Value {
    within(LIMIT, what, check).await.unwrap_or_else(|message| panic!("{message}"))
}

/// Does the same as [`eventually`] without a runtime.
///
/// # Panics
/// Panics after two minutes, with `what` and what the last check saw.
#[expect(clippy::disallowed_methods, reason = "the only module in which tests let time pass")]
pub fn eventually_blocking<C: Check>(what: &str, mut check: impl FnMut() -> C) -> C::Value {
    let begun = Instant::now();
    let mut pauses = Pauses::default();
    loop {
        match check().into_result() {
            Ok(value) => return value,
            Err(seen) => assert!(begun.elapsed() < LIMIT, "{}", timed_out(LIMIT, what, &seen)),
        }
        std::thread::sleep(pauses.next());
    }
}

/// Returns the value of `read` when it has stayed the same for 300 milliseconds.
///
/// # Panics
/// Panics if the value still changes after two minutes.
pub async fn settled<T: PartialEq>(what: &str, read: impl AsyncFn() -> T) -> T {
    let mut last = read().await;
    eventually(what, async || {
        let changed = within(QUIET, what, async || read().await != last).await.is_ok();
        // A slow read may take longer than the pause, so the value is read once more at its end.
        let now = read().await;
        let rested = !changed && now == last;
        last = now;
        rested
    })
    .await;
    last
}

/// Lets time pass, for a service that answers late.
pub async fn pass(time: Duration) {
    if !time.is_zero() {
        tokio::time::sleep(time).await;
    }
}

async fn within<C: Check>(
    limit: Duration,
    what: &str,
    mut check: impl AsyncFnMut() -> C,
) -> Result<C::Value, String> {
    let mut seen = String::new();
    let polling = async {
        let mut pauses = Pauses::default();
        loop {
            match check().await.into_result() {
                Ok(value) => return value,
                Err(other) => seen = other,
            }
            tokio::time::sleep(pauses.next()).await;
        }
    };
    let found = tokio::time::timeout(limit, polling).await;
    found.map_err(|_| timed_out(limit, what, &seen))
}

fn timed_out(limit: Duration, what: &str, seen: &str) -> String {
    let seen = if seen.is_empty() { String::new() } else { format!("; the last check saw: {seen}") };
    format!("not within {limit:?}: {what}{seen}")
}

/// The pauses between checks. They grow, so that a long wait costs few checks.
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
    async fn checks_are_made_until_one_holds() {
        let mut checks = 0;
        let found = eventually("three checks", async || {
            checks += 1;
            (checks == 3).then_some("here")
        });
        assert_eq!(found.await, "here");
        assert_eq!(checks, 3);
        let mut checks = 0;
        eventually_blocking("three checks", || {
            checks += 1;
            checks == 3
        });
        assert_eq!(checks, 3);
    }

    #[tokio::test]
    async fn the_message_has_what_the_last_check_saw() {
        let short = Duration::from_millis(20);
        let message = within(short, "a row", async || Err::<(), _>("no row")).await.unwrap_err();
        assert_eq!(message, "not within 20ms: a row; the last check saw: no row");
        let hangs = within(short, "a check that hangs", async || std::future::pending::<bool>().await).await;
        assert!(hangs.is_err(), "a check that hangs has no more time than the others");
    }

    #[tokio::test]
    async fn a_value_that_changes_is_waited_for() {
        let reads = AtomicUsize::new(0);
        let read = async || reads.fetch_add(1, Ordering::Relaxed).min(5);
        assert_eq!(settled("five", read).await, 5);
    }
}
