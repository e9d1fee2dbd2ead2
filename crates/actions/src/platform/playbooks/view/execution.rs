//! An execution as callers see it.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use toolcrib_model::{Id, Ts};
use toolcrib_store::executions::{ExecutionRow, ExecutionStepRow};

/// An execution.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExecutionView {
    /// ID.
    pub id: Id,
    /// The playbook; it may be gone.
    pub playbook_id: Option<Id>,
    /// The playbook's name when it was asked for.
    #[schemars(extend("x-untrusted" = "playbooks"))]
    pub playbook_name: Option<String>,
    /// The agent that ran it, where one did.
    pub agent_id: Option<Id>,
    /// `queued`, `running`, `completed`, `failed` or `cancelled`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// Input.
    #[schemars(extend("x-untrusted" = "playbook runs"))]
    pub input: Option<Map<String, Value>>,
    /// Output.
    #[schemars(extend("x-untrusted" = "playbook runs"))]
    pub output: Option<String>,
    /// Error message.
    #[schemars(extend("x-untrusted" = "playbook runs"))]
    pub error: Option<String>,
    /// Time of the request.
    pub created_at: Ts,
    /// Start time.
    pub started_at: Option<Ts>,
    /// End time.
    pub finished_at: Option<Ts>,
}

impl From<ExecutionRow> for ExecutionView {
    fn from(row: ExecutionRow) -> Self {
        Self {
            id: row.id,
            playbook_id: row.playbook_id,
            playbook_name: row.playbook_name,
            agent_id: row.agent_id,
            status: row.status,
            input: row.input.and_then(|text| serde_json::from_str(&text).ok()),
            output: row.output,
            error: row.error,
            created_at: row.created_at,
            started_at: row.started_at.map(Ts::from_micros),
            finished_at: row.finished_at.map(Ts::from_micros),
        }
    }
}

/// A step of an execution.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ExecutionStepView {
    /// Position of the step, from 0.
    pub position: i64,
    /// What is to be done; null where only the runtime knows.
    #[schemars(extend("x-untrusted" = "playbooks"))]
    pub prompt: Option<String>,
    /// ID of the agent that does the work.
    pub agent_id: Option<Id>,
    /// Name of the agent; null if there is none or it was deleted.
    #[schemars(extend("x-untrusted" = "agents"))]
    pub agent_name: Option<String>,
    /// `stop`, `skip` or `retry`.
    #[schemars(extend("x-ours" = true))]
    pub on_error: Option<String>,
    /// Name under which later steps read the output.
    #[schemars(extend("x-untrusted" = "playbooks"))]
    pub output_key: Option<String>,
    /// `pending`, `running`, `completed`, `failed` or `skipped`.
    #[schemars(extend("x-ours" = true))]
    pub status: String,
    /// Output.
    #[schemars(extend("x-untrusted" = "playbook runs"))]
    pub output: Option<String>,
    /// Error message.
    #[schemars(extend("x-untrusted" = "playbook runs"))]
    pub error: Option<String>,
    /// Start time.
    pub started_at: Option<Ts>,
    /// End time.
    pub finished_at: Option<Ts>,
}

impl From<ExecutionStepRow> for ExecutionStepView {
    fn from(row: ExecutionStepRow) -> Self {
        Self {
            position: row.position,
            prompt: row.prompt,
            agent_id: row.agent_id,
            agent_name: row.agent_name,
            on_error: row.on_error,
            output_key: row.output_key,
            status: row.status,
            output: row.output,
            error: row.error,
            started_at: row.started_at.map(Ts::from_micros),
            finished_at: row.finished_at.map(Ts::from_micros),
        }
    }
}
