//! Reports the progress of running missions: of their tasks, and their end.

use toolcrib_engine::prelude::*;
use toolcrib_model::RunKind;
use toolcrib_store::{
    agents, assistant_runs,
    missions::{self, MissionRow, MissionTaskRow},
    reported_records,
};

use super::{
    SCOPE,
    batch::{self, Record, Stop},
};

/// The kind under which the IDs of these records are stored.
const KIND: &str = "mission";

toolcrib_model::closed_set! {
    "an event",
    /// What happened.
    Event {
        /// The status of a task changed.
        Task = "task",
        /// The mission ended.
        Finished = "finished",
    }
}

toolcrib_model::closed_set! {
    "a status",
    /// The status after the event.
    Status {
        /// Work on the task began.
        InProgress = "in_progress",
        /// The task is done.
        Done = "done",
        /// The mission reached its goal.
        Completed = "completed",
        /// The task or the mission failed.
        Failed = "failed",
    }
}

/// One thing that happened to a mission.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// ID chosen by the client. Sending the same ID again has no effect.
    pub id: Id,
    /// Time.
    pub at: Ts,
    /// Mission. It must be running.
    pub mission_id: Id,
    /// Event: `task` or `finished`.
    pub event: Event,
    /// For `task`: ID of the task.
    pub task_id: Option<Id>,
    /// For `task`: agent that does the work.
    pub agent_id: Option<Id>,
    /// For `task`: `in_progress`, `done` or `failed`; for `finished`: `completed` or `failed`. Default: `failed` if there is an
    /// error, otherwise `done` or `completed`.
    pub status: Option<Status>,
    /// For `task`: its result.
    #[schemars(length(max = 8_000))]
    pub output: Option<String>,
    /// Reason of the failure.
    #[schemars(length(min = 1, max = 2_000))]
    pub error: Option<String>,
}

impl Record for Report {
    fn spec() -> Spec {
        Spec::program("records.add_missions", Level::Write, Permission::MISSIONS_READ)
            .for_keys(SCOPE)
            .describe(
                "Report the progress of the tasks of running missions, and the end of missions. Records with a known ID are \
                 skipped; invalid ones are listed in `rejected`.",
            )
    }

    fn agent(&self) -> Option<Id> {
        self.agent_id
    }

    fn row(&self) -> Option<Id> {
        Some(self.mission_id)
    }

    /// Checks for a known ID before the transition, because a repeated report must count as known even if its
    /// transition is no longer possible.
    async fn keep(self, cx: &mut WriteCx<'_>) -> Result<(), Stop> {
        let mission = missions::lock(cx.tx, self.mission_id).await?;
        if reported_records::is_known(cx.tx, KIND, self.id).await? {
            return Err(Stop::Known);
        }
        self.fits()?;
        let Some(mission) = mission else {
            return Err(Stop::wrong(
                "/mission_id",
                "not_found",
                "there is no such mission in this workspace",
            ));
        };
        if mission.state != "running" {
            let hint = if mission.state == "awaiting_approval" {
                "`POST /v1/missions/{id}/start` starts it"
            } else {
                "nothing is possible any more, it has ended"
            };
            let message = format!("the mission is `{}`: {hint}", mission.state);
            return Err(Stop::wrong("/mission_id", "transition", message));
        }
        if mission.started_at.is_some_and(|began| self.at.as_micros() < began) {
            return Err(Stop::wrong("/at", "before_start", "must not lie before the mission began"));
        }
        let tasks = missions::tasks(cx.tx, mission.id).await?;
        match self.event {
            Event::Task => self.change_task(cx, &mission, tasks).await,
            Event::Finished => self.finish(cx, &mission, &tasks).await,
        }
    }
}

impl Report {
    fn status(&self) -> Status {
        self.status.unwrap_or(match self.event {
            _ if self.error.is_some() => Status::Failed,
            Event::Task => Status::Done,
            Event::Finished => Status::Completed,
        })
    }

