//! The request, the context, the facts and the tracing span of one call, and the result of its run.

use std::sync::Arc;

use serde_json::{Value, json, value::RawValue};
use toolcrib_access::Caller;
use toolcrib_auth::Authenticated;
use toolcrib_model::{Cursor, Id, IdGen, Surface, Ts, Via};
use toolcrib_registry::{ActionKind, ActionMeta, ConfirmationLevel, Format};
use toolcrib_store::confirmations::RequestedCall;
use tracing::{Span, field};

/// The arguments of a call, as received.
#[derive(Clone, Debug)]
pub enum Arguments {
    /// A request body.
    Bytes(Vec<u8>),
    /// A JSON string from a provider's tool call.
    Text(String),
    /// JSON that was already parsed strictly.
    Json(Value),
}

/// The idempotency key of a call.
#[derive(Clone, Debug)]
pub enum CallKey {
    /// `Idempotency-Key`.
    Header(String),
    /// A planned call of an assistant's run, whose keys no header reaches.
    Run(Id),
}

/// A provider's tool call.
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// The provider's id of the tool call.
    pub id: String,
    /// The provider's format.
    pub format: Format,
}

#[derive(Clone, Debug)]
pub struct CallRequest {
    /// The verified credential and the requested context: the result of gate 1.
    pub authenticated: Authenticated,
    /// What the transport offers. With [`ActionKind::Tool`], which every route for models uses, the
    /// dispatcher and the catalogue's actions exist and operations do not. With [`ActionKind::Operation`],
    /// only the operation of the route exists.
    pub offers: ActionKind,
    pub name: String,
    pub arguments: Arguments,
    /// The surface through which the request arrived.
    pub surface: Surface,
    pub idempotency_key: Option<CallKey>,
    /// The provider's tool call, if the call is one.
    pub tool_call: Option<ToolCall>,
    pub request_id: String,
    /// The trace id of `traceparent`.
    pub trace_id: Option<String>,
}

/// The context of one call. Every gate reads it.
#[derive(Clone, Debug)]
pub(crate) struct CallContext {
    pub call_id: Id,
    pub now: Ts,
    pub started: tokio::time::Instant,
    pub surface: Surface,
    /// What the transport offers: see `CallRequest::offers`.
    pub offers: ActionKind,
    pub idempotency_key: Option<CallKey>,
    pub tool_call: Option<ToolCall>,
    pub request_id: String,
    pub trace_id: Option<String>,
    /// Whether the request names a mission. The mission must belong to the workspace.
    pub names_mission: bool,
    /// Set if the call runs or edits an approved confirmation.
    pub confirmation: Option<ApprovalBinding>,
    /// The target that the upstream of the call's tool was asked for.
    pub upstream_target: Option<UpstreamTarget>,
    /// The service key that relayed a person's decision.
    pub relayed_by: Option<Id>,
}

impl CallContext {
    /// Makes the context of what this service does by itself.
    pub fn of_service(ids: &dyn IdGen, now: Ts, surface: Surface, request_id: String) -> Self {
        Self {
            call_id: ids.new_id(now),
            now,
            started: tokio::time::Instant::now(),
            surface,
            // Operations never need a confirmation.
            offers: ActionKind::Tool,
            idempotency_key: None,
            tool_call: None,
            request_id,
            trace_id: None,
            names_mission: false,
            confirmation: None,
            upstream_target: None,
            relayed_by: None,
        }
    }

    /// Returns whether a model made the call. An approval of its confirmation is made by a person.
    pub fn is_from_model(&self) -> bool {
        self.confirmation.is_none() && (self.tool_call.is_some() || self.surface == Surface::Mcp)
    }
}

/// The target of a call as its upstream knows it.
#[derive(Clone, Debug)]
pub(crate) struct UpstreamTarget {
    /// Its text for people.
    pub label: String,
    /// Its path, with the version that the upstream gave; of an effect the digest of what it was resolved to.
    pub binding: String,
    /// What a compiled effect was resolved to.
    pub effect: Option<Box<EffectResolution>>,
}

/// What a compiled effect was resolved to.
#[derive(Clone, Debug)]
pub(crate) struct EffectResolution {
    /// Further information for people.
    pub detail: Option<String>,
    /// The thing that the effect changes.
    pub key: String,
    /// What the action needs for the rest of the call.
    pub plan: Value,
    /// Set if what the call wants is so already.
    pub already: Option<Done>,
}

/// The result of a run.
#[derive(Clone, Debug)]
pub struct Done {
    /// The output, as JSON text.
    pub data: Box<RawValue>,
    /// One sentence that describes what was done.
    pub description: String,
    /// The cursor after each item of a page; empty if the output is not a page.
    pub ends: Vec<Cursor>,
    /// Whether lists or texts of an upstream's answer were cut.
    pub truncated: bool,
    /// What the answer of an upstream is, if it can't be shown.
    pub unreadable: Option<String>,
}

/// What the approval of a confirmation is bound to.
#[derive(Clone, Debug)]
pub(crate) struct ApprovalBinding {
    pub confirmation_id: Id,
    /// The call as it was shown to the person.
    pub call: RequestedCall,
    /// How the person confirmed the call.
    pub level: ConfirmationLevel,
    /// How far the call goes through the gates.
    pub stage: Stage,
}

/// How far the call of a confirmation goes through the gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// The call is executed, unless its schema or target changed since the person saw it.
    Run,
    /// The arguments were edited. The call passes the gates up to the confirmation gate, which builds the new
    /// confirmation request.
    Edit,
}

/// Who calls what with which arguments. Gates 4 to 6 complete it, and audit row, events and responses are made of it.
#[derive(Clone)]
pub struct CallFacts {
    pub caller: Caller,
    /// The name of the action, or the unknown name that was called.
    pub action: String,
    /// The action, if the name is known.
    pub meta: Option<Arc<ActionMeta>>,
    /// How the call was made.
    pub via: Via,
    /// The arguments. They are masked before they are stored.
    pub arguments: Value,
    pub target: Option<String>,
    /// Whether the id of what the call created is appended to `target` after the run. Set for operations whose target
    /// has no id yet; never for tools.
    pub appends_created_id: bool,
    /// JSON pointers to the arguments that were read differently from how they were written.
    pub repaired: Vec<String>,
}

impl CallFacts {
    /// Returns the facts of a direct call without arguments and target.
    pub fn new(caller: Caller, action: &str, meta: Option<&Arc<ActionMeta>>) -> Self {
        Self {
            caller,
            action: action.to_owned(),
            meta: meta.cloned(),
            via: Via::Direct,
            arguments: json!({}),
            target: None,
            appends_created_id: false,
            repaired: Vec::new(),
        }
    }
}

/// Opens the span of one call. [`admitted`] records the workspace, once the caller's membership is known.
pub(crate) fn span() -> Span {
    tracing::info_span!(target: "toolcrib::calls", "call", workspace_id = field::Empty)
}

/// Records the workspace in the current span, and so in every log line of the call.
pub(crate) fn admitted(workspace: Id) {
    Span::current().record("workspace_id", field::display(workspace));
}
