//! Requests about calls that the caller runs.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use toolcrib_engine::ReportedStatus;
use toolcrib_registry::Format;

/// `GET /v1/calls/{id}`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct CallQuery {
    /// Seconds to hold the answer until the call has ended.
    #[schemars(range(min = 0, max = 60))]
    pub wait: Option<u64>,
}

/// `POST /v1/tools/outcomes`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct OutcomesRequest {
    /// The provider's shape of the messages.
    #[serde(default)]
    pub format: Format,
    /// Outcomes of calls that the application ran. They are recorded in this order.
    #[schemars(length(min = 1, max = 32))]
    pub outcomes: Vec<ToolOutcome>,
}

/// The outcome of one call: of a claimed call with `call_id`, or of a read with `action` and `tool_call_id`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ToolOutcome {
    /// ID of a claimed call, whose outcome is recorded.
    #[schemars(length(min = 1, max = 64))]
    pub call_id: Option<String>,
    /// Name of the tool, for a read (`claim: false`): its outcome is only formatted.
    #[schemars(length(min = 1, max = 64))]
    pub action: Option<String>,
    /// `tool_call_id` of the read; empty if the provider gave none.
    #[schemars(length(max = 512))]
    pub tool_call_id: Option<String>,
    /// How the call ended.
    pub status: ReportedStatus,
    /// What the tool returned: any JSON of at most 256 KiB.
    #[schemars(with = "Option<Value>", extend("x-free" = true))]
    pub output: Option<Value>,
    /// Why the call failed or did not run.
    #[schemars(length(max = 2000))]
    pub error: Option<String>,
}