    /// Checks that the fields are consistent.
    fn fits(&self) -> Result<(), Stop> {
        let (possible, words): (&[Status], _) = match self.event {
            Event::Task => {
                (&[Status::InProgress, Status::Done, Status::Failed], "`in_progress`, `done` or `failed`")
            }
            Event::Finished => (&[Status::Completed, Status::Failed], "`completed` or `failed`"),
        };
        if !possible.contains(&self.status()) {
            let message = format!("must be {words} for `{}`", self.event.as_str());
            return Err(Stop::wrong("/status", "enum", message));
        }
        if self.error.is_some() && self.status() != Status::Failed {
            return Err(Stop::wrong("/error", "unexpected", "goes with the status `failed` only"));
        }
        if self.event == Event::Task {
            let missing = || Stop::wrong("/task_id", "required", "is required for `task`");
            return self.task_id.map(drop).ok_or_else(missing);
        }
        let given = [
            ("/task_id", self.task_id.is_some()),
            ("/agent_id", self.agent_id.is_some()),
            ("/output", self.output.is_some()),
        ];
        match given.iter().find(|(_, given)| *given) {
            Some((pointer, _)) => Err(Stop::wrong(pointer, "unexpected", "goes with `task` only")),
            None => Ok(()),
        }
    }

    async fn change_task(
        &self,
        cx: &mut WriteCx<'_>,
        mission: &MissionRow,
        tasks: Vec<MissionTaskRow>,
    ) -> Result<(), Stop> {
        let status = self.status();
        let Some(task) = tasks.iter().find(|task| Some(task.id) == self.task_id) else {
            return Err(Stop::wrong("/task_id", "not_found", "the mission has no such task"));
        };
        if !possible(&task.status, status) {
            let message = format!("the task is `{}`: it can't become `{}`", task.status, status.as_str());
            return Err(Stop::wrong("/status", "transition", message));
        }
        let waits_for =
            task.depends_on.iter().filter_map(|at| tasks.get(*at)).find(|other| other.status != "done");
        if let Some(other) = waits_for.filter(|_| status != Status::Failed) {
            let message = format!("the task depends on task {}, which is `{}`", other.position, other.status);
            return Err(Stop::wrong("/status", "dependency", message));
        }
        batch::check_agent(cx, self.agent_id, task.agent_id).await?;
        let task = MissionTaskRow {
            status: status.as_str().to_owned(),
            agent_id: self.agent_id.or(task.agent_id),
            output: self.output.clone().or_else(|| task.output.clone().filter(|_| task.status != "failed")),
            error: self.error.clone(),
            updated_at: self.at,
            ..task.clone()
        };
        batch::store_id(cx, KIND, self.id).await?;
        missions::update_task(cx.tx, &task).await?;
        // Another agent of the task is not locked.
        if let Some(agent) = self.agent_id {
            agents::set_last_active(cx.tx, agent, self.at).await?;
        }
        let data = json!({ "id": mission.id, "task_id": task.id, "position": task.position, "status": task.status,
            "agent_id": task.agent_id });
        batch::happened(cx, "mission.task_updated", "missions:read", None, self.at, data);
        Ok(())
    }

    async fn finish(
        &self,
        cx: &mut WriteCx<'_>,
        mission: &MissionRow,
        tasks: &[MissionTaskRow],
    ) -> Result<(), Stop> {
        let status = self.status();
        let open = tasks.iter().filter(|task| matches!(task.status.as_str(), "open" | "in_progress")).count();
        if status == Status::Completed && open > 0 {
            let message = format!(
                "the mission has {}: report them, or finish it as `failed`",
                count(open, "open task")
            );
            return Err(Stop::wrong("/status", "open_tasks", message));
        }
        batch::store_id(cx, KIND, self.id).await?;
        missions::end(cx.tx, mission.id, status.as_str(), self.error.as_deref(), self.at).await?;
        assistant_runs::request_stop_of(cx.tx, RunKind::Mission, mission.id, cx.now).await?;
        let data = json!({ "id": mission.id, "state": status.as_str(), "cancelled_tasks": open });
        let name = if status == Status::Completed { "mission.completed" } else { "mission.failed" };
        batch::happened(cx, name, "missions:read", None, self.at, data);
        Ok(())
    }
}

/// Returns whether a task may change from a status to another. A failed task may be tried again.
fn possible(from: &str, to: Status) -> bool {
    match from {
        "open" => true,
        "in_progress" => to != Status::InProgress,
        "failed" => to == Status::InProgress,
        _ => false,
    }
}
