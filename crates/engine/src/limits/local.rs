//! The buckets of a single process.

use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

use futures_util::future::{BoxFuture, ready};
use parking_lot::RwLock;
use toolcrib_model::{
    Clock,
    buckets::{Keyed, Reading},
};
use toolcrib_registry::LimitClass;

use super::{
    LimitRequest, LimitScope, LimitState, Limited, Limiter,
    shares::{Shares, Told},
};

/// Number of calls after which [`LocalLimiter::sweep`] runs by itself.
const SWEEP_EVERY: u32 = 65_536;

type Buckets = Arc<Keyed<LimitScope>>;

/// Buckets in memory: one set for each class and size. Time comes from a given clock.
pub struct LocalLimiter {
    clock: Arc<dyn Clock>,
    sets: RwLock<HashMap<(LimitClass, NonZeroU32), Buckets>>,
    spent: AtomicU32,
    shares: Shares,
}

impl LocalLimiter {
    /// Makes a limiter whose buckets are all full.
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, sets: RwLock::default(), spent: AtomicU32::new(0), shares: Shares::default() }
    }

    /// Drops the buckets that are full, and inactive workspaces. Call it about once a minute; it also runs by
    /// itself after 65,536 calls, so that a flood of keys can't fill the memory.
    pub fn sweep(&self) {
        self.shares.sweep(self.clock.monotonic());
        let mut sets = self.sets.write();
        sets.retain(|_, buckets| {
            buckets.sweep();
            // A clone exists while a call is about to count in these buckets.
            !buckets.is_empty() || Arc::strong_count(buckets) > 1
        });
    }

    /// Returns the number of buckets in memory, plus the number of workspaces whose persons are in memory.
    pub fn len(&self) -> usize {
        self.shares.len() + self.sets.read().values().map(|buckets| buckets.len()).sum::<usize>()
    }

    /// Returns whether no bucket is in memory, so that every bucket is full.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn buckets(&self, class: LimitClass, per_minute: NonZeroU32) -> Buckets {
        let key = (class, per_minute);
        if let Some(known) = self.sets.read().get(&key) {
            return Arc::clone(known);
        }
        let mut sets = self.sets.write();
        let made = || Arc::new(Keyed::new(Arc::clone(&self.clock), per_minute));
        Arc::clone(sets.entry(key).or_insert_with(made))
    }

    fn spend_now(&self, request: LimitRequest) -> Result<LimitState, Limited> {
        if self.spent.fetch_add(1, Ordering::Relaxed) % SWEEP_EVERY == SWEEP_EVERY - 1 {
            self.sweep();
        }
        let Some(per_minute) = NonZeroU32::new(request.per_minute) else {
            return Err(Limited::Exceeded { state: state(request, NOTHING), retry_after: 60 });
        };
        let buckets = self.buckets(request.class, per_minute);
        if let (LimitScope::Workspace(workspace), Some(person)) = (request.scope, request.person) {
            let shared = || buckets.spend(&request.scope);
            let peek = || buckets.peek(&request.scope);
            let spent = self.shares.spend(workspace, person, self.clock.monotonic(), shared, peek);
            return spent.map(|told| tighter(request, told)).map_err(|refused| Limited::Exceeded {
                state: tighter(request, refused),
                retry_after: refused.reading.wait_seconds.max(1),
            });
        }
        match buckets.spend(&request.scope) {
            Ok(reading) => Ok(state(request, reading)),
            Err(reading) => {
                Err(Limited::Exceeded { state: state(request, reading), retry_after: reading.wait_seconds })
            }
        }
    }

    fn peek_now(&self, request: LimitRequest) -> LimitState {
        let Some(per_minute) = NonZeroU32::new(request.per_minute) else { return state(request, NOTHING) };
        let shared = self.buckets(request.class, per_minute).peek(&request.scope);
        match (request.scope, request.person) {
            (LimitScope::Workspace(workspace), Some(person)) => {
                tighter(request, self.shares.peek(workspace, person, self.clock.monotonic(), shared))
            }
            _ => state(request, shared),
        }
    }
}

/// The state of a bucket of size 0. It never admits a call; a retry each minute notices a new limit soon
/// enough.
const NOTHING: Reading = Reading { remaining: 0, reset_seconds: 60, wait_seconds: 60 };

/// Returns the state of the bucket that the headers describe.
fn tighter(request: LimitRequest, told: Told) -> LimitState {
    let per_minute = told.share.unwrap_or(request.per_minute);
    state(LimitRequest { per_minute, ..request }, told.reading)
}

fn state(request: LimitRequest, reading: Reading) -> LimitState {
    let LimitRequest { class, per_minute, .. } = request;
    LimitState {
        class,
        limit: per_minute,
        remaining: reading.remaining,
        reset_seconds: reading.reset_seconds,
    }
}

impl Limiter for LocalLimiter {
    fn spend(&self, request: LimitRequest) -> BoxFuture<'_, Result<LimitState, Limited>> {
        Box::pin(ready(self.spend_now(request)))
    }

    fn peek(&self, request: LimitRequest) -> BoxFuture<'_, Result<LimitState, Limited>> {
        Box::pin(ready(Ok(self.peek_now(request))))
    }
}

#[cfg(test)]
mod tests;
