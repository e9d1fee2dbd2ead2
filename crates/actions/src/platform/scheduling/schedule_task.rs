//! Schedules a task for an agent, once or repeatedly.

use toolcrib_engine::prelude::*;
use toolcrib_model::{Cron, CronError, time_zone};
use toolcrib_registry::CallerDefault;
use toolcrib_store::{agents::AgentRow, schedules, schedules::ScheduleRow};

use super::view::{ScheduleKind, ScheduleStatus, ScheduleView, short};
use crate::shared::refs::{self, Ref};

/// The maximum number of active schedules of one agent.
const MAX_SCHEDULES_PER_AGENT: i64 = 10;
/// The maximum number of active recurring schedules of a workspace.
const MAX_RECURRING: i64 = 25;

pub struct ScheduleTask;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Once or repeatedly.
    #[schemars(extend("x-plain-words" = true))]
    pub kind: ScheduleKind,
    /// Instructions.
    #[schemars(length(min = 1, max = 2000))]
    pub description: String,
    /// RFC 3339 time (`one_shot`) or 5-field cron (`recurring`).
    pub when: String,
    /// IANA time zone of the cron expression. Default: `UTC`.
    pub timezone: Option<String>,
    /// ID or exact name of the agent that does the work. Default: the calling agent.
    pub agent: Option<Ref>,
    /// Maximum number of runs. Default: no limit.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_runs: Option<i64>,
}

impl WriteAction for ScheduleTask {
    type Input = Input;
    type Output = ScheduleView;

    fn spec() -> Spec {
        Spec::write("platform_schedule_task", Category::Scheduling, Permission::SCHEDULES_MANAGE).creates()
            .standing_work()
            .caller_default(CallerDefault::Agent)
            .describe("Schedule work for an agent at one time or by cron. For a to-do on the board use create_task.")
            .tags(&["schedule", "cron", "recurring", "remind", "later", "every"])
            .examples(&["Send me a summary every Monday at 9", "Remind the Researcher tomorrow at noon"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        first_time(input, cx.now)?;
        let agent = refs::agent_or_caller(cx.caller, cx.tx, input.agent.as_ref()).await?;
        input.agent = Some(agent.id.into());
        let target = Target {
            label: format!("scheduled task `{}`", short(&input.description)),
            detail: Some(format!("agent `{}`, {}", agent.name, input.when)),
            ..Target::default()
        };
        Ok(target.naming("agent", &agent.name))
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<ScheduleView, ActionError> {
        let next = first_time(input, cx.now)?;
        let agent = refs::agent_or_caller(cx.caller, cx.tx, input.agent.as_ref()).await?;
        below_caps(cx, input.kind, &agent).await?;
        let row = row(cx, input, agent, next);
        schedules::insert(cx.tx, &row).await?;
        cx.emit(
            "schedule.created",
            "schedules:read",
            json!({ "id": row.id, "kind": row.kind, "agent_id": row.agent_id, "next_at": next }),
        );
        Ok(row.into())
    }

    fn describe(_: &Input, schedule: &ScheduleView) -> String {
        let what = short(&schedule.description);
        let first = schedule.next_times.first().map(Ts::to_string).unwrap_or_default();
        format!("Scheduled `{what}`, next at {first}")
    }
}

/// Returns when the schedule is first due. 422 if `when`, `timezone` or `max_runs` is invalid.
fn first_time(input: &Input, now: Ts) -> Result<Ts, ActionError> {
    let zone = input.timezone.as_deref().unwrap_or("UTC");
    match input.kind {
        ScheduleKind::OneShot => {
            time_zone(zone).map_err(error)?;
            if input.max_runs.is_some_and(|most| most != 1) {
                return Err(ActionError::invalid(
                    "/max_runs",
                    "one_shot",
                    "must be 1 or absent for `one_shot`",
                ));
            }
            let at: Ts = input.when.parse().map_err(|_| {
                let message = "must be an RFC 3339 time such as `2026-01-31T09:00:00+01:00` for `one_shot`";
                ActionError::invalid("/when", "format", message)
            })?;
            if at <= now {
                return Err(ActionError::invalid("/when", "past", format!("must be later than now, {now}")));
            }
            Ok(at)
        }
        ScheduleKind::Recurring => {
            let cron = Cron::parse(&input.when, zone).map_err(error)?;
            cron.next_after(now)
                .ok_or_else(|| ActionError::invalid("/when", "never", "must come due within ten years"))
        }
    }
}

fn error(error: CronError) -> ActionError {
    let (pointer, code) = match error {
        CronError::Expression => ("/when", "cron"),
        CronError::TimeZone => ("/timezone", "timezone"),
    };
    ActionError::invalid(pointer, code, error.to_string())
}

async fn below_caps(cx: &mut WriteCx<'_>, kind: ScheduleKind, agent: &AgentRow) -> Result<(), ActionError> {
    let active = schedules::count_active(cx.tx, agent.id).await?;
    let full = if active.of_agent >= MAX_SCHEDULES_PER_AGENT {
        format!("agent `{}` has {MAX_SCHEDULES_PER_AGENT} active scheduled tasks already", agent.name)
    } else if kind == ScheduleKind::Recurring && active.recurring >= MAX_RECURRING {
        format!("this workspace has {MAX_RECURRING} active recurring tasks already")
    } else {
        return Ok(());
    };
    Err(ActionError::conflict(full).hint("end one with `platform_cancel_scheduled_task` first"))
}

fn row(cx: &WriteCx<'_>, input: &Input, agent: AgentRow, next: Ts) -> ScheduleRow {
    ScheduleRow {
        id: cx.new_id(),
        kind: input.kind.as_str().to_owned(),
        description: input.description.clone(),
        due: input.when.clone(),
        timezone: input.timezone.clone().unwrap_or_else(|| "UTC".to_owned()),
        agent_id: agent.id,
        agent_name: Some(agent.name),
        status: ScheduleStatus::Active.as_str().to_owned(),
        max_runs: match input.kind {
            ScheduleKind::OneShot => Some(1),
            ScheduleKind::Recurring => input.max_runs,
        },
        runs: 0,
        next_at: Some(next.as_micros()),
        last_at: None,
        version: 1,
        created_by: cx.caller.principal.user(),
        caller: Some(cx.stored_caller().as_str().to_owned()),
        created_at: cx.now,
        updated_at: cx.now,
    }
}
