//! Figures over what was reported: model calls and executions, counted and summed in the database.
//!
//! Groups come in no particular order unless said: the databases collate text differently, so that callers sort.

/// Runs a query whose $1 to $3 are the workspace and the span.
macro_rules! within {
    ($tx:expr, $span:expr, $sql:expr, $fetch:ident) => {{
        let workspace = $tx.workspace;
        with_backend!($tx, c => sqlx::query_as($sql).bind(workspace).bind($span.from).bind($span.until).$fetch(c).await)
    }};
}

mod load;
mod queue;
mod run_groups;
mod runs;
mod spending;
mod utilization;

pub use load::{HourCalls, Quarter, busiest_hour, quarters};
pub use queue::{HourDepth, Open, first_execution, hourly, oldest_queued, open};
pub use run_groups::{OfAgent, OfPlaybook, OfRole, by_agent, by_playbook, by_role};
pub use runs::{DayCost, Outcomes, Took, costs, outcomes, took, took_at_most};
pub use spending::{
    AgentUse, DayUse, ModelUse, days_with_calls, used, used_by_agent, used_by_day, used_by_model,
};
pub use utilization::{AgentBusyTime, AgentUtilization, Documents, agent_utilization, busy, documents};

/// A stretch of time, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its first microsecond.
    pub from: i64,
    /// The first one behind it.
    pub until: i64,
}
