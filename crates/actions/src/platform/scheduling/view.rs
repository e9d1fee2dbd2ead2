//! A schedule as callers see it, and the enums of its fields.

use toolcrib_engine::prelude::*;
use toolcrib_model::Cron;
use toolcrib_store::{
    Tx,
    schedules::{self, ScheduleRow},
};

use crate::shared::words;

/// How many of the next times are returned.
const SHOWN: i64 = 3;

toolcrib_model::closed_set! {
    "a schedule kind",
    /// Once or repeatedly.
    ScheduleKind {
        /// At one time.
        OneShot = "one_shot",
        /// At the times of a cron expression.
        Recurring = "recurring",
    }
}

toolcrib_model::closed_set! {
    "a schedule status",
    /// Status of a schedule.
    ScheduleStatus {
        /// Runs at its next time.
        Active = "active",
        /// Paused.
        Paused = "paused",
        /// Ended after its last run.
        Completed = "completed",
        /// Cancelled by a caller.
        Cancelled = "cancelled",
        /// Ended because it has no valid next time.
        Failed = "failed",
    }
}

/// A schedule.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ScheduleView {
    /// ID.
    pub id: Id,
    /// `one_shot` or `recurring`.
    #[schemars(extend("x-ours" = true))]
    pub kind: String,
    /// Instructions in plain text.
    #[schemars(extend("x-untrusted" = "schedules"))]
    pub description: String,
    /// The time or the cron expression, as it was given.
    #[schemars(extend("x-ours" = true))]
    pub when: String,
    /// The time zone of the cron expression.
    #[schemars(extend("x-ours" = true))]
    pub timezone: String,
    /// ID of the agent that does the work.
    pub agent_id: Id,
    /// Name of the agent; null if it was deleted.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub agent_name: Option<String>,
    /// `active`, `paused`, `completed`, `cancelled` or `failed`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// Maximum number of runs; null means no limit.
    pub max_runs: Option<i64>,
    /// Number of runs so far.
    pub runs: i64,
    /// Next scheduled times, at most three; empty if not active.
    pub next_times: Vec<Ts>,
    /// Time of the last run.
    pub last_at: Option<Ts>,
    /// Time of creation.
    pub created_at: Ts,
    /// Time of the last change.
    pub updated_at: Ts,
}

impl From<ScheduleRow> for ScheduleView {
    fn from(row: ScheduleRow) -> Self {
        Self {
            next_times: next_times(&row),
            id: row.id,
            kind: row.kind,
            description: row.description,
            when: row.due,
            timezone: row.timezone,
            agent_id: row.agent_id,
            agent_name: row.agent_name,
            status: row.status,
            max_runs: row.max_runs,
            runs: row.runs,
            last_at: row.last_at.map(Ts::from_micros),
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// Returns the stored next time and the following times, within the remaining number of runs.
fn next_times(row: &ScheduleRow) -> Vec<Ts> {
    let Some(first) = row.next_at.map(Ts::from_micros).filter(|_| row.status == "active") else {
        return Vec::new();
    };
    let left = row.max_runs.map_or(SHOWN, |most| (most - row.runs).clamp(0, SHOWN));
    let mut times = vec![first];
    if let (ScheduleKind::Recurring, Ok(cron)) = (kind(row), Cron::parse(&row.due, &row.timezone)) {
        times.extend(cron.next_times(first, 2));
    }
    times.truncate(usize::try_from(left).unwrap_or(0));
    times
}

fn kind(row: &ScheduleRow) -> ScheduleKind {
    if row.kind == "recurring" { ScheduleKind::Recurring } else { ScheduleKind::OneShot }
}

pub async fn schedule(tx: &mut Tx, id: Id) -> Result<ScheduleRow, ActionError> {
    schedules::get(tx, id).await?.ok_or_else(|| {
        ActionError::not_found("scheduled task", &id.to_string())
            .hint("`platform_list_scheduled_tasks` lists them")
    })
}

/// Returns the start of a description, for sentences and summaries.
pub fn short(description: &str) -> String {
    words::short(description, 60)
}
