//! A mission as callers see it, and the enums of its fields.

use toolcrib_engine::prelude::*;
use toolcrib_store::{
    Tx,
    llm_usage::{self, UsageTotals},
    missions::{self, MissionRow, MissionTaskRow},
};

use super::order::order;

toolcrib_model::closed_set! {
    "a mission state",
    /// State of a mission.
    MissionState {
        /// Waiting for approval by a person.
        AwaitingApproval = "awaiting_approval",
        /// Open for work on its tasks.
        Running = "running",
        /// Ended with its goal reached.
        Completed = "completed",
        /// Ended without reaching its goal.
        Failed = "failed",
        /// Cancelled before its end.
        Cancelled = "cancelled",
    }
}

/// What a mission may use.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BudgetView {
    /// Maximum cost, in millionths of a dollar; null means no limit.
    pub max_cost_microusd: Option<i64>,
    /// Maximum number of tokens, input and output together; null means no limit.
    pub max_tokens: Option<i64>,
    /// Percentage of a limit at which `platform_check_budget` begins to warn.
    pub alert_at_percent: i64,
}

/// A mission.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MissionView {
    /// ID.
    pub id: Id,
    /// Goal of the mission.
    #[schemars(extend("x-untrusted" = "missions"))]
    pub goal: String,
    /// `awaiting_approval`, `running`, `completed`, `failed` or `cancelled`.
    #[schemars(extend("x-ours" = true))]
    pub state: String,
    /// Budget; null if there is no limit.
    pub budget: Option<BudgetView>,
    /// Why it was cancelled or failed.
    #[schemars(extend("x-untrusted" = "missions"))]
    pub reason: Option<String>,
    /// Time of creation.
    pub created_at: Ts,
    /// Time of the last change.
    pub updated_at: Ts,
    /// Start time.
    pub started_at: Option<Ts>,
    /// End time.
    pub finished_at: Option<Ts>,
}

impl From<MissionRow> for MissionView {
    fn from(row: MissionRow) -> Self {
        let limited = row.max_cost_microusd.is_some() || row.max_tokens.is_some();
        Self {
            id: row.id,
            goal: row.goal,
            state: row.state,
            budget: limited.then_some(BudgetView {
                max_cost_microusd: row.max_cost_microusd,
                max_tokens: row.max_tokens,
                alert_at_percent: row.alert_at_percent,
            }),
            reason: row.reason,
            created_at: row.created_at,
            updated_at: row.updated_at,
            started_at: row.started_at.map(Ts::from_micros),
            finished_at: row.finished_at.map(Ts::from_micros),
        }
    }
}

/// How far a mission's tasks are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Progress {
    /// Tasks.
    pub total: usize,
    /// Tasks that are open or in progress.
    pub open: usize,
    /// Tasks that are done.
    pub done: usize,
    /// Whole percent of the tasks that are done, rounded down; null without tasks.
    pub percent: Option<usize>,
}

impl Progress {
    fn of(tasks: &[MissionTaskRow]) -> Self {
        let count =
            |words: &[&str]| tasks.iter().filter(|task| words.contains(&task.status.as_str())).count();
        let (total, done) = (tasks.len(), count(&["done"]));
        Self { total, open: count(&["open", "in_progress"]), done, percent: (done * 100).checked_div(total) }
    }
}

/// What a mission used, from the model calls that were reported for it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Spend {
    /// Model calls that were reported; without any the other fields are null.
    pub samples: i64,
    /// What they cost, in millionths of a dollar.
    pub cost_microusd: Option<i64>,
    /// Tokens read.
    pub input_tokens: Option<i64>,
    /// Tokens written.
    pub output_tokens: Option<i64>,
}

impl From<UsageTotals> for Spend {
    fn from(spent: UsageTotals) -> Self {
        let known = |value: i64| (spent.samples > 0).then_some(value);
        Self {
            samples: spent.samples,
            cost_microusd: known(spent.cost_microusd),
            input_tokens: known(spent.input_tokens),
            output_tokens: known(spent.output_tokens),
        }
    }
}

/// A mission with its tasks.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MissionDetail {
    /// The mission.
    #[serde(flatten)]
    pub mission: MissionView,
    /// Tasks; each follows the tasks that it depends on.
    pub tasks: Vec<MissionTaskRow>,
    /// How far they are.
    pub progress: Progress,
    /// What it used.
    pub spend: Spend,
}

impl MissionDetail {
    /// Reads a mission's tasks and spend.
    pub async fn read(tx: &mut Tx, row: MissionRow) -> Result<Self, ActionError> {
        let tasks = missions::tasks(tx, row.id).await?;
        let spent = llm_usage::of_mission(tx, row.id).await?;
        Ok(Self::new(row, tasks, spent))
    }

    /// Makes the view of a mission; `tasks` are in the order of their positions.
    pub fn new(row: MissionRow, tasks: Vec<MissionTaskRow>, spent: UsageTotals) -> Self {
        let tasks = in_order(tasks);
        Self { mission: row.into(), progress: Progress::of(&tasks), tasks, spend: spent.into() }
    }
}

/// Sorts tasks by their dependencies. `tasks` must be sorted by position, so that a task's index is its
/// position.
fn in_order(tasks: Vec<MissionTaskRow>) -> Vec<MissionTaskRow> {
    let depends_on: Vec<Vec<usize>> = tasks.iter().map(|task| task.depends_on.clone()).collect();
    match order(&depends_on) {
        Ok(sorted) => sorted.into_iter().filter_map(|at| tasks.get(at).cloned()).collect(),
        Err(_) => tasks,
    }
}

pub async fn mission(tx: &mut Tx, id: Id) -> Result<MissionRow, ActionError> {
    missions::get(tx, id).await?.ok_or_else(|| {
        ActionError::not_found("mission", &id.to_string()).hint("`platform_list_missions` lists them")
    })
}

/// Returns the start of a goal, for sentences and summaries.
pub fn short(goal: &str) -> String {
    crate::shared::words::short(goal, 60)
}
