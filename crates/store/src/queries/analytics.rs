//! Statistics on reported records: model calls and executions, counted and summed in the database.
//!
//! Groups are not ordered unless their function says so. Callers sort them, because the databases collate
//! text differently.

mod load;
mod queue;
mod run_groups;
mod runs;
mod sorted;
mod spending;
mod totals;
mod utilization;

pub use load::{HourCalls, Quarter, busiest_hour, quarters};
pub use queue::{HourDepth, Open, first_execution, hourly, oldest_queued, open};
pub use run_groups::{OfAgent, OfPlaybook, OfRole, by_agent, by_playbook, by_role};
pub use runs::{DayCost, Durations, Outcomes, costs, durations, outcomes};
pub use spending::{
    AgentUse, DayUse, ModelUse, days_with_calls, used, used_by_agent, used_by_day, used_by_model,
};
pub use utilization::{AgentBusyTime, AgentUtilization, Documents, agent_utilization, busy, documents};

/// A time span, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The start, inclusive.
    pub from: i64,
    /// The end, exclusive.
    pub until: i64,
}
