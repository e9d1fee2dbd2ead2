//! GCRA buckets of one size, one for each key. Time comes from a given clock.

use std::{hash::Hash, num::NonZeroU32, sync::Arc, time::Duration};

use crate::Clock;
use governor::{
    Quota, RateLimiter,
    clock::Clock as GovernorClock,
    middleware::StateInformationMiddleware,
    nanos::Nanos,
    state::{
        NotKeyed, StateStore,
        keyed::{DashMapStateStore, ShrinkableKeyedStateStore},
    },
};

const SECOND: u64 = 1_000_000_000;

/// The state of a bucket, in numbers for headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Number of calls that the bucket would admit now.
    pub remaining: u32,
    /// Whole seconds until the bucket is full.
    pub reset_seconds: u64,
    /// Whole seconds until the bucket admits a call; 0 if it would admit one now.
    pub wait_seconds: u64,
}

/// Buckets of `per_minute` calls that refill evenly and start full.
pub struct Keyed<K: Hash + Eq + Clone> {
    limiter: RateLimiter<K, SharedStore<K>, Ticks, StateInformationMiddleware>,
    states: Arc<DashMapStateStore<K>>,
    /// Nanoseconds in which the bucket refills by one call.
    step: u64,
    burst: u32,
}

impl<K: Hash + Eq + Clone> Keyed<K> {
    /// Makes buckets of `per_minute` calls.
    pub fn new(clock: Arc<dyn Clock>, per_minute: NonZeroU32) -> Self {
        let states = Arc::<DashMapStateStore<K>>::default();
        let ticks = Ticks { origin: clock.monotonic(), clock };
        let limiter =
            RateLimiter::new(Quota::per_minute(per_minute), SharedStore(Arc::clone(&states)), ticks);
        let burst = per_minute.get();
        Self { limiter, states, step: (60 * SECOND / u64::from(burst)).max(1), burst }
    }

    /// Counts one call. Returns `Err` if the bucket is empty; the call then does not count.
    pub fn spend(&self, key: &K) -> Result<Reading, Reading> {
        match self.limiter.check_key(key) {
            // The decision itself states what remains, so that two concurrent calls never report the same
            // number.
            Ok(snapshot) => Ok(Reading { remaining: snapshot.remaining_burst_capacity(), ..self.peek(key) }),
            Err(until) => {
                let wait = until.wait_time_from(self.limiter.clock().now());
                let wait_seconds = wait.as_nanos().div_ceil(u128::from(SECOND)).max(1);
                let wait_seconds = u64::try_from(wait_seconds).unwrap_or(u64::MAX);
                Err(Reading { remaining: 0, wait_seconds, ..self.peek(key) })
            }
        }
    }

    /// Returns the state of a bucket and counts nothing.
    pub fn peek(&self, key: &K) -> Reading {
        let now = self.limiter.clock().now().as_u64();
        // Time until the bucket is full. Each call adds one step.
        let owed = self.full_at(key).saturating_sub(now);
        let spent = u32::try_from(owed.div_ceil(self.step)).unwrap_or(u32::MAX);
        let free_from = self.step * u64::from(self.burst - 1);
        Reading {
            remaining: self.burst.saturating_sub(spent),
            reset_seconds: owed.div_ceil(SECOND),
            wait_seconds: owed.saturating_sub(free_from).div_ceil(SECOND),
        }
    }

    /// Returns whether the key's bucket is in memory.
    pub fn knows(&self, key: &K) -> bool {
        self.states.contains_key(key)
    }

    /// Returns the number of buckets in memory.
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns whether no bucket is in memory.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// Drops the buckets that are full, which are the same as unused ones.
    pub fn sweep(&self) {
        self.states.retain_recent(self.limiter.clock().now());
        if self.states.capacity() > 1024 + 4 * self.states.len() {
            self.states.shrink_to_fit();
        }
    }

    fn full_at(&self, key: &K) -> u64 {
        let Some(state) = self.states.get(key) else { return 0 };
        // governor has no read of a state. A replacement that fails returns the state unchanged.
        match state.measure_and_replace(&NotKeyed::NonKey, Err::<((), Nanos), _>) {
            Err(Some(full_at)) => full_at.as_u64(),
            Err(None) | Ok(()) => 0,
        }
    }
}

/// The states of the buckets, shared with [`Keyed`]. governor's own limiter would hide them.
struct SharedStore<K: Hash + Eq + Clone>(Arc<DashMapStateStore<K>>);

impl<K: Hash + Eq + Clone> StateStore for SharedStore<K> {
    type Key = K;

    fn measure_and_replace<T, F, E>(&self, key: &K, f: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        self.0.measure_and_replace(key, f)
    }
}

/// Time since `origin`, in governor's unit.
struct Ticks {
    clock: Arc<dyn Clock>,
    origin: Duration,
}

impl GovernorClock for Ticks {
    type Instant = Nanos;

    fn now(&self) -> Nanos {
        Nanos::from(self.clock.monotonic().saturating_sub(self.origin))
    }
}

#[cfg(test)]
mod tests;
