//! The response of a call that the caller runs.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolcrib_model::{Id, Ts};
use toolcrib_registry::Level;

/// The response of a call that the caller runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ToRun {
    /// Always false.
    pub ok: bool,
    /// Always `client_execution_required`.
    pub status: Cow<'static, str>,
    /// The id of the call, and of its audit row.
    pub call_id: Id,
    /// The name of the tool.
    pub action: String,
    /// The permission level of the tool.
    pub permission_level: Level,
    /// One sentence that describes what the call does.
    pub description: String,
    /// The arguments to run the tool with. Of a call that is claimed first, sensitive values are masked: the claim has
    /// them.
    pub arguments: Value,
    /// Whether the call must be claimed before it runs, and its outcome reported. False for a read.
    pub claim: bool,
    /// Until when the call can be claimed; absent for a read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim_by: Option<Ts>,
    /// JSON pointers to the arguments that were read differently from how the model wrote them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repaired: Vec<String>,
    /// The provider's id of the tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
}
