//! Polls for runs that no process holds, takes them, and carries them out.

use std::sync::Arc;

use tokio::time::timeout;
use toolcrib_engine::GaugeGuard;
use toolcrib_model::{Id, Ts};
use toolcrib_store::{
    StoreError, WORKER_LIMIT,
    assistant_runs::{self, RunningLimits},
    within,
};

use crate::{Assistant, run::OpenRun};

/// The maximum number of runs that one poll takes.
const BATCH: i64 = 50;
/// Runs of one workspace that are carried out at the same time.
const RUNS_OF_WORKSPACE: RunningLimits = RunningLimits { all: 20, background: 4 };

impl Assistant {
    /// Takes runs and carries them out, for ever. Any number of processes do this on one database.
    pub async fn serve(self: Arc<Self>) {
        loop {
            if let Err(error) = self.poll().await {
                tracing::warn!(%error, "runs of the assistant can't be taken now; it is tried again");
            }
            let _ = timeout(self.settings.poll_interval, self.queued.notified()).await;
        }
    }

    /// Takes the runs that can be taken now. Returns their number. A run that can't be changed now holds up no other.
    pub async fn poll(self: &Arc<Self>) -> Result<usize, StoreError> {
        let now = self.engine.clock().now();
        for (workspace, run) in assistant_runs::lost(&self.db, now, BATCH).await? {
            if self.requeue_lost(workspace, run, now).await.unwrap_or_else(|error| not_now(&error)) {
                tracing::warn!(%workspace, %run, "a process lost a run of the assistant; it goes on");
            }
        }
        for (workspace, run) in assistant_runs::done_waiting(&self.db, now, BATCH).await? {
            self.requeue(workspace, run, now).await.unwrap_or_else(|error| not_now(&error));
        }
        let mut taken = 0;
        for (workspace, run) in assistant_runs::queued(&self.db, BATCH, RUNS_OF_WORKSPACE).await? {
            taken += usize::from(self.take(workspace, run).await.unwrap_or_else(|error| not_now(&error)));
        }
        Ok(taken)
    }

    async fn requeue_lost(&self, workspace: Id, run: Id, now: Ts) -> Result<bool, StoreError> {
        let mut tx = self.db.begin_write(workspace).await?;
        let requeued = within(WORKER_LIMIT, assistant_runs::requeue_lost(&mut tx, run, now)).await?;
        tx.end(requeued).await
    }

    async fn requeue(&self, workspace: Id, run: Id, now: Ts) -> Result<bool, StoreError> {
        let mut tx = self.db.begin_write(workspace).await?;
        let queued = within(WORKER_LIMIT, assistant_runs::requeue_waiting(&mut tx, run, now)).await?;
        tx.end(queued).await
    }

    /// Takes one run, if this process has a permit for it and no other one was quicker.
    async fn take(self: &Arc<Self>, workspace: Id, run: Id) -> Result<bool, StoreError> {
        if *self.ending.borrow() {
            return Ok(false);
        }
        let Ok(permit) = self.permits.clone().try_acquire_owned() else { return Ok(false) };
        let (now, until) = (self.engine.clock().now(), self.lease_end());
        let mut tx = self.db.begin_write(workspace).await?;
        let work = assistant_runs::claim(&mut tx, run, now, until, RUNS_OF_WORKSPACE);
        let claimed = within(WORKER_LIMIT, work).await?;
        let Some(row) = tx.end(claimed).await? else { return Ok(false) };
        let run = OpenRun::new(self.clone(), workspace, row);
        let counted = GaugeGuard::new(metrics::gauge!("toolcrib_assistant_runs"));
        tokio::spawn(async move {
            run.carry_out().await;
            drop((permit, counted));
        });
        Ok(true)
    }

    /// Returns when a lease that begins now ends.
    pub(crate) fn lease_end(&self) -> Ts {
        let lease = i64::try_from(self.settings.lease.as_micros()).unwrap_or(i64::MAX);
        Ts::from_micros(self.engine.clock().now().as_micros().saturating_add(lease))
    }
}

/// Logs why a run can't be changed now.
fn not_now(error: &StoreError) -> bool {
    tracing::warn!(%error, "a run of the assistant can't be taken now; it is tried again");
    false
}
