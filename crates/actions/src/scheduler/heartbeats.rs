//! Fires due heartbeats of agents.

use toolcrib_assistant::background::{self, heartbeat};
use toolcrib_engine::prelude::*;
use toolcrib_store::{
    StoreError, WriteTx,
    heartbeats::{self, DueHeartbeat, HeartbeatRow},
};

use super::Tick;
use crate::shared::active_hours::ActiveHours;

/// How many are fired in one transaction.
const BATCH: i64 = 20;

/// Fires some due heartbeats and returns their number.
pub async fn fire(tx: &mut WriteTx, tick: &Tick) -> Result<usize, StoreError> {
    let claimed = heartbeats::claim(tx, tick.now, BATCH).await?;
    let count = claimed.len();
    for due in claimed {
        one(tx, tick, due).await?;
    }
    Ok(count)
}

async fn one(tx: &mut WriteTx, tick: &Tick, due: DueHeartbeat) -> Result<(), StoreError> {
    tx.switch_workspace(due.workspace_id).await?;
    let row = due.heartbeat;
    let begins = inside(&row, tick.now);
    if begins > tick.now {
        // The heartbeat is late and the active hours are over: it waits for the next ones.
        return heartbeats::set_next(tx, row.agent_id, begins).await;
    }
    let due_at = row.next_due_at.map_or(tick.now, Ts::from_micros);
    let next = inside(&row, next(&row, due_at, tick.now));
    heartbeats::set_next(tx, row.agent_id, next).await?;
    let mut data = json!({
        "agent_id": row.agent_id, "name": due.agent_name, "prompt": row.prompt, "mode": row.mode, "due_at": due_at,
        "next_at": next,
    });
    if background::is_internal(tx).await? {
        background::mark(&mut data);
        heartbeat::begin(tx, tick.stamp(), &row).await?;
    }
    tick.stamp().emit(tx, "heartbeat.due", "agents:read", data);
    Ok(())
}

/// Returns the first time after now that is a whole number of intervals after `due_at`, so that a late run
/// does not shift the following times.
fn next(row: &HeartbeatRow, due_at: Ts, now: Ts) -> Ts {
    let step = row.interval_minutes.max(1).saturating_mul(60);
    let missed = now.micros_since(due_at).max(0) / (step.saturating_mul(1_000_000));
    due_at.plus_seconds(step.saturating_mul(missed + 1))
}

/// Returns `at` if it is inside the agent's active hours, otherwise their next start. Ignores hours that
/// can't be parsed: they were checked when they were set.
fn inside(row: &HeartbeatRow, at: Ts) -> Ts {
    let hours: Option<ActiveHours> =
        row.active_hours.as_deref().and_then(|text| serde_json::from_str(text).ok());
    hours.and_then(|hours| hours.at_or_after(at).ok()).unwrap_or(at)
}
