//! Functions to queue an execution, for callers and for the scheduler.

use serde_json::{Map, Value};
use toolcrib_engine::prelude::*;
use toolcrib_store::{
    executions::ExecutionRow,
    playbooks::{PlaybookRow, StepRow},
};

/// The maximum number of open executions of a workspace: those that have not ended.
const MAX_OPEN_EXECUTIONS: i64 = 10;

/// Returns the 409 error of a playbook that can't be executed.
pub fn obstacle(playbook: &PlaybookRow, steps: &[StepRow]) -> Option<ActionError> {
    let name = &playbook.name;
    if playbook.status != "active" {
        return Some(
            ActionError::conflict(format!("playbook `{name}` is inactive"))
                .quoting("playbooks")
                .hint("set its status to active with `platform_update_playbook`"),
        );
    }
    if steps.is_empty() {
        return Some(
            ActionError::conflict(format!("playbook `{name}` has no steps"))
                .quoting("playbooks")
                .hint("add one with `platform_add_playbook_step`"),
        );
    }
    let gone = steps.iter().position(|step| step.agent_id.is_some() && step.agent_name.is_none())?;
    Some(
        ActionError::conflict(format!("the agent of step {gone} of playbook `{name}` was deleted"))
            .quoting("playbooks")
            .hint("name another one with `platform_update_playbook_step`"),
    )
}

/// Returns a 409 error if the workspace has reached its limit of open executions.
pub fn full(open: i64) -> Option<ActionError> {
    (open >= MAX_OPEN_EXECUTIONS).then(|| {
        ActionError::conflict(format!(
            "{MAX_OPEN_EXECUTIONS} executions are open in this workspace, the most it can have"
        ))
        .hint("wait until one of them ends")
    })
}

/// Returns a queued execution. Its requester is the schedule. The caller of this function sets another one.
pub fn row(id: Id, playbook: &PlaybookRow, input: Option<Map<String, Value>>, now: Ts) -> ExecutionRow {
    ExecutionRow {
        id,
        playbook_id: Some(playbook.id),
        playbook_name: Some(playbook.name.clone()),
        agent_id: None,
        status: "queued".to_owned(),
        input,
        output: None,
        error: None,
        requested_by_kind: Some("schedule".to_owned()),
        requested_by: None,
        caller: playbook.caller.clone(),
        created_at: now,
        started_at: None,
        finished_at: None,
    }
}

/// Returns the data of the event `playbook.execution_requested`, which runtimes read.
pub fn requested(row: &ExecutionRow, playbook: &PlaybookRow, steps: usize) -> Value {
    json!({
        "execution_id": row.id, "playbook_id": playbook.id, "name": playbook.name, "steps": steps,
        "max_retries": playbook.max_retries, "step_timeout_s": playbook.step_timeout_s,
    })
}
