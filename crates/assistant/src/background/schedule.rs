//! Scheduled tasks.

use toolcrib_engine::Stamp;
use toolcrib_model::RunKind;
use toolcrib_store::{
    StoreError, WriteTx,
    schedules::{self, ScheduleRow},
};

use super::{RunEnd, Work, cut, notify_ended, queue};

/// Letters of a task in a title.
const MAX_TITLE: usize = 60;

/// Queues the run of a schedule that is due. Returns `false` if the last one is still open.
pub async fn begin(tx: &mut WriteTx, stamp: Stamp<'_>, row: &ScheduleRow) -> Result<bool, StoreError> {
    let message = row.description.clone();
    let work = Work { agent: Some(row.agent_id), ..Work::new(RunKind::Schedule, row.id, message) };
    queue(tx, stamp, row.caller.as_deref(), work).await
}

/// Tells whoever set the task up what became of it.
pub async fn follow(tx: &mut WriteTx, stamp: Stamp<'_>, end: &RunEnd<'_>) -> Result<(), StoreError> {
    let Some(row) = schedules::get(tx, end.ref_id()).await? else { return Ok(()) };
    let what = format!("Scheduled task `{}`", cut(&row.description, MAX_TITLE));
    if end.ends(row.updated_at) {
        schedules::fail(tx, row.id, stamp.now).await?;
        return notify_ended(tx, stamp, &what, end).await;
    }
    end.notify(tx, stamp, &what).await
}
