//! Fires playbooks whose schedule is due: queues an execution, as `platform_execute_playbook` does.

use serde_json::json;
use toolcrib_assistant::background;
use toolcrib_model::{Cron, Ts};
use toolcrib_store::{
    StoreError, WriteTx, executions,
    playbooks::{self, DuePlaybook, PlaybookRow},
};

use super::Tick;
use crate::platform::playbooks::queue;

/// One per transaction: counting open executions locks a workspace, and locks of several workspaces in one
/// transaction could deadlock.
const BATCH: i64 = 1;

/// Fires some due playbooks and returns their number.
pub async fn fire(tx: &mut WriteTx, tick: &Tick) -> Result<usize, StoreError> {
    let claimed = playbooks::claim(tx, tick.now, BATCH).await?;
    let count = claimed.len();
    for due in claimed {
        one(tx, tick, due).await?;
    }
    Ok(count)
}

async fn one(tx: &mut WriteTx, tick: &Tick, due: DuePlaybook) -> Result<(), StoreError> {
    tx.switch_workspace(due.workspace_id).await?;
    let playbook = due.playbook;
    let due_at = playbook.next_run_at.map_or(tick.now, Ts::from_micros);
    let next = next(tick, &playbook, due_at);
    playbooks::set_next_run(tx, playbook.id, next).await?;
    let steps = playbooks::steps(tx, playbook.id).await?;
    let obstacle = match queue::obstacle(&playbook, &steps) {
        None => queue::full(executions::count_open(tx).await?),
        obstacle => obstacle,
    };
    if let Some(obstacle) = obstacle {
        let data = json!({
            "id": playbook.id, "name": playbook.name, "reason": obstacle.detail, "due_at": due_at, "next_at": next,
        });
        tick.stamp().emit(tx, "playbook.execution_skipped", "playbooks:read", data);
        return Ok(());
    }
    let mut row = queue::row(tick.stamp().new_id(), &playbook, None, tick.now);
    executions::insert(tx, &row).await?;
    let mut data = queue::requested(&row, &playbook, steps.len());
    data["due_at"] = json!(due_at);
    data["next_at"] = json!(next);
    let is_internal = background::is_internal(tx).await?;
    if is_internal {
        background::mark(&mut data);
    }
    tick.stamp().emit(tx, "playbook.execution_requested", "playbooks:read", data);
    if is_internal {
        background::playbook::begin(tx, tick.stamp(), &mut row).await?;
    }
    Ok(())
}

/// Returns when the playbook runs next. Returns `None` if its schedule can't be parsed.
fn next(tick: &Tick, playbook: &PlaybookRow, due_at: Ts) -> Option<Ts> {
    let zone = playbook.timezone.as_deref().unwrap_or("UTC");
    tick.next(&Cron::parse(playbook.cron.as_deref()?, zone).ok()?, due_at)
}
