//! What is known about one call and the way it came.

use serde_json::Value;
use toolcrib_model::{Id, Surface, Ts};
use toolcrib_registry::{ActionKind, ConfirmationLevel};

/// The arguments as they came.
#[derive(Clone, Debug)]
pub enum Arguments {
    /// A request body.
    Bytes(Vec<u8>),
    /// A provider's string of JSON.
    Text(String),
    /// JSON that was read strictly before.
    Json(Value),
}

/// A provider's tool call.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// Its id.
    pub id: String,
    /// The provider's format, such as `openai`.
    pub format: &'static str,
    /// The list was asked for with `strategy=dispatcher_only`: a promoted name runs through the dispatcher.
    pub dispatcher_only: bool,
}

/// What every gate knows about the call it judges.
#[derive(Clone, Debug)]
pub(crate) struct CallContext {
    pub call_id: Id,
    pub now: Ts,
    pub started: tokio::time::Instant,
    pub surface: Surface,
    /// What the transport offers: see `CallRequest::offers`.
    pub offers: ActionKind,
    pub idempotency_key: Option<String>,
    pub tool_call: Option<ToolCall>,
    pub request_id: String,
    pub trace_id: Option<String>,
    /// The request names a mission, which must be one of the workspace.
    pub names_mission: bool,
    /// Set for the run of an approved confirmation.
    pub confirmation: Option<ApprovalBinding>,
    /// The service key that relayed a person's decision.
    pub relayed_by: Option<Id>,
}

/// Who let a waiting call run.
#[derive(Clone, Debug)]
pub(crate) struct ApprovalBinding {
    pub confirmation_id: Id,
    /// The schema that the human saw the arguments of.
    pub schema_digest: String,
    /// How the human agreed.
    pub level: ConfirmationLevel,
    /// The target that the human was shown.
    pub target_id: Option<Id>,
    /// The target's version that the human was shown.
    pub target_version: Option<i64>,
    /// How far it goes.
    pub stage: Stage,
}

/// How far the call of a confirmation goes through the gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// It runs, if it is still what the human was shown.
    Run,
    /// Its arguments were changed: it is looked at up to the question that it would ask.
    Edit,
}
