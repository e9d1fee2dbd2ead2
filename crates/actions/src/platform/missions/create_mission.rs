//! Creates a mission: a goal, its tasks and a budget.

use toolcrib_assistant::background;
use toolcrib_engine::prelude::*;
use toolcrib_model::WorkRunner;
use toolcrib_registry::{ArgError, Condition, ParamPermission};
use toolcrib_store::{
    llm_usage::UsageTotals,
    missions,
    missions::{MissionRow, MissionTaskRow},
};

use super::{
    order::order,
    view::{MissionDetail, MissionState, short},
};
use crate::shared::refs::{self, Ref};

/// The default percentage of a limit at which warnings begin.
const ALERT_AT_PERCENT: i64 = 80;

pub struct CreateMission;

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Goal of the mission.
    #[schemars(length(min = 1, max = 4000))]
    pub goal: String,
    /// Tasks of the mission.
    #[schemars(length(max = 50))]
    pub tasks: Option<Vec<TaskInput>>,
    /// Budget. Default: no limit.
    pub budget: Option<BudgetInput>,
    /// Start without approval; needs `missions:manage`.
    pub auto_start: Option<bool>,
}

/// A step of the mission.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TaskInput {
    /// Title.
    pub title: String,
    /// Instructions in plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 8000))]
    pub description: Option<String>,
    /// ID or exact name of the agent that does the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent: Option<Ref>,
    /// Indexes in `tasks`, from 0, of the tasks that must be done first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(max = 50), inner(range(min = 0, max = 49)))]
    pub depends_on: Option<Vec<usize>>,
}

/// What a mission may use.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BudgetInput {
    /// Maximum cost, in millionths of a dollar.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000_000_000_i64))]
    pub max_cost_microusd: Option<i64>,
    /// Maximum number of tokens, input and output together.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 1_000_000_000_000_i64))]
    pub max_tokens: Option<i64>,
    /// Percentage of a limit at which warnings begin. Default: 80.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 100))]
    pub alert_at_percent: Option<i64>,
}

impl WriteAction for CreateMission {
    type Input = Input;
    type Output = MissionDetail;

    fn spec() -> Spec {
        Spec::write("platform_create_mission", Category::Missions, Permission::MISSIONS_USE).creates()
            .standing_work()
            .notifies_admins()
            .param_permissions(&[ParamPermission::new("auto_start", Condition::IsTrue, Permission::MISSIONS_MANAGE)])
            .describe("Create a mission: a goal with tasks that agents do in order. For a single to-do use create_task.")
            .tags(&["mission", "goal", "plan", "project", "orchestrate"])
            .examples(&["Plan the product launch as a mission with three steps"])
    }

    async fn resolve(&self, cx: &mut ReadCx<'_>, input: &mut Input) -> Result<Target, ActionError> {
        if let Some(BudgetInput { max_cost_microusd: None, max_tokens: None, alert_at_percent: Some(_) }) =
            input.budget
        {
            let message = "needs a limit beside it: `max_cost_microusd`, `max_tokens` or both";
            return Err(ActionError::invalid("/budget/alert_at_percent", "required", message));
        }
        let tasks = input.tasks.as_deref_mut().unwrap_or_default();
        check_order(tasks)?;
        for task in tasks.iter_mut() {
            if let Some(agent) = &mut task.agent {
                *agent = refs::agent(cx.tx, agent).await?.id.into();
            }
        }
        let detail = (!tasks.is_empty()).then(|| count(tasks.len(), "task"));
        Ok(Target { label: format!("mission `{}`", short(&input.goal)), detail, ..Target::default() })
    }

