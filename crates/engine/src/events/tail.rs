//! Polls the outbox once for all streams of a process, finds the events that any process committed, and wakes
//! the streams of their workspaces.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::sync::{broadcast, watch};
use toolcrib_model::Id;
use toolcrib_store::{Db, StoreError, events};

/// Interval between two polls.
const TICK: Duration = Duration::from_millis(200);
/// Maximum number of events that one statement reads.
const BATCH: i64 = 2_000;
/// Number of messages that a slow receiver may lag behind. After that, it reads the outbox itself.
const BEHIND: usize = 1_024;

/// Wakes streams: `Some(workspace)` if an event happened there, `None` for all streams.
pub struct OutboxTail {
    wake: broadcast::Sender<Option<Id>>,
    running: Mutex<bool>,
    ended: watch::Sender<bool>,
}

impl Default for OutboxTail {
    fn default() -> Self {
        Self {
            wake: broadcast::channel(BEHIND).0,
            running: Mutex::new(false),
            ended: watch::channel(false).0,
        }
    }
}

impl OutboxTail {
    /// Subscribes to new events. The first receiver starts the polling task.
    pub fn listen(self: &Arc<Self>, db: &Db) -> broadcast::Receiver<Option<Id>> {
        let mut running = self.running.lock();
        let receiver = self.wake.subscribe();
        if !*running {
            *running = true;
            tokio::spawn(Arc::clone(self).follow(db.clone()));
        }
        receiver
    }

    /// Returns a receiver that becomes `true` when all streams must end.
    pub fn ended(&self) -> watch::Receiver<bool> {
        self.ended.subscribe()
    }

    pub fn end(&self) {
        self.ended.send_replace(true);
    }

    /// Polls the outbox until there is no receiver.
    async fn follow(self: Arc<Self>, db: Db) {
        let mut offset = None;
        while !self.idle() {
            let looked = self.poll(&db, offset).await;
            offset = looked.unwrap_or_else(|error| {
                tracing::warn!(%error, "the outbox can't be read; streams of events wait");
                None
            });
            tokio::time::sleep(TICK).await;
        }
    }

    /// Reads the events after `offset` and wakes their streams. Without an offset, wakes all streams, because
    /// events may have been missed.
    async fn poll(&self, db: &Db, offset: Option<i64>) -> Result<Option<i64>, StoreError> {
        events::assign_offsets(db).await?;
        let Some(mut offset) = offset else {
            let last = events::last_everywhere(db).await?;
            self.wake(None);
            return Ok(Some(last));
        };
        loop {
            let found = events::workspaces_after(db, offset, BATCH).await?;
            offset = found.last().map_or(offset, |(last, _)| *last);
            let mut workspaces: Vec<Id> = found.iter().map(|(_, workspace)| *workspace).collect();
            workspaces.sort();
            workspaces.dedup();
            for workspace in workspaces {
                self.wake(Some(workspace));
            }
            if i64::try_from(found.len()).is_ok_and(|count| count < BATCH) {
                return Ok(Some(offset));
            }
        }
    }

    fn wake(&self, workspace: Option<Id>) {
        // The error says that there is no receiver.
        drop(self.wake.send(workspace));
    }

    /// Returns whether there is no receiver, and then marks the task as stopped. The next receiver starts it
    /// again.
    fn idle(&self) -> bool {
        let mut running = self.running.lock();
        *running = self.wake.receiver_count() > 0;
        !*running
    }
}

#[cfg(test)]
mod tests;
