//! Summarizes the board.

use std::collections::BTreeMap;

use toolcrib_engine::prelude::*;
use toolcrib_store::tasks;

use super::{transitions::Status, view::Priority};
use crate::shared::NoArguments;

/// The number of busiest agents in the output.
const BUSIEST: i64 = 5;
/// The maximum number of blocked tasks in the output.
const BLOCKED: i64 = 20;

pub struct BoardSummary;

/// A blocked task.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BlockedTask {
    /// The task.
    pub id: Id,
    /// Title.
    #[schemars(extend("x-untrusted" = "tasks"))]
    pub title: String,
    /// The name of the agent that has it.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub agent_name: Option<String>,
    /// Time since when the task is blocked.
    pub since: Ts,
}

/// Result.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Output {
    /// All tasks.
    pub total: i64,
    /// Those that are not done.
    pub open: i64,
    /// Every status with its count.
    #[schemars(extend("x-ours" = true))]
    pub by_status: BTreeMap<&'static str, i64>,
    /// Every priority with its count of tasks that are not done.
    #[schemars(extend("x-ours" = true))]
    pub by_priority: BTreeMap<&'static str, i64>,
    /// Tasks past their time that are not done.
    pub overdue: i64,
    /// The five agents with the most open tasks.
    pub busiest_agents: Vec<tasks::AgentOpenTasks>,
    /// The 20 tasks that are blocked longest.
    pub blocked: Vec<BlockedTask>,
}

impl ReadAction for BoardSummary {
    type Input = NoArguments;
    type Output = Output;

    fn spec() -> Spec {
        Spec::read("platform_board_summary", Category::Tasks, Permission::TASKS_READ)
            .describe("Count the board's tasks by status and priority; tell what is overdue and blocked and who is busiest.")
            .tags(&["task", "board", "summary", "overdue", "blocked", "workload"])
            .examples(&["How is the board doing?", "Which agent has the most to do?"])
    }

    async fn run(&self, cx: &mut ReadCx<'_>, _: &NoArguments) -> Result<Output, ActionError> {
        let counts = tasks::counts(cx.tx).await?;
        let overdue = tasks::overdue(cx.tx, cx.now).await?;
        let busiest_agents = tasks::busiest(cx.tx, BUSIEST).await?;
        let blocked = tasks::blocked(cx.tx, BLOCKED).await?;
        let done = Status::Done.as_str();
        let sum = |wanted: &dyn Fn(&tasks::Count) -> bool| -> i64 {
            counts.iter().filter(|count| wanted(count)).map(|count| count.tasks).sum()
        };
        let of_status = |word| (word, sum(&|count| count.status == word));
        let of_priority = |word| (word, sum(&|count| count.priority == word && count.status != done));
        Ok(Output {
            total: sum(&|_| true),
            open: sum(&|count| count.status != done),
            by_status: Status::ALL.iter().map(|status| of_status(status.as_str())).collect(),
            by_priority: Priority::ALL.iter().map(|priority| of_priority(priority.as_str())).collect(),
            overdue,
            busiest_agents,
            blocked: blocked
                .into_iter()
                .map(|row| BlockedTask {
                    id: row.id,
                    title: row.title,
                    agent_name: row.agent_name,
                    since: row.updated_at,
                })
                .collect(),
        })
    }

    fn describe(_: &NoArguments, output: &Output) -> String {
        format!("{}, {} overdue", count(output.open, "open task"), output.overdue)
    }
}
