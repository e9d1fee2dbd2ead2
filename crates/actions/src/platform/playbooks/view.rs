//! A playbook and its executions as callers see them, and the enums of their fields.

use toolcrib_engine::prelude::*;
use toolcrib_store::playbooks::{PlaybookRow, StepRow};

use super::schedule::{self, ScheduleView};

toolcrib_model::closed_set! {
    "a playbook status",
    /// Status of a playbook.
    PlaybookStatus {
        /// Can be run.
        Active = "active",
        /// Cannot be run; its schedule is paused.
        Inactive = "inactive",
    }
}

/// A playbook without its steps.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlaybookSummary {
    /// ID.
    pub id: Id,
    /// Name, unique in the workspace.
    #[schemars(extend("x-untrusted" = "playbooks"))]
    pub name: String,
    /// Purpose of the playbook.
    #[schemars(extend("x-untrusted" = "playbooks"))]
    pub description: String,
    /// Tags.
    #[schemars(extend("x-untrusted" = "playbooks"))]
    pub tags: Vec<String>,
    /// `active` or `inactive`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// Schedule; null if there is none.
    pub schedule: Option<ScheduleView>,
    /// Number of retries for a failed step.
    pub max_retries: i64,
    /// Time limit of a step, in seconds.
    pub step_timeout_s: i64,
    /// Time of creation.
    pub created_at: Ts,
    /// Time of the last change of the playbook or its steps.
    pub updated_at: Ts,
}

impl From<PlaybookRow> for PlaybookSummary {
    fn from(row: PlaybookRow) -> Self {
        Self {
            id: row.id,
            schedule: schedule::view(&row),
            name: row.name,
            description: row.description,
            tags: serde_json::from_str(&row.tags).unwrap_or_default(),
            status: row.status,
            max_retries: row.max_retries,
            step_timeout_s: row.step_timeout_s,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// A step of a playbook.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct StepView {
    /// Position of the step, from 0.
    pub position: i64,
    /// Instructions in plain text.
    #[schemars(extend("x-untrusted" = "playbooks"))]
    pub prompt: String,
    /// ID of the agent that does the step; if null, the agent that runs the playbook.
    pub agent_id: Option<Id>,
    /// Name of the agent; null if there is none or it was deleted.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub agent_name: Option<String>,
    /// `stop`, `skip` or `retry`.
    #[schemars(extend("x-ours" = true))]
    pub on_error: String,
    /// Name under which later steps read the output.
    #[schemars(extend("x-untrusted" = "playbooks"))]
    pub output_key: Option<String>,
}

/// A playbook.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct PlaybookView {
    /// The playbook.
    #[serde(flatten)]
    pub playbook: PlaybookSummary,
    /// Steps, in order.
    pub steps: Vec<StepView>,
}

impl PlaybookView {
    /// Converts the stored rows.
    pub fn new(row: PlaybookRow, steps: Vec<StepRow>) -> Self {
        let steps = (0_i64..).zip(steps).map(|(position, step)| StepView {
            position,
            prompt: step.prompt,
            agent_id: step.agent_id,
            agent_name: step.agent_name,
            on_error: step.on_error,
            output_key: step.output_key,
        });
        Self { playbook: row.into(), steps: steps.collect() }
    }
}

/// A playbook after a change that may have been none.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ChangedPlaybook {
    /// Playbook after the call.
    #[serde(flatten)]
    pub playbook: PlaybookView,
    /// Whether the call changed anything.
    pub changed: bool,
    /// Names of the changed fields.
    #[schemars(extend("x-ours" = true))]
    pub changed_fields: Vec<&'static str>,
}
