//! Executions of playbooks: a run a step, one after another.

use serde_json::{Value, json};
use toolcrib_engine::Stamp;
use toolcrib_model::{RunKind, RunState};
use toolcrib_store::{
    StoreError, WriteTx, assistant_runs,
    executions::{self, ExecutionRow, ExecutionStepRow},
    playbooks,
};

use super::{RunEnd, Work, cut, data::with_data, notify_ended, queue};

/// Letters of a step's output.
const MAX_OUTPUT: usize = 16_000;
/// The limits of an execution whose playbook is gone.
const SECONDS: i64 = 300;

/// Starts an execution that was queued: its first step gets a run.
pub async fn begin(tx: &mut WriteTx, stamp: Stamp<'_>, row: &mut ExecutionRow) -> Result<(), StoreError> {
    "running".clone_into(&mut row.status);
    row.started_at = Some(stamp.now);
    executions::update(tx, row).await?;
    emit(tx, stamp, row, "started");
    run_steps(tx, stamp, row).await
}

/// Stores the result of a step, and starts the next one or ends the execution.
pub async fn follow(tx: &mut WriteTx, stamp: Stamp<'_>, end: &RunEnd<'_>) -> Result<(), StoreError> {
    let Some(mut execution) = executions::lock(tx, end.ref_id()).await? else { return Ok(()) };
    let position = end.run.position.unwrap_or_default();
    let found = executions::step(tx, execution.id, position).await?;
    if execution.status != "running" {
        return Ok(());
    }
    // Another program may have reported the end of the step meanwhile.
    let Some(mut step) = found.filter(|step| step.status == "running") else {
        return run_steps(tx, stamp, &mut execution).await;
    };
    let Some(failure) = end.failure() else {
        step.output = Some(cut(end.text, MAX_OUTPUT));
        finish_step(tx, stamp, &execution, &mut step, "completed").await?;
        return run_steps(tx, stamp, &mut execution).await;
    };
    if end.is_for_programs(tx).await? {
        return reset_step(tx, &execution, &mut step).await;
    }
    step.error = Some(failure.clone());
    let can_go_on = end.state == RunState::Failed && !end.is_forbidden();
    match step.on_error.as_deref().filter(|_| can_go_on) {
        Some("retry") if may_retry(tx, end, &execution).await? => {
            return retry(tx, stamp, &execution, &mut step).await;
        }
        Some("skip") => {
            finish_step(tx, stamp, &execution, &mut step, "skipped").await?;
            return run_steps(tx, stamp, &mut execution).await;
        }
        _ => {}
    }
    finish_step(tx, stamp, &execution, &mut step, "failed").await?;
    let why = format!("step {position} failed: {failure}");
    execution.error = Some(why.clone());
    finish(tx, stamp, &mut execution, "failed").await?;
    notify(tx, stamp, end, &execution, &why).await
}

/// Tells of an execution that failed, once for failures in a row. Ends its schedule where whoever set it up may do that
/// no more.
async fn notify(
    tx: &mut WriteTx,
    stamp: Stamp<'_>,
    end: &RunEnd<'_>,
    execution: &ExecutionRow,
    why: &str,
) -> Result<(), StoreError> {
    if end.is_forbidden() {
        return end_schedule(tx, stamp, execution, end).await;
    }
    if end.state != RunState::Failed || failed_before(tx, execution).await? {
        return Ok(());
    }
    let name = execution.playbook_name.as_deref().unwrap_or_default();
    end.notify_failed(tx, stamp, &format!("Playbook `{name}`"), why).await
}

/// Returns whether the playbook's execution before this one failed too.
async fn failed_before(tx: &mut WriteTx, execution: &ExecutionRow) -> Result<bool, StoreError> {
    let Some(playbook) = execution.playbook_id else { return Ok(false) };
    let recent = executions::recent(tx, playbook, 2).await?;
    Ok(recent.iter().any(|other| other.id != execution.id && other.status == "failed"))
}

/// Returns whether a step that failed may be tried again. Each try is a run of its thread.
async fn may_retry(tx: &mut WriteTx, end: &RunEnd<'_>, execution: &ExecutionRow) -> Result<bool, StoreError> {
    let Some(playbook) = execution.playbook_id else { return Ok(false) };
    let most = playbooks::get(tx, playbook).await?.map_or(0, |playbook| playbook.max_retries);
    Ok(assistant_runs::count_of_thread(tx, end.run.owner_id, &end.run.thread).await? <= most)
}

/// Queues another run of a step that failed, or leaves the step to the workspace's own programs.
async fn retry(
    tx: &mut WriteTx,
    stamp: Stamp<'_>,
    execution: &ExecutionRow,
    step: &mut ExecutionStepRow,
) -> Result<(), StoreError> {
    let steps = executions::steps(tx, execution.id).await?;
    if queue_step(tx, stamp, execution, &steps, step).await? {
        return Ok(());
    }
    reset_step(tx, execution, step).await
}

