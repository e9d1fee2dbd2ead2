//! One look at the outbox for all streams of a process: it finds what any process committed, and wakes whom it
//! concerns.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::{broadcast, watch};
use toolcrib_model::Id;
use toolcrib_store::{Db, StoreError, events};

/// Between two looks.
const TICK: Duration = Duration::from_millis(200);
/// Events that one look takes.
const BATCH: i64 = 2_000;
/// Calls that a slow listener may be behind before it looks for itself.
const BEHIND: usize = 1_024;

/// Wakes streams: `Some` workspace where something happened there, `None` where everybody should look.
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
    /// From now on every event wakes the receiver. The looking begins with the first listener.
    pub fn listen(self: &Arc<Self>, db: &Db) -> broadcast::Receiver<Option<Id>> {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let receiver = self.wake.subscribe();
        if !*running {
            *running = true;
            tokio::spawn(Arc::clone(self).follow(db.clone()));
        }
        receiver
    }

    /// Says `true` once streams are to end.
    pub fn ended(&self) -> watch::Receiver<bool> {
        self.ended.subscribe()
    }

    /// Ends all streams.
    pub fn end(&self) {
        self.ended.send_replace(true);
    }

    /// Looks again and again, until nobody listens.
    async fn follow(self: Arc<Self>, db: Db) {
        let mut offset = None;
        while !self.idle() {
            let looked = self.poll(&db, offset).await;
            offset = looked.unwrap_or_else(|fault| {
                tracing::warn!(%fault, "the outbox can't be read; streams of events wait");
                None
            });
            tokio::time::sleep(TICK).await;
        }
    }

    /// Where nothing is known of what was there before, everybody is woken.
    async fn poll(&self, db: &Db, offset: Option<i64>) -> Result<Option<i64>, StoreError> {
        events::seal(db).await?;
        let Some(mut offset) = offset else {
            let last = events::last_everywhere(db).await?;
            self.tell(None);
            return Ok(Some(last));
        };
        loop {
            let found = events::touched(db, offset, BATCH).await?;
            offset = found.last().map_or(offset, |(last, _)| *last);
            let mut workspaces: Vec<Id> = found.iter().map(|(_, workspace)| *workspace).collect();
            workspaces.sort();
            workspaces.dedup();
            for workspace in workspaces {
                self.tell(Some(workspace));
            }
            if i64::try_from(found.len()).is_ok_and(|count| count < BATCH) {
                return Ok(Some(offset));
            }
        }
    }

    fn tell(&self, workspace: Option<Id>) {
        // Nobody listens: nobody is told.
        drop(self.wake.send(workspace));
    }

    /// Nobody listens: the next listener begins the looking anew.
    fn idle(&self) -> bool {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        *running = self.wake.receiver_count() > 0;
        !*running
    }
}

#[cfg(test)]
mod tests;
