//! Counts calls per minute and workspace, for a day. Rates, latencies and alerts are computed from these
//! counts.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use toolcrib_model::{Id, Ts};

use super::DataScope;

const MINUTE: i64 = 60_000_000;
/// How many minutes are stored.
const KEPT_MINUTES: i64 = 24 * 60;
/// The maximum number of counts, one per workspace and minute. The oldest minutes are dropped first.
const KEPT_COUNTS: usize = 200_000;
/// The upper bounds of the latency buckets, in milliseconds. One more bucket is above the last bound.
const BOUNDS: [f64; 13] =
    [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1_000.0, 2_000.0, 5_000.0, 10_000.0];

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    pub total: u64,
    /// Calls that failed in this service or in an external service (5xx).
    pub errors: u64,
    /// Calls refused by a rate limit (429).
    pub limited: u64,
    /// Calls refused for other reasons (other 4xx).
    pub refused: u64,
    durations: [u64; BOUNDS.len() + 1],
}

impl Calls {
    fn record(&mut self, status: f64, milliseconds: f64) {
        self.total += 1;
        if status >= 500.0 {
            self.errors += 1;
        } else if (428.5..429.5).contains(&status) {
            self.limited += 1;
        } else if status >= 400.0 {
            self.refused += 1;
        }
        let class = BOUNDS.iter().position(|bound| milliseconds <= *bound).unwrap_or(BOUNDS.len());
        self.durations[class] += 1;
    }

    fn add(&mut self, other: &Self) {
        self.total += other.total;
        self.errors += other.errors;
        self.limited += other.limited;
        self.refused += other.refused;
        for (own, more) in self.durations.iter_mut().zip(other.durations) {
            *own += more;
        }
    }

    /// Returns `some` as a share of all calls, or `None` without calls.
    #[expect(clippy::cast_precision_loss, reason = "counts of a day are far below 2^52")]
    pub fn share(&self, some: u64) -> Option<f64> {
        (self.total > 0).then(|| some as f64 / self.total as f64)
    }

    /// Returns the `q` quantile of the duration in milliseconds, interpolated within its bucket, or `None`
    /// without calls. A quantile above the last bound gives the last bound.
    #[expect(clippy::cast_precision_loss, reason = "counts of a day are far below 2^52")]
    pub fn quantile(&self, q: f64) -> Option<f64> {
        if self.total == 0 {
            return None;
        }
        let rank = q * self.total as f64;
        let (mut below, mut lower) = (0.0, 0.0);
        for (count, bound) in self.durations.iter().zip(BOUNDS) {
            let count = *count as f64;
            if below + count >= rank && count > 0.0 {
                return Some(lower + (bound - lower) * ((rank - below) / count).clamp(0.0, 1.0));
            }
            below += count;
            lower = bound;
        }
        Some(lower)
    }
}

/// The counts per minute and workspace.
#[derive(Debug, Default)]
pub struct CallCounts {
    minutes: BTreeMap<i64, HashMap<Option<Id>, Calls>>,
    counts: usize,
}

impl CallCounts {
    pub fn record(&mut self, at: Ts, workspace: Option<Id>, status: f64, milliseconds: f64) {
        let minute = minute(at);
        let calls = self.minutes.entry(minute).or_default();
        let before = calls.len();
        calls.entry(workspace).or_default().record(status, milliseconds);
        self.counts += calls.len() - before;
        while let Some(oldest) = self.minutes.first_entry() {
            if *oldest.key() > minute - KEPT_MINUTES && self.counts <= KEPT_COUNTS {
                break;
            }
            self.counts -= oldest.remove().len();
        }
    }

    /// Returns the calls in the scope, from the minute of `from` to the minute of `to`, both included.
    pub fn sum(&self, reach: DataScope, from: Ts, to: Ts) -> Calls {
        let mut sum = Calls::default();
        if from > to {
            return sum;
        }
        for calls in self.minutes.range(minute(from)..=minute(to)).map(|(_, calls)| calls) {
            match reach {
                DataScope::Workspace(own) => {
                    if let Some(calls) = calls.get(&Some(own)) {
                        sum.add(calls);
                    }
                }
                DataScope::Platform => calls.values().for_each(|calls| sum.add(calls)),
            }
        }
        sum
    }

    /// Returns the workspaces with calls since the minute of `from`.
    pub fn workspaces(&self, from: Ts) -> BTreeSet<Id> {
        self.minutes.range(minute(from)..).flat_map(|(_, calls)| calls.keys().copied().flatten()).collect()
    }
}

fn minute(at: Ts) -> i64 {
    at.as_micros().div_euclid(MINUTE)
}
