//! Short ways to call as somebody.

use std::sync::Arc;

use serde_json::Value;
use toolcrib_engine::{
    ActionError, ApproveRequest, Approved, Arguments, Authenticated, CallRequest, CallResponse, CheckView,
    ConfirmationView, Credential, DecisionMeta, Engine, Problem, ResponseBody, ToolCall,
};
use toolcrib_model::{Id, Surface};
use toolcrib_registry::ActionKind;

/// One caller of one engine.
#[derive(Clone)]
pub struct Person<'a> {
    engine: &'a Arc<Engine>,
    /// The credential.
    pub authenticated: Authenticated,
    /// Sent with every call.
    pub idempotency_key: Option<String>,
    /// Every call is a provider's tool call with this id.
    pub tool_call: Option<String>,
    /// What the transport offers; what the named action is unless said.
    pub offers: Option<ActionKind>,
}

impl<'a> Person<'a> {
    /// Whoever this credential is.
    pub fn new(engine: &'a Arc<Engine>, authenticated: Authenticated) -> Self {
        Self { engine, authenticated, idempotency_key: None, tool_call: None, offers: None }
    }

    /// The same with an idempotency key.
    #[must_use]
    pub fn with_key(&self, key: &str) -> Self {
        Self { idempotency_key: Some(key.to_owned()), ..self.clone() }
    }

    /// The same as a model that calls tools.
    #[must_use]
    pub fn as_model(&self, id: &str) -> Self {
        Self { tool_call: Some(id.to_owned()), ..self.through(ActionKind::Tool) }
    }

    /// The same over a transport that offers these alone.
    #[must_use]
    pub fn through(&self, offers: ActionKind) -> Self {
        Self { offers: Some(offers), ..self.clone() }
    }

    /// Calls an action; the prefix may be left out.
    pub async fn call(&self, action: &str, arguments: Value) -> CallResponse {
        self.call_raw(action, Arguments::Json(arguments)).await
    }

    /// Calls an action with arguments as they are.
    pub async fn call_raw(&self, action: &str, arguments: Arguments) -> CallResponse {
        self.engine.call(self.request(action, arguments)).await
    }

    fn request(&self, action: &str, arguments: Arguments) -> CallRequest {
        let full = action.contains('.') || action.starts_with("platform_");
        let name = if full { action.to_owned() } else { format!("platform_{action}") };
        let meta = self.engine.catalog().registry().get(&name);
        CallRequest {
            authenticated: self.authenticated.clone(),
            // As over REST: an operation by its own route, an action by the actions'.
            offers: self.offers.or(meta.map(|meta| meta.spec.kind)).unwrap_or(ActionKind::Tool),
            name,
            arguments,
            surface: Surface::Rest,
            idempotency_key: self.idempotency_key.clone(),
            tool_call: self.tool_call.clone().map(|id| ToolCall {
                id,
                format: "openai",
                dispatcher_only: false,
            }),
            request_id: "test".into(),
            trace_id: None,
        }
    }

    /// What a call would come to; it must be one that can be judged.
    pub async fn check(&self, action: &str, arguments: Value) -> CheckView {
        let request = self.request(action, Arguments::Json(arguments));
        self.engine.check(&request).await.expect("the call can be judged")
    }

    /// Calls an action that must complete; returns its data.
    pub async fn done(&self, action: &str, arguments: Value) -> Value {
        match self.call(action, arguments).await.body {
            ResponseBody::Completed(done) => done.value(),
            other => panic!("`{action}` did not complete: {other:?}"),
        }
    }

    /// Calls an action that must be refused or fail; returns the problem.
    pub async fn problem(&self, action: &str, arguments: Value) -> Problem {
        match self.call(action, arguments).await.body {
            ResponseBody::Refused(problem) => *problem,
            other => panic!("`{action}` was not refused: {other:?}"),
        }
    }

    /// Calls an action that must be refused or fail; returns the code.
    pub async fn refused(&self, action: &str, arguments: Value) -> String {
        self.problem(action, arguments).await.code.as_str().to_owned()
    }

    /// Calls an action that must ask; returns the confirmation's id.
    pub async fn asked(&self, action: &str, arguments: Value) -> Id {
        match self.call(action, arguments).await.body {
            ResponseBody::Waiting(waiting) => waiting.confirmation.id,
            other => panic!("`{action}` did not ask: {other:?}"),
        }
    }

    /// One approve call.
    pub async fn approve_once(&self, id: Id, request: ApproveRequest) -> Result<Approved, ActionError> {
        self.engine.approve(&self.authenticated, id, request, decider()).await
    }

    /// Approves in as many steps as it takes; returns the last answer.
    pub async fn approve(&self, id: Id) -> Result<CallResponse, ActionError> {
        let mut request = ApproveRequest::default();
        loop {
            match self.approve_once(id, request.clone()).await? {
                Approved::Executed(answer) | Approved::AskedAnew(answer) => return Ok(*answer),
                Approved::PhraseRequired(required) => request.phrase = Some(required.phrase),
            }
        }
    }

    /// One approve call, with what the body's `user_token` turned out to be.
    pub async fn approve_with_token(
        &self,
        id: Id,
        request: ApproveRequest,
        token: Result<Credential, ActionError>,
    ) -> Result<Approved, ActionError> {
        let decider = DecisionMeta { user_token: Some(token), ..decider() };
        self.engine.approve(&self.authenticated, id, request, decider).await
    }

    /// Denies.
    pub async fn deny(&self, id: Id, reason: &str) -> Result<ConfirmationView, ActionError> {
        self.engine.deny(&self.authenticated, id, Some(reason.to_owned()), decider()).await
    }

    /// Looks at a confirmation.
    pub async fn look(&self, id: Id) -> Result<ConfirmationView, ActionError> {
        self.engine.confirmation(&self.authenticated, id).await
    }

    /// Calls an action that asks, approves it, and returns its data.
    pub async fn confirmed(&self, action: &str, arguments: Value) -> Value {
        let id = self.asked(action, arguments).await;
        match self.approve(id).await {
            Ok(CallResponse { body: ResponseBody::Completed(done), .. }) => done.value(),
            other => panic!("`{action}` did not complete: {other:?}"),
        }
    }
}

/// A decision that came over REST.
pub fn decider() -> DecisionMeta {
    DecisionMeta { surface: Surface::Rest, request_id: "test".into(), trace_id: None, user_token: None }
}
