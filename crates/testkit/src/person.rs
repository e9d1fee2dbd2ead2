//! Short functions to call an engine as one caller.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_auth::{Authenticated, Credential};
use toolcrib_engine::{
    ActionError, ApproveRequest, Approved, Arguments, CallKey, CallRequest, CallResponse, CheckView,
    ConfirmationView, DecisionMeta, Engine, Outcome, Problem, ToolCall,
};
use toolcrib_model::{Id, Surface};
use toolcrib_registry::{ActionKind, Format};

/// A caller of an engine.
#[derive(Clone)]
pub struct Person<'a> {
    engine: &'a Arc<Engine>,
    /// The caller's credential.
    pub authenticated: Authenticated,
    /// The idempotency key of every call.
    pub idempotency_key: Option<String>,
    /// The id of the provider's tool call as which every call is made.
    pub tool_call: Option<String>,
    /// The kind of action that the transport offers. By default, the kind of the named action.
    pub offers: Option<ActionKind>,
    /// Where every call comes in.
    pub surface: Surface,
}

impl<'a> Person<'a> {
    /// Makes a caller with this credential.
    pub fn new(engine: &'a Arc<Engine>, authenticated: Authenticated) -> Self {
        Self {
            engine,
            authenticated,
            idempotency_key: None,
            tool_call: None,
            offers: None,
            surface: Surface::Rest,
        }
    }

    /// Returns this caller with an idempotency key.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Self {
        Self { idempotency_key: Some(key.to_owned()), ..self.clone() }
    }

    /// Returns this caller as a model that calls tools.
    #[must_use]
    pub fn as_model(&self, id: &str) -> Self {
        Self { tool_call: Some(id.to_owned()), ..self.offering(ActionKind::Tool) }
    }

    /// Returns this caller over a transport that offers only this kind of action.
    #[must_use]
    pub fn offering(&self, offers: ActionKind) -> Self {
        Self { offers: Some(offers), ..self.clone() }
    }

    /// Returns this caller as a run of the assistant.
    #[must_use]
    pub fn in_a_run(&self) -> Self {
        Self { surface: Surface::Assistant, ..self.clone() }
    }

    /// Calls an action. The prefix `platform_` may be omitted, but not the slug of a pack.
    pub async fn call(&self, action: &str, arguments: Value) -> CallResponse {
        self.call_raw(action, Arguments::Json(arguments)).await
    }

    /// Calls an action with unparsed arguments.
    pub async fn call_raw(&self, action: &str, arguments: Arguments) -> CallResponse {
        self.engine.call(self.request(action, arguments)).await
    }

    pub fn request(&self, action: &str, arguments: Arguments) -> CallRequest {
        let known = self.engine.catalog().registry().get(action).is_some();
        let full = known || action.contains('.') || action.contains("__") || action.starts_with("platform_");
        let name = if full { action.to_owned() } else { format!("platform_{action}") };
        let meta = self.engine.catalog().registry().get(&name);
        CallRequest {
            authenticated: self.authenticated.clone(),
            // As over REST: operations and tools have different routes.
            offers: self.offers.or(meta.map(|meta| meta.spec.kind)).unwrap_or(ActionKind::Tool),
            name,
            arguments,
            surface: self.surface,
            idempotency_key: self.idempotency_key.clone().map(CallKey::Header),
            tool_call: self.tool_call.clone().map(|id| ToolCall { id, format: Format::Openai }),
            request_id: "test".into(),
            trace_id: None,
        }
    }

    /// Checks a call without running it. Panics if the check fails.
    pub async fn check(&self, action: &str, arguments: Value) -> CheckView {
        let request = self.request(action, Arguments::Json(arguments));
        self.engine.check(&request).await.expect("the call can be checked")
    }

    /// Calls an action that must complete, and returns its data.
    pub async fn done(&self, action: &str, arguments: Value) -> Value {
        match self.call(action, arguments).await.outcome {
            Outcome::Completed(done) => done.value(),
            other => panic!("`{action}` did not complete: {other:?}"),
        }
    }

    /// Calls an action that must be refused or fail, and returns the problem.
    pub async fn problem(&self, action: &str, arguments: Value) -> Problem {
        match self.call(action, arguments).await.outcome {
            Outcome::Refused(problem) => *problem,
            other => panic!("`{action}` was not refused: {other:?}"),
        }
    }

    /// Calls an action that must be refused or fail, and returns the error's code.
    pub async fn refused(&self, action: &str, arguments: Value) -> String {
        self.problem(action, arguments).await.code.as_str().to_owned()
    }

    /// Calls an action that must require a confirmation, and returns the confirmation's id.
    pub async fn pending(&self, action: &str, arguments: Value) -> Id {
        match self.call(action, arguments).await.outcome {
            Outcome::Waiting(waiting) => waiting.confirmation.id,
            other => panic!("`{action}` did not ask: {other:?}"),
        }
    }

    pub async fn approve_once(&self, id: Id, request: ApproveRequest) -> Result<Approved, ActionError> {
        self.engine.approve(&self.authenticated, id, request, decision_meta()).await
    }

    /// Sends approve requests, with the phrase if it is required, until the call has run or is asked for
    /// anew; returns the last response.
    pub async fn approve(&self, id: Id) -> Result<CallResponse, ActionError> {
        let mut request = ApproveRequest::default();
        loop {
            match self.approve_once(id, request.clone()).await? {
                Approved::Executed(answer, _) | Approved::NewConfirmation(answer) => return Ok(*answer),
                Approved::PhraseRequired(required) => request.phrase = Some(required.phrase),
            }
        }
    }

    /// Sends one approve request with the result of verifying the body's `user_token`.
    pub async fn approve_with_token(
        &self,
        id: Id,
        request: ApproveRequest,
        token: Result<Credential, ActionError>,
    ) -> Result<Approved, ActionError> {
        let meta = DecisionMeta { user_token: Some(token), ..decision_meta() };
        self.engine.approve(&self.authenticated, id, request, meta).await
    }

    pub async fn deny(&self, id: Id, reason: &str) -> Result<ConfirmationView, ActionError> {
        self.engine.deny(&self.authenticated, id, Some(reason.to_owned()), decision_meta()).await
    }

    pub async fn confirmation(&self, id: Id) -> Result<ConfirmationView, ActionError> {
        self.engine.confirmation(&self.authenticated, id).await
    }

    /// Calls an action that requires a confirmation, approves it, and returns the data.
    pub async fn confirmed(&self, action: &str, arguments: Value) -> Value {
        let id = self.pending(action, arguments).await;
        match self.approve(id).await {
            Ok(CallResponse { outcome: Outcome::Completed(done), .. }) => done.value(),
            other => panic!("`{action}` did not complete: {other:?}"),
        }
    }
}

/// Returns the metadata of a decision made over REST.
pub fn decision_meta() -> DecisionMeta {
    DecisionMeta { surface: Surface::Rest, request_id: "test".into(), trace_id: None, user_token: None }
}