    async fn run(&self, cx: &mut WriteCx<'_>, input: &Input) -> Result<MissionDetail, ActionError> {
        let row = row(cx, input);
        let mut tasks = Vec::new();
        for (position, task) in input.tasks.iter().flatten().enumerate() {
            tasks.push(task_row(cx, row.id, position, task).await?);
        }
        missions::insert(cx.tx, &row).await?;
        missions::insert_tasks(cx.tx, row.id, &tasks).await?;
        let mut data = json!({ "id": row.id, "goal": short(&row.goal), "state": row.state });
        let begins = row.started_at.is_some() && cx.policy.runner == WorkRunner::Internal;
        if begins {
            background::mark(&mut data);
        }
        cx.emit("mission.created", "missions:read", data);
        if begins {
            let stamp = cx.stamp();
            background::mission::begin(cx.tx, stamp, &row).await?;
            tasks = missions::tasks(cx.tx, row.id).await?;
        }
        Ok(MissionDetail::new(row, tasks, UsageTotals::default()))
    }

    fn describe(_: &Input, detail: &MissionDetail) -> String {
        let (mission, total) = (&detail.mission, detail.progress.total);
        let state = if mission.started_at.is_some() { "running" } else { "awaiting approval" };
        format!("Created mission `{}` with {}, {state}", short(&mission.goal), count(total, "task"))
    }
}

/// Checks that all dependencies exist and that they form no cycle.
fn check_order(tasks: &[TaskInput]) -> Result<(), ActionError> {
    let mut wrong = Vec::new();
    for (n, task) in tasks.iter().enumerate() {
        for (m, on) in task.depends_on.iter().flatten().enumerate() {
            if *on >= tasks.len() {
                let message = format!("must be the index of a task, below {}", tasks.len());
                wrong.push(ArgError::new(&format!("/tasks/{n}/depends_on/{m}"), "index", message));
            }
        }
    }
    if !wrong.is_empty() {
        return Err(ActionError::invalid_all(wrong));
    }
    let depends_on: Vec<Vec<usize>> =
        tasks.iter().map(|task| task.depends_on.clone().unwrap_or_default()).collect();
    let Err(circle) = order(&depends_on) else { return Ok(()) };
    let named = |at: &usize| tasks.get(*at).map(|task| format!("{at} `{}`", short(&task.title)));
    let circle: Vec<String> = circle.iter().filter_map(named).collect();
    Err(ActionError::new(
        ErrorCode::CycleDetected,
        format!("the tasks have a dependency cycle: {}", circle.join(" → ")),
    )
    .hint("remove one of these dependencies from `depends_on`"))
}

fn row(cx: &WriteCx<'_>, input: &Input) -> MissionRow {
    let started = input.auto_start == Some(true);
    let state = if started { MissionState::Running } else { MissionState::AwaitingApproval };
    let budget = input.budget.as_ref();
    MissionRow {
        id: cx.new_id(),
        goal: input.goal.clone(),
        state: state.as_str().to_owned(),
        max_cost_microusd: budget.and_then(|budget| budget.max_cost_microusd),
        max_tokens: budget.and_then(|budget| budget.max_tokens),
        alert_at_percent: budget.and_then(|budget| budget.alert_at_percent).unwrap_or(ALERT_AT_PERCENT),
        reason: None,
        version: 1,
        created_by: cx.caller.principal.user(),
        caller: Some(cx.stored_caller().as_str().to_owned()),
        created_at: cx.now,
        updated_at: cx.now,
        started_at: started.then(|| cx.now.as_micros()),
        finished_at: None,
    }
}

async fn task_row(
    cx: &mut WriteCx<'_>,
    mission_id: Id,
    position: usize,
    task: &TaskInput,
) -> Result<MissionTaskRow, ActionError> {
    let agent_id = refs::optional_agent(cx.tx, task.agent.as_ref()).await?.map(|agent| agent.id);
    let mut depends_on = task.depends_on.clone().unwrap_or_default();
    depends_on.sort_unstable();
    depends_on.dedup();
    Ok(MissionTaskRow {
        id: cx.new_id(),
        mission_id,
        position: i64::try_from(position).unwrap_or(i64::MAX),
        title: task.title.clone(),
        description: task.description.clone(),
        agent_id,
        status: "open".to_owned(),
        output: None,
        error: None,
        depends_on,
        created_at: cx.now,
        updated_at: cx.now,
    })
}