/// Starts the first step that is pending, or leaves it to the workspace's own programs, or ends the execution as
/// completed. A step that is running is waited for.
async fn run_steps(
    tx: &mut WriteTx,
    stamp: Stamp<'_>,
    execution: &mut ExecutionRow,
) -> Result<(), StoreError> {
    let steps = executions::steps(tx, execution.id).await?;
    if steps.iter().any(|step| step.status == "running") {
        return Ok(());
    }
    let Some(step) = steps.iter().find(|step| step.status == "pending") else {
        execution.output = steps.iter().rev().find_map(|step| step.output.clone());
        return finish(tx, stamp, execution, "completed").await;
    };
    let mut step = step.clone();
    if !queue_step(tx, stamp, execution, &steps, &step).await? {
        return Ok(());
    }
    "running".clone_into(&mut step.status);
    step.started_at = Some(stamp.now);
    executions::put_step(tx, execution.id, &step).await
}

/// Queues the run of a step. Returns `false` as [`queue`].
async fn queue_step(
    tx: &mut WriteTx,
    stamp: Stamp<'_>,
    execution: &ExecutionRow,
    steps: &[ExecutionStepRow],
    step: &ExecutionStepRow,
) -> Result<bool, StoreError> {
    let input = execution.input.clone().unwrap_or_default();
    let mut data: Vec<(String, Value)> = input.into_iter().collect();
    for earlier in steps.iter().filter(|earlier| earlier.position < step.position) {
        let Some(output) = earlier.output.clone() else { continue };
        let name = earlier.output_key.clone();
        let name = name.unwrap_or_else(|| format!("Output of step {}", earlier.position));
        data.push((name, Value::String(output)));
    }
    let playbook = match execution.playbook_id {
        Some(id) => playbooks::get(tx, id).await?,
        None => None,
    };
    let message = with_data(step.prompt.as_deref().unwrap_or_default(), data);
    let work = Work {
        position: Some(step.position),
        agent: step.agent_id,
        seconds: playbook.map_or(SECONDS, |playbook| playbook.step_timeout_s),
        ..Work::new(RunKind::Playbook, execution.id, message)
    };
    queue(tx, stamp, execution.caller.as_deref(), work).await
}

/// Stores a step as it was before its run, for the workspace's own programs.
async fn reset_step(
    tx: &mut WriteTx,
    execution: &ExecutionRow,
    step: &mut ExecutionStepRow,
) -> Result<(), StoreError> {
    "pending".clone_into(&mut step.status);
    (step.started_at, step.error) = (None, None);
    executions::put_step(tx, execution.id, step).await
}

async fn finish_step(
    tx: &mut WriteTx,
    stamp: Stamp<'_>,
    execution: &ExecutionRow,
    step: &mut ExecutionStepRow,
    status: &str,
) -> Result<(), StoreError> {
    status.clone_into(&mut step.status);
    step.finished_at = Some(stamp.now);
    executions::put_step(tx, execution.id, step).await
}

async fn finish(
    tx: &mut WriteTx,
    stamp: Stamp<'_>,
    execution: &mut ExecutionRow,
    status: &str,
) -> Result<(), StoreError> {
    status.clone_into(&mut execution.status);
    execution.finished_at = Some(stamp.now);
    executions::update(tx, execution).await?;
    emit(tx, stamp, execution, status);
    Ok(())
}

fn emit(tx: &mut WriteTx, stamp: Stamp<'_>, execution: &ExecutionRow, what: &str) {
    let data = json!({
        "execution_id": execution.id, "playbook_id": execution.playbook_id, "name": execution.playbook_name,
        "agent_id": execution.agent_id, "status": execution.status,
    });
    stamp.emit(tx, &format!("playbook.execution_{what}"), "playbooks:read", data);
}

/// Ends the schedule of a playbook, if it requested the execution.
async fn end_schedule(
    tx: &mut WriteTx,
    stamp: Stamp<'_>,
    execution: &ExecutionRow,
    end: &RunEnd<'_>,
) -> Result<(), StoreError> {
    let name = execution.playbook_name.as_deref().unwrap_or_default();
    let is_scheduled = execution.requested_by_kind.as_deref() == Some("schedule");
    let Some(playbook) = execution.playbook_id.filter(|_| is_scheduled) else {
        return notify_ended(tx, stamp, &format!("A run of playbook `{name}`"), end).await;
    };
    let changed = playbooks::get(tx, playbook).await?.map(|playbook| playbook.updated_at);
    if changed.is_none_or(|changed| !end.ends(changed)) {
        return Ok(());
    }
    playbooks::switch_off(tx, playbook, stamp.now).await?;
    notify_ended(tx, stamp, &format!("The schedule of playbook `{name}`"), end).await
}
