//! The lease of a run that this process holds: renews it, and notices that somebody asked the run to stop or that another
//! process has taken it.

use std::{sync::Arc, time::Duration};

use tokio::{
    sync::{Notify, watch},
    task::JoinHandle,
    time::{Instant, timeout, timeout_at},
};
use toolcrib_model::Id;
use toolcrib_store::{StoreError, WORKER_LIMIT, assistant_runs, within};

use crate::Assistant;

/// A stop that another process stored is noticed at a renewal, so within a second.
const MAX_RENEWAL_INTERVAL: Duration = Duration::from_millis(800);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeaseState {
    Held,
    /// Somebody asked it to stop.
    Stopping,
    /// Another process may have it.
    Lost,
}

/// Renews the lease until it is dropped.
pub struct Lease {
    state: watch::Receiver<LeaseState>,
    renewals: JoinHandle<()>,
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.renewals.abort();
    }
}

impl Lease {
    /// Begins to renew the lease of a run that this process has just taken with this fence. A notification of `check`
    /// renews it at once.
    pub fn begin(assistant: &Arc<Assistant>, workspace: Id, run: Id, fence: i64, check: Arc<Notify>) -> Self {
        let (sender, state) = watch::channel(LeaseState::Held);
        let renewals = tokio::spawn(renew(assistant.clone(), workspace, run, fence, check, sender));
        Self { state, renewals }
    }

    /// Returns what is known now.
    pub fn state(&self) -> LeaseState {
        *self.state.borrow()
    }

    /// Waits until the run is to stop, or is lost.
    pub async fn ended(&self) -> LeaseState {
        let mut state = self.state.clone();
        state.wait_for(|state| *state != LeaseState::Held).await.map_or(LeaseState::Lost, |state| *state)
    }

    /// Waits until the run is lost.
    pub async fn lost(&self) {
        let mut state = self.state.clone();
        let _ = state.wait_for(|state| *state == LeaseState::Lost).await;
    }
}

/// Renews the lease three times in its duration and at least every [`MAX_RENEWAL_INTERVAL`]. The run is lost when the lease
/// was not renewed by its end on this process's monotonic clock.
async fn renew(
    assistant: Arc<Assistant>,
    workspace: Id,
    run: Id,
    fence: i64,
    check: Arc<Notify>,
    state: watch::Sender<LeaseState>,
) {
    let lease = assistant.settings.lease;
    let mut end = Instant::now() + lease;
    loop {
        let _ = timeout((lease / 3).min(MAX_RENEWAL_INTERVAL), check.notified()).await;
        let begun = Instant::now();
        // A database that does not answer must not hold the run for longer than its lease.
        let Ok(renewed) = timeout_at(end - lease / 5, renew_once(&assistant, workspace, run, fence)).await
        else {
            break;
        };
        match renewed {
            Ok(Some(stop)) => {
                end = begun + lease;
                if stop {
                    state.send_if_modified(|state| {
                        let is_new = *state == LeaseState::Held;
                        *state = LeaseState::Stopping;
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
    state.send_replace(LeaseState::Lost);
}

async fn renew_once(
    assistant: &Assistant,
    workspace: Id,
    run: Id,
    fence: i64,
) -> Result<Option<bool>, StoreError> {
    let until = assistant.lease_end();
    let mut tx = assistant.db.begin_write(workspace).await?;
    let renewed = within(WORKER_LIMIT, assistant_runs::renew(&mut tx, run, fence, until)).await?;
    tx.end(renewed).await
}
