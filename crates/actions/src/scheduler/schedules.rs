//! Fires due schedules.

use serde_json::json;
use toolcrib_assistant::background::{self, schedule};
use toolcrib_model::{Cron, CronError, Ts};
use toolcrib_store::{
    StoreError, WriteTx,
    schedules::{self, DueSchedule, ScheduleRow},
};

use super::Tick;

/// How many are fired in one transaction.
const BATCH: i64 = 20;

/// Fires some due schedules and returns their number.
pub async fn fire(tx: &mut WriteTx, tick: &Tick) -> Result<usize, StoreError> {
    let claimed = schedules::claim(tx, tick.now, BATCH).await?;
    let count = claimed.len();
    for due in claimed {
        one(tx, tick, due).await?;
    }
    Ok(count)
}

async fn one(tx: &mut WriteTx, tick: &Tick, due: DueSchedule) -> Result<(), StoreError> {
    tx.switch_workspace(due.workspace_id).await?;
    let mut row = due.schedule;
    let due_at = row.next_at.map_or(tick.now, Ts::from_micros);
    row.runs += 1;
    row.last_at = Some(due_at.as_micros());
    let (status, next) = match next(tick, &row, due_at) {
        Ok(Some(next)) => ("active", Some(next)),
        Ok(None) => ("completed", None),
        // The time zone is no longer known.
        Err(_) => ("failed", None),
    };
    status.clone_into(&mut row.status);
    row.next_at = next.map(Ts::as_micros);
    schedules::fired(tx, &row).await?;
    let mut data = json!({
        "id": row.id, "kind": row.kind, "description": row.description, "agent_id": row.agent_id, "due_at": due_at,
        "run": row.runs, "status": row.status, "next_at": next,
    });
    if background::is_internal(tx).await? {
        background::mark(&mut data);
        schedule::begin(tx, tick.stamp(), &row).await?;
    }
    tick.stamp().emit(tx, "schedule.due", "schedules:read", data);
    Ok(())
}

/// Returns when the schedule is due again. Returns `None` if this was the last time.
fn next(tick: &Tick, row: &ScheduleRow, due_at: Ts) -> Result<Option<Ts>, CronError> {
    if row.kind == "one_shot" || row.max_runs.is_some_and(|most| row.runs >= most) {
        return Ok(None);
    }
    Ok(tick.next(&Cron::parse(&row.due, &row.timezone)?, due_at))
}
