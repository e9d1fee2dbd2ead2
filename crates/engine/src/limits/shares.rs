//! Limits one person to a share of a workspace's writes while another person is active. A person who is alone
//! may use the whole limit.
//!
//! Each person has a bucket of the size of their share beside the workspace's bucket. Every write counts in
//! both. The person's bucket refuses only while another person was active within the last minute; otherwise
//! it may be empty.

use std::{collections::HashMap, time::Duration};

use parking_lot::Mutex;
use toolcrib_access::Limits;
use toolcrib_model::{Id, buckets::Reading};
use toolcrib_registry::LimitClass;

use super::LimitPerson;

const MINUTE: u64 = 60_000_000_000;
const SECOND: u64 = 1_000_000_000;

#[derive(Default)]
pub struct Shares(Mutex<HashMap<Id, Workspace>>);

#[derive(Default)]
struct Workspace {
    /// The two persons who were active last, and when, in nanoseconds. Two suffice to tell for any person
    /// whether another one was active.
    active: [Option<(Id, u64)>; 2],
    /// When each person's bucket of a size is full, in nanoseconds.
    full_at: HashMap<(Id, u32), u64>,
}

/// The current state of a person's bucket.
#[derive(Clone, Copy)]
struct Own {
    share: u32,
    /// Nanoseconds until the bucket is full.
    owed: u64,
}

/// The bucket that the headers of a call describe: the workspace's or, if that is tighter, the person's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    /// Size of the person's bucket in calls a minute; `None` if this is the workspace's bucket.
    pub share: Option<u32>,
    /// The state of the bucket.
    pub reading: Reading,
}

/// Returns the calls a minute that one person may make of a class while another is active; `None` if there is
/// no share.
pub fn share(class: LimitClass, limits: &Limits) -> Option<u32> {
    let per_minute = u64::from(limits.write_per_minute);
    let percent = u64::from(limits.write_share_percent);
    let share = u32::try_from(per_minute * percent / 100).unwrap_or(u32::MAX).max(1);
    (class == LimitClass::Write && share < limits.write_per_minute).then_some(share)
}

impl Shares {
    /// Counts one call of `person` in the bucket of `workspace` and in the person's. `shared` counts in the
    /// workspace's bucket, and `peek` reads it. Returns `Err` if either bucket refuses; the call then counts
    /// in neither.
    pub fn spend(
        &self,
        workspace: Id,
        person: LimitPerson,
        passed: Duration,
        shared: impl FnOnce() -> Result<Reading, Reading>,
        peek: impl FnOnce() -> Reading,
    ) -> Result<Told, Told> {
        let now = nanos(passed);
        let mut all = self.0.lock();
        let here = all.entry(workspace).or_default();
        let own = person.share.map(|share| here.own(person.id, share, now));
        let holds = own.filter(|_| here.another(person.id, now));
        if let Some(own) = holds.filter(|own| own.wait() > 0) {
            return Err(tighter(peek(), Some(own)));
        }
        match shared() {
            Err(reading) => Err(tighter(reading, holds)),
            Ok(reading) => {
                here.note(person.id, now);
                let after = own.map(Own::spent);
                if let Some(after) = after {
                    here.full_at.insert((person.id, after.share), now + after.owed);
                }
                Ok(tighter(reading, after.filter(|_| holds.is_some())))
            }
        }
    }

    /// Returns the tighter of the bucket of `workspace`, which is `shared`, and the person's. Counts nothing.
    pub fn peek(&self, workspace: Id, person: LimitPerson, passed: Duration, shared: Reading) -> Told {
        let now = nanos(passed);
        let all = self.0.lock();
        let here = all.get(&workspace).filter(|here| here.another(person.id, now));
        let own = here.and_then(|here| Some(here.own(person.id, person.share?, now)));
        tighter(shared, own)
    }

    /// Drops the workspaces in which no person was active within a minute and all buckets are full.
    pub fn sweep(&self, passed: Duration) {
        let now = nanos(passed);
        self.0.lock().retain(|_, here| {
            here.full_at.retain(|_, full| *full > now);
            here.active.iter().flatten().any(|(_, at)| recent(*at, now)) || !here.full_at.is_empty()
        });
    }

    /// Returns the number of workspaces in memory.
    pub fn len(&self) -> usize {
        self.0.lock().len()
    }
}

impl Workspace {
    fn own(&self, person: Id, share: u32, now: u64) -> Own {
        let full_at = self.full_at.get(&(person, share)).copied().unwrap_or(0);
        Own { share, owed: full_at.saturating_sub(now) }
    }

    fn another(&self, person: Id, now: u64) -> bool {
        self.active.iter().flatten().any(|(id, at)| *id != person && recent(*at, now))
    }

    fn note(&mut self, person: Id, now: u64) {
        let [last, before] = self.active;
        let before = if last.is_some_and(|(id, _)| id == person) { before } else { last };
        self.active = [Some((person, now)), before];
    }
}

impl Own {
    fn step(self) -> u64 {
        MINUTE / u64::from(self.share)
    }

    /// Returns the nanoseconds until the bucket admits a call.
    fn wait(self) -> u64 {
        self.owed.saturating_sub(self.step() * u64::from(self.share - 1))
    }

    /// Returns the bucket after one more call, at most empty.
    fn spent(self) -> Self {
        Self { owed: (self.owed + self.step()).min(MINUTE), ..self }
    }

    fn reading(self) -> Reading {
        let spent = u32::try_from(self.owed.div_ceil(self.step())).unwrap_or(u32::MAX);
        Reading {
            remaining: self.share.saturating_sub(spent),
            reset_seconds: self.owed.div_ceil(SECOND),
            wait_seconds: self.wait().div_ceil(SECOND),
        }
    }
}

/// Returns the bucket that admits fewer calls; of two empty buckets, the one with the longer wait.
fn tighter(shared: Reading, own: Option<Own>) -> Told {
    let Some((share, reading)) = own.map(|own| (own.share, own.reading())) else {
        return Told { share: None, reading: shared };
    };
    let order = (reading.remaining, std::cmp::Reverse(reading.wait_seconds));
    if order < (shared.remaining, std::cmp::Reverse(shared.wait_seconds)) {
        Told { share: Some(share), reading }
    } else {
        Told { share: None, reading: shared }
    }
}

fn recent(at: u64, now: u64) -> bool {
    now.saturating_sub(at) < MINUTE
}

fn nanos(passed: Duration) -> u64 {
    u64::try_from(passed.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_of_writes_and_never_none() {
        let of = |write_per_minute, write_share_percent| {
            share(LimitClass::Write, &Limits { write_per_minute, write_share_percent, ..Limits::default() })
        };
        assert_eq!([of(10, 60), of(7, 60), of(2, 60), of(3, 1)], [6, 4, 1, 1].map(Some));
        assert_eq!([of(1, 60), of(10, 100), of(1, 1)], [None; 3]);
        assert_eq!(share(LimitClass::Read, &Limits::default()), None);
    }
}
