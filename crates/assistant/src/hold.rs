//! How long this process holds a run: renews its lease, and notices that it was asked to stop or that another process
//! has taken the run.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{Notify, watch},
    task::JoinHandle,
    time::{Instant, timeout, timeout_at},
};
use toolcrib_model::Id;
use toolcrib_store::{StoreError, WORKER_LIMIT, assistant_runs, within};

use crate::Assistant;

/// The most time between two renewals: a stop in another process is noticed within a second.
const LOOK: Duration = Duration::from_millis(800);

/// What is known of a held run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldState {
    Held,
    /// Somebody asked it to stop.
    Stopping,
    /// Another process may have it.
    Lost,
}

/// Holds a run until it is dropped.
pub struct Hold {
    state: watch::Receiver<HoldState>,
    renewals: JoinHandle<()>,
}

impl Drop for Hold {
    fn drop(&mut self) {
        self.renewals.abort();
    }
}

impl Hold {
    /// Begins to renew the lease of a run that this process has just taken: its workspace, ID and fence. `look` has it
    /// renewed at once.
    pub fn begin(assistant: &Arc<Assistant>, held: (Id, Id, i64), look: Arc<Notify>) -> Self {
        let (sender, state) = watch::channel(HoldState::Held);
        let renewals = tokio::spawn(renew(assistant.clone(), held, look, sender));
        Self { state, renewals }
    }

    /// Returns what is known now.
    pub fn state(&self) -> HoldState {
        *self.state.borrow()
    }

    /// Waits until the run is to stop, or is lost.
    pub async fn ended(&self) -> HoldState {
        let mut state = self.state.clone();
        state.wait_for(|state| *state != HoldState::Held).await.map_or(HoldState::Lost, |state| *state)
    }

    /// Waits until the run is lost.
    pub async fn lost(&self) {
        let mut state = self.state.clone();
        let _ = state.wait_for(|state| *state == HoldState::Lost).await;
    }
}

/// Renews the lease every third of its time, and at least at each [`LOOK`], when it learns of a stop. The run is lost when its lease could
/// not be renewed by its end, which this process's own monotonic clock tells.
async fn renew(
    assistant: Arc<Assistant>,
    held: (Id, Id, i64),
    look: Arc<Notify>,
    state: watch::Sender<HoldState>,
) {
    let lease = assistant.settings.lease;
    let mut end = Instant::now() + lease;
    loop {
        let _ = timeout((lease / 3).min(LOOK), look.notified()).await;
        let begun = Instant::now();
        // A database that does not answer must not hold the run for longer than its lease.
        let Ok(renewed) = timeout_at(end - lease / 5, renew_once(&assistant, held)).await else { break };
        match renewed {
            Ok(Some(stop)) => {
                end = begun + lease;
                if stop {
                    state.send_if_modified(|state| {
                        let is_new = *state == HoldState::Held;
                        *state = HoldState::Stopping;
                        is_new
                    });
                }
            }
            Ok(None) => break,
            Err(error) => {
                tracing::warn!(%error, "the lease of a run can't be renewed now; it is tried again");
            }
        }
        if Instant::now() + lease / 5 >= end {
            break;
        }
    }
    state.send_replace(HoldState::Lost);
}

async fn renew_once(
    assistant: &Assistant,
    (workspace, run, fence): (Id, Id, i64),
) -> Result<Option<bool>, StoreError> {
    let until = assistant.lease_end();
    let mut tx = assistant.db.begin_write(workspace).await?;
    let renewed = within(WORKER_LIMIT, assistant_runs::renew(&mut tx, run, fence, until)).await?;
    tx.end(renewed).await
}
