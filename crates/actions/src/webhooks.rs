//! Sends events to webhooks. Creates deliveries from the events of the outbox, and attempts each delivery
//! until the receiver accepts it or the last attempt failed. No call waits for a delivery.
//!
//! A webhook of the formats that people read gets one message at a time, and at most one a second.
//!
//! Each webhook has its own offset in the outbox. A delivery is claimed before it is attempted, so that only
//! one of several processes sends it. If a process dies during an attempt, the delivery is attempted again a
//! minute later with the same `webhook-id`.

mod fan_out;
pub(crate) mod format;
pub(crate) mod secrets;
mod send;

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use tokio::{
    task::{self, JoinSet},
    time::{MissedTickBehavior, interval},
};
use toolcrib_connectors::webhooks::WebhookSender;
use toolcrib_engine::Catalog;
use toolcrib_model::{Clock, Id, IdGen};
use toolcrib_store::{Db, StoreError, WORKER_LIMIT, events, webhooks::worker, within};

/// How often due deliveries are queried.
const EVERY: Duration = Duration::from_millis(500);
/// The maximum number of webhooks that are served at the same time. A webhook whose receiver hangs occupies
/// only one of these, however many deliveries it has.
const AT_ONCE: usize = 64;
/// The time between two messages to people of one webhook, in seconds.
pub(crate) const PAUSE: i64 = 1;

/// Sends due deliveries.
pub struct Webhooks {
    db: Db,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdGen>,
    catalog: Arc<Catalog>,
    sender: WebhookSender,
}

impl Webhooks {
    /// Creates a worker. The operator's rules of `catalog` contain the cipher of the webhooks' secrets.
    pub fn new(
        db: Db,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGen>,
        catalog: Arc<Catalog>,
        sender: WebhookSender,
    ) -> Self {
        Self { db, clock, ids, catalog, sender }
    }

    /// Creates deliveries from events, attempts every due delivery, and returns the number of attempts.
    pub async fn run(self: &Arc<Self>) -> Result<usize, StoreError> {
        self.fan_out().await?;
        let mut tried = 0;
        loop {
            let due = worker::due(&self.db, self.clock.now(), 1_000).await?;
            // A task for each webhook: a task begins no second transaction while its write is open.
            let mut sending = JoinSet::new();
            for (workspace, webhook) in due {
                let this = self.clone();
                sending.spawn(async move { this.send(workspace, webhook).await });
            }
            match sending.join_all().await.into_iter().sum::<Result<usize, StoreError>>()? {
                0 => return Ok(tried),
                some => tried += some,
            }
        }
    }

    /// Sends continuously. Dropping the future aborts all tasks that it spawned.
    pub async fn serve(self: Arc<Self>) {
        let mut ticks = interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut sending = JoinSet::new();
        let mut busy = HashMap::new();
        loop {
            ticks.tick().await;
            while let Some(ended) = sending.try_join_next_with_id() {
                busy.remove(&ended.map_or_else(|error| error.id(), |(id, ())| id));
            }
            if let Err(error) = self.begin(&mut sending, &mut busy).await {
                tracing::warn!(%error, "webhooks can't be served now; it is tried again");
            }
        }
    }

    /// Spawns a task for each webhook with due deliveries that this process does not serve yet.
    async fn begin(
        self: &Arc<Self>,
        sending: &mut JoinSet<()>,
        busy: &mut HashMap<task::Id, Id>,
    ) -> Result<(), StoreError> {
        self.fan_out().await?;
        if busy.len() >= AT_ONCE {
            return Ok(());
        }
        let served: HashSet<Id> = busy.values().copied().collect();
        let due = worker::due(&self.db, self.clock.now(), i64::try_from(AT_ONCE).unwrap_or(i64::MAX)).await?;
        for (workspace, webhook) in due {
            if served.contains(&webhook) || busy.len() >= AT_ONCE {
                continue;
            }
            let this = self.clone();
            let begun = sending.spawn(async move {
                loop {
                    match this.send(workspace, webhook).await {
                        Ok(0) => return,
                        Ok(_) => {}
                        Err(error) => {
                            tracing::warn!(%error, %webhook, "a webhook can't be served now; it is tried again");
                            return;
                        }
                    }
                }
            });
            busy.insert(begun.id(), webhook);
        }
        Ok(())
    }

    /// Creates deliveries from events.
    async fn fan_out(&self) -> Result<(), StoreError> {
        if !worker::any_enabled(&self.db).await? {
            return Ok(());
        }
        events::assign_offsets(&self.db).await?;
        while worker::has_unread(&self.db).await? {
            let mut tx = self.db.begin_write_as_worker().await?;
            let batch = fan_out::next_batch(&mut tx, self.clock.now(), self.ids.as_ref());
            let count = within(WORKER_LIMIT, batch).await?;
            if tx.end(count).await? == 0 {
                // Another process has locked the remaining webhooks.
                break;
            }
        }
        Ok(())
    }
}
