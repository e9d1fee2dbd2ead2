//! Reports on a step of a running execution.

use toolcrib_engine::WriteCx;
use toolcrib_store::{
    agents,
    executions::{self, ExecutionRow, ExecutionStepRow},
};

use super::{
    KIND, Report, Stop, batch,
    moves::{self, Status},
};

/// Changes the status of a step. The steps of a playbook are known. For other executions an unknown step is
/// created, because only the runtime knows the steps.
pub async fn advance(
    report: &Report,
    cx: &mut WriteCx<'_>,
    execution: &ExecutionRow,
    status: Status,
) -> Result<(), Stop> {
    let position = report.step.unwrap_or_default();
    let found = executions::step(cx.tx, execution.id, position).await?;
    let mut row = match found {
        Some(row) => row,
        None if execution.playbook_id.is_none() => ExecutionStepRow::unknown(position),
        None => return Err(Stop::wrong("/step", "not_found", "the execution has no such step")),
    };
    let next = moves::next_of_step(&row.status);
    if !next.contains(&status) {
        let words: Vec<String> = next.iter().map(|one| format!("`{}`", one.as_str())).collect();
        let rest = if words.is_empty() { "nothing, it has ended".to_owned() } else { words.join(", ") };
        let message = format!(
            "step {position} is `{}` and can't become `{}`; possible: {rest}",
            row.status,
            status.as_str()
        );
        return Err(Stop::wrong("/status", "transition", message));
    }
    batch::check_agent(cx, report.agent_id, row.agent_id).await?;
    row.agent_id = report.agent_id.or(row.agent_id);
    status.as_str().clone_into(&mut row.status);
    let at = Some(report.at);
    if status == Status::Running {
        row.started_at = at;
        row.finished_at = None;
    } else {
        row.finished_at = at;
    }
    row.output.clone_from(&report.output);
    row.error = report.error.clone().filter(|_| status != Status::Completed);
    batch::store_id(cx, KIND, report.id).await?;
    executions::put_step(cx.tx, execution.id, &row).await?;
    if let Some(agent) = row.agent_id.or(execution.agent_id) {
        agents::set_last_active(cx.tx, agent, report.at).await?;
    }
    Ok(())
}
