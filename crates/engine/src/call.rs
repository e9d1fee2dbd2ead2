//! What comes in: one call, and what is known about the way it came.

use serde_json::Value;
use toolcrib_model::{Id, Ts};
use toolcrib_registry::{ConfirmationLevel, Surface};

use crate::Identity;

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

/// Which door a call came through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// REST.
    Rest,
    /// The MCP endpoint.
    Mcp,
    /// The web console.
    Console,
    /// The command line.
    Cli,
}

impl Door {
    /// The wire word.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rest => "rest",
            Self::Mcp => "mcp",
            Self::Console => "console",
            Self::Cli => "cli",
        }
    }

    /// From the wire word.
    pub fn parse(word: &str) -> Self {
        [Self::Mcp, Self::Console, Self::Cli]
            .into_iter()
            .find(|door| door.as_str() == word)
            .unwrap_or(Self::Rest)
    }
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

/// One call.
#[derive(Clone, Debug)]
pub struct CallRequest {
    /// Who calls: gate 1's evidence.
    pub identity: Identity,
    /// What the transport offers. [`Surface::Tool`] for everything that a model can reach: the dispatcher and the
    /// catalogue's actions exist, operations do not. [`Surface::Program`] for an operation's own route: that operation
    /// exists and nothing else.
    pub offers: Surface,
    /// The name that was called.
    pub name: String,
    /// What was given.
    pub arguments: Arguments,
    /// Which door it came through.
    pub door: Door,
    /// `Idempotency-Key`.
    pub idempotency_key: Option<String>,
    /// The provider's tool call, where it is one.
    pub tool_call: Option<ToolCall>,
    /// The request.
    pub request_id: String,
    /// From `traceparent`.
    pub trace_id: Option<String>,
}

/// What every gate knows about the call it judges.
#[derive(Clone, Debug)]
pub(crate) struct Info {
    pub call_id: Id,
    pub now: Ts,
    pub started: tokio::time::Instant,
    pub door: Door,
    /// What the transport offers: see [`CallRequest::offers`].
    pub offers: Surface,
    pub idempotency_key: Option<String>,
    pub tool_call: Option<ToolCall>,
    pub request_id: String,
    pub trace_id: Option<String>,
    /// The request names a mission, which must be one of the workspace.
    pub names_mission: bool,
    /// Set for the run of an approved confirmation.
    pub confirmation: Option<Approval>,
    /// The service key that relayed a person's decision.
    pub relayed_by: Option<Id>,
}

/// Who let a waiting call run.
#[derive(Clone, Debug)]
pub(crate) struct Approval {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doors_word_is_read_as_it_is_written() {
        for door in [Door::Rest, Door::Mcp, Door::Console, Door::Cli] {
            assert_eq!(Door::parse(door.as_str()), door);
        }
        assert_eq!(Door::parse("window"), Door::Rest);
    }
}
