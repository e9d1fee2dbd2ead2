//! Handles `tools/call`: makes a call through the engine, or resumes a call that waits for a person.

use std::sync::Arc;

use rmcp::{
    ErrorData, RoleServer,
    model::{CallToolRequestParams, CallToolResponse, InputResponses, ProtocolVersion},
    service::RequestContext,
};
use serde_json::Value;
use toolcrib_engine::{
    ActionError, AdmittedCaller, Arguments, CallKey, CallRequest, Engine, Outcome, Waiting,
};
use toolcrib_http::mount::{AuthenticatedRequest, trace_id_of};
use toolcrib_model::{ErrorCode, Surface};
use toolcrib_registry::{ActionKind, Dispatcher};

use crate::{
    request_state::{StateBinding, StateCipher},
    results::{APPROVAL, ask_person, bad_state, of_outcome, of_problem, of_waiting, protocol},
};

/// How long after a confirmation's expiry its state is still accepted, in seconds. A client may fetch the
/// result of a late approval afterwards.
const GRACE: i64 = 3_600;

/// One `tools/call` request.
pub struct Call<'a> {
    engine: &'a Arc<Engine>,
    state_cipher: &'a StateCipher,
    hold: u64,
    request: &'a AuthenticatedRequest,
    name: String,
    arguments: Value,
    /// The trace ID of the call's own metadata, else that of the request's headers.
    trace_id: Option<String>,
    /// The client supports URL elicitation.
    asks: bool,
}

impl<'a> Call<'a> {
    /// Creates the call from a request.
    pub fn new(
        engine: &'a Arc<Engine>,
        state_cipher: &'a StateCipher,
        hold: u64,
        request: &'a AuthenticatedRequest,
        params: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Self {
        let arguments = Value::Object(params.arguments.clone().unwrap_or_default());
        let meta = params.meta.as_ref().unwrap_or(&context.meta);
        let trace_id = meta.get_traceparent().and_then(trace_id_of);
        Self {
            engine,
            state_cipher,
            hold,
            request,
            name: params.name.to_string(),
            arguments,
            trace_id: trace_id.or_else(|| request.trace_id.clone()),
            asks: asks(context),
        }
    }

    /// Makes the call through all gates of the engine.
    pub async fn make(self) -> Result<CallToolResponse, ErrorData> {
        let outcome = self.engine.call(self.call_request()).await.outcome;
        match &outcome {
            Outcome::Waiting(waiting) if self.asks => self.ask(waiting).await,
            // An error with a corrected call is for the model, which reads results and not errors of the protocol.
            Outcome::Refused(problem) if self.outside(problem.code) && problem.call.is_none() => {
                Err(of_problem(problem))
            }
            _ => Ok(of_outcome(self.engine.catalog().registry(), &outcome).into()),
        }
    }

    /// Resumes a call that waits for a confirmation. Returns the stored result of the confirmation; never
    /// runs the action.
    pub async fn resume(
        self,
        state: String,
        responses: Option<InputResponses>,
    ) -> Result<CallToolResponse, ErrorData> {
        let told = |error: ActionError| protocol(&error, &self.request.request_id);
        let binding = self.binding().await?;
        let now = self.engine.clock().now();
        let id = self.state_cipher.open(&binding, &state, now).ok_or_else(bad_state)?;
        let left_alone = declined(responses.as_ref());
        let hold = if left_alone { 0 } else { self.hold };
        let view = self.request.until_ended(self.engine, id, hold).await.map_err(told)?;
        if view.status.has_ended() {
            return Ok(of_outcome(self.engine.catalog().registry(), &view.outcome()).into());
        }
        if self.asks && !left_alone && view.status.is_open() {
            let (url, warning) = (&view.approve_url, view.warning.as_deref());
            return Ok(ask_person(view.id, url, &view.description, warning, state).into());
        }
        Ok(of_waiting(&view).into())
    }

    fn call_request(&self) -> CallRequest {
        CallRequest {
            authenticated: self.request.authenticated.clone(),
            offers: ActionKind::Tool,
            name: self.name.clone(),
            arguments: Arguments::Json(self.arguments.clone()),
            surface: Surface::Mcp,
            idempotency_key: self.request.idempotency_key.clone().map(CallKey::Header),
            tool_call: None,
            request_id: self.request.request_id.clone(),
            trace_id: self.trace_id.clone(),
        }
    }

    async fn ask(&self, waiting: &Waiting) -> Result<CallToolResponse, ErrorData> {
        let binding = self.binding().await?;
        let asked = &waiting.confirmation;
        let state = self.state_cipher.seal(&binding, asked.id, asked.expires_at.plus_seconds(GRACE));
        let state = state.map_err(|error| protocol(&error, &self.request.request_id))?;
        let (url, warning) = (&asked.approve_url, asked.warning.as_deref());
        Ok(ask_person(asked.id, url, &waiting.description, warning, state).into())
    }

    /// Returns the binding of a state to this caller and call. Counts against the caller's rate limit of
    /// lists.
    async fn binding(&self) -> Result<StateBinding, ErrorData> {
        let admitted = self.engine.admit_list(&self.request.authenticated, Surface::Mcp).await;
        let (AdmittedCaller { caller, .. }, _) =
            admitted.map_err(|error| protocol(&error, &self.request.request_id))?;
        Ok(StateBinding::new(caller.workspace, caller.principal.key(), &self.name, &self.arguments))
    }

    /// Returns whether an error is about the request itself, so that it becomes a protocol error and not a
    /// tool result.
    fn outside(&self, code: ErrorCode) -> bool {
        match code {
            ErrorCode::UnknownAction => Dispatcher::parse(&self.name).is_none(),
            ErrorCode::WorkspaceRequired | ErrorCode::WorkspaceMismatch | ErrorCode::Unauthenticated => true,
            _ => false,
        }
    }
}

/// Returns whether the client uses the newest revision, which has no sessions and no requests from the
/// server.
pub(crate) fn is_newest(context: &RequestContext<RoleServer>) -> bool {
    let version = context.protocol_version();
    version.is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str())
}

/// Returns whether the result may ask the client to open a URL: in the newest revision, if the client
/// supports it. Other clients get the URL in the text of the result.
fn asks(context: &RequestContext<RoleServer>) -> bool {
    let able = context.client_capabilities().and_then(|able| able.elicitation);
    is_newest(context) && able.is_some_and(|able| able.url.is_some())
}

/// Returns whether the person declined to open the URL. Asking again is useless then, but the confirmation is
/// not denied.
fn declined(responses: Option<&InputResponses>) -> bool {
    let action = responses.and_then(|all| all.get(APPROVAL)?.get("action")?.as_str());
    matches!(action, Some("decline" | "cancel"))
}
