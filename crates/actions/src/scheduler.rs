//! Fires due schedules, heartbeats of agents and scheduled playbooks.
//!
//! One transaction claims what is due, sets its next time and inserts its event into the outbox. Where the workspace
//! has the setting `runner: internal`, it also queues the run of the assistant. So each fires once, even if several
//! processes run the scheduler or one of them dies. What was missed while no process ran fires once, late.
//!
//! To add a kind: a file with a function like [`schedules::fire`], a line in [`Scheduler::run`], on
//! PostgreSQL the rights of the worker's role in the schema.

mod heartbeats;
mod playbooks;
mod schedules;

use std::sync::Arc;

use toolcrib_engine::Stamp;
use toolcrib_model::{Clock, Cron, IdGen, Ts};
use toolcrib_store::{Db, StoreError, WORKER_LIMIT, WriteTx, within};

/// Fires what is due.
pub struct Scheduler {
    db: Db,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdGen>,
}

/// One run: its time, and the source of its IDs.
struct Tick {
    now: Ts,
    ids: Arc<dyn IdGen>,
}

impl Scheduler {
    /// Creates a scheduler for a database.
    pub fn new(db: Db, clock: Arc<dyn Clock>, ids: Arc<dyn IdGen>) -> Self {
        Self { db, clock, ids }
    }

    /// Fires everything that is due now and returns the number. If one kind fails, the others still fire, and
    /// the failed ones stay due.
    pub async fn run(&self) -> Result<usize, StoreError> {
        let fired = [
            self.all(schedules::fire).await,
            self.all(heartbeats::fire).await,
            self.all(playbooks::fire).await,
        ];
        fired.into_iter().sum()
    }

    /// Fires all of one kind, in as many transactions as needed. `fire` claims and fires some in a transaction and
    /// returns their number, 0 if none is left.
    async fn all(
        &self,
        fire: impl AsyncFn(&mut WriteTx, &Tick) -> Result<usize, StoreError>,
    ) -> Result<usize, StoreError> {
        let tick = Tick { now: self.clock.now(), ids: self.ids.clone() };
        let mut fired = 0;
        loop {
            let mut tx = self.db.begin_write_as_worker().await?;
            let some = within(WORKER_LIMIT, fire(&mut tx, &tick)).await?;
            match tx.end(some).await? {
                0 => return Ok(fired),
                some => fired += some,
            }
        }
    }
}

impl Tick {
    fn stamp(&self) -> Stamp<'_> {
        Stamp { ids: &*self.ids, now: self.now }
    }

    /// Returns the first time after `due` that is in the future. Counts from `due` and not from now:
    /// otherwise, in the hour that is repeated when the clocks go back, a fixed time would match twice.
    fn next(&self, cron: &Cron, due: Ts) -> Option<Ts> {
        let mut next = cron.next_after(due.max(self.now.plus_days(-1)))?;
        while next <= self.now {
            next = cron.next_after(next)?;
        }
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use toolcrib_model::SystemIds;

    use super::*;

    fn next(cron: &str, zone: &str, due: &str, now: &str) -> Option<String> {
        let tick = Tick { now: now.parse().unwrap(), ids: Arc::new(SystemIds) };
        let cron = Cron::parse(cron, zone).unwrap();
        tick.next(&cron, due.parse().unwrap()).map(|at| at.to_string().replace(":00.000000Z", "Z"))
    }

    #[test]
    fn a_time_in_the_hour_that_is_repeated_comes_once_however_late_it_is_seen() {
        // On 2026-10-25, 02:30 in Berlin is both 00:30Z and 01:30Z. It fires at the first one only.
        for now in ["2026-10-25T00:30:00Z", "2026-10-25T00:30:01Z", "2026-10-25T01:10:00Z"] {
            let got = next("30 2 * * *", "Europe/Berlin", "2026-10-25T00:30:00Z", now);
            assert_eq!(got.as_deref(), Some("2026-10-26T01:30Z"), "{now}");
        }
        // On 2026-03-29, 02:30 does not exist in Berlin. It fires after the clocks changed, and at 02:30 on
        // the next day.
        let got = next("30 2 * * *", "Europe/Berlin", "2026-03-29T01:00:00Z", "2026-03-29T01:00:02Z");
        assert_eq!(got.as_deref(), Some("2026-03-30T00:30Z"));
    }

    #[test]
    fn missed_times_are_not_made_up_for() {
        let got = next("*/5 * * * *", "UTC", "2025-01-01T00:00:00Z", "2026-01-15T10:02:00Z");
        assert_eq!(got.as_deref(), Some("2026-01-15T10:05Z"));
        let got = next("0 9 * * 1", "UTC", "2026-01-05T09:00:00Z", "2026-01-19T09:00:00Z");
        assert_eq!(got.as_deref(), Some("2026-01-26T09:00Z"));
        assert_eq!(next("0 0 30 2 *", "UTC", "2026-01-05T09:00:00Z", "2026-01-19T09:00:00Z"), None);
    }
}
