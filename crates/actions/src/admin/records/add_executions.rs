//! Reports executions: their start, the results of their steps, and their end.
//!
//! A runtime executes what `platform_execute_playbook` queued, or reports executions that it started by
//! itself: the first `started` of an unknown ID creates an execution.

mod moves;

use toolcrib_engine::prelude::*;
use toolcrib_model::RunKind;
use toolcrib_store::{
    agents, assistant_runs,
    executions::{self, ExecutionRow, ExecutionStepRow},
    playbooks, reported_records,
};

use super::{
    SCOPE,
    batch::{self, Record, Stop},
};
use moves::{Event, Status};

/// The kind under which the IDs of these records are stored.
const KIND: &str = "execution";

/// One thing that happened to an execution.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// ID chosen by the client. Sending the same ID again has no effect.
    pub id: Id,
    /// Time.
    pub at: Ts,
    /// Execution. The event `started` creates an unknown one.
    pub execution_id: Id,
    /// Playbook of the execution. Without it, `started` creates an execution of no playbook: its steps are those that
    /// are reported.
    pub playbook_id: Option<Id>,
    /// Agent that runs the execution or the step.
    pub agent_id: Option<Id>,
    /// Event: `started` for a queued or unknown execution, `step` and `finished` for a running one. A queued
    /// execution may also finish as `failed` or `cancelled`.
    pub event: Event,
    /// For `step`: index of the step, from 0.
    #[schemars(range(min = 0, max = 999))]
    pub step: Option<i64>,
    /// For `step`: `running`, `completed`, `failed` or `skipped`; for `finished`: `completed`, `failed` or
    /// `cancelled`. Default: `failed` if there is an error, otherwise `completed`.
    pub status: Option<Status>,
    /// Output of the step or the execution.
    #[schemars(length(max = 16_000))]
    pub output: Option<String>,
    /// Reason of the failure or cancellation.
    #[schemars(length(min = 1, max = 2000))]
    pub error: Option<String>,
}

impl Record for Report {
    fn spec() -> Spec {
        Spec::program("records.add_executions", Level::Write, Permission::PLAYBOOKS_READ)
            .for_keys(SCOPE)
            .describe(
                "Report the start, the steps and the end of executions. \
             Records with a known ID are skipped; invalid ones are listed in `rejected`.",
            )
    }

    fn agent(&self) -> Option<Id> {
        self.agent_id
    }

    fn row(&self) -> Option<Id> {
        Some(self.execution_id)
    }

    /// Checks for a known ID before the transition, because a repeated report must count as known even if its
    /// transition is no longer possible.
    async fn keep(self, cx: &mut WriteCx<'_>) -> Result<(), Stop> {
        let found = executions::lock(cx.tx, self.execution_id).await?;
        if reported_records::is_known(cx.tx, KIND, self.id).await? {
            return Err(Stop::Known);
        }
        self.fits()?;
        match found {
            Some(row) => self.advance(cx, row).await,
            None if self.event == Event::Started => self.begin(cx).await,
            None => Err(Stop::wrong(
                "/execution_id",
                "not_found",
                "there is no such execution in this workspace; report `started` first",
            )),
        }
    }
}

impl Report {
    /// Creates an execution that a runtime started by itself.
    async fn begin(&self, cx: &mut WriteCx<'_>) -> Result<(), Stop> {
        batch::check_agent(cx, self.agent_id, None).await?;
        let playbook = match self.playbook_id {
            Some(id) => Some(playbooks::get(cx.tx, id).await?.ok_or_else(|| {
                Stop::wrong("/playbook_id", "not_found", "there is no such playbook in this workspace")
            })?),
            None => None,
        };
        let row = ExecutionRow {
            id: self.execution_id,
            playbook_id: self.playbook_id,
            playbook_name: playbook.map(|playbook| playbook.name),
            agent_id: self.agent_id,
            status: "running".to_owned(),
            input: None,
            output: None,
            error: None,
            requested_by_kind: None,
            requested_by: None,
            caller: None,
            created_at: self.at,
            started_at: Some(self.at),
            finished_at: None,
        };
        if !executions::insert(cx.tx, &row).await? {
            // Another call reported it at the same time.
            return Err(Stop::wrong("/event", "transition", moves::refusal("running", self.event)));
        }
        batch::store_id(cx, KIND, self.id).await?;
        self.emit(cx, &row).await
    }

    /// Applies the report to an existing execution.
    async fn advance(&self, cx: &mut WriteCx<'_>, mut row: ExecutionRow) -> Result<(), Stop> {
        let status = self.status();
        if !moves::possible(&row.status, self.event, status) {
            let refusal = moves::refusal(&row.status, self.event);
            return Err(Stop::wrong("/event", "transition", refusal));
        }
        if self.playbook_id.is_some() && self.playbook_id != row.playbook_id {
            let message = "the execution is not one of this playbook; leave it out";
            return Err(Stop::wrong("/playbook_id", "conflict", message));
        }
        if self.event == Event::Step {
            return advance_step(self, cx, &row, status).await;
        }
        batch::check_agent(cx, self.agent_id, row.agent_id).await?;
        row.agent_id = self.agent_id.or(row.agent_id);
        if self.event == Event::Started {
            row.started_at = Some(self.at);
            "running".clone_into(&mut row.status);
        } else {
            if row.started_at.is_some_and(|began| self.at < began) {
                return Err(Stop::wrong("/at", "before_start", "must not lie before the execution began"));
            }
            row.finished_at = Some(self.at);
            status.as_str().clone_into(&mut row.status);
            row.output.clone_from(&self.output);
            row.error = self.error.clone().filter(|_| status != Status::Completed);
            assistant_runs::request_stop_of(cx.tx, RunKind::Playbook, row.id, cx.now).await?;
        }
        batch::store_id(cx, KIND, self.id).await?;
        executions::update(cx.tx, &row).await?;
        self.emit(cx, &row).await
    }

    /// Records the agent's activity and emits the event.
    async fn emit(&self, cx: &mut WriteCx<'_>, row: &ExecutionRow) -> Result<(), Stop> {
        if let Some(agent) = row.agent_id {
            agents::set_last_active(cx.tx, agent, self.at).await?;
        }
        let verb = if self.event == Event::Started { "started" } else { row.status.as_str() };
        let name = format!("playbook.execution_{verb}");
        let user = row.requested_by.filter(|_| row.requested_by_kind.as_deref() == Some("user"));
        let data = json!({ "execution_id": row.id, "playbook_id": row.playbook_id, "name": row.playbook_name,
            "agent_id": row.agent_id, "status": row.status });
        batch::happened(cx, &name, "playbooks:read", user, self.at, data);
        Ok(())
    }
}

/// Changes the status of a step. The steps of a playbook are known. For other executions an unknown step is
/// created, because only the runtime knows the steps.
async fn advance_step(
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
